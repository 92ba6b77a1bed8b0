import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import {
  addResourceFlags,
  resourceChangeFrom,
  resourceFlagOfField,
  type ResourceFlags,
} from "../../input/resource-flags.ts";
import { resourceText } from "../../output/resource-text.ts";

export function addResourceUpdate(resource: CliCommand, cli: Cli): void {
  const command = resource
    .command("update")
    .description("change the given settings of a resource; its identifier cannot change")
    .asks("[IDENTIFIER]", "identifier", "Identifier");
  addResourceFlags(command)
    .dryRun("validate without changing anything")
    .examples(
      'authsvc resource update https://api.example.com --name "Shop API"',
      "authsvc resource update https://api.example.com --access-token-seconds 300 --json",
    )
    .withApp(async (ctx, identifier: string, flags: ResourceFlags) => {
      const change = resourceChangeFrom(flags);
      if (Object.keys(change).length === 0)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
      const resources = await import("../../../applications/resources/service.ts");
      const changed = await namingFlags(resourceFlagOfField, () =>
        resources.update(ctx, identifier, change, { actor: commandActor(), dryRun: cli.isDryRun() }),
      );
      await cli.result(changed, resourceText(changed, cli.screen()));
    });
}

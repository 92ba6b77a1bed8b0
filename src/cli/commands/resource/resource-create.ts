import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import {
  addResourceFlags,
  resourceChangeFrom,
  resourceFlagOfField,
  type ResourceFlags,
} from "../../input/resource-flags.ts";
import { resourceText } from "../../output/resource-text.ts";

type Flags = ResourceFlags & { app: string; identifier: string };

export function addResourceCreate(resource: CliCommand, cli: Cli): void {
  const command = resource
    .command("create")
    .description("create a resource: an API that programs get tokens for")
    .asks("--app <id>", "App ID")
    .asks("--identifier <uri>", "https URI of the API: the aud of its tokens", "Identifier");
  addResourceFlags(command)
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      'authsvc resource create --app app_shop --identifier https://api.shop.example --scope "read=Read your orders"',
      "authsvc resource create --app app_shop --identifier https://api.shop.example --access-token-seconds 300 --json",
    )
    .withApp(async (ctx, { app: appId, identifier, ...flags }: Flags) => {
      const resources = await import("../../../applications/resources/service.ts");
      const input = { ...resourceChangeFrom(flags), appId, identifier };
      const created = await namingFlags(resourceFlagOfField, () =>
        resources.create(ctx, input, { actor: commandActor(), dryRun: cli.isDryRun() }),
      );
      await cli.result(created, resourceText(created, cli.screen()));
    });
}

import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addClientFlags, clientChangeFrom, clientFlagOfField, type ClientFlags } from "../../input/client-flags.ts";
import { clientText } from "../../output/client-text.ts";

type Flags = ClientFlags & { enabled?: "on" | "off" };

export function addClientUpdate(client: CliCommand, cli: Cli): void {
  const command = client
    .command("update")
    .description("change the given settings of a client; an empty value removes a setting")
    .asks("[ID]", "client ID");
  addClientFlags(command)
    .addOption(new Option("--enabled <switch>", "off: nobody can sign in or refresh with it").choices(["on", "off"]))
    .dryRun("validate without changing anything")
    .examples(
      "authsvc client update grafana --redirect-uri https://grafana.example.com/login/generic_oauth --require-pkce on",
      "authsvc client update grafana --enabled off --json",
    )
    .action(async (id: string, flags: Flags) => {
      const change = {
        ...(await clientChangeFrom(cli.io, flags)),
        ...(flags.enabled === undefined ? {} : { enabled: flags.enabled === "on" }),
      };
      if (Object.keys(change).length === 0)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
      await cli.withApp(async (ctx) => {
        const clients = await import("../../../applications/clients/service.ts");
        const changed = await namingFlags(clientFlagOfField, () =>
          clients.update(ctx, id, change, { actor: commandActor(), dryRun: cli.isDryRun() }),
        );
        await cli.result(changed, clientText(changed, cli.screen()));
      });
    });
}

import { Option, type Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { addClientFlags, clientChangeFrom, clientFlagOfField, type ClientFlags } from "../input/client-flags.ts";
import { clientText } from "../output/client-text.ts";

type Flags = ClientFlags & { enabled?: "on" | "off"; dryRun?: boolean };

export function addClientUpdate(client: Command, cli: Cli): void {
  const command = client
    .command("update")
    .description("change the given settings of a client; an empty value removes a setting")
    .argument("[ID]", "client ID");
  addClientFlags(command)
    .addOption(new Option("--enabled <switch>", "off: nobody can sign in or refresh with it").choices(["on", "off"]))
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc client update grafana --redirect-uri https://grafana.example.com/login/generic_oauth --require-pkce on",
    "authsvc client update grafana --enabled off --json",
  ]).action(async (argument: string | undefined, flags: Flags) => update(cli, argument, flags));
}

async function update(cli: Cli, argument: string | undefined, flags: Flags): Promise<void> {
  const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Client ID" });
  const change = {
    ...(await clientChangeFrom(cli.io, flags)),
    ...(flags.enabled === undefined ? {} : { enabled: flags.enabled === "on" }),
  };
  if (Object.keys(change).length === 0)
    throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
  const { dryRun = false } = flags;
  await cli.withApp(async (ctx) => {
    const clients = await import("../../applications/clients/service.ts");
    const changed = await namingFlags(clientFlagOfField, () =>
      clients.update(ctx, id, change, { actor: commandActor(), dryRun }),
    );
    await cli.result(dryRun ? { ...changed, dryRun } : changed, clientText(changed, cli.screen()));
    if (dryRun) await cli.note("Dry run: nothing was changed.");
  });
}

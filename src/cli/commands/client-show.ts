import { Option, type Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { configurationFor, programs, type ProgramName } from "../output/client-configurations.ts";
import { clientText } from "../output/client-text.ts";

type Flags = { for?: ProgramName };

export function addClientShow(client: Command, cli: Cli): void {
  const command = client
    .command("show")
    .description("show one client, or the configuration of a known program that uses it")
    .argument("[ID]", "client ID; an App ID shows its application as a client")
    .addOption(new Option("--for <program>", "print the configuration of this program").choices(programs));
  examples(command, ["authsvc client show grafana --json", "authsvc client show grafana --for grafana"]).action(
    async (argument: string | undefined, { for: program }: Flags) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Client ID" });
      await cli.withApp(async (ctx) => {
        const clients = await import("../../applications/clients/service.ts");
        const shown = await clients.get(ctx, id);
        if (program === undefined) {
          await cli.result(shown, clientText(shown, cli.screen()));
          return;
        }
        const { text, missing } = configurationFor(program, shown, ctx.baseUrl);
        await cli.file({ client: shown, configuration: text }, text);
        for (const sentence of missing) await cli.note(sentence);
      });
    },
  );
}

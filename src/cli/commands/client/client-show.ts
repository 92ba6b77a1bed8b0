import { Option } from "commander";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { configurationFor, programs, type ProgramName } from "../../../applications/clients/configurations.ts";
import { clientText, documentText } from "../../output/client-text.ts";

type Flags = { for?: ProgramName };

export function addClientShow(client: CliCommand, cli: Cli): void {
  client
    .command("show")
    .description("show one client, or the configuration of a known program that uses it")
    .asks("[ID]", "client ID, or URL of a document; an App ID shows its application as a client", "Client ID")
    .addOption(new Option("--for <program>", "print the configuration of this program").choices(programs))
    .examples("authsvc client show grafana --json", "authsvc client show grafana --for grafana")
    .withApp(async (ctx, id: string, { for: program }: Flags) => {
      const clients = await import("../../../applications/clients/service.ts");
      const shown = await clients.show(ctx, id);
      if (shown.kind === "document") return await cli.result(shown, documentText(shown, cli.screen()));
      if (program === undefined) {
        await cli.result(shown, clientText(shown, cli.screen()));
        if (shown.deviceGrant) await cli.note(deviceHint(shown, ctx.baseUrl));
        return;
      }
      const { text, missing } = configurationFor(program, shown, ctx.baseUrl);
      await cli.file({ client: shown, configuration: text }, text);
      for (const sentence of missing) await cli.note(sentence);
    });
}

/** A first request, as a device makes it. */
function deviceHint({ id, scopes }: { id: string; scopes: string[] }, issuer: string): string {
  const form = `-d client_id=${id} -d scope="${scopes.join(" ")}"`;
  return `To try it: curl ${form} ${issuer}/oauth2/device_authorization, then open its verification_uri_complete.`;
}

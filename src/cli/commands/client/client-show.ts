import { Option } from "commander";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { configurationFor, programs, type ProgramName } from "../../../applications/clients/configurations.ts";
import { clientText, documentText } from "../../output/client-text.ts";
import { AppError } from "../../../lib/errors.ts";
import { proxyNames, type BlockChoices, type ProxyName } from "../../../forward-auth/blocks/block.ts";

type Flags = BlockChoices & { for?: ProgramName | ProxyName };

const flagOfChoice = {
  upstream: "--upstream",
  door: "--door",
  behind: "--behind",
  proxyVersion: "--proxy-version",
} satisfies Record<keyof BlockChoices, string>;

export function addClientShow(client: CliCommand, cli: Cli): void {
  client
    .command("show")
    .description("show one client, or the configuration of a known program or reverse proxy that uses it")
    .asks("[ID]", "client ID, or URL of a document; an App ID shows its application as a client", "Client ID")
    .addOption(
      new Option("--for <program>", "print the configuration of this program; for kind proxy, of this proxy").choices([
        ...programs,
        ...proxyNames,
      ]),
    )
    .option("--upstream <url>", "with a proxy: address of the program (default: http://127.0.0.1:3000)")
    .option("--door <url>", "with a proxy: forwardAuth.listen as the proxy sees it (default: as it is set)")
    .option("--behind <address>", "with a proxy: IP address of the balancer before it, which says who asks")
    .option("--proxy-version <version>", "with a proxy: its version, refused if it is too old")
    .examples(
      "authsvc client show grafana --for grafana --json",
      "authsvc client show files --for nginx --upstream http://127.0.0.1:8384",
    )
    .withApp(async (ctx, id: string, { for: program, ...choices }: Flags) => {
      const [given] = Object.keys(choices) as (keyof BlockChoices)[];
      if (given !== undefined && !isProxy(program))
        throw new AppError(
          "INVALID_REQUEST",
          `${flagOfChoice[given]} needs --for with a proxy: ${proxyNames.join(", ")}`,
        );
      const clients = await import("../../../applications/clients/service.ts");
      const shown = await clients.show(ctx, id);
      if (shown.kind === "document") return await cli.result(shown, documentText(shown, cli.screen()));
      if (program === undefined) {
        await cli.result(shown, clientText(shown, cli.screen()));
        if (shown.deviceGrant) await cli.note(deviceHint(shown, ctx.baseUrl));
        return;
      }
      if (isProxy(program) !== (shown.kind === "proxy"))
        throw new AppError(
          "INVALID_REQUEST",
          shown.kind === "proxy"
            ? `--for of a client of kind proxy is one of ${proxyNames.join(", ")}`
            : `--for ${program} needs a client of kind proxy; this one is of kind ${shown.kind}`,
        );
      if (isProxy(program)) {
        const { blockFor, printedBlock } = await import("../../../forward-auth/blocks/blocks.ts");
        const block = await namingFlags(flagOfChoice, () => blockFor(program, shown, choices, ctx.config.forwardAuth));
        await cli.file({ client: shown, configuration: block.text, files: block.files }, printedBlock(block));
        return;
      }
      const { text, missing } = configurationFor(program, shown, ctx.baseUrl);
      await cli.file({ client: shown, configuration: text }, text);
      for (const sentence of missing) await cli.note(sentence);
    });
}

function isProxy(program: ProgramName | ProxyName | undefined): program is ProxyName {
  return proxyNames.some((name) => name === program);
}

/** A first request, as a device makes it. */
function deviceHint({ id, scopes }: { id: string; scopes: string[] }, issuer: string): string {
  const form = `-d client_id=${id} -d scope="${scopes.join(" ")}"`;
  return `To try it: curl ${form} ${issuer}/oauth2/device_authorization, then open its verification_uri_complete.`;
}

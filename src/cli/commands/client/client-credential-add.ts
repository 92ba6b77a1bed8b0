import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { trustText } from "../../output/client-text.ts";

type Flags = { issuer: string; subject: string; audience?: string };

const flagOfField = { issuer: "--issuer", subject: "--subject", audience: "--audience", trusts: "--issuer" };

export function addClientCredentialAdd(credential: CliCommand, cli: Cli): void {
  credential
    .command("add")
    .description("trust tokens of another issuer: with one, the client authenticates without a secret")
    .asks("[ID]", "client ID, of kind web or machine", "Client ID")
    .asks("--issuer <url>", "issuer (iss) of the tokens; its discovery document names its keys", "Issuer")
    .asks("--subject <text>", "subject (sub) of the tokens, compared exactly", "Subject")
    .option("--audience <text>", "audience (aud) of the tokens (default: the issuer of this service)")
    .dryRun("validate without adding anything", "nothing was added")
    .examples(
      "authsvc client credential add nightly --issuer https://token.actions.githubusercontent.com --subject repo:acme/shop:ref:refs/heads/main",
      "authsvc client credential add nightly --issuer https://gitlab.com --subject project_path:acme/shop:ref_type:branch:ref:main --json",
    )
    .withApp(async (ctx, id: string, trust: Flags) => {
      const trusts = await import("../../../applications/clients/workload/trusts.ts");
      const call = { actor: commandActor(), dryRun: cli.isDryRun() };
      const added = await namingFlags(flagOfField, () => trusts.add(ctx, id, trust, call));
      await cli.result(added, trustText(added, ctx.baseUrl));
    });
}

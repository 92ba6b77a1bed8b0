import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { facts } from "../../output/text.ts";

type Flags = SecretFlags & { client: string; resource: string; scope?: string[] };

export function addTokenMachine(token: CliCommand, cli: Cli): void {
  const command = token
    .command("machine")
    .description("get an access token as a client of kind machine does, to try its secret and scopes")
    .asks("--client <id>", "client ID", "Client ID")
    .asks("--resource <uri>", "identifier of the resource that the token is for", "Resource")
    .option("--scope <scope...>", "scopes (default: all that the client lists); repeatable");
  addSecretFlags(command, "client secret")
    .dryRun("validate without issuing a token", "nothing was issued")
    .examples(
      "authsvc token machine --client nightly --secret-stdin --resource https://jobs.example.com < nightly.txt",
      "authsvc token machine --client nightly --secret-file /run/secrets/nightly --resource https://jobs.example.com --json",
    )
    .action(async ({ client: id, resource, scope, ...flags }: Flags) => {
      const { secret = "" } = await givenSecret(cli.io, flags);
      await cli.withApp(async (ctx) => {
        const clientSecrets = await import("../../../applications/clients/secrets.ts");
        const machineTokens = await import("../../../tokens/machine-tokens.ts");
        const credential = (await clientSecrets.liveId(ctx, id, secret)) ?? null;
        const issued = await machineTokens.issue(
          ctx,
          { client: { id }, credential, resource, scope: scope?.join(" "), proofKey: null },
          { actor: commandActor() },
          { dryRun: cli.isDryRun() },
        );
        const { accessToken, expiresIn, scopes } = issued;
        await cli.result(
          issued,
          accessToken === null
            ? facts([
                ["Resource", resource],
                ["Scopes", scopes.join(" ") || "-"],
                ["Valid for", `${expiresIn} seconds`],
              ])
            : `${accessToken}\n`,
        );
      });
    });
}

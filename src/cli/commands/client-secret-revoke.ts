import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";

export function addClientSecretRevoke(secret: Command, cli: Cli): void {
  const command = secret
    .command("revoke")
    .description("revoke a client secret at once, for example after a leak: the next call with it is rejected")
    .argument("[SECRETID]", "Secret ID, such as sec_01k…");
  // No --yes, as for API keys: this is for emergencies.
  examples(command, ["authsvc client secret revoke sec_01k…", "authsvc client secret revoke sec_01k… --json"]).action(
    async (argument: string | undefined) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "SECRETID", question: "Secret ID" });
      await cli.withApp(async (ctx) => {
        const clientSecrets = await import("../../applications/clients/secrets.ts");
        const revoked = await clientSecrets.revokeSecret(ctx, id, commandActor());
        await cli.result(revoked, `${revoked.id} of ${revoked.clientId} was revoked at ${revoked.revokedAt ?? ""}.\n`);
      });
    },
  );
}

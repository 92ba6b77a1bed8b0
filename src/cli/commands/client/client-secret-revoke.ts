import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientSecretRevoke(secret: CliCommand, cli: Cli): void {
  // No --yes, as for API keys: this is for emergencies.
  secret
    .command("revoke")
    .description("revoke a client secret at once, for example after a leak: the next call with it is rejected")
    .asks("[SECRETID]", "Secret ID, such as sec_01k…", "Secret ID")
    .examples("authsvc client secret revoke sec_01k…", "authsvc client secret revoke sec_01k… --json")
    .withApp(async (ctx, id: string) => {
      const clientSecrets = await import("../../../applications/clients/secrets.ts");
      const revoked = await clientSecrets.revokeSecret(ctx, id, commandActor());
      await cli.result(revoked, `${revoked.id} of ${revoked.clientId} was revoked at ${revoked.revokedAt ?? ""}.\n`);
    });
}

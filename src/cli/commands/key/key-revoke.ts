import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addKeyRevoke(key: CliCommand, cli: Cli): void {
  // No --yes: this is for emergencies, the id is rarely typed by accident, and a new key is one
  // command away.
  key
    .command("revoke")
    .description("revoke an API key at once, for example after a leak: the next call with it is rejected")
    .asks("[KEYID]", "Key ID, such as key_01k…", "Key ID")
    .examples("authsvc key revoke key_01k…", "authsvc key revoke key_01k… --json")
    .withApp(async (ctx, id: string) => {
      const apiKeys = await import("../../../applications/keys.ts");
      const revoked = await apiKeys.revokeKey(ctx, id, commandActor());
      await cli.result(revoked, `${revoked.id} of ${revoked.appId} was revoked at ${revoked.revokedAt ?? ""}.\n`);
    });
}

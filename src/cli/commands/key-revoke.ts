import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";

export function addKeyRevoke(key: Command, cli: Cli): void {
  const command = key
    .command("revoke")
    .description("revoke an API key at once, for example after a leak: the next call with it is rejected")
    .argument("[KEYID]", "Key ID, such as key_01k…");
  // No --yes: this is for emergencies, the id is rarely typed by accident, and a new key is one
  // command away.
  examples(command, ["authsvc key revoke key_01k…", "authsvc key revoke key_01k… --json"]).action(
    async (argument: string | undefined) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "KEYID", question: "Key ID" });
      await cli.withApp(async (ctx) => {
        const apiKeys = await import("../../applications/keys.ts");
        const revoked = await apiKeys.revokeKey(ctx, id, commandActor());
        await cli.result(revoked, `${revoked.id} of ${revoked.appId} was revoked at ${revoked.revokedAt ?? ""}.\n`);
      });
    },
  );
}

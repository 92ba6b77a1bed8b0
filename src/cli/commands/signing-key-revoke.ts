import type { Command } from "commander";
import type { RevocationPlan } from "../../sessions/signing-key-revocation.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addSigningKeyRevoke(signingKey: Command, cli: Cli): void {
  const command = signingKey
    .command("revoke")
    .description("revoke a stolen signing key: it is removed from the key set, and its tokens are rejected at once")
    .argument("[ID]", "key ID (kid)")
    .option("--dry-run", "show how many logins are affected, without changing anything");
  examples(command, [
    "authsvc signing-key revoke Zx3… --dry-run",
    "authsvc signing-key revoke Zx3… --yes --json",
  ]).action(async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
    const kid = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Key ID (kid)" });
    await cli.withApp(async (ctx) => {
      const signingKeyRevocation = await import("../../sessions/signing-key-revocation.ts");
      const signingKeys = await import("../../tokens/signing-keys.ts");
      const plan = await signingKeyRevocation.plan(ctx, kid);
      if (dryRun) {
        await cli.result({ ...plan, dryRun }, `${kid} would be revoked. ${consequences(plan)}\n`);
        await cli.note("Dry run: nothing was changed.");
        return;
      }
      await demandYes(cli.io, cli.saidYes(), `Revoke the ${plan.algorithm} key ${kid}? ${consequences(plan)}`);
      const { replacement } = await signingKeys.revoke(ctx, kid, commandActor());
      const successor = replacement === null ? "" : ` ${replacement} signs from now on.`;
      await cli.result({ ...plan, revoked: true, replacement }, `${kid} was revoked.${successor}\n`);
      await cli.note(
        "Servers that verify tokens themselves accept its tokens until they fetch the key set again, within 10 minutes.",
      );
    });
  });
}

function consequences({ logins, mintedTokens }: RevocationPlan): string {
  const minted =
    mintedTokens === 0 ? "" : ` ${mintedTokens} minted ${mintedTokens === 1 ? "token is" : "tokens are"} revoked.`;
  return `${logins} ${logins === 1 ? "login" : "logins"} must refresh their access tokens.${minted}`;
}

import type { RevocationPlan } from "../../../sessions/signing-key-revocation.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addSigningKeyRevoke(signingKey: CliCommand, cli: Cli): void {
  signingKey
    .command("revoke")
    .description("revoke a stolen signing key: it is removed from the key set, and its tokens are rejected at once")
    .asks("[ID]", "key ID (kid)")
    .dryRun("show how many logins are affected, without changing anything")
    .examples("authsvc signing-key revoke Zx3… --dry-run", "authsvc signing-key revoke Zx3… --yes --json")
    .withApp(async (ctx, kid: string) => {
      const signingKeyRevocation = await import("../../../sessions/signing-key-revocation.ts");
      const signingKeys = await import("../../../tokens/signing-keys.ts");
      const plan = await signingKeyRevocation.plan(ctx, kid);
      if (cli.isDryRun()) return await cli.result(plan, `${kid} would be revoked. ${consequences(plan)}\n`);
      await cli.demandYes(`Revoke the ${plan.algorithm} key ${kid}? ${consequences(plan)}`);
      const { replacement } = await signingKeys.revoke(ctx, kid, { actor: commandActor() });
      const successor = replacement === null ? "" : ` ${replacement} signs from now on.`;
      await cli.result({ ...plan, revoked: true, replacement }, `${kid} was revoked.${successor}\n`);
      await cli.note(
        "Servers that verify tokens themselves accept its tokens until they fetch the key set again, within 10 minutes.",
      );
    });
}

function consequences({ logins, mintedTokens }: RevocationPlan): string {
  const minted =
    mintedTokens === 0 ? "" : ` ${mintedTokens} minted ${mintedTokens === 1 ? "token is" : "tokens are"} revoked.`;
  return `${logins} ${logins === 1 ? "login" : "logins"} must refresh their access tokens.${minted}`;
}

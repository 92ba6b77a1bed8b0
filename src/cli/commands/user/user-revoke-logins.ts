import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserRevokeLogins(user: CliCommand, cli: Cli): void {
  user
    .command("revoke-logins")
    .description("sign a user out everywhere: all their tokens are rejected from the next call on")
    .asksUser()
    .dryRun("show how many logins would end, without ending any")
    .examples("authsvc user revoke-logins usr_01k…", "authsvc user revoke-logins usr_01k… --dry-run --json")
    .withApp(async (ctx, userId: string) => {
      const userAdministration = await import("../../../people/administration.ts");
      const dryRun = cli.isDryRun();
      const { ended } = await userAdministration.revokeLogins(ctx, userId, { dryRun }, { actor: commandActor() });
      const text = `${ended} ${ended === 1 ? "login" : "logins"} ${dryRun ? "would end" : "ended"}.\n`;
      await cli.result({ id: userId, ended }, text);
    });
}

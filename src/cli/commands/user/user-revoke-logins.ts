import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { forEachUser } from "./each-user.ts";

export function addUserRevokeLogins(user: CliCommand, cli: Cli): void {
  user
    .command("revoke-logins")
    .description("sign users out everywhere: all their tokens are rejected from the next call on")
    .asksUser("[ID...]", { asNamed: true })
    .dryRun("show how many logins would end, without ending any")
    .examples("authsvc user revoke-logins usr_01k…", "authsvc user revoke-logins usr_01k… usr_01m… --dry-run --json")
    .withApp(async (ctx, named: string[]) => {
      const userAdministration = await import("../../../people/administration.ts");
      const dryRun = cli.isDryRun();
      const by = { actor: commandActor() };
      const words = (ended: number): string =>
        `${ended} ${ended === 1 ? "login" : "logins"} ${dryRun ? "would end" : "ended"}.\n`;
      await forEachUser(
        cli,
        ctx,
        named,
        async (id) => ({ id, ...(await userAdministration.revokeLogins(ctx, id, { dryRun }, by)) }),
        { one: ({ ended }) => words(ended), line: (id, { ended }) => `${id}: ${words(ended)}` },
      );
    });
}

import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserResetFactors(user: CliCommand, cli: Cli): void {
  user
    .command("reset-factors")
    .description(
      "remove a user's authenticator app, recovery codes and trusted browsers; their logins go on with one factor",
    )
    .asksUser()
    .dryRun("validate without removing anything")
    .examples("authsvc user reset-factors usr_01k… --dry-run", "authsvc user reset-factors usr_01k… --yes --json")
    .withApp(async (ctx, id: string) => {
      const factors = await import("../../../factors/service.ts");
      const userAdministration = await import("../../../people/administration.ts");
      const { appId, email } = await userAdministration.get(ctx, id);
      await cli.demandYes(`Remove the second factor of ${email ?? id} in ${appId}?`);
      const options = { evenRequired: true, dryRun: cli.isDryRun() };
      const removed = await factors.remove(ctx, id, { actor: commandActor() }, options);
      if (removed) await cli.gone("removed", `The second factor of ${id}`, { id, appId });
      else await cli.result({ id, appId, removed }, `${id} has no second factor.\n`);
    });
}

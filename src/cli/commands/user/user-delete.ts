import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserDelete(user: CliCommand, cli: Cli): void {
  user
    .command("delete")
    .description("permanently delete a user and all their data; the audit log keeps only the ID")
    .asksUser()
    .dryRun("validate without deleting anything")
    .examples("authsvc user delete usr_01k… --dry-run", "authsvc user delete usr_01k… --yes --json")
    .withApp(async (ctx, userId: string) => {
      const userAdministration = await import("../../../people/administration.ts");
      const profiles = await import("../../../people/profile.ts");
      const { appId, email } = await userAdministration.get(ctx, userId);
      await cli.demandYes(`Delete ${email ?? userId} from ${appId}?`);
      if (!cli.isDryRun()) await profiles.remove(ctx, userId, { actor: commandActor() });
      await cli.gone("deleted", userId, { id: userId, appId });
    });
}

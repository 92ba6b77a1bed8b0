import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { userText } from "../../output/user-text.ts";

export function addUserDisable(user: CliCommand, cli: Cli): void {
  addSwitch(user, cli, "disable", "block a user from signing in, and end all their logins at once");
}

export function addUserEnable(user: CliCommand, cli: Cli): void {
  addSwitch(user, cli, "enable", "let a disabled user sign in again; ended logins stay ended");
}

function addSwitch(user: CliCommand, cli: Cli, name: "disable" | "enable", description: string): void {
  user
    .command(name)
    .description(description)
    .asksUser()
    .dryRun("validate without changing anything")
    .examples(`authsvc user ${name} usr_01k…`, `authsvc user ${name} usr_01k… --json`)
    .withApp(async (ctx, id: string) => {
      const { disable, enable } = await import("../../../people/administration.ts");
      const dryRun = cli.isDryRun();
      const changed = await (name === "disable" ? disable : enable)(ctx, id, { dryRun }, { actor: commandActor() });
      const plan = `${id} would be ${name}d${name === "disable" ? ", and all their logins ended" : ""}.\n`;
      await cli.result(changed, dryRun ? plan : userText(changed, cli.screen()));
    });
}

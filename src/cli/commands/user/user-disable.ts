import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { userText } from "../../output/user-text.ts";
import { forEachUser } from "./each-user.ts";

export function addUserDisable(user: CliCommand, cli: Cli): void {
  addSwitch(user, cli, "disable", "block users from signing in, and end all their logins at once");
}

export function addUserEnable(user: CliCommand, cli: Cli): void {
  addSwitch(user, cli, "enable", "let disabled users sign in again; ended logins stay ended");
}

function addSwitch(user: CliCommand, cli: Cli, name: "disable" | "enable", description: string): void {
  user
    .command(name)
    .description(description)
    .asksUser("[ID...]", { asNamed: true })
    .dryRun("validate without changing anything")
    .examples(`authsvc user ${name} usr_01k…`, `authsvc user ${name} usr_01k… usr_01m… --json`)
    .withApp(async (ctx, named: string[]) => {
      const { disable, enable } = await import("../../../people/administration.ts");
      const dryRun = cli.isDryRun();
      const act = name === "disable" ? disable : enable;
      const plan = (id: string): string =>
        `${id} would be ${name}d${name === "disable" ? ", and all their logins ended" : ""}.\n`;
      await forEachUser(cli, ctx, named, async (id) => await act(ctx, id, { dryRun }, { actor: commandActor() }), {
        one: (changed) => (dryRun ? plan(changed.id) : userText(changed, cli.screen())),
        line: (id) => (dryRun ? plan(id) : `${id} is ${name}d.\n`),
      });
    });
}

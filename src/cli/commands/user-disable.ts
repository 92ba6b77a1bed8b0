import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { userText } from "../output/user-text.ts";

export function addUserDisable(user: Command, cli: Cli): void {
  addSwitch(user, cli, "disable", "block a user from signing in, and end all their logins at once");
}

export function addUserEnable(user: Command, cli: Cli): void {
  addSwitch(user, cli, "enable", "let a disabled user sign in again; ended logins stay ended");
}

function addSwitch(user: Command, cli: Cli, name: "disable" | "enable", description: string): void {
  const command = user
    .command(name)
    .description(description)
    .argument("[ID]", "User ID")
    .option("--dry-run", "validate without changing anything");
  examples(command, [`authsvc user ${name} usr_01k…`, `authsvc user ${name} usr_01k… --json`]).action(
    async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
      await cli.withApp(async (ctx) => {
        const { disable, enable } = await import("../../users/administration.ts");
        const changed = await (name === "disable" ? disable : enable)(ctx, id, { dryRun }, { actor: commandActor() });
        const plan = `${id} would be ${name}d${name === "disable" ? ", and all their logins ended" : ""}.\n`;
        await cli.result(dryRun ? { ...changed, dryRun } : changed, dryRun ? plan : userText(changed, cli.screen()));
        if (dryRun) await cli.note("Dry run: nothing was changed.");
      });
    },
  );
}

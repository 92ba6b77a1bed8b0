import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { userText } from "../user-text.ts";

export function addUserDisable(user: Command, cli: Cli): void {
  addSwitch(user, cli, "disable", "keep a user from signing in, and end every login of theirs, at once on every node");
}

export function addUserEnable(user: Command, cli: Cli): void {
  addSwitch(user, cli, "enable", "let a disabled user sign in again; logins that ended stay ended");
}

function addSwitch(user: Command, cli: Cli, name: "disable" | "enable", description: string): void {
  const command = user
    .command(name)
    .description(description)
    .argument("[ID]", "User ID")
    .option("--dry-run", "check everything, change nothing");
  examples(command, [`authsvc user ${name} usr_01k…`, `authsvc user ${name} usr_01k… --json`]).action(
    async (given: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const id = await askUnlessGiven(cli.io, given, { flag: "ID", question: "User ID" });
      await cli.withApp(async ({ userAdministration }) => {
        const changed = await userAdministration[name](id, { dryRun }, commandActor());
        const plan = `${id} would be ${name}d${name === "disable" ? ", and every login of theirs ended" : ""}.\n`;
        await cli.result(dryRun ? { ...changed, dryRun } : changed, dryRun ? plan : userText(changed));
        if (dryRun) await cli.note("Nothing was changed: this was a dry run.");
      });
    },
  );
}

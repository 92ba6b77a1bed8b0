import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { loginTable } from "../output/user-text.ts";

export function addUserLogins(user: Command, cli: Cli): void {
  const command = user
    .command("logins")
    .description("list where a user is signed in, newest first")
    .argument("[ID]", "User ID")
    .option("--all", "include logins that ended in the last 30 days");
  examples(command, ["authsvc user logins usr_01k…", "authsvc user logins usr_01k… --all --json"]).action(
    async (argument: string | undefined, { all = false }: { all?: boolean }) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
      await cli.withApp(async (ctx) => {
        const logins = await import("../../sessions/login-administration.ts");
        const userAdministration = await import("../../users/administration.ts");
        await userAdministration.get(ctx, id);
        const list = await logins.list(ctx, id, { all });
        await cli.result(list, list.length === 0 ? "" : loginTable(list, cli.screen()));
        if (list.length === 0) await cli.note("This user has no active logins.");
      });
    },
  );
}

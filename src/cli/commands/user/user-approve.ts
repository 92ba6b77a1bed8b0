import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { forEachUser } from "./each-user.ts";

type Flags = { message?: string };

export function addUserApprove(user: CliCommand, cli: Cli): void {
  addDecision(user, cli, "approve", "let users in who signed up and wait for approval, and mail them");
}

export function addUserRefuse(user: CliCommand, cli: Cli): void {
  addDecision(user, cli, "refuse", "delete users who wait for approval, and mail them; they may sign up again");
}

function addDecision(user: CliCommand, cli: Cli, name: "approve" | "refuse", description: string): void {
  user
    .command(name)
    .description(description)
    .asksUser("[ID...]", { asNamed: true })
    .option("--message <sentence>", "a sentence that is mailed with it")
    .dryRun("validate without changing anything")
    .examples(`authsvc user ${name} usr_01k…`, `authsvc user ${name} usr_01k… usr_01m… --message "We talked." --json`)
    .withApp(async (ctx, named: string[], flags: Flags) => {
      const approval = await import("../../../people/approval.ts");
      const dryRun = cli.isDryRun();
      const decide = approval[name];
      if (name === "refuse") {
        const { userIdOf } = await import("../../input/users.ts");
        const [only = "", ...others] = named;
        // Of several, each has its own line.
        if (others.length === 0) await approval.checkWaits(ctx, await userIdOf(ctx, only));
        await cli.demandYes(named.length === 1 ? "Delete this user?" : `Delete ${named.length} users?`);
      }
      const text = (id: string): string => `${id} ${dryRun ? "would be" : "is"} ${name}d.\n`;
      await forEachUser(
        cli,
        ctx,
        named,
        async (id) =>
          await namingFlags({ message: "--message" }, () =>
            decide(ctx, id, { sentence: flags.message ?? null, dryRun }, { actor: commandActor() }),
          ),
        { one: ({ id }) => text(id), line: text },
      );
    });
}

import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { capitalized } from "../../../lib/text.ts";

export function addUserUnblock(user: CliCommand, cli: Cli): void {
  user
    .command("unblock")
    .description("let a user try again at once after too many wrong passwords or codes of the second factor")
    .asksUser()
    .dryRun("show what is blocked, without ending it")
    .examples("authsvc user unblock usr_01k…", "authsvc user unblock usr_01k… --dry-run --json")
    .withApp(async (ctx, id: string) => {
      const { unblock } = await import("../../../people/administration.ts");
      const by = { actor: commandActor() };
      const ended = await unblock(ctx, id, { dryRun: cli.isDryRun(), factor: true }, by);
      const blocked = [
        ...(ended.passwords > 0 ? ["the password"] : []),
        ...(ended.factor ? ["the second factor"] : []),
      ];
      const verb = cli.isDryRun() ? "is blocked" : "can be tried again";
      await cli.result(
        { id, ...ended },
        blocked.length === 0
          ? "Nothing is blocked.\n"
          : blocked.map((what) => `${capitalized(what)} ${verb}.\n`).join(""),
      );
    });
}

import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { facts } from "../../output/text.ts";

export function addUserFactors(user: CliCommand, cli: Cli): void {
  user
    .command("factors")
    .description("show a user's second factor: when it was set up and used, recovery codes left, wrong codes")
    .asksUser()
    .examples("authsvc user factors usr_01k…", "authsvc user factors usr_01k… --json")
    .withApp(async (ctx, id: string) => {
      const { answerFor } = await import("../../../factors/answer.ts");
      const userAdministration = await import("../../../people/administration.ts");
      await userAdministration.get(ctx, id);
      const factor = await answerFor(ctx.storage.reader, id);
      const { totp, recoveryCodes, failures, blocked } = factor;
      const screen = cli.screen();
      const text = facts([
        ["Authenticator app", totp === null ? "none" : `set up ${screen.moment(totp.setUpAt)}`],
        ["Last used", totp === null ? "-" : screen.moment(totp.lastUsedAt)],
        ["Recovery codes", `${recoveryCodes} left`],
        ["Wrong codes", `${failures} in a row`],
        ["State", blocked ? "blocked: codes are not checked" : "not blocked"],
      ]);
      await cli.result({ id, ...factor }, text);
      if (blocked) await cli.note(`To let the user sign in again: authsvc user recovery-link ${id}`);
    });
}

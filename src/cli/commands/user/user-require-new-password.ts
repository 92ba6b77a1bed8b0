import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import type { Required } from "../../../people/required-passwords.ts";
import { sinceFrom } from "../../input/values.ts";
import { forEachUser } from "./each-user.ts";

const ways = {
  "sign-in": "in the sign-in, with their passkey, second factor or a mailed code",
  reset: "by a reset, as they have no proved address, passkey or second factor",
  link: "only with a link: authsvc user reset-link",
};

export function addUserRequireNewPassword(user: CliCommand, cli: Cli): void {
  user
    .command("require-new-password")
    .description(
      "require a new password at the next sign-in with the present one, of users or of an application's users",
    )
    .argument("[users...]", "User IDs or email addresses")
    .option("--app <id>", "App ID: all passwords that were last set before --since")
    .option("--since <when>", "with --app: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .dryRun("count whom it concerns, and who needs a reset")
    .examples(
      "authsvc user require-new-password usr_01k…",
      "authsvc user require-new-password --app app_shop --since 2026-11-20T10:00:00Z --dry-run",
    )
    .withApp(async (ctx, named: string[], { app: appId, since }: { app?: string; since?: number }) => {
      const { requireOf, requireOfApp } = await import("../../../people/required-passwords.ts");
      const [dryRun, by] = [cli.isDryRun(), { actor: commandActor() }];
      if ((named.length === 0) === (appId === undefined) || (appId === undefined) !== (since === undefined))
        throw new AppError("INVALID_REQUEST", "Name users, or give --app together with --since");
      if (appId !== undefined && since !== undefined) {
        const done = await requireOfApp(ctx, { appId, before: since }, { dryRun }, by);
        const { required, byReset, byLink } = done;
        const whom = `${required} ${required === 1 ? "password" : "passwords"}`;
        const others = [
          ...(byReset > 0 ? [`${byReset} of them ${ways.reset}.\n`] : []),
          ...(byLink > 0 ? [`${byLink} of them ${ways.link}.\n`] : []),
        ];
        return await cli.result(
          { appId, ...done },
          `${whom} ${dryRun ? "would have to" : "must"} change.\n${others.join("")}`,
        );
      }
      const words = ({ required, way }: Required): string =>
        `The password ${required ? (dryRun ? "would have to change" : "must change") : "had to change already"}; ${ways[way]}.\n`;
      await forEachUser(cli, ctx, named, async (id) => await requireOf(ctx, id, { dryRun }, by), {
        one: words,
        line: (id, done) => `${id}: ${words(done)}`,
      });
    });
}

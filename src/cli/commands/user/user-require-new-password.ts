import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sinceFrom } from "../../input/values.ts";

const ways = {
  "sign-in": "in the sign-in, with their passkey, second factor or a mailed code",
  reset: "by a reset, as they have no proved address, passkey or second factor",
  link: "only with a link: authsvc user reset-link",
};

export function addUserRequireNewPassword(user: CliCommand, cli: Cli): void {
  user
    .command("require-new-password")
    .description(
      "require a new password at the next sign-in with the present one, of a user or of an application's users",
    )
    .argument("[user]", "User ID or email address")
    .option("--app <id>", "App ID: all passwords that were last set before --since")
    .option("--since <when>", "with --app: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .dryRun("count whom it concerns, and who needs a reset")
    .examples(
      "authsvc user require-new-password usr_01k…",
      "authsvc user require-new-password --app app_shop --since 2026-11-20T10:00:00Z --dry-run",
    )
    .withApp(async (ctx, named: string | undefined, { app: appId, since }: { app?: string; since?: number }) => {
      const { requireOf, requireOfApp } = await import("../../../people/required-passwords.ts");
      const [dryRun, by] = [cli.isDryRun(), { actor: commandActor() }];
      if ((named === undefined) === (appId === undefined) || (appId === undefined) !== (since === undefined))
        throw new AppError("INVALID_REQUEST", "Name one user, or give --app together with --since");
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
      const { userIdOf } = await import("../../input/users.ts");
      const { id, required, way } = await requireOf(ctx, await userIdOf(ctx, named ?? ""), { dryRun }, by);
      const words = required ? (dryRun ? "would have to change" : "must change") : "had to change already";
      await cli.result({ id, required, way }, `The password ${words}; ${ways[way]}.\n`);
    });
}

import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { readSecret } from "../../input/ask.ts";

type Flags = { login?: string };

export function addTokenRevoke(token: CliCommand, cli: Cli): void {
  token
    .command("revoke")
    .description("end the login of an access or refresh token: all its tokens are rejected from the next call on")
    .argument("[TOKEN]", "access or refresh token (default: standard input)")
    .option("--login <id>", "Login ID, such as lgn_01k…")
    .dryRun("validate without ending the login")
    .examples("authsvc token revoke < token.txt", "authsvc token revoke --login lgn_01k… --json")
    .action(async (argument: string | undefined, { login }: Flags) => {
      if (argument !== undefined && login !== undefined)
        throw new AppError("INVALID_REQUEST", "--login: give either it or a token");
      const token =
        login === undefined
          ? (argument ?? (await readSecret(cli.io, { flag: "TOKEN", question: "Token" })))
          : undefined;
      await cli.withApp(async (ctx) => {
        const logins = await import("../../../sessions/login-administration.ts");
        const id = token === undefined ? (login ?? "") : await logins.loginIdOf(ctx, token);
        const ended = await logins.end(ctx, id, { dryRun: cli.isDryRun() }, commandActor());
        const { appId, userId, endedAt, endReason } = ended;
        await cli.result(
          { loginId: ended.id, appId, userId, endedAt, endReason },
          endedAt === null ? "" : `The login ${ended.id} ended at ${endedAt}.\n`,
        );
      });
    });
}

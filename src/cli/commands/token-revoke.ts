import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { readSecret } from "../input/ask.ts";

type Flags = { login?: string; dryRun?: boolean };

export function addTokenRevoke(token: Command, cli: Cli): void {
  const command = token
    .command("revoke")
    .description("end the login of an access or refresh token: all its tokens are rejected from the next call on")
    .argument("[TOKEN]", "access or refresh token (default: standard input)")
    .option("--login <id>", "Login ID, such as lgn_01k…")
    .option("--dry-run", "validate without ending the login");
  examples(command, ["authsvc token revoke < token.txt", "authsvc token revoke --login lgn_01k… --json"]).action(
    async (argument: string | undefined, flags: Flags) => revoke(cli, argument, flags),
  );
}

async function revoke(cli: Cli, argument: string | undefined, { login, dryRun = false }: Flags): Promise<void> {
  if (argument !== undefined && login !== undefined)
    throw new AppError("INVALID_REQUEST", "--login: give either it or a token");
  const token =
    login === undefined ? (argument ?? (await readSecret(cli.io, { flag: "TOKEN", question: "Token" }))) : undefined;
  await cli.withApp(async (ctx) => {
    const logins = await import("../../sessions/login-administration.ts");
    const id = token === undefined ? (login ?? "") : await logins.loginIdOf(ctx, token);
    const ended = await logins.end(ctx, id, { dryRun }, commandActor());
    const { appId, userId, endedAt, endReason } = ended;
    await cli.result(
      { loginId: ended.id, appId, userId, endedAt, endReason, ...(dryRun ? { dryRun } : {}) },
      endedAt === null ? "" : `The login ${ended.id} ended at ${endedAt}.\n`,
    );
    if (dryRun) await cli.note("Dry run: nothing was changed.");
  });
}

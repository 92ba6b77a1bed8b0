import { AppError } from "../../../lib/errors.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { readSecret } from "../../input/ask.ts";
import { claimsText } from "../../output/claims-text.ts";

export function addTokenVerify(token: CliCommand, cli: Cli): void {
  token
    .command("verify")
    .description("verify a user's access token as the service does: exit code 0 with its claims, or 1 with the reason")
    .argument("[TOKEN]", "access token (default: standard input)")
    .option("--app <id>", "App ID that the token must belong to")
    .examples(
      "authsvc token verify --app app_shop < token.txt",
      "authsvc token verify eyJhbGciOi… --json | jq .claims.exp",
    )
    .action(async (argument: string | undefined, { app: appId }: { app?: string }) => {
      const token = argument ?? (await readSecret(cli.io, { flag: "TOKEN", question: "Access token" }));
      await cli.withApp(async (ctx) => {
        const operatorTokens = await import("../../../sessions/operator-tokens.ts");
        const answer = await operatorTokens.explain(ctx, token, appId);
        if (answer.valid) return await cli.result(answer, claimsText(answer.claims));
        if (cli.isJson()) await cli.result(answer, "");
        throw new AppError("INVALID_TOKEN", `the token is not valid: ${answer.reason}`);
      });
    });
}

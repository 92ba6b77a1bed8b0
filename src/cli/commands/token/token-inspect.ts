import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { readSecret } from "../../input/ask.ts";
import { claimsText } from "../../output/claims-text.ts";

export function addTokenInspect(token: CliCommand, cli: Cli): void {
  token
    .command("inspect")
    .description("show the contents of a JWT without verifying it")
    .argument("[TOKEN]", "token (default: standard input)")
    .examples("authsvc token inspect < token.txt", "authsvc token inspect eyJhbGciOi… --json | jq .claims")
    .action(async (argument: string | undefined) => {
      const text = argument ?? (await readSecret(cli.io, { flag: "TOKEN", question: "Token" }));
      await cli.withApp(async (ctx) => {
        const operatorTokens = await import("../../../sessions/operator-tokens.ts");
        const inspection = await operatorTokens.inspect(ctx, text);
        const { header, claims, namesKnownKey } = inspection;
        await cli.result(
          inspection,
          `Header\n${indented(claimsText(header))}Claims\n${indented(claimsText(claims))}${timesText(claims)}`,
        );
        const key = namesKnownKey ? "names a signing key of this service" : "names no signing key of this service";
        await cli.note(
          `Not verified: anybody could have created this token. It ${key}. To check it: authsvc token verify`,
        );
      });
    });
}

function indented(lines: string): string {
  return lines.replaceAll(/^(?=.)/gmu, "  ");
}

/** The token's claimed age and remaining time. */
function timesText({ iat, exp }: Record<string, unknown>): string {
  const now = Date.now() / 1000;
  const parts = [
    typeof iat === "number" && `issued ${spanText(now - iat)}`,
    typeof exp === "number" && `${exp > now ? "expires" : "expired"} ${spanText(now - exp)}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "" : `It claims: ${parts.join(", ")}.\n`;
}

function spanText(secondsAgo: number): string {
  const seconds = Math.round(Math.abs(secondsAgo));
  const units: [length: number, name: string][] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ];
  const [length, name] = units.find(([size]) => seconds >= 2 * size) ?? [1, "second"];
  const amount = Math.floor(seconds / length);
  const span = `${amount} ${name}${amount === 1 ? "" : "s"}`;
  return secondsAgo >= 0 ? `${span} ago` : `in ${span}`;
}

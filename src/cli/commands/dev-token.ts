import { existsSync } from "node:fs";
import type { DevTokens } from "../../dev/sign-in.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";

type Flags = { email: string; name?: string; url?: string };

export function addDevToken(dev: CliCommand, cli: Cli): void {
  dev
    .command("token")
    .description(
      "sign a user in to the demo application without a page, and print the access token; creates the user if there is none; needs a running serve --dev",
    )
    .asks("--email <address>", "address of the user", "Email")
    .option("--name <name>", "name of a new user")
    .option("--url <url>", "URL of the service (default: AUTHSVC_ISSUER, else the last one of the data folder)")
    .examples(
      "authsvc dev token --email ada@example.com",
      "authsvc dev token --email ada@example.com --name Ada --json | jq -r .refreshToken",
    )
    .action(async ({ email, name, url }: Flags) => {
      const service = await serviceUrl(cli, url);
      const tokens = await namingFlags({ email: "--email", name: "--name" }, () => post(service, { email, name }));
      await cli.result(tokens, `${tokens.accessToken}\n`);
      if (!cli.isJson())
        await cli.note(`${email} is signed in as ${tokens.user.id} for ${tokens.expiresIn / 60} minutes.`);
    });
}

async function serviceUrl(cli: Cli, flag: string | undefined): Promise<string> {
  const { AUTHSVC_ISSUER: variable = "" } = cli.io.env;
  const url = flag ?? (variable === "" ? undefined : variable);
  if (url === undefined) return await lastServiceUrl(cli);
  if (!/^https?:$/u.test(URL.parse(url)?.protocol ?? ""))
    throw new AppError(
      "INVALID_REQUEST",
      `${flag === undefined ? "AUTHSVC_ISSUER" : "--url"} must be the URL of the service, such as http://localhost:8080`,
    );
  return url.replace(/\/+$/u, "");
}

/** Where the service on this data folder last ran. Creates no folder. */
async function lastServiceUrl(cli: Cli): Promise<string> {
  const { config } = await cli.configure();
  if (config.baseUrl !== undefined) return config.baseUrl;
  if (config.database.url === undefined && !existsSync(config.dataDir)) return `http://localhost:${config.listen.port}`;
  const { closeContext } = await import("../../process/core.ts");
  const { openContext } = await import("../../process/open-context.ts");
  const ctx = await openContext(config, {});
  try {
    return ctx.baseUrl;
  } finally {
    await closeContext(ctx);
  }
}

async function post(url: string, body: { email: string; name: string | undefined }): Promise<DevTokens> {
  const start = "Start one with: authsvc serve --dev";
  const response = await fetch(`${url}/dev/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new AppError("SERVER_ERROR", `No service answers at ${url}. ${start}`, { cause });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as DevTokens;
  if (response.status === 404)
    throw new AppError("CONFLICT", `The service at ${url} is not in development mode. ${start}`);
  const { error } = (answer ?? {}) as { error?: { message: string; details: string } };
  if (error === undefined) throw new AppError("SERVER_ERROR", `No authsvc answers at ${url}. ${start}`);
  // The answer names field and rule in one sentence.
  const [field = "", ...rule] = error.details.split(": ");
  throw response.status === 400 && error.details !== ""
    ? invalidRequest(field, rule.join(": "))
    : new AppError("CONFLICT", error.message);
}

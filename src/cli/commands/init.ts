import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { envLines } from "../../lib/env-lines.ts";
import { AppError } from "../../lib/errors.ts";
import { newSecret } from "../../lib/random.ts";
import { redirectUriProblem } from "../../lib/redirect-uris.ts";
import { displayName, maxNameCharacters } from "../../lib/text.ts";
import type { MethodType } from "../../storage/column-types.ts";
import { type GlobalFlags, commandActor, namingFlags, ruleSentence, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { askForSettings, flagOfSetting, type InitFlags } from "../init/answers.ts";
import { configExists, withNewConfig } from "../init/write-config.ts";
import { addApiKeyFlags, chosenApiKey, type ApiKeyFlags } from "../input/api-key-flags.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { outputFile } from "../input/output-file.ts";
import { wordsOf } from "../input/values.ts";
import { canAsk, write } from "../io.ts";
import { facts } from "../output/text.ts";

type Flags = InitFlags &
  ApiKeyFlags & {
    appName?: string;
    appId?: string;
    redirectUri?: string[];
    methods?: MethodType[];
    force?: boolean;
  };

export function addInit(program: CliCommand, cli: Cli): void {
  const command = program
    .command("init")
    .description("set up the service: ask a few questions, write config.yaml, create the first application")
    .option("--base-url <url>", "URL at which browsers reach the service")
    .option("--trusted-proxy <address...>", "address or network of the proxy that terminates TLS")
    .option("--tls-cert-file <file>", "certificate, if the service itself terminates TLS")
    .option("--tls-key-file <file>", "private key of the certificate")
    .option("--database-url-file <file>", "file with the URL of a PostgreSQL database, instead of SQLite")
    .option("--master-key-file <file>", "file with the master key, with PostgreSQL (default: a new key)")
    .option("--smtp-url-file <file>", "file with the URL of the mail server")
    .option("--mail-from <sender>", "sender of mails")
    .option("--app-name <name>", "name of the first application")
    .option("--app-id <id>", "App ID to use (default: a generated one)")
    .option("--redirect-uri <uri...>", "URL that users return to after signing in; repeatable")
    .option(
      "--methods <list>",
      "passkey, password, oauth, separated by commas",
      wordsOf(["passkey", "password", "oauth"]),
    );
  addApiKeyFlags(command)
    .option("--force", "replace an existing configuration file")
    .dryRun("print the configuration file without writing or creating anything", "nothing was written or created")
    .examples(
      "authsvc init",
      'authsvc init --base-url https://auth.example.com --trusted-proxy 127.0.0.1 --app-name "My shop" --redirect-uri https://shop.example.com/callback --json',
    )
    .action(async (flags: Flags) => init(cli, flags, command.optsWithGlobals<GlobalFlags>()));
}

async function init(cli: Cli, flags: Flags, { config, data }: GlobalFlags): Promise<void> {
  const path = resolve(cli.io.cwd(), config ?? cli.io.env["AUTHSVC_CONFIG"] ?? "config.yaml");
  const shownPath = relative(cli.io.cwd(), path) || path;
  const force = flags.force ?? false;
  if (!cli.isDryRun()) outputFile(cli.io, config ?? path, config === undefined ? "AUTHSVC_CONFIG" : "--config");
  if (existsSync(path) && !force && !cli.isDryRun()) throw configExists(shownPath);
  const { settingProblem, settingsByKey } = await import("../../config/settings.ts");
  const { checkSettings } = await import("../../config/load.ts");
  const { answerProblem } = await import("../init/answer-problem.ts");
  checkGivenApplication(flags);
  const check = (key: string, value: unknown): string | undefined =>
    settingProblem(key, value) ?? answerProblem(key, value, cli.io.cwd());
  const values = await askForSettings(cli.io, flags, data, check);
  checkSettings(values, (key) => flagOfSetting[key] ?? key);
  // Relative paths start at the file's folder, those on a command line at the working directory.
  const isElsewhere = dirname(path) !== resolve(cli.io.cwd());
  for (const key of isElsewhere ? ["data", "masterKeyFile", "listen.tls.certFile", "listen.tls.keyFile"] : []) {
    const value = values.get(key);
    if (typeof value === "string") values.set(key, resolve(cli.io.cwd(), value));
  }
  const { exampleConfig } = await import("../../config/example.ts");
  const text = exampleConfig(values);
  const application = await firstApplication(cli, flags);
  if (cli.isDryRun()) {
    const secret = [...values.keys()].filter((key) => settingsByKey.get(key)?.doc.secret);
    const shown = exampleConfig(new Map([...values, ...secret.map((key) => [key, "(not shown)"] as const)]));
    await cli.file({ config: shownPath, text: shown }, shown);
    return;
  }
  const { apiKey, flag } = await chosenApiKey(cli.io, flags);
  const { created, env } = await withNewConfig(path, { text, force }, async (temporary) => {
    const applications = await import("../../applications/service.ts");
    const { config: loaded } = await cli.configure({ config: temporary });
    const { closeContext } = await import("../../process/core.ts");
    const { openContext } = await import("../../process/open-context.ts");
    const ctx = await openContext(loaded, { baseUrl: loaded.baseUrl });
    try {
      const names = { id: "--app-id", name: "--app-name", redirectUris: "--redirect-uri", apiKey: flag };
      const made = await namingFlags(names, () =>
        applications.createWithKey(ctx, application, { apiKey }, commandActor()),
      );
      return {
        created: made,
        env: {
          AUTHSVC_ISSUER: ctx.baseUrl,
          AUTHSVC_APP_ID: made.application.id,
          AUTHSVC_API_KEY: made.apiKey,
          AUTHSVC_COOKIE_SECRET: newSecret(ctx.random),
        },
      };
    } finally {
      await closeContext(ctx);
    }
  });
  await cli.result(
    { config: shownPath, ...created },
    facts([
      ["Configuration", shownPath],
      ["App ID", created.application.id],
      ["API key", created.apiKey],
    ]) + `\nThe .env file of your application:\n\n${envLines(env)}`,
  );
  if (cli.isJson()) return;
  const flagged = config === undefined ? "" : ` --config ${config}`;
  await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
  await cli.note("Next:");
  await cli.note(`  authsvc doctor${flagged}`);
  await cli.note(`  authsvc serve${flagged}`);
}

/** Checks the flags before the first question, so that no flag fails after the last one. */
function checkGivenApplication({ appName, redirectUri = [] }: Flags): void {
  const problem = appName === undefined ? undefined : nameProblem(appName);
  if (problem !== undefined) throw new AppError("INVALID_REQUEST", ruleSentence("--app-name", problem));
  for (const [index, uri] of redirectUri.entries()) {
    const wrong = redirectUriProblem(uri);
    if (wrong !== undefined) throw new AppError("INVALID_REQUEST", ruleSentence(`--redirect-uri ${index + 1}`, wrong));
  }
}

function nameProblem(name: string): string | undefined {
  return (displayName(name) ?? undefined) === undefined
    ? `1 to ${maxNameCharacters} characters, no control characters`
    : undefined;
}

async function firstApplication(cli: Cli, flags: Flags) {
  if (canAsk(cli.io) && flags.appName === undefined)
    await write(cli.io.stderr, "\nThe first application. Its name appears on the sign-in page.\n");
  const name = await askUnlessGiven(cli.io, flags.appName, {
    flag: "--app-name",
    question: "Name of the application",
    problem: nameProblem,
  });
  if (canAsk(cli.io) && flags.redirectUri === undefined)
    await write(cli.io.stderr, "\nThe URL that users return to after signing in, with a code for your server.\n");
  const redirectUri = flags.redirectUri ?? [
    await askUnlessGiven(cli.io, undefined, {
      flag: "--redirect-uri",
      question: "Redirect URI",
      problem: redirectUriProblem,
    }),
  ];
  return { id: flags.appId, name, redirectUris: redirectUri, methods: await methods(cli, flags) };
}

async function methods({ io }: Cli, flags: Flags): Promise<MethodType[] | undefined> {
  if (flags.methods !== undefined || !canAsk(io)) return flags.methods;
  await write(io.stderr, "\nHow users may sign in. Set up providers such as Google afterwards.\n");
  const { checkbox } = await import("@inquirer/prompts");
  return await checkbox<MethodType>(
    {
      message: "Methods",
      required: true,
      choices: [
        { value: "passkey", name: "passkeys", checked: true },
        { value: "password", name: "passwords", checked: true },
        { value: "oauth", name: "providers" },
      ],
    },
    { input: io.stdin, output: io.stderr },
  );
}

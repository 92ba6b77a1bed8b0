import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Command } from "commander";
import type { SignInMethod } from "../../applications/application.ts";
import type { GlobalFlags } from "../cli.ts";
import { addApiKeyFlags, chosenApiKey, type ApiKeyFlags } from "../api-key-flags.ts";
import { askUnlessGiven } from "../ask.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askForSettings, flagOfSetting, type InitFlags } from "../init/answers.ts";
import { configExists, withNewConfig } from "../init/write-config.ts";
import { canAsk, write } from "../io.ts";
import { facts } from "../text.ts";
import { wordsOf } from "../values.ts";

type Flags = InitFlags &
  ApiKeyFlags & {
    appName?: string;
    appId?: string;
    redirectUri?: string[];
    methods?: SignInMethod[];
    force?: boolean;
    dryRun?: boolean;
  };

export function addInit(program: Command, cli: Cli): void {
  const command = program
    .command("init")
    .description("set up the service: asks a few questions, writes config.yaml, creates the first application")
    .option("--base-url <url>", "address under which browsers reach the service")
    .option("--trusted-proxy <address...>", "address or network of the proxy that ends https")
    .option("--tls-cert-file <file>", "certificate, when the service itself speaks https")
    .option("--tls-key-file <file>", "private key of the certificate")
    .option("--database-url-file <file>", "file with the address of a PostgreSQL database, instead of SQLite")
    .option("--master-key-file <file>", "file with the master key; with PostgreSQL, else a new one is made")
    .option("--smtp-url-file <file>", "file with the address of the mail server")
    .option("--mail-from <sender>", "who mails come from")
    .option("--app-name <name>", "name of the first application")
    .option("--app-id <id>", "App ID of your choice")
    .option("--redirect-uri <uri...>", "address that people return to after signing in; can be repeated")
    .option(
      "--methods <list>",
      "passkey, password, oauth, separated by commas",
      wordsOf(["passkey", "password", "oauth"]),
    );
  addApiKeyFlags(command)
    .option("--force", "replace an existing configuration file")
    .option("--dry-run", "print the configuration file, write and create nothing");
  examples(command, [
    "authsvc init",
    'authsvc init --base-url https://auth.example.com --trusted-proxy 127.0.0.1 --app-name "My shop" --redirect-uri https://shop.example.com/callback --json',
  ]).action(async (flags: Flags) => init(cli, flags, command.optsWithGlobals<GlobalFlags>()));
}

async function init(cli: Cli, flags: Flags, { config, data }: GlobalFlags): Promise<void> {
  const path = resolve(cli.io.cwd(), config ?? cli.io.env["AUTHSVC_CONFIG"] ?? "config.yaml");
  const shownPath = relative(cli.io.cwd(), path) || path;
  const force = flags.force ?? false;
  if (existsSync(path) && !force && !flags.dryRun) throw configExists(shownPath);
  const { settingProblem, settingsByKey } = await import("../../config/settings.ts");
  const { checkSettings } = await import("../../config/config.ts");
  const values = await askForSettings(cli.io, flags, data, settingProblem);
  checkSettings(values, (key) => flagOfSetting[key] ?? key);
  // Relative paths in a file start where it stands, those on a command line where that was typed.
  const isElsewhere = dirname(path) !== resolve(cli.io.cwd());
  for (const key of isElsewhere ? ["data", "masterKeyFile", "listen.tls.certFile", "listen.tls.keyFile"] : []) {
    const value = values.get(key);
    if (typeof value === "string") values.set(key, resolve(cli.io.cwd(), value));
  }
  const { exampleConfig } = await import("../../config/example.ts");
  const text = exampleConfig(values);
  const application = await firstApplication(cli, flags);
  if (flags.dryRun) {
    const secret = [...values.keys()].filter((key) => settingsByKey.get(key)?.doc.secret);
    const shown = exampleConfig(new Map([...values, ...secret.map((key) => [key, "(not shown)"] as const)]));
    await cli.result({ config: shownPath, text: shown, dryRun: true }, shown);
    await cli.note("Nothing was written or created: this was a dry run.");
    return;
  }
  const { apiKey, flag } = await chosenApiKey(cli.io, flags);
  const created = await withNewConfig(path, { text, force }, async (temporary) => {
    const { config: loaded } = await cli.configure({ config: temporary });
    const { openApp } = await import("../../app.ts");
    const app = await openApp(loaded, { baseUrl: loaded.baseUrl });
    try {
      const names = { id: "--app-id", name: "--app-name", redirectUris: "--redirect-uri", apiKey: flag };
      return await namingFlags(names, () =>
        app.services.applications.createWithKey(application, { apiKey }, commandActor()),
      );
    } finally {
      await app.close();
    }
  });
  await cli.result(
    { config: shownPath, ...created },
    facts([
      ["Configuration", shownPath],
      ["App ID", created.application.id],
      ["API key", created.apiKey],
    ]),
  );
  if (cli.isJson()) return;
  const flagged = config === undefined ? "" : ` --config ${config}`;
  await cli.note("The API key is shown only now: keep it where your server reads its secrets.");
  await cli.note("Next:");
  await cli.note(`  authsvc doctor${flagged}`);
  await cli.note(`  authsvc serve${flagged}`);
}

async function firstApplication(cli: Cli, flags: Flags) {
  if (canAsk(cli.io) && flags.appName === undefined)
    await write(
      cli.io.stderr,
      "\nThe first application that people sign in to; its name stands on the sign-in page.\n",
    );
  const name = await askUnlessGiven(cli.io, flags.appName, { flag: "--app-name", question: "Name of the application" });
  if (canAsk(cli.io) && flags.redirectUri === undefined)
    await write(cli.io.stderr, "\nWhere the sign-in page sends people back to, with a code for your server.\n");
  const redirectUri = flags.redirectUri ?? [
    await askUnlessGiven(cli.io, undefined, { flag: "--redirect-uri", question: "Redirect URI" }),
  ];
  return { id: flags.appId, name, redirectUris: redirectUri, methods: await methods(cli, flags) };
}

async function methods({ io }: Cli, flags: Flags): Promise<SignInMethod[] | undefined> {
  if (flags.methods !== undefined || !canAsk(io)) return flags.methods;
  await write(io.stderr, "\nHow people may sign in. Providers such as Google are set up afterwards.\n");
  const { checkbox } = await import("@inquirer/prompts");
  return await checkbox<SignInMethod>(
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

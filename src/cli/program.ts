import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { addAppCreate } from "./commands/app-create.ts";
import { addAppList } from "./commands/app-list.ts";
import { addAppShow } from "./commands/app-show.ts";
import { addKeyCreate } from "./commands/key-create.ts";
import { addProviderList } from "./commands/provider-list.ts";
import { addProviderRemove } from "./commands/provider-remove.ts";
import { addProviderSet } from "./commands/provider-set.ts";
import { addServe } from "./commands/serve.ts";
import { addTokenVerify } from "./commands/token-verify.ts";
import { addVersion } from "./commands/version.ts";
import { examples } from "./examples.ts";
import { version } from "./version.ts";

/** Every command with its flags. Building it loads nothing but commander: what a command does is imported when it runs. */
export function buildProgram(cli: Cli): Command {
  const { stdout, stderr } = cli.io;
  const program = new Command("authsvc")
    .description("Self-hosted sign-in for your applications.")
    // Settings below are inherited by every command that `.command()` makes.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true })
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .version(version, "-V, --version", "show the version")
    .option("--config <file>", "configuration file (else AUTHSVC_CONFIG, else ./config.yaml when present)")
    .option("--data <folder>", "data folder (else AUTHSVC_DATA, else ./data)")
    .option("--json", "print the result as one JSON document")
    .option("-q, --quiet", "print the result and errors only")
    .option("-y, --yes", "answer every confirmation with yes");
  examples(program, [
    "authsvc serve --dev",
    'authsvc app create --name "My shop" --redirect-uri https://shop.example.com/callback',
  ]);

  addServe(program, cli);
  const app = group(program, "app", "applications that people sign in to", [
    "authsvc app list",
    "authsvc app show app_shop --json",
  ]);
  addAppCreate(app, cli);
  addAppList(app, cli);
  addAppShow(app, cli);
  const provider = group(app, "provider", "providers that people of an application can sign in with", [
    "authsvc app provider list app_shop",
    "authsvc app provider set app_shop github --client-id Iv1.8a61f9b3 --client-secret-stdin < secret.txt",
  ]);
  addProviderSet(provider, cli);
  addProviderList(provider, cli);
  addProviderRemove(provider, cli);
  const key = group(program, "key", "API keys of applications", [
    "authsvc key create --app app_shop",
    "authsvc key create --app app_shop --json",
  ]);
  addKeyCreate(key, cli);
  const token = group(program, "token", "access tokens of users", [
    "authsvc token verify eyJhbGciOi…",
    "authsvc token verify --app app_shop < token.txt",
  ]);
  addTokenVerify(token, cli);
  addVersion(program, cli);
  return program;
}

function group(program: Command, name: string, description: string, lines: string[]): Command {
  return examples(program.command(name).description(description), lines);
}

/** Every long flag of a command and of those below it. */
export function flagsOf(command: Command): string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), ...command.commands.flatMap(flagsOf)];
}

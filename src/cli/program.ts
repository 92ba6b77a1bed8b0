import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { addApply } from "./commands/apply.ts";
import { addAppCreate } from "./commands/app-create.ts";
import { addAppDelete } from "./commands/app-delete.ts";
import { addAppList } from "./commands/app-list.ts";
import { addAppShow } from "./commands/app-show.ts";
import { addAppUpdate } from "./commands/app-update.ts";
import { addAuditList } from "./commands/audit-list.ts";
import { addBench } from "./commands/bench.ts";
import { addCompletionValues } from "./commands/completion-values.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConfigCheck } from "./commands/config-check.ts";
import { addConfigExample } from "./commands/config-example.ts";
import { addConfigShow } from "./commands/config-show.ts";
import { addDbBackup } from "./commands/db-backup.ts";
import { addDbCheck } from "./commands/db-check.ts";
import { addDbCopy } from "./commands/db-copy.ts";
import { addDbMigrate } from "./commands/db-migrate.ts";
import { addDbRestore } from "./commands/db-restore.ts";
import { addDbStatus } from "./commands/db-status.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExport } from "./commands/export.ts";
import { addHealth } from "./commands/health.ts";
import { addInit } from "./commands/init.ts";
import { addKeyCreate } from "./commands/key-create.ts";
import { addKeyList } from "./commands/key-list.ts";
import { addKeyRevoke } from "./commands/key-revoke.ts";
import { addKeyRotate } from "./commands/key-rotate.ts";
import { addPlan } from "./commands/plan.ts";
import { addOpenApi } from "./commands/openapi.ts";
import { addProviderList } from "./commands/provider-list.ts";
import { addProviderRemove } from "./commands/provider-remove.ts";
import { addProviderSet } from "./commands/provider-set.ts";
import { addServe } from "./commands/serve.ts";
import { addSigningKeyList } from "./commands/signing-key-list.ts";
import { addSigningKeyRotate } from "./commands/signing-key-rotate.ts";
import { addTokenInspect } from "./commands/token-inspect.ts";
import { addTokenMint } from "./commands/token-mint.ts";
import { addTokenRevoke } from "./commands/token-revoke.ts";
import { addTokenVerify } from "./commands/token-verify.ts";
import { addUserCreate } from "./commands/user-create.ts";
import { addUserDelete } from "./commands/user-delete.ts";
import { addUserDisable, addUserEnable } from "./commands/user-disable.ts";
import { addUserExport } from "./commands/user-export.ts";
import { addUserImport } from "./commands/user-import.ts";
import { addUserList } from "./commands/user-list.ts";
import { addUserLogins } from "./commands/user-logins.ts";
import { addUserResetLink } from "./commands/user-reset-link.ts";
import { addUserRevokeLogins } from "./commands/user-revoke-logins.ts";
import { addUserShow } from "./commands/user-show.ts";
import { addVersion } from "./commands/version.ts";
import { addWebhookCreate } from "./commands/webhook-create.ts";
import { addWebhookDelete } from "./commands/webhook-delete.ts";
import { addWebhookDeliveries } from "./commands/webhook-deliveries.ts";
import { addWebhookList } from "./commands/webhook-list.ts";
import { addWebhookRedeliver } from "./commands/webhook-redeliver.ts";
import { addWebhookRotateSecret } from "./commands/webhook-rotate-secret.ts";
import { addWebhookShow } from "./commands/webhook-show.ts";
import { addWebhookTest } from "./commands/webhook-test.ts";
import { addWebhookUpdate } from "./commands/webhook-update.ts";
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

  addInit(program, cli);
  addServe(program, cli);
  addHealth(program, cli);
  const app = group(program, "app", "applications that people sign in to", [
    "authsvc app list",
    "authsvc app show app_shop --json",
  ]);
  addAppCreate(app, cli);
  addAppList(app, cli);
  addAppShow(app, cli);
  addAppUpdate(app, cli);
  addAppDelete(app, cli);
  const provider = group(app, "provider", "providers that people of an application can sign in with", [
    "authsvc app provider list app_shop",
    "authsvc app provider set app_shop github --client-id Iv1.8a61f9b3 --client-secret-stdin < secret.txt",
  ]);
  addProviderSet(provider, cli);
  addProviderList(provider, cli);
  addProviderRemove(provider, cli);
  const key = group(program, "key", "API keys of applications", [
    "authsvc key list --app app_shop",
    "authsvc key rotate --app app_shop --overlap 7d",
  ]);
  addKeyCreate(key, cli);
  addKeyList(key, cli);
  addKeyRotate(key, cli);
  addKeyRevoke(key, cli);
  const user = group(program, "user", "users of applications", [
    "authsvc user list --app app_shop --email ada@example.com",
    "authsvc user disable usr_01k…",
  ]);
  addUserList(user, cli);
  addUserShow(user, cli);
  addUserCreate(user, cli);
  addUserDisable(user, cli);
  addUserEnable(user, cli);
  addUserDelete(user, cli);
  addUserLogins(user, cli);
  addUserResetLink(user, cli);
  addUserRevokeLogins(user, cli);
  addUserImport(user, cli);
  addUserExport(user, cli);
  const token = group(program, "token", "access tokens of users", [
    "authsvc token verify eyJhbGciOi…",
    "authsvc token verify --app app_shop < token.txt",
  ]);
  addTokenVerify(token, cli);
  addTokenInspect(token, cli);
  addTokenMint(token, cli);
  addTokenRevoke(token, cli);
  const signingKey = group(program, "signing-key", "keys that sign access tokens", [
    "authsvc signing-key list",
    "authsvc signing-key rotate --dry-run",
  ]);
  addSigningKeyList(signingKey, cli);
  addSigningKeyRotate(signingKey, cli);
  addPlan(program, cli);
  addApply(program, cli);
  addExport(program, cli);
  addDoctor(program, cli);
  const webhook = group(program, "webhook", "endpoints of applications' servers that are told of events", [
    "authsvc webhook list --app app_shop",
    "authsvc webhook test whe_shop",
  ]);
  addWebhookCreate(webhook, cli);
  addWebhookList(webhook, cli);
  addWebhookShow(webhook, cli);
  addWebhookUpdate(webhook, cli);
  addWebhookDelete(webhook, cli);
  addWebhookTest(webhook, cli);
  addWebhookDeliveries(webhook, cli);
  addWebhookRedeliver(webhook, cli);
  addWebhookRotateSecret(webhook, cli);
  const audit = group(program, "audit", "what happened, and who did it", [
    "authsvc audit list --since 24h",
    "authsvc audit list --user usr_01k… --json",
  ]);
  addAuditList(audit, cli);
  const config = group(program, "config", "the configuration of the service", [
    "authsvc config check",
    "authsvc config example > config.yaml",
  ]);
  addConfigCheck(config, cli);
  addConfigShow(config, cli);
  addConfigExample(config, cli);
  const db = group(program, "db", "the database: schema, backup, moving to another one", [
    "authsvc db status",
    "authsvc db backup /var/backups/authsvc.backup --yes",
  ]);
  addDbStatus(db, cli);
  addDbMigrate(db, cli);
  addDbCheck(db, cli);
  addDbBackup(db, cli);
  addDbRestore(db, cli);
  addDbCopy(db, cli);
  addBench(program, cli);
  addOpenApi(program, cli);
  addCompletion(program, cli);
  addCompletionValues(program, cli);
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

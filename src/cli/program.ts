import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { CliCommand } from "./command.ts";
import { addAppCreate } from "./commands/app/app-create.ts";
import { addAppDelete } from "./commands/app/app-delete.ts";
import { addAppList } from "./commands/app/app-list.ts";
import { addAppShow } from "./commands/app/app-show.ts";
import { addAppUpdate } from "./commands/app/app-update.ts";
import { addApply } from "./commands/apply.ts";
import { addAuditExport } from "./commands/audit/audit-export.ts";
import { addAuditFollow } from "./commands/audit/audit-follow.ts";
import { addAuditList } from "./commands/audit/audit-list.ts";
import { addBench } from "./commands/bench.ts";
import { addBreachedPasswordsBuild } from "./commands/breached-passwords/breached-passwords-build.ts";
import { addBreachedPasswordsCheck } from "./commands/breached-passwords/breached-passwords-check.ts";
import { addBreachedPasswordsFetch } from "./commands/breached-passwords/breached-passwords-fetch.ts";
import { addBreachedPasswordsStatus } from "./commands/breached-passwords/breached-passwords-status.ts";
import { addClientBlock } from "./commands/client/client-block.ts";
import { addClientCheck } from "./commands/client/client-check.ts";
import { addClientCreate } from "./commands/client/client-create.ts";
import { addClientCredentialAdd } from "./commands/client/client-credential-add.ts";
import { addClientCredentialList } from "./commands/client/client-credential-list.ts";
import { addClientCredentialRemove } from "./commands/client/client-credential-remove.ts";
import { addClientDelete } from "./commands/client/client-delete.ts";
import { addClientList } from "./commands/client/client-list.ts";
import { addClientSecretCreate } from "./commands/client/client-secret-create.ts";
import { addClientSecretList } from "./commands/client/client-secret-list.ts";
import { addClientSecretRevoke } from "./commands/client/client-secret-revoke.ts";
import { addClientSecretRotate } from "./commands/client/client-secret-rotate.ts";
import { addClientShow } from "./commands/client/client-show.ts";
import { addClientUnblock } from "./commands/client/client-unblock.ts";
import { addClientUpdate } from "./commands/client/client-update.ts";
import { addCompletionValues } from "./commands/completion/completion-values.ts";
import { addCompletion } from "./commands/completion/completion.ts";
import { addConfigCheck } from "./commands/config/config-check.ts";
import { addConfigExample } from "./commands/config/config-example.ts";
import { addConfigShow } from "./commands/config/config-show.ts";
import { addConsole } from "./commands/console.ts";
import { addDbBackup } from "./commands/db/db-backup.ts";
import { addDbCheck } from "./commands/db/db-check.ts";
import { addDbCopy } from "./commands/db/db-copy.ts";
import { addDbMigrate } from "./commands/db/db-migrate.ts";
import { addDbRestore } from "./commands/db/db-restore.ts";
import { addDbStatus } from "./commands/db/db-status.ts";
import { addDevToken } from "./commands/dev-token.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExport } from "./commands/export.ts";
import { addGroupCreate } from "./commands/group/group-create.ts";
import { addGroupDelete } from "./commands/group/group-delete.ts";
import { addGroupList } from "./commands/group/group-list.ts";
import { addGroupAdd, addGroupRemove } from "./commands/group/group-members.ts";
import { addGroupShow } from "./commands/group/group-show.ts";
import { addGroupUpdate } from "./commands/group/group-update.ts";
import { addHealth } from "./commands/health.ts";
import { addInit } from "./commands/init.ts";
import { addKeyCreate } from "./commands/key/key-create.ts";
import { addKeyGenerate } from "./commands/key/key-generate.ts";
import { addKeyList } from "./commands/key/key-list.ts";
import { addKeyRevoke } from "./commands/key/key-revoke.ts";
import { addKeyRotate } from "./commands/key/key-rotate.ts";
import { addLogs } from "./commands/logs.ts";
import { addMailTest } from "./commands/mail-test.ts";
import { addMasterKeyRotate } from "./commands/master-key-rotate.ts";
import { addOpenApi } from "./commands/openapi.ts";
import { addOperatorInvite } from "./commands/operator/operator-invite.ts";
import { addOperatorList } from "./commands/operator/operator-list.ts";
import { addOperatorNetworks } from "./commands/operator/operator-networks.ts";
import { addOperatorRemove } from "./commands/operator/operator-remove.ts";
import { addOperatorUpdate } from "./commands/operator/operator-update.ts";
import { addOrganizationCreate } from "./commands/organization/organization-create.ts";
import { addOrganizationDelete } from "./commands/organization/organization-delete.ts";
import { addOrganizationStates } from "./commands/organization/organization-disable.ts";
import { addOrganizationDomains } from "./commands/organization/organization-domains.ts";
import { addOrganizationExport } from "./commands/organization/organization-export.ts";
import { addOrganizationImport } from "./commands/organization/organization-import.ts";
import { addOrganizationInvite } from "./commands/organization/organization-invite.ts";
import { addOrganizationList } from "./commands/organization/organization-list.ts";
import { addOrganizationMembers } from "./commands/organization/organization-member.ts";
import { addOrganizationProvider } from "./commands/organization/organization-provider.ts";
import { addOrganizationSetupLink } from "./commands/organization/organization-setup-link.ts";
import { addOrganizationShow } from "./commands/organization/organization-show.ts";
import { addOrganizationUpdate } from "./commands/organization/organization-update.ts";
import { addPlan } from "./commands/plan.ts";
import { addProviderList } from "./commands/provider/provider-list.ts";
import { addProviderRemove } from "./commands/provider/provider-remove.ts";
import { addProviderSet } from "./commands/provider/provider-set.ts";
import { addResourceCreate } from "./commands/resource/resource-create.ts";
import { addResourceDelete } from "./commands/resource/resource-delete.ts";
import { addResourceList } from "./commands/resource/resource-list.ts";
import { addResourceShow } from "./commands/resource/resource-show.ts";
import { addResourceUpdate } from "./commands/resource/resource-update.ts";
import { addRevocationList } from "./commands/revocation-list.ts";
import { addSearch } from "./commands/search.ts";
import { addServe } from "./commands/serve.ts";
import { addSigningKeyList } from "./commands/signing-key/signing-key-list.ts";
import { addSigningKeyRevoke } from "./commands/signing-key/signing-key-revoke.ts";
import { addSigningKeyRotate } from "./commands/signing-key/signing-key-rotate.ts";
import { addTokenInspect } from "./commands/token/token-inspect.ts";
import { addTokenMachine } from "./commands/token/token-machine.ts";
import { addTokenMint } from "./commands/token/token-mint.ts";
import { addTokenRevoke } from "./commands/token/token-revoke.ts";
import { addTokenVerify } from "./commands/token/token-verify.ts";
import { addTop } from "./commands/top.ts";
import { addUpdate } from "./commands/update.ts";
import { addUserConsents } from "./commands/user/user-consents.ts";
import { addUserCreate } from "./commands/user/user-create.ts";
import { addUserDelete } from "./commands/user/user-delete.ts";
import { addUserApprove, addUserRefuse } from "./commands/user/user-approve.ts";
import { addUserDisable, addUserEnable } from "./commands/user/user-disable.ts";
import { addUserExport } from "./commands/user/user-export.ts";
import { addUserFactors } from "./commands/user/user-factors.ts";
import { addUserImport } from "./commands/user/user-import.ts";
import { addUserInvite } from "./commands/user/user-invite.ts";
import { addUserList } from "./commands/user/user-list.ts";
import { addUserLogins } from "./commands/user/user-logins.ts";
import { addUserMetadata } from "./commands/user/user-metadata.ts";
import { addUserRecoveryLink } from "./commands/user/user-recovery-link.ts";
import { addUserRemoveMethod } from "./commands/user/user-remove-method.ts";
import { addUserRequireNewPassword } from "./commands/user/user-require-new-password.ts";
import { addUserResetFactors } from "./commands/user/user-reset-factors.ts";
import { addUserResetLink } from "./commands/user/user-reset-link.ts";
import { addUserRevokeLogins } from "./commands/user/user-revoke-logins.ts";
import { addUserShow } from "./commands/user/user-show.ts";
import { addUserTerms } from "./commands/user/user-terms.ts";
import { addUserTokens } from "./commands/user/user-tokens.ts";
import { addUserTrustedBrowsers } from "./commands/user/user-trusted-browsers.ts";
import { addUserUnblock } from "./commands/user/user-unblock.ts";
import { addUserUpdate } from "./commands/user/user-update.ts";
import { addVersion } from "./commands/version.ts";
import { addWebhookCreate } from "./commands/webhook/webhook-create.ts";
import { addWebhookDelete } from "./commands/webhook/webhook-delete.ts";
import { addWebhookDeliveries } from "./commands/webhook/webhook-deliveries.ts";
import { addWebhookList } from "./commands/webhook/webhook-list.ts";
import { addWebhookRedeliver } from "./commands/webhook/webhook-redeliver.ts";
import { addWebhookRotateSecret } from "./commands/webhook/webhook-rotate-secret.ts";
import { addWebhookShow } from "./commands/webhook/webhook-show.ts";
import { addWebhookTest } from "./commands/webhook/webhook-test.ts";
import { addWebhookUpdate } from "./commands/webhook/webhook-update.ts";
import { version } from "./version.ts";

/**
 * The program with all commands and flags, or with the `words` of a command line only those of the
 * named groups. Loads only commander: a command's code is imported when it runs.
 */
export function buildProgram(cli: Cli, words?: readonly string[]): CliCommand {
  const { stdout, stderr } = cli.io;
  const program = new CliCommand(cli, "authsvc")
    .description("Self-hosted sign-in for your applications.")
    // Inherited by every command that `.command()` makes.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 24 })
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .version(version, "-V, --version", "show the version")
    .option("--config <file>", "configuration file (default: AUTHSVC_CONFIG, or ./config.yaml if present)")
    .option("--data <folder>", "data folder (default: AUTHSVC_DATA, or ./data)")
    .option("--json", "print the result as one JSON document")
    .option("-q, --quiet", "print only the result and errors")
    .option("-y, --yes", "answer yes to every confirmation")
    .examples(
      "authsvc serve --dev",
      'authsvc app create --name "My shop" --redirect-uri https://shop.example.com/callback',
    );

  /**
   * Creates a group's commands only if the group was named: creating all takes longer than loading
   * this code.
   */
  function group(
    name: string,
    description: string,
    lines: string[],
    commands: ((group: CliCommand, cli: Cli) => void)[],
  ) {
    const made = program
      .command(name)
      .description(description)
      .examples(...lines);
    if (words?.includes(name) ?? true) for (const add of commands) add(made, cli);
  }

  program.commandsGroup("Run:");
  addInit(program, cli);
  addServe(program, cli);
  addConsole(program, cli);
  group(
    "operator",
    "people who may use the console",
    ["authsvc operator list", "authsvc operator invite --email ada@example.com --role owner"],
    [addOperatorInvite, addOperatorList, addOperatorUpdate, addOperatorRemove, addOperatorNetworks],
  );
  group(
    "dev",
    "helps to test your application; needs a running serve --dev",
    ["authsvc dev token --email ada@example.com", "authsvc dev token --email ada@example.com --name Ada --json"],
    [addDevToken],
  );

  program.commandsGroup("Applications:");
  group(
    "app",
    "applications that users sign in to",
    ["authsvc app list", "authsvc app show app_shop --json"],
    [addAppCreate, addAppList, addAppShow, addAppUpdate, addAppDelete, addProviders],
  );
  group(
    "client",
    "programs that sign in an application's users by OpenID Connect",
    ["authsvc client list --app app_shop", "authsvc client show grafana --for grafana"],
    [
      addClientCreate,
      addClientList,
      addClientShow,
      addClientCheck,
      addClientUpdate,
      addClientDelete,
      addClientBlock,
      addClientUnblock,
      addClientSecrets,
      addClientCredentials,
    ],
  );
  group(
    "resource",
    "APIs that programs get tokens for",
    ["authsvc resource list --app app_shop", "authsvc resource show https://api.example.com"],
    [addResourceCreate, addResourceList, addResourceShow, addResourceUpdate, addResourceDelete],
  );
  addPlan(program, cli);
  addApply(program, cli);
  addExport(program, cli);

  program.commandsGroup("Users:");
  addSearch(program, cli);
  group(
    "user",
    "users of applications",
    ["authsvc user list --app app_shop --email ada@example.com", "authsvc user disable usr_01k…"],
    [
      addUserList,
      addUserShow,
      addUserCreate,
      addUserUpdate,
      addUserInvite,
      addUserApprove,
      addUserRefuse,
      addUserDisable,
      addUserEnable,
      addUserUnblock,
      addUserDelete,
      addUserLogins,
      addUserConsents,
      addUserTerms,
      addUserMetadata,
      addUserRemoveMethod,
      addUserFactors,
      addUserRequireNewPassword,
      addUserResetFactors,
      addUserRecoveryLink,
      addUserTokens,
      addUserTrustedBrowsers,
      addUserResetLink,
      addUserRevokeLogins,
      addUserImport,
      addUserExport,
    ],
  );
  group(
    "group",
    "groups of users: for claims, and to limit who may use a client",
    ["authsvc group list --app app_shop", "authsvc group add staff usr_01k… --app app_shop"],
    [addGroupCreate, addGroupList, addGroupShow, addGroupUpdate, addGroupAdd, addGroupRemove, addGroupDelete],
  );
  group(
    "organization",
    "organizations of users, whose members have roles: for customers that are companies",
    [
      "authsvc organization list --app app_shop",
      "authsvc organization create Acme --app app_shop --owner ada@acme.example",
    ],
    [
      addOrganizationCreate,
      addOrganizationList,
      addOrganizationShow,
      addOrganizationUpdate,
      addOrganizationStates,
      addOrganizationDelete,
      addOrganizationMembers,
      addOrganizationDomains,
      addOrganizationProvider,
      addOrganizationSetupLink,
      addOrganizationInvite,
      addOrganizationExport,
      addOrganizationImport,
    ],
  );
  group(
    "token",
    "access tokens of users and machines",
    ["authsvc token verify eyJhbGciOi…", "authsvc token verify --app app_shop < token.txt"],
    [addTokenVerify, addTokenInspect, addTokenMint, addTokenMachine, addTokenRevoke],
  );

  group(
    "breached-passwords",
    "the file of breached passwords, which nobody may choose",
    ["authsvc breached-passwords fetch breached.bin", "authsvc breached-passwords status breached.bin"],
    [addBreachedPasswordsBuild, addBreachedPasswordsFetch, addBreachedPasswordsCheck, addBreachedPasswordsStatus],
  );

  program.commandsGroup("Keys:");
  group(
    "key",
    "API keys of applications",
    ["authsvc key list --app app_shop", "authsvc key rotate --app app_shop --overlap 7d"],
    [addKeyCreate, addKeyGenerate, addKeyList, addKeyRotate, addKeyRevoke],
  );
  group(
    "signing-key",
    "keys that sign access tokens",
    ["authsvc signing-key list", "authsvc signing-key rotate --dry-run"],
    [addSigningKeyList, addSigningKeyRotate, addSigningKeyRevoke],
  );

  group(
    "master-key",
    "the key that encrypts the secrets in the database",
    ["authsvc master-key rotate --dry-run", "authsvc master-key rotate --new-key-file new.key --yes"],
    [addMasterKeyRotate],
  );

  program.commandsGroup("Webhooks:");
  group(
    "webhook",
    "endpoints that receive events",
    ["authsvc webhook list --app app_shop", "authsvc webhook test whe_shop"],
    [
      addWebhookCreate,
      addWebhookList,
      addWebhookShow,
      addWebhookUpdate,
      addWebhookDelete,
      addWebhookTest,
      addWebhookDeliveries,
      addWebhookRedeliver,
      addWebhookRotateSecret,
    ],
  );

  program.commandsGroup("Mail:");
  group(
    "mail",
    "the mails of the service",
    [
      "authsvc mail test --app app_shop --to you@example.com",
      "authsvc mail test --app app_shop --to you@example.com --kind reset",
    ],
    [addMailTest],
  );

  program.commandsGroup("Database:");
  group(
    "db",
    "the database: schema, backup, restore, copy",
    ["authsvc db status", "authsvc db backup /var/backups/authsvc.backup --yes"],
    [addDbStatus, addDbMigrate, addDbCheck, addDbBackup, addDbRestore, addDbCopy],
  );

  program.commandsGroup("Diagnose:");
  addDoctor(program, cli);
  addHealth(program, cli);
  addTop(program, cli);
  addLogs(program, cli);
  group(
    "revocation",
    "the revocation feed: ended logins, for servers that verify tokens",
    ["authsvc revocation list --app app_shop", "authsvc revocation list --app app_shop --follow"],
    [addRevocationList],
  );
  group(
    "audit",
    "the audit log: what happened, and who did it",
    ["authsvc audit list --since 24h", "authsvc audit list --user usr_01k… --json"],
    [addAuditList, addAuditExport, addAuditFollow],
  );
  group(
    "config",
    "the configuration of the service",
    ["authsvc config check", "authsvc config example > config.yaml"],
    [addConfigCheck, addConfigShow, addConfigExample],
  );
  addBench(program, cli);

  program.commandsGroup("Other:");
  addUpdate(program, cli);
  addOpenApi(program, cli);
  addCompletion(program, cli, () => buildProgram(cli));
  addCompletionValues(program, cli);
  addVersion(program, cli);
  return program;
}

/** Providers are a group within the group of applications. */
function addProviders(app: CliCommand, cli: Cli): void {
  const provider = app
    .command("provider")
    .description("providers that users of an application can sign in with")
    .examples(
      "authsvc app provider list app_shop",
      "authsvc app provider set app_shop github --client-id Iv1.8a61f9b3 --client-secret-stdin < secret.txt",
    );
  for (const add of [addProviderSet, addProviderList, addProviderRemove]) add(provider, cli);
}

/** Secrets are a group within the group of clients. */
function addClientSecrets(client: CliCommand, cli: Cli): void {
  const secret = client
    .command("secret")
    .description("secrets of OpenID Connect clients")
    .examples("authsvc client secret list grafana", "authsvc client secret rotate grafana --overlap 7d");
  const adding = [addClientSecretCreate, addClientSecretList, addClientSecretRotate, addClientSecretRevoke];
  for (const add of adding) add(secret, cli);
}

/** Tokens of other issuers are a group within the group of clients. */
function addClientCredentials(client: CliCommand, cli: Cli): void {
  const credential = client
    .command("credential")
    .description("tokens of other issuers that authenticate clients: pipelines and clusters need no secret")
    .examples(
      "authsvc client credential list nightly",
      "authsvc client credential add nightly --issuer https://gitlab.com --subject project_path:acme/shop:ref_type:branch:ref:main",
    );
  for (const add of [addClientCredentialAdd, addClientCredentialList, addClientCredentialRemove]) add(credential, cli);
}

/** Every long flag of a command and its subcommands. */
export function flagsOf(command: Command): string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), ...command.commands.flatMap(flagsOf)];
}

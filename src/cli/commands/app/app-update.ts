import { InvalidArgumentError, Option } from "commander";
import { objectOf } from "../../../applications/setting.ts";
import { applicationRows, type ApplicationChange } from "../../../applications/settings.ts";
import { AppError } from "../../../lib/errors.ts";
import type { Context } from "../../../runtime/context.ts";
import type { AppSettings, ClientDocumentHosts, MethodType } from "../../../storage/column-types.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { warnWithoutMail } from "../../input/mail-warning.ts";
import { addSettingFlags, flagsOfFields, valuesFrom } from "../../input/setting-flags.ts";
import { claimsFrom, listOf, profileFieldsFrom, textsFrom, wordOf, wordsOf } from "../../input/values.ts";
import { applicationText, withSettings } from "../../output/application-text.ts";
import { notesOf } from "../../../upkeep/waiting-notes.ts";
import { sayTokensThatEnd } from "../../ending-tokens.ts";
import { startSigning } from "../../signing-start.ts";

type Limits = NonNullable<NonNullable<ApplicationChange["settings"]>["rateLimits"]>;

type Flags = {
  addRedirectUri?: string[];
  removeRedirectUri?: string[];
  methods?: MethodType[];
  claims?: string;
  profileFields?: string;
  texts?: string;
  forgetField?: string;
  clientDocuments?: "off" | ClientDocumentHosts;
  limit?: Limits;
  now?: boolean;
  logoFile?: string;
};

const flagOfField = {
  ...flagsOfFields(applicationRows),
  addedRedirectUris: "--add-redirect-uri",
  removedRedirectUris: "--remove-redirect-uri",
  "settings.rateLimits": "--limit",
};

const methodNames = ["passkey", "password", "oauth"] as const;
const endpointTypes = ["authentication", "userManagement", "applicationManagement", "webhooks"] as const;

export function addAppUpdate(app: CliCommand, cli: Cli): void {
  const command = app
    .command("update")
    .description("change the given settings of an application; an empty value resets a setting")
    .asks("[ID]", "App ID");
  addSettingFlags(command, applicationRows, { parsers: { "settings.clientDocuments": documentHostsFrom } })
    .option("--add-redirect-uri <uri...>", "add a redirect URI; repeatable")
    .option("--remove-redirect-uri <uri...>", "remove a redirect URI; repeatable")
    .option("--methods <list>", "enable exactly these: passkey, password, oauth", wordsOf(methodNames))
    .option(
      "--now",
      "with --signing-algorithm: sign with it at once; servers that cache the key set refuse its tokens until they read it again",
    )
    .option(
      "--limit <type=number...>",
      `calls per minute, or default; types: ${endpointTypes.join(", ")}; repeatable`,
      addLimit,
    )
    .addOption(
      new Option("--logo-file <file>", 'logo to upload: PNG or JPEG, at most 256 KiB; "" for none').conflicts("logo"),
    )
    .option("--forget-field <name>", "delete everybody's values of a profile field that was removed")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc app update app_shop --add-redirect-uri http://localhost:3000/callback",
      "authsvc app update app_shop --sign-up closed --password-min-length 12 --limit authentication=1000 --json",
    )
    .action(async (id: string, flags: Flags) => update(cli, id, flags));
}

async function update(cli: Cli, id: string, flags: Flags): Promise<void> {
  const dryRun = cli.isDryRun();
  const change = changeFrom(flags);
  const { pictureChangeFrom } = await import("../../input/picture-file.ts");
  const logo = await pictureChangeFrom(cli.io, "--logo-file", flags.logoFile);
  const { forgetField } = flags;
  if (!logo && forgetField === undefined && Object.keys(change).length === 0)
    throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
  const algorithm = change.settings?.signingAlgorithm;
  if (flags.now && algorithm === undefined) throw new AppError("INVALID_REQUEST", "--now needs --signing-algorithm");
  await cli.withApp(async (ctx) => {
    const applications = await import("../../../applications/service.ts");
    const signing = async () =>
      algorithm && (await startSigning(ctx, algorithm, { atOnce: flags.now ?? false, dryRun }));
    const warn = async (): Promise<void> => {
      if (change.settings?.emailCode) await warnWithoutMail(cli, ctx);
      if (change.settings?.companySignIn === "on") await cli.note(confinedNote);
      for (const name of change.authMethods?.oauth?.providers ?? []) await warnWithoutClient(cli, ctx, id, name);
    };
    const days = change.settings?.personalTokenMaxDays;
    if (days !== undefined) await sayTokensThatEnd(cli, ctx, { appId: id, days, dryRun });
    if (dryRun) {
      const planned = await namingFlags(flagOfField, () => applications.checkUpdate(ctx, id, change));
      if (logo) await applications.changeLogo(ctx, id, logo, { actor: commandActor() }, { dryRun });
      const start = await signing();
      await cli.result({ ...planned, ...signsFrom(start) }, applicationText(planned));
      await warn();
      await forget(cli, ctx, id, forgetField);
      await sayWhoWaits(cli, ctx, change, planned);
      if (start) await cli.note(start.note);
      return;
    }
    await namingFlags(flagOfField, () => applications.update(ctx, id, change, commandActor()));
    if (logo) await applications.changeLogo(ctx, id, logo, { actor: commandActor() });
    const changed = await applications.get(ctx, id);
    const start = await signing();
    const shown = await withSettings(ctx, changed);
    await cli.result({ ...shown, ...signsFrom(start) }, applicationText(shown));
    await warn();
    await forget(cli, ctx, id, forgetField);
    await sayWhoWaits(cli, ctx, change, shown);
    if (start) await cli.note(start.note);
    else if (flags.now)
      await cli.note(
        `${algorithm} signs now. Servers that cache the key set reject its tokens for up to 10 minutes, until they fetch it again.`,
      );
  });
}

/** Says how many people cannot begin anything before they answer. */
async function sayWhoWaits(
  cli: Cli,
  ctx: Context,
  { settings: changed = {} }: ApplicationChange,
  { id, settings }: { id: string; settings?: AppSettings | undefined },
): Promise<void> {
  if (!settings) return;
  for (const note of await notesOf(ctx, { id, settings }, Object.keys(changed))) await cli.note(note);
}

async function forget(cli: Cli, ctx: Context, id: string, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const { forgetField } = await import("../../../people/waiting.ts");
  const dryRun = cli.isDryRun();
  const forgotten = await namingFlags({ forgetField: "--forget-field" }, () =>
    forgetField(ctx, id, name, { dryRun }, commandActor()),
  );
  const count = forgotten === 1 ? "1 value" : `${forgotten} values`;
  await cli.note(`${count} of ${name} ${dryRun ? "would be" : forgotten === 1 ? "was" : "were"} deleted.`);
}

function signsFrom(start: { signsFrom: string } | undefined): { signsFrom?: string } {
  return start ? { signsFrom: start.signsFrom } : {};
}

/** Warns about a listed provider without a client: no page offers it, and the API refuses it. */
async function warnWithoutClient(cli: Cli, ctx: Context, appId: string, name: string): Promise<void> {
  const provider = name.toLowerCase();
  const { isConfigured } = await import("../../../applications/providers/provider-clients.ts");
  if (await isConfigured(ctx, appId, provider)) return;
  await cli.note(
    `Nobody can sign in with ${provider} yet. Configure it: authsvc app provider set ${appId} ${provider}`,
  );
}

/** A program that does not read the claim takes a sign-in for one of the person's own. */
const confinedNote =
  "Programs that verify tokens must read org_confined: the packages of authsvc do from version 1.1.0 on.";

/** Only the given options: an omitted one must not become a value. */
function changeFrom(flags: Flags): ApplicationChange {
  const { methods, claims, profileFields, texts, limit = {} } = flags;
  return objectOf([
    ...valuesFrom(applicationRows, flags),
    ["addedRedirectUris", flags.addRedirectUri],
    ["removedRedirectUris", flags.removeRedirectUri],
    ...methodNames.map((method) => [`authMethods.${method}.enabled`, methods?.includes(method)] as const),
    ["claims", claims === undefined ? undefined : claimsFrom(claims)],
    ["settings.clientDocuments", flags.clientDocuments],
    ["settings.profileFields", profileFields === undefined ? undefined : profileFieldsFrom(profileFields)],
    ["settings.texts", texts === undefined ? undefined : textsFrom(texts)],
    ...Object.entries(limit).map(([type, calls]) => [`settings.rateLimits.${type}`, calls] as const),
  ]);
}

function documentHostsFrom(text: string): "off" | ClientDocumentHosts {
  return text === "off" || text === "any" ? text : listOf(text);
}

function addLimit(text: string, before: Limits = {}): Limits {
  const [, typed, amount] = /^([A-Za-z-]+)=(default|\d{1,7})$/u.exec(text) ?? [];
  if (typed === undefined || amount === undefined)
    throw new InvalidArgumentError("Write it as TYPE=NUMBER or TYPE=default, such as authentication=1000.");
  const type = wordOf(endpointTypes)(typed.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()));
  return { ...before, [type]: amount === "default" ? null : Number(amount) };
}

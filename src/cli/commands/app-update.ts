import { InvalidArgumentError, Option } from "commander";
import type { Application } from "../../applications/application.ts";
import type { ApplicationChange } from "../../applications/settings.ts";
import { AppError } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import type { ClientDocumentHosts, MethodType, SecondFactorPolicy } from "../../storage/column-types.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { warnWithoutMail } from "../input/mail-warning.ts";
import { secondFactorOption, trustBrowsersAbout } from "../input/second-factor-flags.ts";
import {
  claimsFrom,
  daysOrOff,
  listOf,
  refreshGraceAbout,
  secondsFrom,
  secondsOrOff,
  wholeNumberFrom,
  wordOf,
  wordsOf,
} from "../input/values.ts";
import { applicationText, withSettings } from "../output/application-text.ts";
import { startSigning } from "../signing-start.ts";

type Limits = NonNullable<NonNullable<ApplicationChange["settings"]>["rateLimits"]>;

type Flags = {
  name?: string;
  domain?: string;
  redirectUri?: string[];
  addRedirectUri?: string[];
  removeRedirectUri?: string[];
  methods?: MethodType[];
  passkeyRequired?: "on" | "off";
  providers?: string;
  logo?: string;
  primaryColor?: string;
  companyName?: string;
  termsUrl?: string;
  privacyUrl?: string;
  supportUrl?: string;
  homeUrl?: string;
  signUp?: "open" | "closed";
  emailCode?: "on" | "off";
  passwordMinLength?: number;
  scopes?: ("profile" | "email" | "groups")[];
  claims?: string;
  signingAlgorithm?: Application["settings"]["signingAlgorithm"];
  singleSignOn?: number;
  refreshGrace?: number;
  secondFactor?: SecondFactorPolicy;
  trustBrowsers?: number;
  clientDocuments?: "off" | ClientDocumentHosts;
  queryEndpoints?: "on" | "off";
  publicClients?: "on" | "off";
  relyingPartyId?: string;
  mailName?: string;
  limit?: Limits;
  now?: boolean;
};

const flagOfField = {
  name: "--name",
  domain: "--domain",
  redirectUris: "--redirect-uri",
  addedRedirectUris: "--add-redirect-uri",
  removedRedirectUris: "--remove-redirect-uri",
  "authMethods.passkey.required": "--passkey-required",
  "authMethods.oauth.providers": "--providers",
  "branding.logo": "--logo",
  "branding.primaryColor": "--primary-color",
  "branding.companyName": "--company-name",
  "branding.termsUrl": "--terms-url",
  "branding.privacyUrl": "--privacy-url",
  "branding.supportUrl": "--support-url",
  "branding.homeUrl": "--home-url",
  "settings.passwordMinLength": "--password-min-length",
  "settings.scopes": "--scopes",
  claims: "--claims",
  "settings.relyingPartyId": "--relying-party-id",
  "settings.singleSignOnSeconds": "--single-sign-on",
  "settings.refreshGraceSeconds": "--refresh-grace",
  "settings.trustBrowsersDays": "--trust-browsers",
  "settings.clientDocuments": "--client-documents",
  "settings.mailName": "--mail-name",
  "settings.rateLimits": "--limit",
};

const endpointTypes = ["authentication", "userManagement", "applicationManagement", "webhooks"] as const;

export function addAppUpdate(app: CliCommand, cli: Cli): void {
  app
    .command("update")
    .description("change the given settings of an application; an empty value resets a setting")
    .asks("[ID]", "App ID")
    .option("--name <name>", "name shown to users when they sign in")
    .option("--domain <host>", "domain whose passkeys the application shares")
    .option("--redirect-uri <uri...>", "URL that users return to; replaces all of them; repeatable")
    .option("--add-redirect-uri <uri...>", "add a redirect URI; repeatable")
    .option("--remove-redirect-uri <uri...>", "remove a redirect URI; repeatable")
    .option(
      "--methods <list>",
      "enable exactly these: passkey, password, oauth",
      wordsOf(["passkey", "password", "oauth"]),
    )
    .addOption(new Option("--passkey-required <switch>", "require a passkey for every sign-in").choices(["on", "off"]))
    .option("--providers <list>", "providers that users may sign in with, separated by commas")
    .option("--logo <url>", "https URL of a logo for the pages")
    .option("--primary-color <color>", "colour of buttons and links on the pages, such as #1d4ed8")
    .option("--company-name <name>", "name on the pages and in mails, instead of the application's")
    .option("--terms-url <url>", "https URL of your terms, linked on the pages")
    .option("--privacy-url <url>", "https URL of your privacy policy, linked on the pages")
    .option("--support-url <url>", "https URL of your support, linked on the pages and in mails")
    .option("--home-url <url>", "where the pages link back to (default: the origin of a redirect URI)")
    .addOption(new Option("--sign-up <switch>", "whether anybody may create an account").choices(["open", "closed"]))
    .addOption(
      new Option("--email-code <switch>", "let people sign in with a code mailed to their address").choices([
        "on",
        "off",
      ]),
    )
    .option("--password-min-length <number>", "minimum length of a new password", wholeNumberFrom(0, 1000))
    .option(
      "--scopes <list>",
      "scopes that sign-ins may request: profile, email, groups",
      wordsOf(["profile", "email", "groups"]),
    )
    .option("--claims <json>", "claims to add to tokens, made of groups and metadata; empty: none")
    .addOption(
      new Option("--signing-algorithm <name>", "algorithm that signs access tokens").choices([
        "ES256",
        "EdDSA",
        "RS256",
      ]),
    )
    .option(
      "--now",
      "with --signing-algorithm: sign with it at once, not 15 minutes after its key was published; servers that cache the key set refuse its tokens until they read it again",
    )
    .addOption(
      new Option("--query-endpoints <switch>", "endpoints that take a token in the query string").choices([
        "on",
        "off",
      ]),
    )
    .addOption(
      new Option(
        "--public-clients <switch>",
        "let pages and mobile apps start sign-ins without an API key, with PKCE",
      ).choices(["on", "off"]),
    )
    .option(
      "--single-sign-on <duration>",
      "how long one sign-in also counts for the application's other OpenID Connect clients: at most 12h, or off",
      secondsOrOff,
    )
    .option("--refresh-grace <duration>", refreshGraceAbout, secondsFrom)
    .addOption(secondFactorOption("whether users may or must set up a second factor"))
    .option("--trust-browsers <duration>", trustBrowsersAbout, daysOrOff)
    .option(
      "--client-documents <hosts>",
      "clients that nobody registered, by the hosts of their documents, separated by commas: off, any or HOST,…",
      documentHostsFrom,
    )
    .option("--relying-party-id <host>", "domain of the passkeys, if it is not --domain (related origins)")
    .option("--mail-name <name>", "application name in mails; API keys cannot change it")
    .option(
      "--limit <type=number...>",
      `calls per minute, or default; types: ${endpointTypes.join(", ")}; repeatable`,
      addLimit,
    )
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
  if (Object.keys(change).length === 0)
    throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
  const algorithm = change.settings?.signingAlgorithm;
  if (flags.now && algorithm === undefined) throw new AppError("INVALID_REQUEST", "--now needs --signing-algorithm");
  await cli.withApp(async (ctx) => {
    const applications = await import("../../applications/service.ts");
    const signing = async () =>
      algorithm && (await startSigning(ctx, algorithm, { atOnce: flags.now ?? false, dryRun }));
    const warn = async (): Promise<void> => {
      if (change.settings?.emailCode) await warnWithoutMail(cli, ctx);
      for (const name of change.authMethods?.oauth?.providers ?? []) await warnWithoutClient(cli, ctx, id, name);
    };
    if (dryRun) {
      const planned = await namingFlags(flagOfField, () => applications.checkUpdate(ctx, id, change));
      const start = await signing();
      await cli.result({ ...planned, ...signsFrom(start) }, applicationText(planned));
      await warn();
      if (start) await cli.note(start.note);
      return;
    }
    const changed = await namingFlags(flagOfField, () => applications.update(ctx, id, change, commandActor()));
    const start = await signing();
    const shown = await withSettings(ctx, changed);
    await cli.result({ ...shown, ...signsFrom(start) }, applicationText(shown));
    await warn();
    if (start) await cli.note(start.note);
    else if (flags.now)
      await cli.note(
        `${algorithm} signs now. Servers that cache the key set reject its tokens for up to 10 minutes, until they fetch it again.`,
      );
  });
}

function signsFrom(start: { signsFrom: string } | undefined): { signsFrom?: string } {
  return start ? { signsFrom: start.signsFrom } : {};
}

/** Warns about a listed provider without a client: no page offers it, and the API refuses it. */
async function warnWithoutClient(cli: Cli, ctx: Context, appId: string, name: string): Promise<void> {
  const provider = name.toLowerCase();
  const { isConfigured } = await import("../../applications/providers/provider-clients.ts");
  if (await isConfigured(ctx, appId, provider)) return;
  await cli.note(
    `Nobody can sign in with ${provider} yet. Configure it: authsvc app provider set ${appId} ${provider}`,
  );
}

/** Only the given options: an omitted one must not become a value. */
function changeFrom(flags: Flags): ApplicationChange {
  const { name, domain, redirectUri, methods, passkeyRequired, providers, logo, primaryColor, companyName } = flags;
  const { signUp, passwordMinLength, scopes, signingAlgorithm, queryEndpoints, relyingPartyId, mailName, limit } =
    flags;
  const has = (method: MethodType) => (methods ? { enabled: methods.includes(method) } : {});
  const authMethods = given({
    passkey: given({ ...has("passkey"), required: passkeyRequired && passkeyRequired === "on" }),
    oauth: given({ ...has("oauth"), providers: providers === undefined ? undefined : listOf(providers) }),
    password: given(has("password")),
  });
  const branding = given({
    logo: cleared(logo),
    primaryColor: cleared(primaryColor),
    companyName: cleared(companyName),
    termsUrl: cleared(flags.termsUrl),
    privacyUrl: cleared(flags.privacyUrl),
    supportUrl: cleared(flags.supportUrl),
    homeUrl: cleared(flags.homeUrl),
  });
  const settings = given({
    signUp,
    emailCode: flags.emailCode && flags.emailCode === "on",
    passwordMinLength,
    scopes,
    signingAlgorithm,
    queryEndpoints: queryEndpoints && queryEndpoints === "on",
    publicClients: flags.publicClients && flags.publicClients === "on",
    singleSignOnSeconds: flags.singleSignOn,
    refreshGraceSeconds: flags.refreshGrace,
    secondFactor: flags.secondFactor,
    trustBrowsersDays: flags.trustBrowsers,
    clientDocuments: flags.clientDocuments,
    relyingPartyId: cleared(relyingPartyId),
    mailName: cleared(mailName),
    rateLimits: limit,
  });
  const redirectUris = redirectUri?.filter((uri) => uri !== "");
  const { addRedirectUri: addedRedirectUris, removeRedirectUri: removedRedirectUris } = flags;
  const addresses = { redirectUris, addedRedirectUris, removedRedirectUris };
  const claims = flags.claims === undefined ? undefined : claimsFrom(flags.claims);
  return given({ name, domain: cleared(domain), ...addresses, authMethods, branding, settings, claims }) ?? {};
}

/** The values that are set; undefined if none is. */
function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> });
}

function cleared(value: string | undefined): string | null | undefined {
  return value === "" ? null : value;
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

import { InvalidArgumentError, Option, type Command } from "commander";
import type { Application, SignInMethod } from "../../applications/application.ts";
import type { ApplicationChange } from "../../applications/change.ts";
import { AppError } from "../../lib/errors.ts";
import type { ProviderAccounts } from "../../oauth/accounts.ts";
import { applicationText, withSettings } from "../application-text.ts";
import { askUnlessGiven } from "../ask.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { wholeNumberFrom, wordOf, wordsOf } from "../values.ts";

type Limits = NonNullable<NonNullable<ApplicationChange["settings"]>["rateLimits"]>;

type Flags = {
  name?: string;
  domain?: string;
  redirectUri?: string[];
  methods?: SignInMethod[];
  passkeyRequired?: "on" | "off";
  providers?: string;
  logo?: string;
  primaryColor?: string;
  companyName?: string;
  signUp?: "open" | "closed";
  passwordMinLength?: number;
  scopes?: ("profile" | "email")[];
  signingAlgorithm?: Application["settings"]["signingAlgorithm"];
  queryEndpoints?: "on" | "off";
  relyingPartyId?: string;
  limit?: Limits;
  dryRun?: boolean;
};

const flagOfField = {
  name: "--name",
  domain: "--domain",
  redirectUris: "--redirect-uri",
  "authMethods.passkey.required": "--passkey-required",
  "authMethods.oauth.providers": "--providers",
  "branding.logo": "--logo",
  "branding.primaryColor": "--primary-color",
  "branding.companyName": "--company-name",
  "settings.passwordMinLength": "--password-min-length",
  "settings.scopes": "--scopes",
  "settings.relyingPartyId": "--relying-party-id",
  "settings.rateLimits": "--limit",
};

const endpointTypes = ["authentication", "userManagement", "applicationManagement", "webhooks"] as const;

export function addAppUpdate(app: Command, cli: Cli): void {
  const command = app
    .command("update")
    .description("change an application; what is not named stays as it is, and an empty value removes what was set")
    .argument("[ID]", "App ID")
    .option("--name <name>", "name that people see when they sign in")
    .option("--domain <host>", "domain whose passkeys the application shares")
    .option("--redirect-uri <uri...>", "address that people return to; replaces all of them, can be repeated")
    .option(
      "--methods <list>",
      "enables these and no others: passkey, password, oauth",
      wordsOf(["passkey", "password", "oauth"]),
    )
    .addOption(
      new Option("--passkey-required <switch>", "whether nobody signs in without a passkey").choices(["on", "off"]),
    )
    .option("--providers <list>", "providers that people may use with oauth, separated by commas")
    .option("--logo <url>", "https address of a logo for the pages")
    .option("--primary-color <color>", "colour of buttons and links on the pages, such as #1d4ed8")
    .option("--company-name <name>", "name at the top of the pages and in mails, instead of the application's")
    .addOption(new Option("--sign-up <switch>", "whether strangers may create accounts").choices(["open", "closed"]))
    .option("--password-min-length <number>", "fewest characters of a new password", wholeNumberFrom(0, 1000))
    .option("--scopes <list>", "what sign-ins may ask for: profile, email", wordsOf(["profile", "email"]))
    .addOption(
      new Option("--signing-algorithm <name>", "what signs the access tokens").choices(["ES256", "EdDSA", "RS256"]),
    )
    .addOption(
      new Option("--query-endpoints <switch>", "the calls that carry a token in their address").choices(["on", "off"]),
    )
    .option("--relying-party-id <host>", "whose passkeys these are, where it is not the domain (related origins)")
    .option(
      "--limit <type=number...>",
      `calls a minute, or =default: ${endpointTypes.join(", ")}; can be repeated`,
      addLimit,
    )
    .option("--dry-run", "check everything, change nothing");
  examples(command, [
    "authsvc app update app_shop --redirect-uri https://shop.example.com/callback --redirect-uri http://localhost:3000/cb",
    "authsvc app update app_shop --sign-up closed --password-min-length 12 --limit authentication=1000 --json",
  ]).action(async (given: string | undefined, flags: Flags) => update(cli, given, flags));
}

async function update(cli: Cli, given: string | undefined, flags: Flags): Promise<void> {
  const id = await askUnlessGiven(cli.io, given, { flag: "ID", question: "App ID" });
  const { dryRun = false } = flags;
  const change = changeFrom(flags);
  if (Object.keys(change).length === 0)
    throw new AppError("INVALID_REQUEST", "There is nothing to change: name at least one flag, such as --name");
  await cli.withApp(async ({ applications, providers: accounts }) => {
    const noteProviders = async (): Promise<void> => {
      for (const name of change.authMethods?.oauth?.providers ?? []) await noteWithoutAccount(cli, accounts, id, name);
    };
    if (dryRun) {
      const planned = await namingFlags(flagOfField, () => applications.checkUpdate(id, change));
      await cli.result({ ...planned, dryRun }, applicationText(planned));
      await noteProviders();
      await cli.note("Nothing was changed: this was a dry run.");
      return;
    }
    const changed = await namingFlags(flagOfField, () => applications.update(id, change, commandActor()));
    const shown = await withSettings(applications, changed);
    await cli.result(shown, applicationText(shown));
    await noteProviders();
  });
}

/** Listing a provider is one half; until the application has an account with it, no page offers it and the API refuses it. */
async function noteWithoutAccount(cli: Cli, accounts: ProviderAccounts, appId: string, name: string): Promise<void> {
  const provider = name.toLowerCase();
  if (await accounts.isConfigured(appId, provider)) return;
  await cli.note(
    `Nobody can sign in with ${provider} yet. Set the account with it: authsvc app provider set ${appId} ${provider}`,
  );
}

/** Only what was named: an option that was not given must not become a value. */
function changeFrom(flags: Flags): ApplicationChange {
  const { name, domain, redirectUri, methods, passkeyRequired, providers, logo, primaryColor, companyName } = flags;
  const { signUp, passwordMinLength, scopes, signingAlgorithm, queryEndpoints, relyingPartyId, limit } = flags;
  const has = (method: SignInMethod) => (methods ? { enabled: methods.includes(method) } : {});
  const authMethods = given({
    passkey: given({ ...has("passkey"), required: passkeyRequired && passkeyRequired === "on" }),
    oauth: given({ ...has("oauth"), providers: providers === undefined ? undefined : listOf(providers) }),
    password: given(has("password")),
  });
  const branding = given({
    logo: cleared(logo),
    primaryColor: cleared(primaryColor),
    companyName: cleared(companyName),
  });
  const settings = given({
    signUp,
    passwordMinLength,
    scopes,
    signingAlgorithm,
    queryEndpoints: queryEndpoints && queryEndpoints === "on",
    relyingPartyId: cleared(relyingPartyId),
    rateLimits: limit,
  });
  const redirectUris = redirectUri?.filter((uri) => uri !== "");
  return given({ name, domain: cleared(domain), redirectUris, authMethods, branding, settings }) ?? {};
}

/** What of it has a value; undefined when nothing has. */
function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> });
}

function cleared(value: string | undefined): string | null | undefined {
  return value === "" ? null : value;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function addLimit(text: string, before: Limits = {}): Limits {
  const [, typed, amount] = /^([A-Za-z-]+)=(default|\d{1,7})$/u.exec(text) ?? [];
  if (typed === undefined || amount === undefined)
    throw new InvalidArgumentError("Write it as TYPE=NUMBER or TYPE=default, such as authentication=1000.");
  const type = wordOf(endpointTypes)(typed.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()));
  return { ...before, [type]: amount === "default" ? null : Number(amount) };
}

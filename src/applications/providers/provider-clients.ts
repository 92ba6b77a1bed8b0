import { identitiesToMove } from "../../credentials/identities/directories.ts";
import * as discovery from "../../credentials/identities/discovery.ts";
import { countIdentities, moveIdentities } from "../../credentials/identities/identity-store.ts";
import { ProviderFailure } from "../../credentials/identities/provider-fetch.ts";
import { isoTime } from "../../lib/clock.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import { changedValues, originText } from "../../records/audit/changes.ts";
import type { Context } from "../../runtime/context.ts";
import type { SettingChanges } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { isStandIn } from "../leftovers.ts";
import * as applications from "../service.ts";
import {
  checkProviderName,
  inputOf,
  providerRow,
  providerSecretContext,
  type ProviderEdit,
  type ProviderInput,
} from "./provider-input.ts";
import {
  deleteProvider,
  findProvider,
  listAllProviders,
  listProviders,
  saveProvider,
  type OpenProviderRow,
  type ProviderRow,
} from "./provider-store.ts";
import { directoryOf, endpointsOf, knownDirectory, mintAppleSecret, type ConfiguredProvider } from "./provider.ts";
import { providerDisplayName, providerTemplate, type Endpoints } from "./providers.ts";

/** A provider as shown by commands, without its secret. */
export type ProviderAnswer = {
  name: string;
  displayName: string;
  clientId: string;
  enabled: boolean;
  /** The redirect URI to register with the provider. */
  callbackUrl: string;
  endpoints: Partial<Endpoints>;
  /** Whether an address that it calls verified counts as proven. */
  trustsEmail: boolean;
  /** The claim by which its own second factor counts; null: it does not. */
  trustsSecondFactor: string | null;
  /** The claim that has the address. */
  emailClaim: string;
  updatedAt: string;
};

/** An app's settings for a provider; null where the table's values apply. */
export type ProviderSettings = Omit<ProviderRow, "appId" | "encryptedSecret" | "createdAt" | "updatedAt"> & {
  /** Decrypted on demand, for comparing desired and current state. */
  secret(): string;
};

/** Identities from `issuer`, which is not the provider's current directory. */
export type StrandedIdentities = { provider: string; directory: string; issuer: string; identities: number };

export type OfferedProvider = { name: string; displayName: string; formTargets: string[] };

/** Per application, on its sign-in page. */
const maxProviders = 50;

function isUsable(ctx: Context, row: ProviderRow): boolean {
  return ctx.usesLeftovers || !isStandIn(row);
}

async function usableProviders(ctx: Context, handle: Handle, appId: string): Promise<ProviderRow[]> {
  return (await listProviders(handle, appId)).filter((row) => isUsable(ctx, row));
}

async function usableProvider(ctx: Context, appId: string, name: string): Promise<ProviderRow | undefined> {
  const row = await findProvider(ctx.storage.reader, appId, name);
  return row && isUsable(ctx, row) ? row : undefined;
}

function answerFor(ctx: Context, row: OpenProviderRow, enabled: string[]): ProviderAnswer {
  const { name, clientId, trustsSecondFactor, emailClaim, updatedAt } = row;
  const { displayName, provesEmail } = providerTemplate(name);
  return {
    name,
    displayName,
    clientId,
    enabled: enabled.includes(name),
    callbackUrl: `${ctx.baseUrl}/oauth/${name}/callback`,
    endpoints: endpointsOf(row),
    trustsEmail: row.trustsEmail ?? provesEmail,
    trustsSecondFactor,
    emailClaim: emailClaim ?? "email",
    updatedAt: isoTime(updatedAt),
  };
}

function secretOf(ctx: Context, row: ProviderRow, issuer: string | undefined): string {
  const { clientId, teamId, keyId } = row;
  try {
    const secret = ctx.keyring.decrypt(row.encryptedSecret, providerSecretContext(row.appId, row.name));
    if (teamId === null || keyId === null) return secret;
    return mintAppleSecret({ clientId, teamId, keyId, privateKeyPem: secret, issuer: issuer ?? "" }, ctx.clock());
  } catch (error) {
    throw new ProviderFailure("the stored secret is not usable", error);
  }
}

function editedInput(ctx: Context, row: ProviderRow | undefined, { change }: ProviderEdit): ProviderInput {
  if (!row) throw providerNotFound();
  const present = inputOf(row);
  const input = change(present);
  if (input.secret.trim() !== "") return input;
  // Nobody may have a stored secret sent to an address of their choice.
  if (input.issuer !== present.issuer || input.tokenUrl !== present.tokenUrl)
    throw invalidRequest("secret", "enter it again, because it will be sent to another address");
  return { ...input, secret: ctx.keyring.decrypt(row.encryptedSecret, providerSecretContext(row.appId, row.name)) };
}

/**
 * Sets an app's account with a provider and enables it. `keepIdentities`: new endpoints are the
 * same directory; `onlyCounts`: for plans, counts the identities in `keptIdentities` and moves
 * none. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT; METHOD_NOT_FOUND for an
 * edit of one that is not set.
 */
export async function set(
  ctx: Context,
  appId: string,
  wanted: ProviderInput | ProviderEdit,
  actor: Actor,
  {
    dryRun = false,
    keepIdentities = false,
    onlyCounts = false,
  }: { dryRun?: boolean; keepIdentities?: boolean; onlyCounts?: boolean } = {},
): Promise<ProviderAnswer & { keptIdentities?: number }> {
  const now = ctx.clock();
  const name = wanted.name.toLowerCase();
  // Before it is written anywhere: PostgreSQL stores no NUL.
  checkProviderName(name);
  const rowIn = async (handle: Handle) => {
    const input = "change" in wanted ? editedInput(ctx, await findProvider(handle, appId, name), wanted) : wanted;
    return { row: providerRow(appId, name, input, now), secret: input.secret.trim() };
  };
  if (dryRun) {
    const { row } = await rowIn(ctx.storage.reader);
    const { providers } = (await applications.get(ctx, appId)).authMethods.oauth;
    const enabled = "change" in wanted ? providers : [...providers, name];
    const move = await identitiesToMove(ctx.storage.reader, row, keepIdentities);
    return { ...answerFor(ctx, row, enabled), ...(move && { keptIdentities: move.count }) };
  }
  return await ctx.storage.write(async (tx) => {
    const { providers } = await applications.changeProviders(
      tx,
      appId,
      (oauth) => ("change" in wanted ? oauth : { enabled: true, providers: [...new Set([...oauth.providers, name])] }),
      now,
    );
    const { row, secret } = await rowIn(tx);
    const move = await identitiesToMove(tx, row, keepIdentities);
    if (move && !onlyCounts) await moveIdentities(tx, { appId, provider: name, from: move.from, to: directoryOf(row) });
    const kept = move && { keptIdentities: move.count };
    const before = await findProvider(tx, appId, name);
    const encryptedSecret = await ctx.keyring.encrypt(tx, secret, providerSecretContext(appId, name));
    await saveProvider(tx, { ...row, encryptedSecret });
    if ((await listProviders(tx, appId)).length > maxProviders)
      throw new AppError("CONFLICT", "The application has the maximum number of providers.", {
        details: `providers: at most ${maxProviders}`,
      });
    const about = { appId, details: { provider: name, ...kept }, ...audited(row, before) };
    await audit.record(ctx, tx, { actor, action: "provider.set", result: "success", ...about }, now);
    return { ...answerFor(ctx, row, providers), ...kept };
  });
}

/** A provider has no id of its own. Its URLs may hold a secret. */
function audited(row: OpenProviderRow, before: OpenProviderRow | undefined) {
  const plain = ["clientId", "teamId", "keyId", "issuer", "trustsEmail", "trustsSecondFactor", "emailClaim"] as const;
  const urls = ["authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"] as const;
  const texts = (value: string | boolean | null): string[] => (value === null ? [] : [String(value)]);
  const changes = [
    ...plain.map((field) => changedValues(field, texts(before?.[field] ?? null), texts(row[field]))),
    ...urls.map((field) => changedValues(field, originText(before?.[field] ?? null), originText(row[field]))),
  ];
  const target = `${row.appId}/${row.name}`;
  return before ? { target, changes: Object.assign({}, ...changes) as SettingChanges } : { target };
}

/** Throws APP_NOT_FOUND. */
export async function list(ctx: Context, appId: string): Promise<ProviderAnswer[]> {
  const { authMethods } = await applications.get(ctx, appId);
  return (await listProviders(ctx.storage.reader, appId)).map((row) =>
    answerFor(ctx, row, authMethods.oauth.providers),
  );
}

export async function settings(ctx: Context, appId: string): Promise<ProviderSettings[]> {
  const rows = await listProviders(ctx.storage.reader, appId);
  return rows.map((row) => {
    const { encryptedSecret, createdAt: _, updatedAt: __, ...settings } = row;
    const secret = (): string => ctx.keyring.decrypt(encryptedSecret, providerSecretContext(appId, row.name));
    return { ...settings, secret };
  });
}

/** Removes an app's client of a provider. Throws APP_NOT_FOUND, METHOD_NOT_FOUND. */
export async function remove(
  ctx: Context,
  appId: string,
  providerName: string,
  actor: Actor,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<void> {
  const now = ctx.clock();
  const name = providerName.toLowerCase();
  if (dryRun) {
    await applications.get(ctx, appId);
    if (!(await findProvider(ctx.storage.reader, appId, name))) throw providerNotFound();
    return;
  }
  await ctx.storage.write(async (tx) => {
    await applications.changeProviders(
      tx,
      appId,
      (oauth) => ({ ...oauth, providers: oauth.providers.filter((provider) => provider !== name) }),
      now,
    );
    if (!(await deleteProvider(tx, appId, name))) throw providerNotFound();
    await audit.record(
      ctx,
      tx,
      {
        actor,
        action: "provider.remove",
        result: "success",
        appId,
        details: { provider: name },
        target: `${appId}/${name}`,
      },
      now,
    );
  });
}

/** The app's configured providers, with the origins that form-action must allow for them. */
export async function offered(ctx: Context, appId: string): Promise<OfferedProvider[]> {
  return (await usableProviders(ctx, ctx.storage.reader, appId)).map((row) => ({
    name: row.name,
    displayName: providerDisplayName(row.name),
    formTargets: formTargetsOf(row),
  }));
}

/** Identities that cannot sign in, because their directory is not their provider's. */
export async function strandedIdentities(ctx: Context, appId: string): Promise<StrandedIdentities[]> {
  const rows = await listProviders(ctx.storage.reader, appId);
  const found = await Promise.all(
    rows.map(async (row) => {
      const directory = directoryOf(row);
      const counts = await countIdentities(ctx.storage.reader, appId, row.name, directory);
      return [...counts].map(([issuer, identities]) => ({ provider: row.name, directory, issuer, identities }));
    }),
  );
  return found.flat();
}

/**
 * What is wrong with a provider's issuer; null if it answers as a sign-in needs, undefined if the
 * operator named none, so there is nothing to try.
 */
export async function tryIssuer(
  ctx: Context,
  provider: Parameters<typeof endpointsOf>[0],
): Promise<{ issuer: string; problem: string | null } | undefined> {
  const { issuer } = provider;
  if (issuer === undefined || issuer === null) return undefined;
  const { jwksUrl } = endpointsOf(provider);
  return {
    issuer,
    problem: (await discovery.tryIssuer(ctx, { issuer, jwksUrl, needsDocument: !isComplete(provider) })) ?? null,
  };
}

/** Tries the issuers of an app's providers. */
export async function tryIssuers(
  ctx: Context,
  appId: string,
): Promise<{ provider: string; issuer: string; problem: string }[]> {
  const rows = (await listProviders(ctx.storage.reader, appId)).filter((row) => !isStandIn(row));
  const tried = await Promise.all(rows.map(async (row) => ({ provider: row.name, ...(await tryIssuer(ctx, row)) })));
  return tried.flatMap(({ provider, issuer = "", problem = null }) =>
    problem === null ? [] : [{ provider, issuer, problem }],
  );
}

/** The directory of each of an app's providers, for identities without one; "" if unknown. */
export async function directories(appId: string, handle: Handle): Promise<(provider: string) => string> {
  const rows = await listProviders(handle, appId);
  const own = new Map(rows.map((row) => [row.name, directoryOf(row)]));
  return (provider) => own.get(provider) ?? knownDirectory(provider);
}

export async function isConfigured(ctx: Context, appId: string, name: string): Promise<boolean> {
  return (await usableProvider(ctx, appId, name)) !== undefined;
}

/** The providers that may be used. */
export async function configured(ctx: Context, appId: string, handle: Handle): Promise<string[]> {
  return (await usableProviders(ctx, handle, appId)).map(({ name }) => name);
}

/** The existing providers that may not be used. */
export async function unusable(ctx: Context, appId: string): Promise<string[]> {
  if (ctx.usesLeftovers) return [];
  return (await listProviders(ctx.storage.reader, appId)).filter(isStandIn).map(({ name }) => name);
}

/** The names of each application's providers. */
export async function namesByApplication(ctx: Context): Promise<Map<string, string[]>> {
  const byApplication = Map.groupBy(await listAllProviders(ctx.storage.reader), ({ appId }) => appId);
  return new Map([...byApplication].map(([appId, rows]) => [appId, rows.map(({ name }) => name)]));
}

/** The stand-ins of all applications, whether or not they may be used. */
export async function standIns(ctx: Context): Promise<{ appId: string; name: string }[]> {
  return (await listAllProviders(ctx.storage.reader)).filter(isStandIn).map(({ appId, name }) => ({ appId, name }));
}

/**
 * A provider with all its endpoints; undefined without a client there. Throws ProviderFailure.
 */
export async function find(ctx: Context, appId: string, name: string): Promise<ConfiguredProvider | undefined> {
  const row = await usableProvider(ctx, appId, name);
  if (!row) return undefined;
  const own = endpointsOf(row);
  const { authorizationUrl, tokenUrl, jwksUrl, userinfoUrl, issuer } = own;
  const template = providerTemplate(name);
  const endpoints = isComplete(row)
    ? { authorizationUrl: authorizationUrl ?? "", tokenUrl: tokenUrl ?? "", jwksUrl, userinfoUrl, issuer }
    : {
        ...(await discovery.discover(ctx, issuer?.replace(/\/$/u, "") ?? "")),
        ...defined({ ...own, issuer: undefined }),
      };
  return {
    ...template,
    provesEmail: row.trustsEmail ?? template.provesEmail,
    secretIn: endpoints.secretIn ?? template.secretIn,
    prompts: template.prompts.filter((word) => endpoints.promptsNamed?.includes(word) ?? true),
    name,
    endpoints,
    directory: directoryOf(row),
    clientId: row.clientId,
    trustsSecondFactor: row.trustsSecondFactor,
    emailClaim: row.emailClaim,
    clientSecret: async () => secretOf(ctx, row, endpoints.issuer),
  };
}

/** Whether nothing needs to be discovered. */
function isComplete(row: Parameters<typeof endpointsOf>[0]): boolean {
  const { authorizationUrl, tokenUrl, jwksUrl } = endpointsOf(row);
  const needsKeys = providerTemplate(row.name).source === "id-token";
  return authorizationUrl !== undefined && tokenUrl !== undefined && (!needsKeys || jwksUrl !== undefined);
}

/** What can be checked without asking the provider. */
function formTargetsOf(row: ProviderRow): string[] {
  const { authorizationUrl, issuer } = endpointsOf(row);
  const address = authorizationUrl ?? issuer ?? "";
  // A damaged row must not break the whole page.
  return [...(URL.canParse(address) ? [new URL(address).origin] : []), ...providerTemplate(row.name).hops];
}

export function providerNotFound(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The application has no such provider.");
}

function defined(endpoints: Partial<Endpoints>): Partial<Endpoints> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, address]) => address !== undefined));
}

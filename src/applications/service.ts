import * as personalTokens from "../credentials/personal/ends.ts";
import { isPossibleCredential } from "../lib/credentials.ts";
import { AppError, applicationNotFound, invalidApiKey, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId } from "../lib/random.ts";
import { checkedRedirectUris } from "../lib/redirect-uris.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import { pictureAddress, pictureHere, storedPicture } from "../lib/stored-picture.ts";
import * as pictures from "../pictures/service.ts";
import type { PictureChange } from "../pictures/service.ts";
import * as activity from "../records/activity/activity.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor, By } from "../records/audit/audit.ts";
import * as revocationRecords from "../records/revocations/records.ts";
import { ownAddress, part, type CoreContext } from "../runtime/context.ts";
import type { AppSettings, AuthMethods, Branding, SignInMethod } from "../storage/column-types.ts";
import { LastUses } from "../storage/queries/last-uses.ts";
import type { Handle } from "../storage/storage.ts";
import { hasOrganizations, idIsTaken, longestTokenLife, type Application } from "./application.ts";
import { changeByApp, changedApplication, changedFields } from "./change.ts";
import { changesIn } from "./setting.ts";
import { applicationRows, type ApplicationChange } from "./settings.ts";
import { noStats, readAllStats, readStats, sweepCounters, type ApplicationStats } from "./counter-store.ts";
import { organizationScope } from "./clients/client.ts";
import { listClients } from "./clients/store.ts";
import { consoleAppId, refuseConsoleApp } from "./console-app.ts";
import * as ids from "./ids.ts";
import { recordApiKeyUse } from "./key-store.ts";
import * as apiKeys from "./keys.ts";
import { demoAppId, isDemoApp } from "./leftovers.ts";
import { applicationFrom, type NewApplication } from "./new-application.ts";
import { fieldsInClaims, fieldsOfServer } from "./profile-fields.ts";
import { isKnownProvider } from "./providers/providers.ts";
import { refuseSharedParty } from "./related-origins.ts";
import { newlyNeedsMail } from "./sign-up/rules.ts";
import { listResources } from "./resources/store.ts";
import {
  countOrganizationProviders,
  findApplicationByKey,
  listFourApplications,
  deleteApplication,
  deleteSomeParts,
  findApplication,
  insertApplication,
  isRoleInUse,
  listApplications,
  listProviderNames,
  saveApplication,
  lockApplication,
} from "./store.ts";

/** When API keys were last used. */
const keyUses = part(
  ({ storage }: CoreContext) => new LastUses(storage, recordApiKeyUse),
  (uses) => uses.flush(),
);

/** The application in answers (docs/spec/http-api.md, 2.4). */
export type ApplicationAnswer = Pick<Application, "id" | "name" | "domain" | "redirectUris" | "authMethods"> & {
  branding: Pick<Application["branding"], "logo" | "primaryColor" | "companyName"> & { homeUrl?: string };
  stats: ApplicationStats;
};

export type WantedChange = Wanted<ApplicationChange, Application>;

async function withStats(ctx: CoreContext, application: Application): Promise<ApplicationAnswer> {
  return answerFor(ctx, application, await readStats(ctx.storage.reader, application.id, ctx.clock()));
}

async function insert(
  ctx: CoreContext,
  tx: Handle,
  application: Application,
  actor: Actor,
  options: { mayReuseId?: boolean | undefined } = {},
): Promise<void> {
  // Before its id, so that two creations cannot wait for each other.
  await refuseSharedParty(ctx, tx, undefined, application, application.createdAt);
  await ids.claimId(tx, application.id, application.createdAt, options);
  if (!(await insertApplication(tx, application))) throw idIsTaken("application");
  await audit.record(
    ctx,
    tx,
    { actor, action: "application.create", result: "success", appId: application.id, target: application.id },
    application.createdAt,
  );
}

function newApplication(ctx: CoreContext, input: NewApplication): Application {
  const now = ctx.clock();
  const application = applicationFrom(input, newId("app", now, ctx.random), isKnownProvider, now);
  refuseWithoutMail(ctx, undefined, application.settings);
  return application;
}

/**
 * Locks an existing application and applies `change` to its current state. Throws APP_NOT_FOUND.
 */
async function lockAndChange(
  tx: Handle,
  id: string,
  change: (application: Application) => Application | Promise<Application>,
  now: number,
): Promise<{ before: Application; after: Application }> {
  refuseConsoleApp(id);
  const before = await lockApplication(tx, id, now);
  if (!before) throw applicationNotFound();
  const after = await change(before);
  await saveApplication(tx, after);
  return { before, after };
}

async function changeIt(
  ctx: CoreContext,
  tx: Handle,
  application: Application,
  wanted: WantedChange,
  lockedAt?: number,
): Promise<Application> {
  const { branding, ...change } = changeOf(wanted, application);
  const own = await listProviderNames(tx, application.id);
  const { logo } = application.branding;
  await refusePasskeyBesideProviders(tx, application, change);
  // The address of the uploaded logo, or an older one, as answers have it: it stays.
  await refuseRolesInUse(tx, application, change.settings?.organizationRoles, ctx.clock());
  const kept = pictureHere(ownAddress(ctx), branding?.logo);
  if (kept && kept.id !== storedPicture(logo)?.id)
    throw invalidRequest("branding.logo", "not the address of this application's present logo");
  const changed = changedApplication(
    application,
    { ...change, ...(branding && { branding: kept ? { ...branding, logo } : branding }) },
    (name) => isKnownProvider(name) || own.includes(name),
  );
  if (hasOrganizations(changed) && !hasOrganizations(application)) await refuseOrganizationScope(tx, application.id);
  refuseWithoutMail(ctx, application.settings, changed.settings);
  if (change.settings?.profileFields !== undefined) await refuseFieldsInHeaders(tx, changed);
  await refuseSharedParty(ctx, tx, application, changed, lockedAt);
  return changed;
}

/** People who come by a provider of their organization bring no passkey. Throws INVALID_REQUEST. */
async function refusePasskeyBesideProviders(
  tx: Handle,
  { id, authMethods }: Application,
  change: ApplicationChange,
): Promise<void> {
  if (!change.authMethods?.passkey?.required || authMethods.passkey.required) return;
  const providers = await countOrganizationProviders(tx, id);
  if (providers > 0)
    throw invalidRequest(
      "authMethods.passkey.required",
      `off while organizations have providers of their own: ${providers} of them do`,
    );
}

/** Those by which programs behind a proxy know people stay the server's. Throws INVALID_REQUEST. */
async function refuseFieldsInHeaders(tx: Handle, { id, settings }: Application): Promise<void> {
  const ofServer = fieldsOfServer(settings.profileFields);
  for (const { id: clientId, proxy } of await listClients(tx, id)) {
    const other = fieldsInClaims(proxy?.headers ?? null).find((name) => !ofServer.includes(name));
    if (other !== undefined)
      throw invalidRequest(
        "settings.profileFields",
        `${clientId} sends ${other} in a header: only the server edits it`,
      );
  }
}

/** Nobody could prove an address, or learn that they were approved. Throws INVALID_REQUEST. */
function refuseWithoutMail(
  ctx: CoreContext & { isDevelopment?: boolean },
  before: AppSettings | undefined,
  after: AppSettings,
): void {
  if (ctx.config.mail !== undefined || ctx.isDevelopment === true) return;
  const name = newlyNeedsMail(before, after);
  if (name !== undefined)
    throw invalidRequest(`settings.${name}`, "only with a mail server: set mail.smtpUrl and mail.from");
}

/** Without organizations, a resource may have a scope of this name. Throws INVALID_REQUEST. */
async function refuseOrganizationScope(tx: Handle, appId: string): Promise<void> {
  const resources = await listResources(tx, appId);
  const taken = resources.find(({ scopes }) => scopes.some(({ name }) => name === organizationScope));
  if (taken)
    throw invalidRequest("settings.organizations", `on only without the scope organization of ${taken.identifier}`);
}

/** A role that comes back later must give nothing to those who had it. Throws CONFLICT. */
async function refuseRolesInUse(
  tx: Handle,
  { id, settings }: Application,
  next: string[] | null | undefined,
  now: number,
): Promise<void> {
  if (next === undefined) return;
  const nameOf = (role: string): string => role.replace(":owners", "");
  const kept = (next ?? []).map(nameOf);
  for (const role of settings.organizationRoles ?? [])
    if (!kept.includes(nameOf(role)) && (await isRoleInUse(tx, id, nameOf(role), now)))
      throw new AppError("CONFLICT", `Members or invitations of an organization have the role ${nameOf(role)}.`);
}

export { refuseConsoleApp };

/** Whether a sign-in by this method (and provider, for oauth) may start and continue now. */
export function allows({ authMethods, settings }: Application, method: SignInMethod, provider: string | null): boolean {
  // It answers nothing about an application's own methods.
  if (method === "organization") return settings.companySignIn === "on";
  if (method === "emailCode") return settings.emailCode === true;
  return authMethods[method].enabled && (provider === null || authMethods.oauth.providers.includes(provider));
}

/** Like `create`, without changing anything. Throws INVALID_REQUEST, CONFLICT. */
export async function check(ctx: CoreContext, input: NewApplication): Promise<ApplicationAnswer> {
  const application = newApplication(ctx, input);
  await ids.refuseTakenId(ctx.storage.reader, application.id);
  await refuseSharedParty(ctx, ctx.storage.reader, undefined, application);
  return answerFor(ctx, application, noStats);
}

/**
 * Creates an application without an API key, for operators who bring their own. Throws
 * INVALID_REQUEST, CONFLICT.
 */
export async function create(ctx: CoreContext, input: NewApplication, actor: Actor): Promise<ApplicationAnswer> {
  const application = newApplication(ctx, input);
  await ctx.storage.write((tx) => insert(ctx, tx, application, actor));
  return answerFor(ctx, application, noStats);
}

/**
 * Creates an application with its first API key, in one transaction. The key is shown only
 * here. `mayReuseId`: also allows the id of a deleted application. Throws INVALID_REQUEST,
 * CONFLICT.
 */
export async function createWithKey(
  ctx: CoreContext,
  input: NewApplication,
  key: { apiKey?: string | undefined },
  actor: Actor,
  options: { mayReuseId?: boolean } = {},
): Promise<{ application: ApplicationAnswer; apiKey: string }> {
  const application = newApplication(ctx, input);
  const apiKey = apiKeys.chosenOrNew(ctx, key.apiKey);
  await ctx.storage.write(async (tx) => {
    await insert(ctx, tx, application, actor, options);
    await apiKeys.insert(ctx, tx, { appId: application.id, apiKey }, actor, application.createdAt);
  });
  return { application: await withStats(ctx, application), apiKey };
}

/**
 * Saves, removes or restores the uploaded logo; `remove` also removes an address. Throws
 * APP_NOT_FOUND, and CONFLICT for an undo that is no longer possible.
 */
export async function changeLogo(
  ctx: CoreContext,
  id: string,
  change: PictureChange,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const { before, after } = await lockAndChange(
      tx,
      id,
      async ({ branding, ...application }) => {
        const place = { owner: { appId: id }, before: branding.logo };
        return { ...application, branding: { ...branding, logo: await pictures.changed(ctx, tx, place, change, now) } };
      },
      now,
    );
    if (after.branding.logo !== before.branding.logo) {
      const about = { appId: id, target: id, details: { fields: "branding" } };
      await audit.record(ctx, tx, { ...by, action: "application.update", result: "success", ...about }, now);
    }
    if (dryRun) throw rollBack(undefined);
  });
}

/** Like `update`, without changing anything. Returns the application with its settings. */
export async function checkUpdate(
  ctx: CoreContext,
  id: string,
  wanted: WantedChange,
): Promise<Omit<ApplicationAnswer, "branding"> & Pick<Application, "branding" | "settings" | "claims">> {
  const application = await findApplication(ctx.storage.reader, id);
  if (!application) throw applicationNotFound();
  const changed = await changeIt(ctx, ctx.storage.reader, application, wanted);
  const { branding, settings, claims } = changed;
  return { ...(await withStats(ctx, changed)), branding: shownBranding(ctx, branding), settings, claims };
}

/**
 * Changes an application, completely or not at all. Keeps concurrent changes of other fields.
 * Throws APP_NOT_FOUND, INVALID_REQUEST naming the field.
 */
export async function update(
  ctx: CoreContext,
  id: string,
  wanted: WantedChange,
  actor: Actor,
  { source }: { source?: RequestSource } = {},
): Promise<ApplicationAnswer> {
  const now = ctx.clock();
  const isOwn = actor.kind === "app" || actor.kind === "client";
  const changed = await ctx.storage.write(async (tx) => {
    const { before, after } = await lockAndChange(
      tx,
      id,
      (application) => {
        const change = changeOf(wanted, application);
        return changeIt(ctx, tx, application, isOwn ? changeByApp(application, change) : change, now);
      },
      now,
    );
    if (after.branding.logo !== before.branding.logo) await pictures.forget(tx, { appId: id });
    const longest = longestTokenLife(after.settings);
    if (longest < longestTokenLife(before.settings))
      await personalTokens.end(
        ctx,
        tx,
        { appId: id, longest },
        { reason: "maximum-lowered", by: { actor, source } },
        now,
      );
    // A rename by the application's server may pin `settings.mailName`; that is not logged as a
    // change.
    const fields = changedFields(before, after)
      .filter((field) => !isOwn || field !== "settings")
      .join(", ");
    const rows = applicationRows.filter(([field]) => !isOwn || !field.startsWith("settings."));
    const about = { appId: id, target: id, details: { fields }, changes: changesIn(rows, before, after) };
    if (fields !== "")
      await audit.record(ctx, tx, { actor, action: "application.update", result: "success", source, ...about }, now);
    return after;
  });
  return await withStats(ctx, changed);
}

/**
 * Deletes an application with its keys and users; its id is never reused. Throws APP_NOT_FOUND.
 */
export async function remove(ctx: CoreContext, id: string, actor: Actor): Promise<void> {
  refuseConsoleApp(id);
  if (!(await findApplication(ctx.storage.reader, id))) throw applicationNotFound();
  await ctx.storage.write((tx) => revocationRecords.application(ctx, tx, id, ctx.clock()));
  // In batches: a million users in one transaction would block everyone else.
  while (await ctx.storage.write((tx) => deleteSomeParts(tx, id)));
  await activity.forgetApplication(ctx, id);
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    if (!(await deleteApplication(tx, id, now))) throw applicationNotFound();
    const about = { appId: id, target: id };
    await audit.record(ctx, tx, { actor, action: "application.delete", result: "success", ...about }, now);
  });
}

/** Changes and returns the settings for an application's providers. Throws APP_NOT_FOUND. */
export async function changeProviders(
  tx: Handle,
  id: string,
  change: (oauth: AuthMethods["oauth"]) => AuthMethods["oauth"],
  now: number,
): Promise<AuthMethods["oauth"]> {
  const { after } = await lockAndChange(
    tx,
    id,
    (application) => ({
      ...application,
      authMethods: { ...application.authMethods, oauth: change(application.authMethods.oauth) },
    }),
    now,
  );
  return after.authMethods.oauth;
}

/**
 * Adds redirect URIs. Throws APP_NOT_FOUND; INVALID_REQUEST with an index into the new ones.
 */
export async function addRedirectUris(
  ctx: CoreContext,
  id: string,
  uris: readonly string[],
  actor: Actor,
): Promise<void> {
  const now = ctx.clock();
  const added = checkedRedirectUris(uris);
  await ctx.storage.write(async (tx) => {
    const add = (application: Application) =>
      changedApplication(application, { redirectUris: [...application.redirectUris, ...added] }, isKnownProvider);
    const { before, after } = await lockAndChange(tx, id, add, now);
    if (added.every((uri) => before.redirectUris.includes(uri))) return;
    const changes = changesIn(applicationRows, before, after);
    const about = { appId: id, target: id, details: { fields: "redirectUris" }, changes };
    await audit.record(ctx, tx, { actor, action: "application.update", result: "success", ...about }, now);
  });
}

/** Excludes the console's application. */
export async function list(ctx: CoreContext): Promise<ApplicationAnswer[]> {
  const stats = await readAllStats(ctx.storage.reader, ctx.clock());
  const all = await listApplications(ctx.storage.reader);
  const applications = all.filter(({ id }) => id !== consoleAppId);
  return applications.map((application) => answerFor(ctx, application, stats.get(application.id) ?? noStats));
}

/** As `find` finds them, without the console's. */
export async function findAll(ctx: CoreContext): Promise<Application[]> {
  const all = await listApplications(ctx.storage.reader);
  return all.filter((application) => application.id !== consoleAppId && usable(ctx, application) !== undefined);
}

/** Throws APP_NOT_FOUND. */
export async function get(ctx: CoreContext, id: string): Promise<ApplicationAnswer> {
  const application = await findApplication(ctx.storage.reader, id);
  if (!application) throw applicationNotFound();
  return await withStats(ctx, application);
}

/**
 * Whether a completed sign-in with this method (and provider) may be redeemed and refreshed
 * now.
 */
export function accepts(application: Application, method: SignInMethod, provider: string | null): boolean {
  const { passkey } = application.authMethods;
  if (passkey.enabled && passkey.required && method !== "passkey") return false;
  return allows(application, method, provider);
}

/** Removes rows that are no longer needed. */
export async function sweep(ctx: CoreContext): Promise<boolean> {
  const now = ctx.clock();
  await keyUses(ctx).flush();
  await ctx.storage.write(async (tx) => {
    await sweepCounters(tx, now);
    await apiKeys.sweep(tx, now);
  });
  return false;
}

/** With the address of an uploaded logo. */
export function shownBranding(ctx: CoreContext, { logo, ...branding }: Branding): Branding {
  return { logo: pictureAddress(ownAddress(ctx), logo), ...branding };
}

function answerFor(ctx: CoreContext, application: Application, stats: ApplicationStats): ApplicationAnswer {
  const { id, name, domain, redirectUris, authMethods, branding } = application;
  const { logo, primaryColor, companyName, homeUrl = null } = shownBranding(ctx, branding);
  // The contract has the first three (docs/spec/http-api.md, 2.4).
  const shown = { logo, primaryColor, companyName, ...(homeUrl === null ? {} : { homeUrl }) };
  return { id, name, domain, redirectUris, authMethods, branding: shown, stats };
}

/** Whether users of the operator's applications sign in to it. */
function isForUsers(ctx: CoreContext, application: Application): boolean {
  return application.id !== consoleAppId && usable(ctx, application) !== undefined;
}

function usable(ctx: CoreContext, application: Application | undefined): Application | undefined {
  return application && (ctx.usesLeftovers || !isDemoApp(application)) ? application : undefined;
}

/**
 * The current state, because a command may have just changed it. Undefined if there is none
 * that may be used.
 */
export async function find(ctx: CoreContext, handle: Handle, id: string): Promise<Application | undefined> {
  return usable(ctx, await findApplication(handle, id));
}

/**
 * Whether its id alone shows that it may be used; otherwise call `find`. Checked for every access
 * token.
 */
export function isSurelyUsable(ctx: CoreContext, id: string): boolean {
  return ctx.usesLeftovers || id !== demoAppId;
}

/** The demo application, if development mode has left one, whether or not it may be used. */
export async function findDemoApp(ctx: CoreContext): Promise<Application | undefined> {
  const application = await findApplication(ctx.storage.reader, demoAppId);
  return application && isDemoApp(application) ? application : undefined;
}

/** The only usable application of this service; undefined if there is none or several. */
export async function findOnly(ctx: CoreContext): Promise<Application | undefined> {
  const [only, ...others] = (await listFourApplications(ctx.storage.reader)).filter((found) => isForUsers(ctx, found));
  return others.length === 0 ? only : undefined;
}

export async function isAnyUsable(ctx: CoreContext): Promise<boolean> {
  return (await listFourApplications(ctx.storage.reader)).some((found) => isForUsers(ctx, found));
}

/** The application of an API key. Throws INVALID_API_KEY. */
export async function authenticate(ctx: CoreContext, apiKey: string): Promise<Application> {
  if (!isPossibleCredential(apiKey)) throw invalidApiKey();
  const [keyDigest, now] = [digestOf(apiKey), ctx.clock()];
  const application = usable(ctx, await findApplicationByKey(ctx.storage.reader, keyDigest, now));
  if (!application) throw invalidApiKey();
  keyUses(ctx).note(keyDigest, now);
  return application;
}

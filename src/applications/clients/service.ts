/** The OpenID Connect clients of all applications. */
import { day } from "../../lib/clock.ts";
import { AppError, applicationNotFound, invalidRequest } from "../../lib/errors.ts";
import { newId } from "../../lib/random.ts";
import { isRegistered } from "../../lib/redirect-uris.ts";
import { changeOf, type Wanted } from "../../lib/wanted.ts";
import { hasOrganizations, type Application } from "../application.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import { DocumentProblem } from "../../records/webhooks/documents.ts";
import * as logoutReceivers from "../../records/webhooks/logout-receivers.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import { changesIn } from "../setting.ts";
import { sweepAll } from "../../storage/queries/sweep.ts";
import type { SettingChanges, Trust } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as groups from "../../users/groups/service.ts";
import { refuseConsoleApp } from "../console-app.ts";
import * as ids from "../ids.ts";
import { fieldsInClaims, fieldsOfServer } from "../profile-fields.ts";
import * as applications from "../service.ts";
import { lockResources } from "../resources/store.ts";
import { retireId } from "../store.ts";
import {
  applicationAsClient,
  withDefaultAccess,
  clientAnswer,
  clientNotFound,
  flatClient,
  isConfidential,
  resourceFields,
  type Client,
  type ClientAnswer,
  type UsableClient,
} from "./client.ts";
import { documentUrlProblem, isDocumentUrl } from "../documents/document.ts";
import * as documents from "../documents/service.ts";
import { setBlockedAt, sweepDocuments } from "../documents/store.ts";
import { callbackOf } from "./host-addresses.ts";
import { deleteConsentsTo } from "./consents-store.ts";
import { hostsOfOthers, setHosts } from "./hosts-store.ts";
import { inProfile } from "./profile.ts";
import { nameOfHost } from "./proxy.ts";
import { changedClient, changedFields, clientFrom, type NewClient } from "./rules.ts";
import { clientRows, type ClientChange } from "./settings.ts";
import * as clientSecrets from "./secrets.ts";
import {
  deleteClient,
  findClient,
  insertClient,
  isUserId,
  listClients,
  lockClient,
  lockClientForChange,
  lockOrganizationOf,
  saveClient,
  sweepAssertions,
} from "./store.ts";
import { clientUses } from "./uses.ts";
import { changedTrusts, type NewTrust } from "./workload/trust.ts";

/** For the audit log, which shows when they were first seen. */
const unusedDocumentsAreKept = 90 * day;

/** `dryRun`: checks everything, changes nothing. */
export type ClientCall = { actor: Actor; dryRun?: boolean };

async function note(
  ctx: Context,
  tx: Handle,
  actor: Actor,
  action: "create" | "update" | "delete",
  { client, fields, changes }: { client: Client; fields?: string; changes?: SettingChanges },
  now: number,
): Promise<void> {
  const { id: clientId, appId } = client;
  const details = { clientId, ...(fields === undefined ? {} : { fields }) };
  const about = { appId, details, target: clientId, changes };
  await audit.record(ctx, tx, { actor, action: `client.${action}`, result: "success", ...about }, now);
}

async function setReceiver(
  ctx: Context,
  tx: Handle,
  { id, appId, backchannelLogoutUri: url }: Client,
  now: number,
): Promise<void> {
  await logoutReceivers.set(ctx, tx, { clientId: id, appId, url }, now);
}

/** A program at the service's own host could read and set the cookies of sign-ins. */
function refuseOwnHost(ctx: Context, { proxy }: Client): void {
  const own = new URL(ctx.baseUrl).hostname;
  const at = proxy?.hosts.findIndex((host) => nameOfHost(host) === own) ?? -1;
  if (at !== -1) throw invalidRequest(`hosts[${at}]`, "another host than that of this service, also on another port");
}

/** Programs know people only by what the server writes. Throws INVALID_REQUEST naming the field. */
function refuseOtherFields({ settings }: Pick<Application, "settings">, { proxy }: Client): void {
  const ofServer = fieldsOfServer(settings.profileFields);
  const other = fieldsInClaims(proxy?.headers ?? null).find((name) => !ofServer.includes(name));
  if (other !== undefined)
    throw invalidRequest("headers", `profile.${other} is no profile field that only the server edits`);
}

/** Throws INVALID_REQUEST for a host of another client. */
async function giveHosts(handle: Handle, { id, proxy }: Client, dryRun = false): Promise<void> {
  if (!proxy) return;
  const [taken] = await (dryRun ? hostsOfOthers : setHosts)(handle, id, proxy.hosts);
  if (taken !== undefined) throw invalidRequest("hosts", `${taken} belongs to another client of this service`);
}

async function applicationOf(ctx: Context, handle: Handle, appId: string) {
  const application = await applications.find(ctx, handle, appId);
  if (!application) throw applicationNotFound();
  return application;
}

async function changed(
  ctx: Context,
  handle: Handle,
  client: Client,
  change: ClientChange,
  now: number,
): Promise<Client> {
  const application = await applicationOf(ctx, handle, client.appId);
  const urlProblem = (url: string) => logoutReceivers.urlProblem(ctx, url);
  const described = withTrusts(ctx, changedClient(client, change, application, urlProblem, now), change.trusts, now);
  const after = inProfile(described, change, application, ctx);
  refuseOwnHost(ctx, after);
  if (change.headers) refuseOtherFields(application, after);
  if (after.profile !== client.profile && after.profile !== null) await clientSecrets.refuseLive(handle, after, now);
  if (change.allowedGroups) await refuseUnknownGroups(handle, client.appId, change.allowedGroups);
  await refuseUnknownResources(ctx, handle, client, change);
  return after;
}

/** The client with these trusts replacing its own. Throws INVALID_REQUEST naming the field. */
function withTrusts(ctx: Context, client: Client, wanted: NewTrust[] | undefined, now: number): Client {
  if (wanted === undefined) return client;
  if (wanted.length > 0 && !isConfidential(client))
    throw invalidRequest("trusts", "only with kind web and machine; the others have no credentials");
  const trusts = changedTrusts(client.trusts, wanted, {
    ownIssuer: ctx.baseUrl,
    addressProblem: (url) => logoutReceivers.urlProblem(ctx, url),
    newId: () => newId("crd", now, ctx.random),
  });
  return { ...client, trusts };
}

/** Records added and removed trusts. */
async function noteTrusts(
  ctx: Context,
  tx: Handle,
  actor: Actor,
  [before, after]: [Trust[], Client],
  now: number,
): Promise<void> {
  const { id: clientId, appId, trusts } = after;
  const lacking = (others: Trust[]) => (one: Trust) => !others.some(({ id }) => id === one.id);
  const changes = [
    ...trusts.filter(lacking(before)).map((trust) => ["add", trust] as const),
    ...before.filter(lacking(trusts)).map((trust) => ["remove", trust] as const),
  ];
  for (const [what, { id: credential, issuer, subject }] of changes) {
    const details = { clientId, credential, issuer, subject };
    const action = `client-credential.${what}`;
    await audit.record(ctx, tx, { actor, action, result: "success", appId, details, target: clientId }, now);
  }
}

/** A misspelled name would lock everybody out. */
async function refuseUnknownGroups(handle: Handle, appId: string, names: readonly string[]): Promise<void> {
  const groupNames = await groups.lockNames(handle, appId);
  const unknown = names.findIndex((name) => !groupNames.includes(name));
  if (unknown !== -1) throw invalidRequest(`allowedGroups[${unknown}]`, "the application has no such group");
}

/** Only machines may request the service itself, which has no row. */
async function refuseUnknownResources(
  ctx: Context,
  handle: Handle,
  { appId, kind, organizationId }: Pick<Client, "appId" | "kind" | "organizationId">,
  change: ClientChange,
): Promise<void> {
  const named = resourceFields.filter((field) => change[field]);
  if (named.length === 0) return;
  const ofApplication = await lockResources(handle, appId);
  for (const field of named) {
    // A machine of an organization never manages the application.
    const mayManage = field === "resources" && kind === "machine" && organizationId === null;
    const known = mayManage ? [...ofApplication, ctx.baseUrl] : ofApplication;
    const unknown = change[field]?.findIndex((identifier) => !known.includes(identifier)) ?? -1;
    if (unknown !== -1) throw invalidRequest(`${field}[${unknown}]`, "the application has no such resource");
  }
}

async function refuseUnknownOrganization(
  handle: Handle,
  application: Application,
  { organizationId }: Pick<Client, "organizationId">,
): Promise<void> {
  if (organizationId === null) return;
  const of = { appId: application.id, id: organizationId };
  if (!hasOrganizations(application) || !(await lockOrganizationOf(handle, of)))
    throw invalidRequest("organizationId", "the application has no such organization");
}

/** A machine's id is the `sub` of its tokens (RFC 9700 §4.15). */
async function refuseUserId(handle: Handle, { kind, id }: Client): Promise<void> {
  if (kind === "machine" && (await isUserId(handle, id)))
    throw new AppError("CONFLICT", "A user with this id already exists.");
}

/** The enabled client of a row; without a row the application with this id. */
async function usable(
  ctx: Context,
  id: string,
  client: Client | undefined,
  handle: Handle,
): Promise<UsableClient | undefined> {
  if (client && client.disabledAt !== null) return undefined;
  const application = await applications.find(ctx, handle, client?.appId ?? id);
  return application && withDefaultAccess({ client: client ?? applicationAsClient(application), application });
}

function admitting(found: UsableClient | undefined): UsableClient | undefined {
  return found && withDefaultAccess(found);
}

/** The client of a row; an App ID names its application as client. Throws CLIENT_NOT_FOUND. */
async function known(ctx: Context, id: string): Promise<Client> {
  const client = await findClient(ctx.storage.reader, id);
  if (client) return client;
  const application = await applications.find(ctx, ctx.storage.reader, id);
  if (!application) throw clientNotFound();
  return applicationAsClient(application);
}

/** Throws CLIENT_NOT_FOUND, and CONFLICT for an App ID, which has no row to change. */
async function refuseApplication(ctx: Context, id: string): Promise<void> {
  const { appId } = await known(ctx, id);
  if (appId !== id) return;
  throw new AppError("CONFLICT", "This client is the application itself: change it with app update and key create.");
}

/**
 * Whether this client may be used: returns it if so, whatever its kind; an App ID names its
 * application. For an existing sign-in or token: `about` is what is known of an unregistered
 * client (a document client).
 */
export async function find(
  ctx: Context,
  handle: Handle,
  id: string,
  about: documents.About = {},
): Promise<UsableClient | undefined> {
  if (isDocumentUrl(id)) return admitting(await documents.known(ctx, handle, id, about));
  return await usable(ctx, id, await findClient(handle, id), handle);
}

/** Why a client may not be used. `passes`: its document cannot be read now, so ask again later. */
export type ClientRefusal = { refusal: string; passes: boolean; cause?: unknown };

/**
 * The same for a request from outside: the document of an unregistered client is fetched if
 * unknown. `within`: the application of its users. `forTokens`: see `documents.find`. Throws
 * RATE_LIMITED.
 */
export async function load(
  ctx: Context,
  id: string,
  call: { within: () => Promise<string | undefined>; ipAddress: string; forTokens: boolean },
): Promise<UsableClient | ClientRefusal> {
  const unknown = { refusal: "unknown or disabled", passes: false };
  if (!isDocumentUrl(id)) return (await find(ctx, ctx.storage.reader, id)) ?? unknown;
  const appId = await call.within();
  if (appId === undefined)
    return { refusal: "it is not registered, and resource is missing or unknown", passes: false };
  try {
    return admitting(await documents.find(ctx, id, { ...call, appId })) ?? unknown;
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    return { refusal: `its document cannot be used (${error.message})`, passes: error.passes, cause: error };
  }
}

/**
 * The same as `find`, and locks it: it can neither change nor be deleted until the transaction
 * ends. Lock it before users (docs/decisions/0042).
 */
export async function lock(
  ctx: Context,
  tx: Handle,
  client: Client | Pick<Client, "id">,
): Promise<UsableClient | undefined> {
  if ("document" in client) return admitting(await documents.lock(ctx, tx, client));
  return await usable(ctx, client.id, await lockClient(tx, client.id), tx);
}

/** Whether this client may get responses at this address. */
export function allowsRedirect({ kind, redirectUris, document, proxy }: Client, redirectUri: string): boolean {
  if (proxy) return proxy.hosts.some((host) => callbackOf(host) === redirectUri);
  const anyLoopbackPort = kind === "native" || document !== undefined;
  return isRegistered(redirectUri, redirectUris, { anyLoopbackPort });
}

/**
 * Creates a client, and with kind `web` or `machine` its first secret, shown only here: `secret`,
 * or a generated one if it has no keys either. Throws APP_NOT_FOUND, INVALID_REQUEST, CONFLICT.
 */
export async function create(
  ctx: Context,
  input: NewClient,
  { secret: chosen, mayGenerate = true }: { secret?: string | undefined; mayGenerate?: boolean },
  { actor, dryRun = false }: ClientCall,
): Promise<{ client: ClientAnswer; secret: string | null }> {
  refuseConsoleApp(input.appId);
  const now = ctx.clock();
  const application = await applicationOf(ctx, ctx.storage.reader, input.appId);
  const urlProblem = (url: string) => logoutReceivers.urlProblem(ctx, url);
  const described = clientFrom(input, application, newId("cli", now, ctx.random), urlProblem, now);
  const client = inProfile(withTrusts(ctx, described, input.trusts, now), input, application, ctx);
  refuseOwnHost(ctx, client);
  refuseOtherFields(application, client);
  const takesSecret = isConfidential(client) && client.profile === null;
  const needsSecret = chosen !== undefined || (mayGenerate && takesSecret && client.jwks === null);
  const secret = needsSecret ? clientSecrets.chosenOrNew(ctx, chosen) : null;
  if (dryRun) {
    await ids.refuseTakenId(ctx.storage.reader, client.id);
    await refuseUserId(ctx.storage.reader, client);
    if (input.allowedGroups) await refuseUnknownGroups(ctx.storage.reader, input.appId, input.allowedGroups);
    await refuseUnknownResources(ctx, ctx.storage.reader, client, input);
    await refuseUnknownOrganization(ctx.storage.reader, application, client);
    await giveHosts(ctx.storage.reader, client, true);
    return { client: clientAnswer(client), secret: null };
  }
  await ctx.storage.write(async (tx) => {
    await ids.claimId(tx, client.id, now);
    await refuseUserId(tx, client);
    if (input.allowedGroups) await refuseUnknownGroups(tx, input.appId, input.allowedGroups);
    await refuseUnknownResources(ctx, tx, client, input);
    await refuseUnknownOrganization(tx, application, client);
    // Again: it may have been deleted.
    await applicationOf(ctx, tx, input.appId);
    await insertClient(tx, client);
    await giveHosts(tx, client);
    await setReceiver(ctx, tx, client, now);
    await note(ctx, tx, actor, "create", { client }, now);
    await noteTrusts(ctx, tx, actor, [[], client], now);
    if (secret !== null) await clientSecrets.insert(ctx, tx, client, secret, actor, now);
  });
  return { client: clientAnswer(client), secret };
}

/** Oldest first; without `appId`, of all applications. Excludes the applications themselves. */
export async function list(ctx: Context, appId?: string): Promise<ClientAnswer[]> {
  if (appId !== undefined) await applicationOf(ctx, ctx.storage.reader, appId);
  return (await listClients(ctx.storage.reader, appId)).map(clientAnswer);
}

/** A client, enabled or not; an App ID names its application. Throws CLIENT_NOT_FOUND. */
export async function get(ctx: Context, id: string): Promise<ClientAnswer> {
  return clientAnswer(await known(ctx, id));
}

/** The same, or an unregistered client as far as known. Throws CLIENT_NOT_FOUND. */
export async function show(ctx: Context, id: string): Promise<ClientAnswer | documents.DocumentAnswer> {
  return isDocumentUrl(id) ? await documents.get(ctx, id) : await get(ctx, id);
}

/**
 * Throws CLIENT_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for an application.
 */
export async function update(
  ctx: Context,
  id: string,
  wanted: Wanted<ClientChange, Client>,
  { actor, dryRun = false }: ClientCall,
): Promise<ClientAnswer> {
  const now = ctx.clock();
  await refuseApplication(ctx, id);
  if (dryRun) {
    const client = await known(ctx, id);
    const after = await changed(ctx, ctx.storage.reader, client, changeOf(wanted, client), now);
    await giveHosts(ctx.storage.reader, after, true);
    return clientAnswer(after);
  }
  return await ctx.storage.write(async (tx) => {
    const before = await lockClientForChange(tx, id, now);
    if (!before) throw clientNotFound();
    const after = await changed(ctx, tx, before, changeOf(wanted, before), now);
    await saveClient(tx, after);
    const fields = changedFields(before, after);
    if (fields.includes("hosts")) await giveHosts(tx, after);
    if (fields.includes("backchannelLogoutUri")) await setReceiver(ctx, tx, after, now);
    if (endsTokens(before, after, fields)) await clientSecrets.announceEnd(ctx, tx, after, now);
    const others = fields.filter((field) => field !== "trusts");
    const update = {
      client: after,
      fields: others.join(", "),
      changes: changesIn(clientRows, inRows(before), inRows(after)),
    };
    if (others.length > 0) await note(ctx, tx, actor, "update", update, now);
    await noteTrusts(ctx, tx, actor, [before.trusts, after], now);
    return clientAnswer(after);
  });
}

/** The client as its rows name its fields. */
function inRows(client: Client): object {
  return { ...flatClient(client), enabled: client.disabledAt === null };
}

/** Whether a machine's tokens may have ended: it was disabled, or lost a key or a trust. */
function endsTokens(before: Client, after: Client, fields: string[]): boolean {
  return (
    (fields.includes("enabled") && after.disabledAt !== null) ||
    (fields.includes("jwks") && before.jwks !== null) ||
    before.trusts.some(({ id }) => !after.trusts.some((trust) => trust.id === id))
  );
}

/**
 * Deletes a client and ends its logins; its id is never reused. Throws CLIENT_NOT_FOUND,
 * CONFLICT for an application.
 */
export async function remove(ctx: Context, id: string, { actor, dryRun = false }: ClientCall): Promise<void> {
  await refuseApplication(ctx, id);
  if (dryRun) return;
  const now = ctx.clock();
  // First it can start no login, then the existing ones end, in batches.
  await ctx.storage.write(async (tx) => {
    const client = await lockClientForChange(tx, id, now);
    if (client) await saveClient(tx, { ...client, disabledAt: client.disabledAt ?? now });
  });
  const end = { reason: "client-deleted", by: { actor } } as const;
  await endLogins(ctx, id, end, now);
  await ctx.storage.write(async (tx) => {
    const client = await lockClientForChange(tx, id, now);
    if (!client) throw clientNotFound();
    while (await ends.endOfClient(ctx, tx, id, end, now));
    await deleteClient(tx, id);
    await clientSecrets.announceEnd(ctx, tx, client, now);
    await retireId(tx, id, now);
    await note(ctx, tx, actor, "delete", { client }, now);
  });
}

async function endLogins(ctx: Context, id: string, end: ends.End, now: number): Promise<void> {
  await sweepAll(
    async () => await ctx.storage.write((tx) => ends.endOfClient(ctx, tx, id, end, now)),
    () => false,
  );
}

/**
 * Blocks an unregistered client in every application: ends its logins and deletes the consents to
 * it. Repeating it finishes an interrupted call. Throws INVALID_REQUEST.
 */
export async function block(ctx: Context, url: string, { actor, dryRun = false }: ClientCall): Promise<void> {
  const problem = documentUrlProblem(url, { privateNetworks: true, plainHttp: "this-machine" });
  if (problem !== undefined) throw invalidRequest("url", problem);
  if (dryRun) return;
  const now = ctx.clock();
  // First it can start no login, then the existing ones end, in batches.
  await ctx.storage.write(async (tx) => {
    if (!(await setBlockedAt(tx, url, now, now))) return;
    await deleteConsentsTo(tx, url);
    const about = { details: { clientId: url }, target: url };
    await audit.record(ctx, tx, { actor, action: "client.block", result: "success", ...about }, now);
  });
  await endLogins(ctx, url, { reason: "client-blocked", by: { actor } }, now);
}

/**
 * Unblocks an unregistered client; all users are asked for consent again. Throws CLIENT_NOT_FOUND.
 */
export async function unblock(ctx: Context, url: string, { actor, dryRun = false }: ClientCall): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    if (!(await setBlockedAt(tx, url, null, now))) throw clientNotFound();
    if (dryRun) throw rollBack();
    await audit.record(
      ctx,
      tx,
      { actor, action: "client.unblock", result: "success", details: { clientId: url }, target: url },
      now,
    );
  });
}

/** Removes rows that are no longer needed; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  await clientUses(ctx).flush();
  return await ctx.storage.write(async (tx) => {
    await clientSecrets.sweep(tx, now);
    const documentsAreLeft = await sweepDocuments(tx, now - unusedDocumentsAreKept);
    return (await sweepAssertions(tx, now)) || documentsAreLeft;
  });
}

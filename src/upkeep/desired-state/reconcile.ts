import { isDeepStrictEqual } from "node:util";
import * as apiKeys from "../../applications/keys.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import * as applications from "../../applications/service.ts";
import { amountOf, fileKeyOf, objectOf } from "../../applications/setting.ts";
import { applicationRows, type ApplicationChange } from "../../applications/settings.ts";
import type { DesiredApplication, DesiredProvider, DesiredState, DesiredWebhook } from "./state-schema.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { Actor } from "../../records/audit/audit.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as groups from "../../users/groups/service.ts";
import { describedProvider, objectKey } from "./current.ts";
import { fieldsOf } from "./difference.ts";
import { conflict, naming } from "./places.ts";
import { isUploadedLogo, reconcileLogo } from "./reconcile-logo.ts";
import { reconcileResources, removeResources } from "./reconcile-resources.ts";
import { reconcileClients } from "./reconcile-clients.ts";
import { newRecipients } from "./references.ts";

/** The results, by object key: secrets set, identities kept, deletions postponed. */
export type Reconciled = { secrets: Map<string, string>; kept: Map<string, number>; spared: Set<string> };

/** `keepIdentities`: other endpoints of a provider are the same directory. */
export type ReconcileOptions = { prune: boolean; keepIdentities?: boolean; actor: Actor };

export type Reconciling = ReconcileOptions & { spares: boolean };

export function newReconciled(): Reconciled {
  return { secrets: new Map(), kept: new Map(), spared: new Set() };
}

/**
 * Changes all applications to `desired` through the services' own functions. Omitted fields stay.
 * With `prune`, unnamed objects are only listed for deletion, because that may be millions of rows.
 */
export async function reconcileAll(
  ctx: Context,
  desired: DesiredState,
  options: ReconcileOptions,
): Promise<Reconciled> {
  const reconciled = newReconciled();
  const { prune } = options;
  if (prune) for (const id of await unnamed(ctx, desired)) await spare(ctx, id, reconciled.spared);
  for (const entry of (desired.applications ?? []).entries())
    await reconcileApplication(ctx, entry, { ...options, spares: true }, reconciled);
  return reconciled;
}

/** Existing applications that `desired` does not name. */
export async function unnamed(ctx: Context, desired: DesiredState): Promise<string[]> {
  const named = new Set(desired.applications?.map(({ id }) => id));
  return (await applications.list(ctx)).map(({ id }) => id).filter((id) => !named.has(id));
}

/**
 * One application with its place in the file. `spares`: deletions are only listed, identities only
 * counted. Throws INVALID_REQUEST and CONFLICT naming the place (`applications[0].redirectUris[1]:
 * …`).
 */
export async function reconcileApplication(
  ctx: Context,
  [index, application]: [number, DesiredApplication],
  options: Reconciling,
  reconciled: Reconciled,
): Promise<void> {
  const { prune, spares, actor } = options;
  const { secrets, spared } = reconciled;
  const at = `applications[${index}]`;
  await createUnlessThere(ctx, application, at, actor);
  await reconcileProviders(ctx, application, { ...options, ...reconciled, at });
  await naming(at, () => applications.update(ctx, application.id, changeOf(application), actor));
  await naming(at, () => reconcileLogo(ctx, application, actor));
  await reconcileKeys(ctx, application, { at, actor, spared });
  await createGroups(ctx, application, { at, actor });
  await reconcileResources(ctx, application, { at, actor });
  await reconcileClients(ctx, application, { at, prune, spares, actor, spared });
  // After the clients, which may have asked for them until now.
  if (prune) await removeResources(ctx, application, { spares, actor, spared });
  await reconcileWebhooks(ctx, application, { at, prune, spares, actor, secrets, spared });
  // After the clients, which may have allowed a group until now. Its members go in batches, later.
  if (prune) for (const name of await unnamedGroups(ctx, application)) spareGroup(application.id, name, spared);
}

type Work = Reconciling & Reconciled & { at: string };

/** Lists an application for deletion, with its parts that another application may reuse. */
async function spare(ctx: Context, id: string, spared: Set<string>): Promise<void> {
  spared.add(objectKey("application", id));
  for (const key of await apiKeys.listKeys(ctx, id)) spared.add(objectKey("apiKey", key.id));
  for (const webhook of await webhooks.list(ctx, id)) spared.add(objectKey("webhook", webhook.id));
}

async function createUnlessThere(
  ctx: Context,
  application: DesiredApplication,
  at: string,
  actor: Actor,
): Promise<void> {
  const { id, name } = application;
  if (await applications.find(ctx, ctx.storage.reader, id)) return;
  if (name === undefined) throw invalidRequest(`${at}.name`, "needed for a new application");
  // Without it, the passkeys would belong to the service's host, which may have related origins.
  const { relyingPartyId } = changeOf(application).settings ?? {};
  const party = relyingPartyId === undefined ? {} : { settings: { relyingPartyId } };
  await naming(at, () => applications.create(ctx, { id, name, ...party }, actor));
}

async function createGroups(
  ctx: Context,
  { id, groups: desired }: DesiredApplication,
  { at, actor }: { at: string; actor: Actor },
): Promise<void> {
  const present = new Map((await groups.list(ctx, id)).map(({ name, secondFactor }) => [name, secondFactor]));
  for (const [index, { name, secondFactor }] of groupsOf(desired).entries()) {
    const policy = present.get(name);
    const put = () => groups.put(ctx, id, name, { secondFactor }, { actor });
    if (policy === undefined || (secondFactor !== undefined && secondFactor !== policy))
      await naming(at, put, { name: `groups[${index}]` });
  }
}

/** A plain name leaves the group's settings unchanged. */
function groupsOf(desired: DesiredApplication["groups"] = []): Exclude<(typeof desired)[number], string>[] {
  return desired.map((group) => (typeof group === "string" ? { name: group } : group));
}

async function unnamedGroups(ctx: Context, { id, groups: desired }: DesiredApplication): Promise<string[]> {
  const named = new Set(groupsOf(desired).map(({ name }) => name));
  return (await groups.list(ctx, id)).map(({ name }) => name).filter((name) => !named.has(name));
}

function spareGroup(appId: string, name: string, spared: Set<string>): void {
  spared.add(objectKey("group", `${appId} ${name}`));
}

async function reconcileProviders(
  ctx: Context,
  { id, providers: desired }: DesiredApplication,
  { at, prune, spares, keepIdentities = false, actor, secrets, kept }: Omit<Work, "spared">,
): Promise<void> {
  const present = await providers.settings(ctx, id);
  if (prune) {
    const named = new Set(desired?.map(({ name }) => name.toLowerCase()));
    for (const { name } of present) if (!named.has(name)) await providers.remove(ctx, id, name, actor);
  }
  for (const [index, provider] of (desired ?? []).entries()) {
    const place = `${at}.providers[${index}]`;
    const name = provider.name.toLowerCase();
    const there = present.find((settings) => settings.name === name);
    // Trimmed, as the service stores it.
    const secret = (provider.clientSecret ?? provider.privateKey)?.trim();
    const { clientSecret: _, privateKey: __, ...wanted } = { ...provider, name, clientId: provider.clientId.trim() };
    const hasNewSecret = secret !== undefined && there?.secret() !== secret;
    const isSame = there && isDeepStrictEqual(fieldsOf(describedProvider(there)), fieldsOf(wanted));
    if (isSame && !hasNewSecret) continue;
    const current = secret ?? there?.secret();
    if (current === undefined) throw invalidRequest(`${place}.clientSecret`, "needed for a new provider");
    // The file's author may not know the secret, but would get it.
    const [recipient] = there && secret === undefined ? newRecipients(describedProvider(there), wanted) : [];
    if (recipient !== undefined) {
      const field = there?.keyId ? "privateKey" : "clientSecret";
      throw invalidRequest(
        `${place}.${field}`,
        `needed again, because ${recipient} would get the stored one or its tokens`,
      );
    }
    const { keptIdentities } = await naming(place, () =>
      providers.set(ctx, id, { ...wanted, secret: current }, actor, { keepIdentities, onlyCounts: spares }),
    );
    const key = objectKey("provider", `${id} ${name}`);
    if (hasNewSecret) secrets.set(key, secretField(provider));
    if (keptIdentities !== undefined) kept.set(key, keptIdentities);
  }
}

function secretField({ privateKey }: DesiredProvider): string {
  return privateKey === undefined ? "clientSecret" : "privateKey";
}

async function reconcileKeys(
  ctx: Context,
  { id, apiKeys: keys = [] }: DesiredApplication,
  { at, actor, spared }: Pick<Work, "at" | "actor" | "spared">,
): Promise<void> {
  for (const [index, { value }] of keys.entries()) {
    const place = `${at}.apiKeys[${index}]`;
    const keyThere = await apiKeys.findKey(ctx, value);
    const isFreed = keyThere !== undefined && spared.delete(objectKey("apiKey", keyThere.id));
    if (isFreed) await apiKeys.removeKey(ctx, keyThere.id);
    const current = isFreed ? undefined : keyThere;
    if (!current) await naming(place, () => apiKeys.createKey(ctx, { appId: id, apiKey: value }, actor));
    else if (current.appId !== id) throw conflict(`${place}.value`, "a key of another application");
    else if (current.state !== "live") throw conflict(`${place}.value`, "this key has expired; choose another");
  }
}

async function reconcileWebhooks(
  ctx: Context,
  { id: appId, webhooks: desired }: DesiredApplication,
  { at, prune, spares, actor, secrets, spared }: Omit<Work, "kept">,
): Promise<void> {
  const present = await webhooks.list(ctx, appId);
  if (prune) {
    const named = new Set(desired?.map(({ id }) => id));
    for (const { id } of present) {
      if (named.has(id)) continue;
      if (spares) spared.add(objectKey("webhook", id));
      else await webhooks.remove(ctx, id, { actor, appId });
    }
  }
  for (const [index, webhook] of (desired ?? []).entries()) {
    const place = `${at}.webhooks[${index}]`;
    const key = objectKey("webhook", webhook.id);
    if (present.some(({ id }) => id === webhook.id)) {
      const set = await naming(place, () => changeWebhook(ctx, appId, webhook, actor));
      if (set) secrets.set(key, "secret");
    } else {
      if (spared.delete(key)) await webhooks.remove(ctx, webhook.id, { actor });
      await naming(place, () => createWebhook(ctx, appId, webhook, actor));
      secrets.set(key, "secret");
    }
  }
}

async function createWebhook(
  ctx: Context,
  appId: string,
  { id, url, events, enabled, secret }: DesiredWebhook,
  actor: Actor,
): Promise<void> {
  if (secret === undefined) throw invalidRequest("secret", "needed for a new webhook endpoint");
  await webhooks.create(ctx, appId, { id, url, events, secret }, { actor });
  if (enabled === false) await webhooks.update(ctx, id, { enabled }, { actor, appId });
}

/** Returns whether its secret was changed. */
async function changeWebhook(
  ctx: Context,
  appId: string,
  { id, url, events, enabled, secret }: DesiredWebhook,
  actor: Actor,
): Promise<boolean> {
  const before = await webhooks.get(ctx, id, { appId });
  const newSecret = secret !== undefined && (await webhooks.secret(ctx, id)) !== secret ? secret : undefined;
  const change = {
    url: url === before.url ? undefined : url,
    // Their order does not matter.
    events: isDeepStrictEqual(new Set(events), new Set<string>(before.events)) ? undefined : events,
    enabled: enabled === before.enabled ? undefined : enabled,
    secret: newSecret,
  };
  if (Object.values(change).some((value) => value !== undefined))
    await webhooks.update(ctx, id, change, { actor, appId });
  return newSecret !== undefined;
}

/** The file's values of an application, in the form of `update`. */
function changeOf(application: DesiredApplication): ApplicationChange {
  const given = fieldsOf(application);
  return objectOf(
    applicationRows.map(([field, row]) => {
      const value = given.get(fileKeyOf(field, row));
      if (field === "branding.logo" && isUploadedLogo(value)) return [field, undefined];
      return [field, row.kind === "duration" && value !== undefined ? amountOf(row, value as string) : value];
    }),
  );
}

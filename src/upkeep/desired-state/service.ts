/**
 * Applications with their keys, providers, webhooks and clients as one document: planning, applying
 * and exporting it.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as clients from "../../applications/clients/service.ts";
import * as applications from "../../applications/service.ts";
import type { StateFile } from "./state-file.ts";
import type { DesiredApplication, DesiredState } from "./state-schema.ts";
import { AppError } from "../../lib/errors.ts";
import type { Actor } from "../../records/audit/audit.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import { withinTransaction, type Context } from "../../runtime/context.ts";
import type { Shadow } from "../../storage/snapshot.ts";
import type { Handle } from "../../storage/storage.ts";
import { neverCommitted } from "../../storage/transaction.ts";
import * as groupDeletion from "../../users/groups/deletion.ts";
import * as groups from "../../users/groups/service.ts";
import { currentObjects, describedApplication, describedParts, objectKey } from "./current.ts";
import { differences, type Change } from "./difference.ts";
import { reconcileAll, reconcileApplication, newReconciled, unnamed, type ReconcileOptions } from "./reconcile.ts";
import { refuseOtherHosts, usedReferences, type UsedReference } from "./references.ts";

/** The tables that a plan writes to. */
const planned = {
  copied: [
    "applications",
    "deletedApplications",
    "apiKeys",
    "groups",
    "oauthProviders",
    "resources",
    "clients",
    "clientSecrets",
    "proxyHosts",
    "webhookEndpoints",
  ],
  emptied: ["auditEvents", "webhookDeliveries", "revocations", "pictures", "personalTokens", "proxyLogins"],
} as const;

/** Limits of a batch in time and applications, because other writes wait for it. */
const batchMilliseconds = 15;
const maxInABatch = 20;

/** A snapshot of the database in which the planned tables are writable temporary copies. */
async function shadowOf({ config }: Context): Promise<Shadow> {
  const { openShadow } = await import("../../storage/open-snapshot.ts");
  const place = { url: config.database.url, file: join(config.dataDir, "authsvc.db") };
  const shadow = await openShadow(place, planned);
  if (!shadow) throw new AppError("UNUSABLE_STORAGE", `The database ${place.file} no longer exists.`);
  return shadow;
}

/** The changes that one application needs. */
async function changeOne(
  ctx: Context,
  tx: Handle,
  entry: [number, DesiredApplication],
  options: ReconcileOptions,
): Promise<Change[]> {
  const within = withinTransaction(ctx, tx);
  const ids = [entry[1].id];
  const before = await currentObjects(within, ids);
  const reconciled = newReconciled();
  await reconcileApplication(within, entry, { ...options, spares: false }, reconciled);
  return differences(before, await currentObjects(within, ids), reconciled);
}

/** One transaction with as many applications, from `first` on, as fit into a batch. */
async function applyBatch(
  ctx: Context,
  entries: [number, DesiredApplication][],
  first: number,
  options: ReconcileOptions & { agreed: Set<string> },
): Promise<{ changes: Change[]; next: number }> {
  return await ctx.storage.write(async (tx) => {
    const startedAt = performance.now();
    const changes: Change[] = [];
    let next = first;
    for (const entry of entries.slice(first, first + maxInABatch)) {
      changes.push(...(await changeOne(ctx, tx, entry, options)));
      next += 1;
      if (performance.now() - startedAt > batchMilliseconds) break;
    }
    refuseUnagreed(changes, options.agreed);
    return { changes, next };
  });
}

/** Deletes the planned clients that still exist; they may have millions of logins. */
async function deleteClients(ctx: Context, plan: Change[], actor: Actor): Promise<Change[]> {
  const deleted: Change[] = [];
  for (const change of plan.filter((one) => isDeletion(one) && one.kind === "client")) {
    const { application: appId, name = "" } = change;
    if (!(await clients.list(ctx)).some((client) => client.id === name && client.appId === appId)) continue;
    await clients.remove(ctx, name, { actor });
    deleted.push(change);
  }
  return deleted;
}

/** Deletes the planned groups that still exist; they may have 100,000 members. */
async function deleteGroups(ctx: Context, plan: Change[], actor: Actor): Promise<Change[]> {
  const deleted: Change[] = [];
  for (const change of plan.filter((one) => isDeletion(one) && one.kind === "group")) {
    const { application: appId, name = "" } = change;
    if (!(await groups.list(ctx, appId)).some((group) => group.name === name)) continue;
    await groupDeletion.remove(ctx, appId, name, { actor });
    deleted.push(change);
  }
  return deleted;
}

/** Deletes the planned webhooks that still exist; they may have millions of events. */
async function deleteWebhooks(ctx: Context, plan: Change[], actor: Actor): Promise<Change[]> {
  const deleted: Change[] = [];
  for (const change of plan.filter((one) => isDeletion(one) && one.kind === "webhook")) {
    const { application: appId, name = "" } = change;
    if (!(await webhooks.list(ctx, appId)).some(({ id }) => id === name)) continue;
    await webhooks.remove(ctx, name, { actor, appId });
    deleted.push(change);
  }
  return deleted;
}

/**
 * The changes that `apply` would make. Runs the same code in temporary tables (except deletions),
 * so plan and apply agree and no lock is held. Throws INVALID_REQUEST and CONFLICT naming the
 * place.
 */
export async function plan(ctx: Context, desired: DesiredState, options: ReconcileOptions): Promise<Change[]> {
  const shadow = await shadowOf(ctx);
  try {
    return await neverCommitted(shadow.handle, async () => await planWithin(ctx, shadow.handle, desired, options));
  } finally {
    await shadow.close();
  }
}

async function planWithin(
  ctx: Context,
  tx: Handle,
  desired: DesiredState,
  options: ReconcileOptions,
): Promise<Change[]> {
  const within = withinTransaction(ctx, tx);
  const all = options.prune ? await applications.list(within) : [];
  const users = new Map(all.map(({ id, stats }) => [id, stats.totalUsers]));
  const ids = new Set([...(desired.applications ?? []).map(({ id }) => id), ...users.keys()]);
  const before = await currentObjects(within, ids);
  const { spared, ...noted } = await reconcileAll(within, desired, options);
  const remaining = [...ids].filter((id) => !spared.has(objectKey("application", id)));
  const after = await currentObjects(within, remaining);
  for (const key of spared) after.delete(key);
  return differences(before, after, noted).map((one) =>
    isDeletedApplication(one) ? { ...one, users: users.get(one.application) ?? 0 } : one,
  );
}

/**
 * Applies a plan in batches of whole applications; after an interruption, plan again and
 * continue. Throws CONFLICT if more would be deleted than the plan showed, and whatever `plan`
 * throws.
 */
export async function apply(
  ctx: Context,
  desired: DesiredState,
  { planned: plan, ...options }: ReconcileOptions & { planned: Change[] },
): Promise<Change[]> {
  // A webhook that moves to another application is also deleted first.
  const agreed = new Set(plan.filter((one) => isDeletion(one) || one.kind === "webhook").map(keyOf));
  const gone = options.prune ? await unnamed(ctx, desired) : [];
  const deletions = gone.map((application) => deletion(application, plan));
  refuseUnagreed(deletions, agreed);
  // Deleted first, in their own batches: other applications may reuse their keys and webhooks.
  for (const application of gone) await applications.remove(ctx, application, options.actor);
  const parts = [
    ...(await deleteWebhooks(ctx, plan, options.actor)),
    ...(await deleteClients(ctx, plan, options.actor)),
  ];
  const changing = new Set(plan.map(({ application }) => application));
  const entries = [...(desired.applications ?? []).entries()].filter(([, { id }]) => changing.has(id));
  const changes: Change[] = [];
  for (let next = 0; next < entries.length;) {
    // Leave the lock free for a moment: another process checks now and then whether it can
    // write.
    if (next > 0) await sleep(batchMilliseconds);
    const batch = await applyBatch(ctx, entries, next, { ...options, agreed });
    changes.push(...batch.changes);
    next = batch.next;
  }
  const kept = changes.filter((one) => !isDeletion(one));
  // Last: until now a client may have allowed them.
  const deletedGroups = await deleteGroups(ctx, plan, options.actor);
  return [...kept, ...changes.filter(isDeletion), ...parts, ...deletedGroups, ...deletions];
}

/** Purpose and destination of each secret reference. */
export function references({ state, references }: Pick<StateFile, "state" | "references">): UsedReference[] {
  return usedReferences(state, references);
}

/** Throws INVALID_REQUEST for a variable that would be sent to a host that is not allowed. */
export function checkRecipients(
  { state, references }: Pick<StateFile, "state" | "references">,
  allowed: readonly string[],
): void {
  refuseOtherHosts(state, references, allowed);
}

/** The current state without secrets and API keys; `plan` finds no difference to it. */
export async function exportState(ctx: Context): Promise<DesiredState> {
  const described = [];
  for (const { id } of await applications.list(ctx)) {
    const application = await applications.find(ctx, ctx.storage.reader, id);
    if (!application) continue;
    const parts = await describedParts(ctx, id);
    const list = await groups.list(ctx, id);
    const named = list.map(({ name, secondFactor }) => (secondFactor === "off" ? name : { name, secondFactor }));
    described.push({
      ...describedApplication(application),
      ...(named.length === 0 ? {} : { groups: named }),
      ...Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0)),
    });
  }
  return { version: 1, applications: described };
}

function deletion(application: string, plan: Change[]): Change {
  const deletion = plan.find((one) => isDeletedApplication(one) && one.application === application);
  return deletion ?? { action: "delete", kind: "application", application, fields: [] };
}

function isDeletion({ action }: Change): boolean {
  return action === "delete";
}

function isDeletedApplication(change: Change): boolean {
  return isDeletion(change) && change.kind === "application";
}

function refuseUnagreed(changes: Change[], agreed: Set<string>): void {
  if (changes.filter(isDeletion).every((one) => agreed.has(keyOf(one)))) return;
  throw new AppError("CONFLICT", "More would be deleted than the plan showed; run plan again.");
}

/** Webhook ids are unique across applications. */
function keyOf({ kind, application, name }: Change): string {
  return kind === "webhook" ? `webhook ${name}` : [kind, application, name].join(" ");
}

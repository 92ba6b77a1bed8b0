import { setTimeout as sleep } from "node:timers/promises";
import type { StateFile } from "../config/state-file.ts";
import type { DesiredApplication, DesiredState } from "../config/state-schema.ts";
import type { Actor } from "../audit/audit.ts";
import { AppError } from "../lib/errors.ts";
import type { openShadow } from "../storage/open-snapshot.ts";
import type { Shadow } from "../storage/snapshot.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { reconcileAll, reconcileApplication, newReconciled, unnamed, type ReconcileOptions } from "./reconcile.ts";
import { currentObjects, describedApplication, describedParts, objectKey, type Services } from "./current.ts";
import { differences, type Change } from "./difference.ts";
import { usedReferences, type UsedReference } from "./references.ts";

/** The tables that a plan writes to. */
const planned = {
  copied: [
    "applications",
    "deletedApplications",
    "apiKeys",
    "groups",
    "oauthProviders",
    "clients",
    "clientSecrets",
    "webhookEndpoints",
  ],
  emptied: ["auditEvents", "webhookDeliveries"],
} as const;

/** Limits of a batch in time and applications, because other writes wait for it. */
const batchMilliseconds = 15;
const maxInABatch = 20;

/**
 * Applications with their keys, providers, webhooks and clients as one document: planning, applying
 * and exporting it.
 */
export function createDesiredStates(deps: {
  storage: Storage;
  /**
   * The services, normally or inside a transaction, where all their reads and writes are part of
   * it.
   */
  services: Services;
  servicesIn(tx: Handle): Services;
  /** A snapshot of the database in which some tables are writable temporary copies. */
  shadowOf(tables: Parameters<typeof openShadow>[1]): Promise<Shadow>;
}) {
  const { storage, services, servicesIn, shadowOf } = deps;

  /** The changes that one application needs. */
  async function changeOne(
    tx: Handle,
    entry: [number, DesiredApplication],
    options: ReconcileOptions,
  ): Promise<Change[]> {
    const within = servicesIn(tx);
    const ids = [entry[1].id];
    const before = await currentObjects(within, ids);
    const reconciled = newReconciled();
    await reconcileApplication(within, entry, { ...options, spares: false }, reconciled);
    return differences(before, await currentObjects(within, ids), reconciled);
  }

  /** One transaction with as many applications, from `first` on, as fit into a batch. */
  async function applyBatch(
    entries: [number, DesiredApplication][],
    first: number,
    options: ReconcileOptions & { agreed: Set<string> },
  ): Promise<{ changes: Change[]; next: number }> {
    return await storage.write(async (tx) => {
      const startedAt = performance.now();
      const changes: Change[] = [];
      let next = first;
      for (const entry of entries.slice(first, first + maxInABatch)) {
        changes.push(...(await changeOne(tx, entry, options)));
        next += 1;
        if (performance.now() - startedAt > batchMilliseconds) break;
      }
      refuseUnagreed(changes, options.agreed);
      return { changes, next };
    });
  }

  /** Deletes the planned clients that still exist; they may have millions of logins. */
  async function deleteClients(plan: Change[], actor: Actor): Promise<Change[]> {
    const deleted: Change[] = [];
    for (const change of plan.filter((one) => isDeletion(one) && one.kind === "client")) {
      const { application: appId, name = "" } = change;
      if (!(await services.clients.list()).some((client) => client.id === name && client.appId === appId)) continue;
      await services.clients.delete(name, { actor });
      deleted.push(change);
    }
    return deleted;
  }

  /** Deletes the planned groups that still exist; they may have 100,000 members. */
  async function deleteGroups(plan: Change[], actor: Actor): Promise<Change[]> {
    const deleted: Change[] = [];
    for (const change of plan.filter((one) => isDeletion(one) && one.kind === "group")) {
      const { application: appId, name = "" } = change;
      if (!(await services.groups.list(appId)).some((group) => group.name === name)) continue;
      await services.groups.delete(appId, name, { actor });
      deleted.push(change);
    }
    return deleted;
  }

  /** Deletes the planned webhooks that still exist; they may have millions of events. */
  async function deleteWebhooks(plan: Change[], actor: Actor): Promise<Change[]> {
    const deleted: Change[] = [];
    for (const change of plan.filter((one) => isDeletion(one) && one.kind === "webhook")) {
      const { application: appId, name = "" } = change;
      if (!(await services.webhooks.list(appId)).some(({ id }) => id === name)) continue;
      await services.webhooks.remove(name, { actor, appId });
      deleted.push(change);
    }
    return deleted;
  }

  return {
    /**
     * What `apply` would change. Runs the same code in temporary tables (except deletions), so plan
     * and apply agree and no lock is held. Throws INVALID_REQUEST and CONFLICT naming the place.
     */
    async plan(desired: DesiredState, options: ReconcileOptions): Promise<Change[]> {
      const shadow = await shadowOf(planned);
      try {
        const within = servicesIn(shadow.handle);
        const all = options.prune ? await within.applications.list() : [];
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
      } finally {
        await shadow.close();
      }
    },

    /**
     * Applies a plan in batches of whole applications; after an interruption, plan again and
     * continue. Throws CONFLICT if more would be deleted than the plan showed, and whatever `plan`
     * throws.
     */
    async apply(
      desired: DesiredState,
      { planned: plan, ...options }: ReconcileOptions & { planned: Change[] },
    ): Promise<Change[]> {
      // A webhook that moves to another application is also deleted first.
      const agreed = new Set(plan.filter((one) => isDeletion(one) || one.kind === "webhook").map(keyOf));
      const gone = options.prune ? await unnamed(services, desired) : [];
      const applications = gone.map((application) => deletion(application, plan));
      refuseUnagreed(applications, agreed);
      // Deleted first, in their own batches: other applications may reuse their keys and webhooks.
      for (const application of gone) await services.applications.delete(application, options.actor);
      const parts = [...(await deleteWebhooks(plan, options.actor)), ...(await deleteClients(plan, options.actor))];
      const changing = new Set(plan.map(({ application }) => application));
      const entries = [...(desired.applications ?? []).entries()].filter(([, { id }]) => changing.has(id));
      const changes: Change[] = [];
      for (let next = 0; next < entries.length;) {
        // Leave the lock free for a moment: another process checks now and then whether it can
        // write.
        if (next > 0) await sleep(batchMilliseconds);
        const batch = await applyBatch(entries, next, { ...options, agreed });
        changes.push(...batch.changes);
        next = batch.next;
      }
      const kept = changes.filter((one) => !isDeletion(one));
      // Last: until now a client may have allowed them.
      const groups = await deleteGroups(plan, options.actor);
      return [...kept, ...changes.filter(isDeletion), ...parts, ...groups, ...applications];
    },

    /** Purpose and destination of each secret reference. */
    references: ({ state, references }: Pick<StateFile, "state" | "references">): UsedReference[] =>
      usedReferences(state, references, services.providers),

    /** The current state without secrets and API keys; `plan` finds no difference to it. */
    async export(): Promise<DesiredState> {
      const applications = [];
      for (const { id } of await services.applications.list()) {
        const found = await services.applications.find(id);
        if (!found) continue;
        const { providers, webhooks, clients } = await describedParts(services, id);
        const groups = await services.groups.list(id);
        applications.push({
          ...describedApplication(found),
          ...(groups.length === 0 ? {} : { groups: groups.map(({ name }) => name) }),
          ...(providers.length === 0 ? {} : { providers }),
          ...(webhooks.length === 0 ? {} : { webhooks }),
          ...(clients.length === 0 ? {} : { clients }),
        });
      }
      return { version: 1, applications };
    },
  };
}

function deletion(application: string, plan: Change[]): Change {
  const found = plan.find((one) => isDeletedApplication(one) && one.application === application);
  return found ?? { action: "delete", kind: "application", application, fields: [] };
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

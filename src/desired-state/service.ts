import type { Actor } from "../audit/audit.ts";
import type { DesiredState } from "../config/state-schema.ts";
import { AppError } from "../lib/errors.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { bring } from "./bring.ts";
import { currentObjects, describedApplication, describedParts, objectKey, type Services } from "./current.ts";
import { differences, type Change } from "./difference.ts";

/** Whoever plans does everything and takes it back by throwing this. */
class Planned extends Error {
  readonly changes: Change[];

  constructor(changes: Change[]) {
    super("planned");
    this.changes = changes;
  }
}

/** Applications with their keys, providers and webhooks as one document: what it would change, the change, and the document of what is. */
export function createDesiredStates(deps: {
  storage: Storage;
  /** The services themselves, and as they are within a transaction: with all they read and write in it. */
  services: Services;
  servicesIn(tx: Handle): Services;
}) {
  const { storage, services, servicesIn } = deps;

  async function change(
    tx: Handle,
    desired: DesiredState,
    options: { prune: boolean; spares: boolean; actor: Actor },
  ): Promise<Change[]> {
    const within = servicesIn(tx);
    const all = options.prune ? await within.applications.list() : [];
    const users = new Map(all.map(({ id, stats }) => [id, stats.totalUsers]));
    const ids = new Set([...(desired.applications ?? []).map(({ id }) => id), ...users.keys()]);
    const before = await currentObjects(within, ids);
    const { secrets, spared } = await bring(within, desired, options);
    const remaining = [...ids].filter((id) => !spared.has(objectKey("application", id)));
    const after = await currentObjects(within, remaining);
    for (const key of spared) after.delete(key);
    const changes = differences(before, after, secrets);
    return changes.map((one) =>
      one.action === "delete" && one.kind === "application" ? { ...one, users: users.get(one.application) ?? 0 } : one,
    );
  }

  return {
    /**
     * What `apply` would change. Does it, but for deletions, and takes it back: plan and apply cannot disagree.
     * Throws INVALID_REQUEST and CONFLICT naming the place in the document.
     */
    async plan(desired: DesiredState, options: { prune: boolean; actor: Actor }): Promise<Change[]> {
      try {
        return await storage.write(async (tx) => {
          throw new Planned(await change(tx, desired, { ...options, spares: true }));
        });
      } catch (error) {
        if (error instanceof Planned) return error.changes;
        throw error;
      }
    },

    /**
     * Changes all of it or nothing. `planned`: what may be deleted; CONFLICT when something else would be, which nobody has agreed to.
     * Throws what `plan` throws.
     */
    async apply(
      desired: DesiredState,
      options: { prune: boolean; actor: Actor; planned: Change[] },
    ): Promise<Change[]> {
      const agreed = new Set(deletionsIn(options.planned));
      return await storage.write(async (tx) => {
        const changes = await change(tx, desired, { ...options, spares: false });
        if (deletionsIn(changes).some((deletion) => !agreed.has(deletion)))
          throw new AppError("CONFLICT", "Meanwhile there is more to delete than was planned; nothing was changed.");
        return changes;
      });
    },

    /** What is, without secrets and API keys; `plan` finds no difference to it. */
    async export(): Promise<DesiredState> {
      const applications = [];
      for (const { id } of await services.applications.list()) {
        const found = await services.applications.find(id);
        if (!found) continue;
        const { providers, webhooks } = await describedParts(services, id);
        applications.push({
          ...describedApplication(found),
          ...(providers.length === 0 ? {} : { providers }),
          ...(webhooks.length === 0 ? {} : { webhooks }),
        });
      }
      return { version: 1, applications };
    },
  };
}

function deletionsIn(changes: Change[]): string[] {
  return changes
    .filter(({ action }) => action === "delete")
    .map(({ kind, application, name }) => [kind, application, name].join(" "));
}

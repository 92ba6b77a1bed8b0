/**
 * The audit log. Events are written in the transaction that they describe, so neither exists
 * without the other.
 */
import { day, isoTime } from "../../lib/clock.ts";
import { networkOf } from "../../lib/networks.ts";
import { newId } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { SettingChanges } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { aggregatedEvents } from "./aggregated-events.ts";
import {
  forgetOldAddresses,
  insertAuditEvent,
  keepingNumbers,
  listActions,
  listAuditEvents,
  listFailedSignIns,
  sweepAction,
  sweepAuditEvents,
  type AuditFilter,
  type AuditRow,
} from "./store.ts";

/**
 * The actor: a person in a browser, an app with its key, a machine of an app, a command of an
 * operating-system user, an operator in the console, or the service itself.
 */
export type Actor = { kind: "user" | "app" | "client" | "cli" | "operator" | "service"; name: string };

/** The actor of a change, and the client that sent it (none for a command). */
export type By = { actor: Actor; source?: RequestSource | undefined };

export type AuditEvent = {
  actor: Actor;
  action: string;
  result: "success" | "failure";
  appId?: string | null;
  userId?: string | null;
  source?: RequestSource | undefined;
  /** Bare facts; never a secret, a token, an address or text from strangers. */
  details?: Record<string, string | number | boolean | null>;
  /** The id of what was changed, if it is not the user. */
  target?: string | undefined;
  /** Of `records/audit/changes.ts`. */
  changes?: SettingChanges | undefined;
  /** Of what happened in an organization. */
  organizationId?: string | undefined;
};

/** An event as shown by commands. */
export type AuditEventAnswer = Omit<AuditRow, "at" | "organizationId"> & { at: string; organizationId?: string };

/** Addresses help to investigate the last month; later the event itself is enough. */
const addressesAreKept = 30 * day;

export async function record(
  ctx: Pick<CoreContext, "random">,
  tx: Handle,
  event: AuditEvent,
  now: number,
): Promise<void> {
  const { kind, name } = event.actor;
  // Addresses are forgotten with the entry's user, so another person's is not kept.
  const userId = event.userId ?? null;
  const isOfOther = kind === "user" && userId !== null && userId !== name;
  await insertAuditEvent(tx, {
    id: newId("aud", now, ctx.random),
    at: now,
    actor: `${kind}:${name}`,
    action: event.action,
    result: event.result,
    appId: event.appId ?? null,
    userId,
    ipAddress: isOfOther ? null : (event.source?.ipAddress ?? null),
    requestId: event.source?.requestId ?? null,
    details: event.details ?? {},
    target: event.target ?? null,
    organizationId: event.organizationId ?? null,
    changes: Object.keys(event.changes ?? {}).length === 0 ? null : (event.changes ?? null),
  });
}

/** The newest 1,000 entries since then, as this transaction sees them; about `target`, if given. */
export async function recent(
  tx: Handle,
  wanted: { appId: string; target?: string; action: string; actorKind?: Actor["kind"]; since: number },
): Promise<AuditRow[]> {
  return await listAuditEvents(tx, { ...wanted, limit: 1000 });
}

/** The newest entries of an action, newest first. */
export async function newest({ storage }: CoreContext, wanted: { action: string; limit: number }): Promise<AuditRow[]> {
  return await listAuditEvents(storage.reader, wanted);
}

/** The newest entries of an actor, newest first, as this transaction sees them. */
export async function newestOf(tx: Handle, { kind, name }: Actor, limit: number): Promise<AuditRow[]> {
  return await listAuditEvents(tx, { actor: `${kind}:${name}`, limit });
}

/** When this last succeeded, in one application or all; undefined: not within the log. */
export async function lastDone({ storage }: CoreContext, action: string, appId?: string): Promise<number | undefined> {
  const [event] = await listAuditEvents(storage.reader, { action, appId, result: "success", limit: 1 });
  return event?.at;
}

/**
 * Networks from which sign-ins failed at so many accounts since then. Returned `since`: the first
 * failure.
 */
export async function guessingNetworks(
  { storage }: CoreContext,
  { accounts, ...wanted }: Parameters<typeof listFailedSignIns>[1] & { accounts: number },
): Promise<{ network: string; accounts: number; since: number }[]> {
  const failed = await listFailedSignIns(storage.reader, wanted);
  return [...Map.groupBy(failed, ({ ipAddress }) => networkOf(ipAddress))].flatMap(([network, each]) => {
    const tried = new Set(each.map(({ userId }) => userId)).size;
    return tried < accounts ? [] : [{ network, accounts: tried, since: Math.min(...each.map(({ at }) => at)) }];
  });
}

/**
 * The newest `limit` matching events (the oldest, if `oldest`), sorted from old to new,
 * including counts not written yet.
 */
export async function list(
  ctx: CoreContext,
  wanted: AuditFilter & { limit: number; oldest?: boolean },
): Promise<AuditEventAnswer[]> {
  await aggregatedEvents(ctx).flush();
  const events = await listAuditEvents(ctx.storage.reader, wanted);
  const inOrder = wanted.oldest === true ? events : events.toReversed();
  return inOrder.map(answerOf);
}

export function answerOf({ organizationId, ...event }: AuditRow): AuditEventAnswer {
  return { ...event, at: isoTime(event.at), ...(organizationId !== null && { organizationId }) };
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: CoreContext): Promise<boolean> {
  const now = ctx.clock();
  const { retention, retentionDays } = ctx.config.audit;
  const events =
    retention.length === 0
      ? await ctx.storage.write((tx) =>
          keepingNumbers(tx, (handle) => sweepAuditEvents(handle, now - retentionDays * day)),
        )
      : await sweepByAction(ctx, now);
  return (await ctx.storage.write((tx) => forgetOldAddresses(tx, now - addressesAreKept))) || events;
}

/** By actions, because what is kept long must not be read again with each sweep. */
async function sweepByAction(ctx: CoreContext, now: number): Promise<boolean> {
  const { storage, config } = ctx;
  let more = false;
  for (const action of await listActions(storage.reader)) {
    const before = now - retentionOf(action, config.audit) * day;
    more = (await storage.write((tx) => keepingNumbers(tx, (handle) => sweepAction(handle, action, before)))) || more;
  }
  return more;
}

/** In days. The longest name that fits counts. */
function retentionOf(action: string, { retention, retentionDays }: CoreContext["config"]["audit"]): number {
  const fitting = retention.filter(({ action: name }) => action === name || action.startsWith(`${name}.`));
  return fitting.toSorted((a, b) => b.action.length - a.action.length)[0]?.days ?? retentionDays;
}

import { isoTime } from "../../lib/clock.ts";
import { networkOf } from "../../lib/networks.ts";
import { newId } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { part, type CoreContext } from "../../runtime/context.ts";
import { findApplicationsOf, findPresentUsers, insertAuditEvent, type AuditRow } from "./store.ts";

/**
 * An event that anyone can cause at will. Events are counted together if they differ only in time
 * and request.
 */
export type AggregatedEvent = {
  action: string;
  result: "success" | "failure";
  /** `claimed`: by the caller; believed if such an application exists. */
  app: { id: string | null } | { claimed: string | undefined };
  userId?: string | null;
  source: RequestSource;
  /** Bare facts, as in every event. */
  details: Record<string, string | null>;
};

type Counted = Pick<AuditRow, "action" | "result" | "appId" | "userId" | "ipAddress" | "requestId"> & {
  /** Whether only the caller claims the application. */
  isClaimed: boolean;
  details: AggregatedEvent["details"];
  /** Stands for several different events. */
  others: boolean;
  at: number;
  until: number;
  count: number;
};

/**
 * The rows of one kind between two writes; further events share one more row. With a write every 10
 * seconds: 126 per minute.
 */
const maxRowsOfAKind = 20;
/**
 * How many of those may differ in anything but the network. A network chooses these values, and
 * must not displace others.
 */
const maxRowsOfANetwork = 8;

const possibleAppId = /^[\w-]{1,64}$/u;

/**
 * Counts in memory and writes one row per kind, application, user and network: someone refused a
 * thousand times per second must not be able to fill the disk (docs/decisions/0023).
 */
export const aggregatedEvents = part(openAggregatedEvents, (events) => events.flush());

function openAggregatedEvents(ctx: CoreContext) {
  let waiting = new Map<string, Counted>();
  let rowsOf = new Map<string, number>();
  let writing = Promise.resolve();

  function note({ action, result, app, userId = null, source, details }: AggregatedEvent): void {
    const now = ctx.clock();
    const isClaimed = "claimed" in app;
    const named = isClaimed ? app.claimed : app.id;
    const appId = isClaimed && !possibleAppId.test(named ?? "") ? null : (named ?? null);
    const { ipAddress, requestId } = source;
    const once = { others: false, at: now, until: now, count: 1 };
    add({ action, result, appId, isClaimed, userId, ipAddress, requestId, details, ...once });
  }

  function add(event: Counted): void {
    const places = [() => event, () => othersLike(event, event.ipAddress), () => othersLike(event, null)];
    for (const place of places) if (addTo(place())) return;
  }

  /** False if there is no room for another row. */
  function addTo(event: Counted): boolean {
    const { action, result, appId, userId, ipAddress, details, others } = event;
    const kind = `${action} ${details["code"] ?? ""}`;
    const network = ipAddress === null ? null : networkOf(ipAddress);
    const key = JSON.stringify([kind, result, appId, userId, network, details, others]);
    const counted = waiting.get(key);
    if (counted) {
      counted.count += event.count;
      counted.until = event.until;
      return true;
    }
    const ofNetwork = `${kind} ${network}`;
    const [rows, rowsOfNetwork] = [rowsOf.get(kind) ?? 0, rowsOf.get(ofNetwork) ?? 0];
    const isLast = others && network === null;
    if (!isLast && (rows >= maxRowsOfAKind || (!others && rowsOfNetwork >= maxRowsOfANetwork))) return false;
    waiting.set(key, { ...event });
    rowsOf.set(kind, rows + 1);
    rowsOf.set(ofNetwork, rowsOfNetwork + 1);
    return true;
  }

  /**
   * An event reduced to its kind and, if there is room, its network, so that it can share a row.
   */
  function othersLike(event: Counted, ipAddress: string | null): Counted {
    const { code } = event.details;
    return {
      ...event,
      appId: null,
      userId: null,
      ipAddress,
      details: code === undefined ? {} : { code },
      others: true,
    };
  }

  function drain(): Counted[] {
    const taken = [...waiting.values()];
    waiting = new Map();
    rowsOf = new Map();
    return taken;
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return;
    const counted = drain();
    await writeRows(counted).catch((error: unknown) => {
      // Retried with the next write, in the same few rows, however long the database is away.
      for (const event of [...counted, ...drain()]) add(event);
      throw error;
    });
  }

  async function writeRows(counted: Counted[]): Promise<void> {
    const claimed = counted.flatMap(({ isClaimed, appId }) => (isClaimed && appId !== null ? appId : []));
    const appIds = await findApplicationsOf(ctx.storage.reader, claimed);
    const rows = counted.map((event) => rowOf(event, appIds));
    const userIds = rows.flatMap(({ userId }) => userId ?? []);
    await ctx.storage.write(async (tx) => {
      // An entry keeps no address of a person who has been deleted since.
      const present = await findPresentUsers(tx, userIds);
      for (const row of rows) {
        const isGone = row.userId !== null && !present.has(row.userId);
        await insertAuditEvent(tx, isGone ? { ...row, ipAddress: null } : row);
      }
    });
  }

  function rowOf(event: Counted, appIds: Set<string>): AuditRow {
    const { action, result, isClaimed, appId, userId, ipAddress, requestId, at, until, count, others } = event;
    return {
      id: newId("aud", at, ctx.random),
      at,
      actor: "user:unknown",
      action,
      result,
      appId: isClaimed && !appIds.has(appId ?? "") ? null : appId,
      userId,
      ipAddress,
      requestId,
      details: {
        ...event.details,
        ...(count > 1 ? { count, until: isoTime(until) } : {}),
        ...(others ? { others: true } : {}),
      },
      target: null,
      changes: null,
      organizationId: null,
    };
  }

  return {
    /** Counts one event in memory; never throws. */
    note,

    /** Writes the counts; one write at a time. */
    async flush(): Promise<void> {
      const written = writing.then(write);
      writing = written.catch(() => {});
      await written;
    },
  };
}

import { networkOf } from "../http/addresses.ts";
import { originOf } from "../http/request.ts";
import type { Answered } from "../http/router.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { expired } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Storage } from "../storage/storage.ts";
import type { Origin } from "./audit.ts";
import { findApplicationsOf, forgetAddressesOfGone, insertAuditEvent, type AuditRow } from "./store.ts";

/** What anybody can cause, as often as they like. What differs in anything but the moment and the request is counted apart. */
export type Tallied = {
  action: string;
  result: "success" | "failure";
  /** `claimed`: the caller says so; believed where there is such an application. */
  app: { id: string | null } | { claimed: string | undefined };
  userId?: string | null;
  origin: Origin;
  /** Bare facts, as in every event. */
  details: Record<string, string | null>;
};

type Counted = Pick<AuditRow, "action" | "result" | "appId" | "userId" | "ipAddress" | "requestId"> & {
  /** Whether the application is only what the caller says. */
  isClaimed: boolean;
  details: Tallied["details"];
  /** Stands for several that differ. */
  others: boolean;
  at: number;
  until: number;
  count: number;
};

/** How many rows one kind may cost between two writes; what comes on top shares one more. With a write every 10 seconds: 126 a minute. */
const mostRowsOfAKind = 20;
/** And how many of those may differ in anything but the network: what is claimed and called is its choice, and must not push others out. */
const mostRowsOfANetwork = 8;

/** Calls that were kept out. What is wrong with the request of somebody who may ask is no matter of security. */
const auditedCodes = new Set([
  "INVALID_API_KEY",
  "INVALID_TOKEN",
  "INVALID_APP_ID",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  "BUSY",
]);

const possibleAppId = /^[\w-]{1,64}$/u;

/**
 * Counted in memory, and written as one row for each kind, application, user and network: whoever is refused a thousand times a second must not be
 * able to fill the disk with it (docs/decisions/0023).
 */
export function createTally({ storage, clock, random }: { storage: Storage; clock: Clock; random: Random }) {
  let waiting = new Map<string, Counted>();
  let rowsOf = new Map<string, number>();
  /** Rows of the last write that name a user. */
  let aboutUsers: string[] = [];
  let writing = Promise.resolve();

  function note({ action, result, app, userId = null, origin, details }: Tallied): void {
    const now = clock();
    const isClaimed = "claimed" in app;
    const named = isClaimed ? app.claimed : app.id;
    const appId = isClaimed && !possibleAppId.test(named ?? "") ? null : (named ?? null);
    const { ipAddress, requestId } = origin;
    const once = { others: false, at: now, until: now, count: 1 };
    add({ action, result, appId, isClaimed, userId, ipAddress, requestId, details, ...once });
  }

  function add(event: Counted): void {
    const places = [() => event, () => othersLike(event, event.ipAddress), () => othersLike(event, null)];
    for (const place of places) if (addTo(place())) return;
  }

  /** False where there is no room for one more row. */
  function addTo(event: Counted): boolean {
    const { action, result, appId, userId, ipAddress, details, others } = event;
    const kind = `${action} ${details["code"] ?? ""}`;
    const network = ipAddress === null ? null : networkOf(ipAddress);
    const key = JSON.stringify([kind, result, appId, userId, network, details, others]);
    const known = waiting.get(key);
    if (known) {
      known.count += event.count;
      known.until = event.until;
      return true;
    }
    const ofNetwork = `${kind} ${network}`;
    const [rows, rowsOfNetwork] = [rowsOf.get(kind) ?? 0, rowsOf.get(ofNetwork) ?? 0];
    const isLast = others && network === null;
    if (!isLast && (rows >= mostRowsOfAKind || (!others && rowsOfNetwork >= mostRowsOfANetwork))) return false;
    waiting.set(key, { ...event });
    rowsOf.set(kind, rows + 1);
    rowsOf.set(ofNetwork, rowsOfNetwork + 1);
    return true;
  }

  /** What is left of an event that shares a row: its kind and, where there is room for it, its network. */
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

  function take(): Counted[] {
    const taken = [...waiting.values()];
    waiting = new Map();
    rowsOf = new Map();
    return taken;
  }

  async function write(): Promise<void> {
    if (waiting.size === 0 && aboutUsers.length === 0) return;
    const counted = take();
    const written = await writeRows(counted).catch((error: unknown) => {
      // With the next write, in the same few rows, however long the database is away.
      for (const event of [...counted, ...take()]) add(event);
      throw error;
    });
    // Who was deleted meanwhile leaves the bare id. Looked at again with the next write, for a deletion that was being committed.
    const doubtful = [...aboutUsers, ...written.flatMap(({ id, userId }) => (userId === null ? [] : id))];
    const again = doubtful.slice(aboutUsers.length);
    aboutUsers = doubtful;
    if (doubtful.length > 0) await storage.write((tx) => forgetAddressesOfGone(tx, doubtful));
    aboutUsers = again;
  }

  async function writeRows(counted: Counted[]): Promise<AuditRow[]> {
    const claimed = counted.flatMap(({ isClaimed, appId }) => (isClaimed && appId !== null ? appId : []));
    const known = await findApplicationsOf(storage.reader, claimed);
    const rows = counted.map((event) => rowOf(event, known));
    await storage.write(async (tx) => {
      for (const row of rows) await insertAuditEvent(tx, row);
    });
    return rows;
  }

  function rowOf(event: Counted, known: Set<string>): AuditRow {
    const { action, result, isClaimed, appId, userId, ipAddress, requestId, at, until, count, others } = event;
    return {
      id: newId("aud", at, random),
      at,
      actor: "user:unknown",
      action,
      result,
      appId: isClaimed && !known.has(appId ?? "") ? null : appId,
      userId,
      ipAddress,
      requestId,
      details: {
        ...event.details,
        ...(count > 1 ? { count, until: isoTime(until) } : {}),
        ...(others ? { others: true } : {}),
      },
    };
  }

  return {
    /** Counts one. Writes nothing now, and never throws. */
    note,

    /** The same for a call that was kept out; any other is none of ours. */
    noteCall({ request, route, status, error, caller }: Answered): void {
      if (status < 400 || !route) return;
      const code = error?.code ?? (status === 429 ? "RATE_LIMITED" : "");
      // A token that was good and is old is what every client sends now and then.
      if (!auditedCodes.has(code) || error?.cause === expired) return;
      const [kind, id = null] = caller?.split(":") ?? [];
      note({
        action: "call.refused",
        result: "failure",
        app: kind === "app" ? { id } : { claimed: request.header("x-service-app-id") },
        userId: kind === "user" ? id : null,
        origin: originOf(request),
        details: { code: code === "BUSY" ? "RATE_LIMITED" : code, route: `${route.method} ${route.path}` },
      });
    },

    /** Writes what has been counted; one write after the other. */
    async flush(): Promise<void> {
      const written = writing.then(write);
      writing = written.catch(() => {});
      await written;
    },
  };
}

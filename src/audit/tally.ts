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

type Counted = Tallied & { appId: string | null; at: number; until: number; count: number; isRest: boolean };

/** How many rows one kind may cost between two writes; what comes on top shares one more. With a write every 10 seconds: 126 a minute. */
const mostRowsOfAKind = 20;

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

  function note(event: Tallied): void {
    const { action, result, app, userId = null, origin, details } = event;
    const { code } = details;
    const claimed = "claimed" in app && possibleAppId.test(app.claimed ?? "") ? app.claimed : undefined;
    const appId = "id" in app ? app.id : (claimed ?? null);
    const kind = `${action} ${code ?? ""}`;
    const key = JSON.stringify([kind, result, appId, userId, networkOf(origin.ipAddress), details]);
    if (waiting.has(key) || (rowsOf.get(kind) ?? 0) < mostRowsOfAKind) {
      count(key, kind, { ...event, appId, isRest: false });
    } else {
      const common: Tallied["details"] = code === undefined ? {} : { code };
      count(kind, kind, { action, result, app: { id: null }, appId: null, origin, details: common, isRest: true });
    }
  }

  function count(key: string, kind: string, event: Omit<Counted, "at" | "until" | "count">): void {
    const now = clock();
    const known = waiting.get(key);
    if (known) {
      known.count += 1;
      known.until = now;
      return;
    }
    waiting.set(key, { ...event, at: now, until: now, count: 1 });
    rowsOf.set(kind, (rowsOf.get(kind) ?? 0) + 1);
  }

  async function write(): Promise<void> {
    if (waiting.size === 0 && aboutUsers.length === 0) return;
    const counted = [...waiting.values()];
    waiting = new Map();
    rowsOf = new Map();
    const claimed = counted.flatMap(({ app, appId }) => ("claimed" in app && appId !== null ? appId : []));
    const known = await findApplicationsOf(storage.reader, claimed);
    const rows = counted.map((event) => rowOf(event, known));
    await storage.write(async (tx) => {
      for (const row of rows) await insertAuditEvent(tx, row);
    });
    // Who was deleted meanwhile leaves the bare id. Looked at again with the next write, for a deletion that was being committed.
    const written = rows.flatMap(({ id, userId }) => (userId === null ? [] : id));
    const doubtful = [...aboutUsers, ...written];
    aboutUsers = written;
    if (doubtful.length > 0) await storage.write((tx) => forgetAddressesOfGone(tx, doubtful));
  }

  function rowOf(event: Counted, known: Set<string>): AuditRow {
    const { action, result, app, appId, userId = null, origin, at, until, count: times, isRest } = event;
    return {
      id: newId("aud", at, random),
      at,
      actor: "user:unknown",
      action,
      result,
      appId: "claimed" in app && !known.has(appId ?? "") ? null : appId,
      userId,
      ipAddress: isRest ? null : origin.ipAddress,
      requestId: origin.requestId,
      details: {
        ...event.details,
        ...(times > 1 ? { count: times, until: isoTime(until) } : {}),
        ...(isRest ? { others: true } : {}),
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

import { isoTime, minute, second, type Clock } from "../lib/clock.ts";
import { AppError, invalidApiKey, invalidRequest } from "../lib/errors.ts";
import type { Meter } from "../lib/meter.ts";
import { newSecret, type Random } from "../lib/random.ts";
import { sharedInTurn } from "../storage/queries/gathered.ts";
import type { Storage } from "../storage/storage.ts";
import { formatCursor, originOf, parseCursor, type Cursor } from "./cursor.ts";
import type { RevocationRecords } from "./records.ts";
import { answerOf, type RevocationAnswer } from "./revocation.ts";
import {
  findChanged,
  findHere,
  findNewest,
  findPage,
  settleEpoch,
  sweepRevocations,
  type Here,
  type Page,
  type PageQuestion,
} from "./store.ts";
import { createWaits } from "./waits.ts";

export const maxWaitSeconds = 25;
const entriesOfAPage = 1000;
/** Longer than clocks differ and transactions run, so every cursor still finds its entries. */
const keptLonger = 10 * minute;

/** `more`: ask again at once; there may be more entries. */
export type FeedAnswer = { cursor: string; revoked: RevocationAnswer[]; more: boolean };

export type ListedRevocation = { at: string } & RevocationAnswer;

export type Revocations = ReturnType<typeof createRevocations>;

/**
 * The feed of what ended tokens before their time, for servers that verify tokens themselves
 * (docs/decisions/0043). `tokenSeconds`: the longest life of a token, so of an entry and a cursor.
 */
export function createRevocations(deps: {
  storage: Storage;
  revocations: RevocationRecords;
  clock: Clock;
  random: Random;
  meter: Meter;
  tokenSeconds: number;
}) {
  const { storage, clock, random, meter } = deps;
  const { reader } = storage;
  const { commitOrder } = reader;
  const cursorLastsFor = deps.tokenSeconds * second;
  const waits = createWaits((appIds, after) => findChanged(reader, appIds, after));
  deps.revocations.whenRecorded(waits.wake);
  // One commit wakes many calls with the same cursor.
  const findPageOnce = sharedInTurn<PageQuestion, Page | undefined>(
    ({ appId, after, until, id }) => [appId, after, until, id].join(" "),
    (question) => findPage(reader, question),
  );

  async function hereNow(appId: string): Promise<Here & { epoch: string }> {
    const here = await findHere(reader, appId);
    // The application was deleted just now.
    if (!here) throw invalidApiKey();
    if (here.epoch !== null) return { ...here, epoch: here.epoch };
    await storage.write((tx) => settleEpoch(tx, newSecret(random)));
    return await hereNow(appId);
  }

  function cursorAt({ epoch, life, position }: Here): Cursor {
    return {
      origin: originOf(epoch ?? "", life),
      at: clock(),
      after: commitOrder.short(position),
      rest: undefined,
    };
  }

  /** Throws INVALID_REQUEST; CURSOR_GONE if it is too old or of another database. */
  async function knownCursor(text: string, appId: string): Promise<Cursor> {
    const cursor = parseCursor(text);
    if (!cursor) throw malformed();
    const age = clock() - cursor.at;
    if (age > cursorLastsFor || age < -keptLonger) throw gone("it is older than the entries that are kept");
    const { after, rest } = cursor;
    if (commitOrder.isPosition(after) && (!rest || commitOrder.isPosition(rest.until))) return cursor;
    // SQLite's positions look different from PostgreSQL's.
    if (cursorAt(await hereNow(appId)).origin !== cursor.origin) throw otherDatabase();
    throw malformed();
  }

  async function read(appId: string, cursor: Cursor): Promise<FeedAnswer> {
    const { after, rest } = cursor;
    const limit = entriesOfAPage + 1;
    const page = await findPageOnce({ appId, after, until: rest?.until ?? null, id: rest?.id ?? 0, limit });
    if (!page) throw invalidApiKey();
    const here = cursorAt(page);
    if (page.isAhead || here.origin !== cursor.origin) throw otherDatabase();
    const rows = page.rows.slice(0, entriesOfAPage);
    meter.revocationsTold(rows.length);
    const last = rows.at(-1);
    const until = rest?.until ?? here.after;
    const next =
      last && page.rows.length > entriesOfAPage
        ? { ...cursor, rest: { until, id: last.id } }
        : { ...here, at: rest ? cursor.at : here.at, after: until };
    return {
      cursor: formatCursor(next),
      revoked: rows.map(answerOf),
      // After several pages, others may have come since the first one.
      more: next.rest !== undefined || rest !== undefined,
    };
  }

  return {
    /**
     * The entries after a cursor. If there are none, waits for some, at most `wait` seconds, or
     * until the caller has gone (`whenGone`). Without a cursor: the present one. Throws
     * INVALID_REQUEST, CURSOR_GONE.
     */
    async poll(
      appId: string,
      { after, wait }: { after: string | undefined; wait: number },
      whenGone: (act: () => void) => () => void,
    ): Promise<FeedAnswer> {
      if (after === undefined)
        return { cursor: formatCursor(cursorAt(await hereNow(appId))), revoked: [], more: false };
      const cursor = await knownCursor(after, appId);
      const endsAt = performance.now() + wait * second;
      const waiting = wait === 0 ? undefined : waits.enter(appId);
      if (!waiting) return await read(appId, cursor);
      let isGone = false;
      const stopListening = whenGone(() => {
        isGone = true;
        waiting.wake();
      });
      try {
        await waiting.ready();
        for (;;) {
          // Also at the end: the answer says what is true now, and not when the wait began.
          const answer = await read(appId, cursor);
          const left = endsAt - performance.now();
          if (answer.revoked.length > 0 || answer.more || left <= 0 || isGone || waits.isEnded()) return answer;
          await waiting.next(left);
        }
      } finally {
        stopListening();
        waiting.leave();
      }
    },

    /** For operators: the newest entries with the time of each, oldest first. */
    async list(appId: string, limit: number): Promise<ListedRevocation[]> {
      const rows = await findNewest(reader, appId, limit);
      return rows.map((row) => ({ at: isoTime(row.at), ...answerOf(row) }));
    },

    /** The number of calls that wait. */
    waiting: waits.count,

    /** Answers all waiting calls, and lets none wait any more. */
    endWaits: waits.end,

    /** Removes a batch of entries that concern no valid token; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepRevocations(tx, now - cursorLastsFor - keptLonger));
    },
  };
}

function malformed(): AppError {
  return invalidRequest("after: must be the cursor of an earlier answer");
}

function otherDatabase(): AppError {
  return gone("it is of another database, or of this one before it was restored");
}

function gone(why: string): AppError {
  return new AppError("CURSOR_GONE", "The cursor can no longer be used. Start again without one.", {
    details: `after: ${why}`,
  });
}

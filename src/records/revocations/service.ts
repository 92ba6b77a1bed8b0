import type { HttpRequest } from "../../http/request.ts";
import { day, hour, isoTime, minute, second } from "../../lib/clock.ts";
import { AppError, invalidApiKey, invalidRequest } from "../../lib/errors.ts";
import { newSecret } from "../../lib/random.ts";
import { longestTokenSeconds } from "../../lib/token-lives.ts";
import { part, type Context } from "../../runtime/context.ts";
import { sharedInTurn } from "../../storage/queries/gathered.ts";
import * as cursors from "./cursor.ts";
import { originOf, type Cursor } from "./cursor.ts";
import * as revocationRecords from "./records.ts";
import { answerOf, askedKinds, type AskedKind, type RevocationAnswer } from "./revocation.ts";
import {
  deleteOldReaders,
  ensureEpoch,
  findChanged,
  findNewest,
  findPage,
  findPosition,
  recordOldReader,
  sweepRevocations,
  type FeedPosition,
  type Page,
  type PageQuery,
} from "./store.ts";
import { createWaits } from "./waits.ts";

export const maxWaitSeconds = 25;
const entriesPerPage = 1000;
/**
 * Entries outlive cursors by this much, which is longer than clocks differ and transactions run. So
 * a cursor still finds all its entries.
 */
const retentionMargin = 10 * minute;
export const oldReadersAreKept = day;

/** `more`: there may be more entries; poll again without waiting. */
export type FeedAnswer = { cursor: string; revoked: RevocationAnswer[]; more: boolean };

export type ListedRevocation = { at: string } & RevocationAnswer;

/**
 * The revocation feed, for servers that verify tokens themselves (docs/decisions/0043).
 * `tokenSeconds`: the longest life of a token, and so of a cursor.
 */
export const revocations = part(openRevocations);

function openRevocations(ctx: Context) {
  const { reader } = ctx.storage;
  const { commitOrder } = reader;
  const cursorLifetime = longestTokenSeconds * second;
  const notedReaders = new Map<string, number>();
  const waits = createWaits((appIds, after) => findChanged(reader, appIds, after));
  revocationRecords.whenRecorded(ctx, waits.wake);
  // One commit wakes many calls with the same cursor.
  const findPageOnce = sharedInTurn<PageQuery, Page | undefined>(
    ({ appId, after, until, id }) => [appId, after, until, id].join(" "),
    (query) => findPage(reader, query),
  );

  async function currentPosition(appId: string): Promise<FeedPosition> {
    const current = await findPosition(reader, appId);
    // The application was deleted just now.
    if (!current) throw invalidApiKey();
    if (current.epoch !== null) return current;
    await ctx.storage.write((tx) => ensureEpoch(tx, newSecret(ctx.random)));
    return await currentPosition(appId);
  }

  function cursorAt({ epoch, life, position }: FeedPosition): Cursor {
    return {
      origin: originOf(epoch ?? "", life),
      at: ctx.clock(),
      after: commitOrder.short(position),
      rest: undefined,
    };
  }

  /** Throws INVALID_REQUEST; CURSOR_GONE if it is too old or from another database. */
  async function checkedCursor(text: string, appId: string): Promise<Cursor> {
    const cursor = cursors.read(ctx, text);
    if (!cursor) throw malformed();
    if (cursor === "foreign") throw otherDatabase();
    const age = ctx.clock() - cursor.at;
    if (age > cursorLifetime || age < -retentionMargin) throw gone("it is older than the entries that are kept");
    const { after, rest } = cursor;
    if (commitOrder.isPosition(after) && (!rest || commitOrder.isPosition(rest.until))) return cursor;
    // The positions of SQLite and of PostgreSQL look different.
    if (cursorAt(await currentPosition(appId)).origin !== cursor.origin) throw otherDatabase();
    throw malformed();
  }

  async function read(appId: string, cursor: Cursor, kinds: readonly AskedKind[]): Promise<FeedAnswer> {
    const { after, rest } = cursor;
    const limit = entriesPerPage + 1;
    const page = await findPageOnce({ appId, after, until: rest?.until ?? null, id: rest?.id ?? 0, limit });
    if (!page) throw invalidApiKey();
    const current = cursorAt(page);
    if (page.isAhead || current.origin !== cursor.origin) throw otherDatabase();
    const rows = page.rows.slice(0, entriesPerPage);
    ctx.meter.revocationsSent(rows.length);
    const last = rows.at(-1);
    const until = rest?.until ?? current.after;
    const next =
      last && page.rows.length > entriesPerPage
        ? { ...cursor, rest: { until, id: last.id } }
        : { ...current, at: rest ? cursor.at : current.at, after: until };
    return {
      cursor: cursors.write(ctx, next),
      revoked: rows.flatMap((row) => answerOf(row, kinds) ?? []),
      // After the last of several pages, there may be entries that are newer than the first page.
      more: next.rest !== undefined || rest !== undefined,
    };
  }

  return {
    /** Notes once an hour that a caller did not ask for entries about organizations. */
    async noteOldReader(appId: string): Promise<void> {
      const now = ctx.clock();
      if (Math.abs(now - (notedReaders.get(appId) ?? 0)) < hour) return;
      notedReaders.set(appId, now);
      try {
        await ctx.storage.write((tx) => recordOldReader(tx, appId, now));
      } catch (error) {
        // The feed is read also while nothing can be written.
        ctx.log.warn("a reader of the revocation feed could not be noted", { error: String(error) });
      }
    },

    /**
     * The entries after a cursor. If there are none, waits at most `wait` seconds for some, and no
     * longer than the caller stays connected. Without a cursor, returns the current
     * one. Throws INVALID_REQUEST, CURSOR_GONE.
     */
    async poll(
      appId: string,
      { after, wait, kinds = [] }: { after: string | undefined; wait: number; kinds?: readonly AskedKind[] },
      caller: Pick<HttpRequest, "whenGone" | "waitFor">,
    ): Promise<FeedAnswer> {
      if (after === undefined)
        return { cursor: cursors.write(ctx, cursorAt(await currentPosition(appId))), revoked: [], more: false };
      const cursor = await checkedCursor(after, appId);
      const endsAt = performance.now() + wait * second;
      const waiting = wait === 0 ? undefined : waits.enter(appId);
      if (!waiting) return await read(appId, cursor, kinds);
      let isGone = false;
      const stopListening = caller.whenGone(() => {
        isGone = true;
        waiting.wake();
      });
      try {
        await waiting.ready();
        for (;;) {
          // Also when the time is over: the answer must be true now, not when the wait began.
          const answer = await read(appId, cursor, kinds);
          const left = endsAt - performance.now();
          if (answer.revoked.length > 0 || answer.more || left <= 0 || isGone || waits.isEnded()) return answer;
          await caller.waitFor(waiting.next(left));
        }
      } finally {
        stopListening();
        waiting.leave();
      }
    },

    /** For operators: the newest entries and their times, oldest first. */
    async list(appId: string, limit: number): Promise<ListedRevocation[]> {
      const rows = await findNewest(reader, appId, limit);
      return rows.flatMap((row) => {
        const answer = answerOf(row, askedKinds);
        return answer ? [{ at: isoTime(row.at), ...answer }] : [];
      });
    },

    /** The number of calls that wait. */
    waiting: waits.count,

    /** Answers all waiting calls; from then on, no call waits. */
    endWaits: waits.end,

    /** Removes a batch of entries that concern no valid token; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = ctx.clock();
      return await ctx.storage.write(async (tx) => {
        await deleteOldReaders(tx, now - oldReadersAreKept);
        return await sweepRevocations(tx, now - cursorLifetime - retentionMargin);
      });
    },
  };
}

function malformed(): AppError {
  return invalidRequest("after", "must be the cursor of an earlier response");
}

function otherDatabase(): AppError {
  return gone("it is from another database, or from this one before it was restored");
}

function gone(why: string): AppError {
  return new AppError("CURSOR_GONE", "The cursor can no longer be used. Start again without one.", {
    details: `after: ${why}`,
  });
}

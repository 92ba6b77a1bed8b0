import { readFile } from "node:fs/promises";
import { hostOf } from "../../../lib/loopback.ts";
import { hour, minute, second } from "../../../lib/clock.ts";
import { newSecret } from "../../../lib/random.ts";
import { part, type Context } from "../../../runtime/context.ts";
import * as stream from "../stream.ts";
import { openConnection, type Connection } from "./connection.ts";
import { frameOf } from "./message.ts";
import {
  appendNumbered,
  confirmUpTo,
  countWaiting,
  ensureState,
  giveUpLease,
  hasState,
  listWaiting,
  oldestWaiting,
  takeLease,
  type SenderState,
} from "../syslog-store.ts";

const looksEvery = second;
const leaseIsRenewedEvery = 10 * second;
/** The receiver confirms what it got by ending its side, so a connection must end. */
const connectionLasts = minute;
const pageSize = 200;
/** Numbers given ahead of what is sent; the rest waits in the log itself. */
const maxAhead = 1000;
const longestPause = minute;
const patienceWhenStopping = 3 * second;
/** In a database whose positions began anew: longer than transactions run and clocks differ. */
const overlap = hour;

/**
 * A connection and the last number that went over it. `isQuiet`: nothing was sent since the last
 * turn, in which a receiver that stops by itself would have been noticed.
 */
type Link = { connection: Connection; openedAt: number; isQuiet: boolean; sent: number };

/** Sends the audit log to `audit.syslog`, in one process at a time. */
export const auditSender = part(openSender);

function openSender(ctx: Context) {
  const { config, storage, clock, log } = ctx;
  const receiver = config.audit.syslog;
  const holder = newSecret(ctx.random);
  let state: SenderState | undefined;
  let renewedAt = 0;
  let since: number | undefined;
  let link: Link | undefined;
  let failures = 0;
  let triesAgainAt = 0;
  let turn: Promise<void> | undefined;
  let polling: NodeJS.Timeout | undefined;
  let stopped = true;

  function drop(): void {
    link?.connection.destroy();
    link = undefined;
  }

  /** Whether this process may send. */
  async function holds(): Promise<boolean> {
    const now = clock();
    if (state && now >= renewedAt && now - renewedAt < leaseIsRenewedEvery) return true;
    if (!(await hasState(storage.reader))) await begin();
    const taken = await storage.write((tx) => takeLease(tx, holder, now));
    // Other numbers: another process had the lease meanwhile.
    if (taken?.number !== state?.number || !state) await takeOver(taken);
    renewedAt = now;
    return state !== undefined;
  }

  /** The log is sent from now on. */
  async function begin(): Promise<void> {
    const { origin, position } = await stream.hereIn(ctx);
    const cursor = { origin, after: position, rest: null };
    await storage.write((tx) => ensureState(tx, { cursor, number: 0, newestAt: clock() }));
  }

  async function takeOver(taken: SenderState | undefined): Promise<void> {
    drop();
    state = taken;
    since = undefined;
    if (!taken || (await stream.foreignBecause(ctx, taken.cursor)) === undefined) return;
    // The database was restored or copied: recent entries are sent again, twice rather than never.
    since = taken.newestAt - overlap;
    state = { ...taken, cursor: await stream.beginning(ctx) };
  }

  /** Gives numbers to new entries. */
  async function numberNew(): Promise<void> {
    for (;;) {
      if (!state) return;
      const room = maxAhead - (await countWaiting(storage.reader, link?.sent ?? 0));
      if (room <= 0) return;
      const page = await stream.readOn(ctx, state.cursor, { limit: Math.min(room, pageSize), since });
      const { entries } = page;
      if (entries.length > 0) {
        const newestAt = Math.max(state.newestAt, ...entries.map(({ at }) => at));
        const next = { cursor: page.cursor, number: state.number + entries.length, newestAt };
        const ids = entries.map(({ id }) => id);
        const isHeld = await storage.write((tx) => appendNumbered(tx, holder, next, ids));
        state = isHeld ? next : undefined;
      } else {
        state = { ...state, cursor: page.cursor };
      }
      if (!page.more || !state) return;
    }
  }

  async function open(): Promise<Link> {
    const { host, port, caFile } = receiver as NonNullable<typeof receiver>;
    const ca = caFile === undefined ? undefined : await readFile(caFile, "utf8");
    const connection = await openConnection({ host, port, ca }, clock);
    return { connection, openedAt: clock(), isQuiet: false, sent: 0 };
  }

  /** Sends what waits, until the connection has to end. */
  async function pump(on: Link): Promise<void> {
    while (isYoung(on) && (await holds()) && state) {
      on.connection.check();
      const waiting = await listWaiting(storage.reader, on.sent, pageSize);
      const last = waiting.at(-1);
      if (!last) {
        // Numbered while others were sent.
        const before = state.number;
        await numberNew();
        if (state.number === before) return;
        continue;
      }
      const numbering = { stream: state.cursor.origin };
      const frames = waiting.flatMap(({ number, row }) =>
        row ? frameOf(row, { number, ...numbering }, hostOf(ctx.baseUrl)) : [],
      );
      await on.connection.send(Buffer.concat(frames));
      on.sent = last.number;
    }
  }

  function isYoung({ openedAt }: Link): boolean {
    const age = clock() - openedAt;
    return !stopped && age >= 0 && age < connectionLasts;
  }

  /** Ends a connection, and forgets what went over it. */
  async function finish(on: Link): Promise<void> {
    await on.connection.end();
    link = undefined;
    if (failures > 0) log.info("the audit log is sent again");
    failures = 0;
    const isHeld = await storage.write((tx) => confirmUpTo(tx, holder, on.sent, clock()));
    if (!isHeld) state = undefined;
  }

  async function takeTurn(): Promise<void> {
    if (!(await holds())) return;
    await numberNew();
    if (!link && clock() >= triesAgainAt && (await listWaiting(storage.reader, 0, 1)).length > 0) link = await open();
    if (!link) return;
    link.connection.check();
    await pump(link);
    if (!link || isYoung(link)) return;
    if (link.isQuiet) await finish(link);
    else link.isQuiet = true;
  }

  function look(): void {
    if (stopped || ctx.writability.problem()) return;
    turn ??= takeTurn()
      .catch(noteFailure)
      .finally(() => {
        turn = undefined;
      });
  }

  function noteFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    drop();
    state = undefined;
    failures += 1;
    triesAgainAt = clock() + Math.min(longestPause, second * 2 ** Math.min(failures - 1, 6));
    // Once, not every minute while the receiver is away.
    if (failures === 1) log.warn("sending the audit log failed; it will be tried again", { reason });
  }

  return {
    start(): void {
      if (!receiver) return;
      stopped = false;
      polling = setInterval(look, looksEvery);
      look();
    },

    /** Looks at once, after the clock was changed. */
    look,

    /** How old the oldest entry is that the receiver has not confirmed, in milliseconds. */
    async lag(): Promise<number> {
      const at = await oldestWaiting(storage.reader);
      return at === undefined ? 0 : Math.max(0, clock() - at);
    },

    /** Ends the connection, which confirms what went over it; another process may send then. */
    async stop(): Promise<void> {
      if (stopped) return;
      stopped = true;
      clearInterval(polling);
      const late = setTimeout(drop, patienceWhenStopping);
      await turn;
      if (link) await finish(link).catch(noteFailure);
      clearTimeout(late);
      drop();
      await storage.write((tx) => giveUpLease(tx, holder)).catch(() => {});
    },
  };
}

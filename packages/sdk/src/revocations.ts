import type { Revocations } from "./api.ts";
import type { Call } from "./call.ts";
import { AuthsvcError } from "./errors.ts";
import { createOnce } from "./once.ts";
import { forever, never, setNewest } from "./recent.ts";
import type { Settings } from "./settings.ts";
import { letProcessEnd, pauseQuietly } from "./surroundings.ts";
import type { VerifiedToken } from "./token.ts";

export type Verdict = "valid" | "revoked" | "in doubt";

/** Clocks of nodes and of this process may differ by this much (milliseconds). */
const clockAllowance = 300_000;
/** The feed is read for this long after the last `verify`. */
const readsOnFor = 60_000;
/** Older entries are forgotten: longer-lived tokens, such as minted ones, are then in doubt. */
const remembersFor = 3_600_000;
const maxRemembered = 100_000;
const notYet = { wall: never, steady: never };
/** A timer of more than 24 days would fire at once. */
const longestPause = 60_000;

/**
 * Ended logins, from the service's feed. Tokens issued before this process began to read it are in
 * doubt: the service decides on each of their logins once.
 */
export function createRevocations(settings: Settings, call: Call, onWithdrawnKey: (kid: string) => void) {
  const { now, maxStalenessSeconds } = settings;
  let cursor: string | undefined;
  /** Numbers every entry and every answer, in one order. */
  let sequence = 0;
  /** Tokens issued until then (milliseconds) are in doubt, unless cleared after `forgotten`. */
  let horizon = 0;
  let forgotten = 0;
  let current = notYet;
  /** If true, the service decides on every token, each time. */
  let trustsNothing = false;
  let failedAt = never;
  let usedAt = 0;
  let loop: AbortController | undefined;

  type Entry = { arrivedAt: number; sequence: number };
  const endedLogins = new Map<string, Entry>();
  /** By the user, or by organization and member: `org_1 ` is all of one. */
  const changedSubjects = new Map<string, Entry & { before: number }>();
  const withdrawnKeys = new Map<string, Entry>();
  /** Logins or tokens (`nameOf`) that the service called live, with the answer's number. */
  const cleared = new Map<string, number>();
  const once = createOnce<void>(settings);

  /** Two clocks: one may be set back, the other stops while the machine sleeps. */
  function time(): typeof notYet {
    return { wall: now(), steady: performance.now() };
  }

  function age(since = current): number {
    return Math.max(now() - since.wall, performance.now() - since.steady);
  }

  function isFresh(): boolean {
    return age() <= maxStalenessSeconds * 1000;
  }

  function forgetAnswers(): void {
    sequence += 1;
    forgotten = sequence;
    horizon = now();
    cleared.clear();
  }

  function startAgain(): void {
    cursor = undefined;
    current = notYet;
    forgetAnswers();
  }

  function add(revocation: Revocations["revoked"][number]): void {
    sequence += 1;
    const entry = { arrivedAt: now(), sequence };
    if ("sid" in revocation) setNewest(endedLogins, revocation.sid, entry);
    else if ("sub" in revocation || "organization" in revocation) {
      const subject = "sub" in revocation ? revocation.sub : `${revocation.organization} ${revocation.user ?? ""}`;
      const before = Date.parse(revocation.before);
      // If the time cannot be parsed, the entry concerns every token.
      const known = changedSubjects.get(subject)?.before ?? never;
      const latest = Number.isNaN(before) ? forever : Math.max(before, known);
      setNewest(changedSubjects, subject, { ...entry, before: latest });
    } else if ("kid" in revocation) {
      setNewest(withdrawnKeys, revocation.kid, entry);
      onWithdrawnKey(revocation.kid);
    } else {
      // The application is being deleted, or the entry is of a later version.
      trustsNothing = true;
    }
  }

  function forgetOld(): void {
    for (const map of [endedLogins, changedSubjects, withdrawnKeys]) {
      for (const [key, entry] of map) {
        if (entry.arrivedAt > now() - remembersFor && map.size <= maxRemembered) break;
        map.delete(key);
        horizon = Math.max(horizon, entry.arrivedAt);
        forgotten = Math.max(forgotten, entry.sequence);
      }
    }
  }

  /** Reads all pages. Returns false if the service did not wait, so the caller must pause. */
  async function read(waitSeconds: number, signal?: AbortSignal): Promise<boolean> {
    let hasWaited = true;
    const begun = time();
    for (let isMore = true, wait = waitSeconds; isMore; wait = 0) {
      // A `verify` waits for this, and a broken feed may have no end.
      if (age(begun) > (waitSeconds + maxStalenessSeconds) * 1000) throw new TypeError("the feed has no end");
      const from = cursor;
      const start = time();
      const query = { after: from, wait, kinds: "organization" as const };
      const input = { query, timeoutSeconds: wait + 3, isRepeatable: false, signal };
      const answer = await call("GET /auth/revocations", input).catch((error: unknown) => {
        const isGone = error instanceof AuthsvcError && error.status === 410;
        if (!isGone || from === undefined) throw error;
      });
      if (!answer) {
        if (cursor === from) startAgain();
        continue;
      }
      // Reading begins here; the feed does not report what ended before.
      if (from === undefined) forgetAnswers();
      for (const revocation of answer.revoked) add(revocation);
      forgetOld();
      // Another read has started over during this call, so this answer is outdated.
      if (from !== undefined && cursor === undefined) break;
      cursor = answer.cursor;
      isMore = answer.more;
      // An empty answer was written when the wait was over; any other may be older.
      const isInFull = performance.now() - start.steady >= wait * 1000;
      const waited = answer.revoked.length === 0 && isInFull ? wait * 1000 : 0;
      if (!isMore) current = { wall: start.wall + waited, steady: start.steady + waited };
      hasWaited = isInFull || answer.revoked.length > 0 || from === undefined;
    }
    return hasWaited;
  }

  /** As long as possible, so that the answer still comes before the list is too old. */
  function waitSeconds(): number {
    return Math.min(25, Math.max(0, Math.floor(maxStalenessSeconds - 0.5 - age() / 1000)));
  }

  async function readOn(signal: AbortSignal): Promise<void> {
    const stopReleasing = letProcessEnd(settings.issuer, "/auth/revocations");
    let pause = 0;
    while (!signal.aborted && now() - usedAt < readsOnFor) {
      try {
        const hasWaited = await read(waitSeconds(), signal);
        pause = 0;
        if (!hasWaited) await pauseQuietly(1000, signal);
      } catch (error) {
        failedAt = now();
        const { retryAfter = 0 } = error as AuthsvcError;
        pause = Math.max(Math.min(longestPause, retryAfter * 1000), Math.min(10_000, (pause || 100) * 2));
        await pauseQuietly(pause, signal);
      }
    }
    stopReleasing();
    if (loop?.signal === signal) loop = undefined;
  }

  return {
    /** Whether the list is young enough; reads the feed if it is not. */
    async isCurrent(): Promise<boolean> {
      usedAt = now();
      if (!isFresh() && Math.abs(now() - failedAt) > 1000) {
        await once("", async () => void (await read(0))).catch(() => {
          failedAt = now();
        });
      }
      if (settings.feed === "background" && loop === undefined) {
        loop = new AbortController();
        void readOn(loop.signal);
      }
      return isFresh();
    },

    judge({ claims, kid }: VerifiedToken): Verdict {
      const { sub, sid, jti, iat, org_id: organization } = claims;
      if (endedLogins.has(sid ?? jti) || withdrawnKeys.has(kid)) return "revoked";
      const issued = iat * 1000 - clockAllowance;
      if (trustsNothing) return "in doubt";
      let since = issued > horizon ? never : forgotten;
      for (const subject of [sub, `${organization} `, `${organization} ${sub}`]) {
        const entry = changedSubjects.get(subject);
        if (entry && issued <= entry.before) since = Math.max(since, forgotten, entry.sequence);
      }
      return (cleared.get(nameOf(claims)) ?? never) >= since ? "valid" : "in doubt";
    },

    /** The current sequence number. Take it before asking the service. */
    mark: (): number => sequence,

    /** The service called the login of this token live, after `mark`. */
    clear({ claims }: VerifiedToken, mark: number): void {
      setNewest(cleared, nameOf(claims), mark, maxRemembered);
    },

    close(): void {
      loop?.abort();
    },
  };
}

/**
 * What an answer is remembered for. A machine has no login, so each of its tokens is asked about;
 * and so is each that names an organization, because it tells nothing of another one.
 */
function nameOf({ sid, jti, org_id: organization }: VerifiedToken["claims"]): string {
  return organization === undefined ? (sid ?? jti) : jti;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Application } from "../../applications/application.ts";
import { day } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { newId } from "../../lib/random.ts";
import type { LimitResult } from "../../lib/rate-limits.ts";
import type { Attempt } from "../../rate-limits/service.ts";
import { part, type Context } from "../../runtime/context.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import type { Handle } from "../../storage/storage.ts";
import { afterCommit } from "../../storage/transaction.ts";
import type { User } from "../../users/user.ts";
import { passwordAttempts } from "./attempts.ts";
import { hasher } from "./hasher.ts";
import {
  changePassword,
  countPasswordTry,
  findPassword,
  findPasswordByEmail,
  forgetPasswordFailures,
  insertPassword,
  listOtherHashes,
  listPasswordBlocks,
  recordPasswordUse,
  renewPasswordHash,
  sweepPasswordFailures,
  type CheckedPassword,
  type Mark,
  type PasswordBlock,
} from "./store.ts";

/** `blocked`: whether the password was right is not told. */
export type PasswordRefusal = "disabled" | "no-password" | "blocked" | "wrong-password";

/** `mustChange`: the password proves only that it may be replaced. */
type CountedProof =
  | { kind: "proven"; userId: string; user: User; mustChange: boolean }
  | { kind: "failed"; keepsWrites: boolean };

/**
 * A checked but not yet counted attempt. Nobody may learn its result before `count` is durable.
 */
export type PasswordProof = {
  /** Who has the address; empty if nobody. */
  userId: string;
  /**
   * Counts the attempt for its account and network, in the transaction that signs in, so parallel
   * attempts gain nothing over sequential ones. Lock the user first. The writes of a refusal must
   * stay, unless the checked password has been replaced.
   */
  count(tx: Handle, now: number): Promise<CountedProof>;
  /**
   * Call before reporting a refusal: makes every refusal take as long. Counts an attempt whose
   * transaction was rolled back as a failure. Throws RATE_LIMITED for too many attempts from one
   * network, which do not count for the account.
   */
  refuse(): Promise<void>;
  /** Why `count` refused, for the audit log; undefined if nobody has the address. */
  whyRefused(): PasswordRefusal | undefined;
  /** Call after a sign-in: replaces a weaker hash by a current one. Never throws. */
  renew(): Promise<void>;
};

/** Far longer than the longest wait, so that pausing is no way around it. */
const failuresAreKept = day;

const learntHashes = part(() => ({ learning: Promise.resolve() }));

/**
 * The keys of failure counts. `browser`: the digest of a known browser of this user, unaffected by
 * others' failures.
 */
function failuresOf(ctx: Context, appId: string, email: string, browser?: string): string {
  const whose = browser === undefined ? [appId, email] : [appId, email, browser];
  return ctx.keyring.mac("account", ...whose).toString("base64url");
}

async function learnHashes(ctx: Context, isStopping: () => boolean): Promise<void> {
  let after = "";
  while (!isStopping()) {
    const rows = await listOtherHashes(ctx.storage.reader, hasher(ctx).todaysForm, after);
    for (const { appId, hash } of rows) hasher(ctx).learn(appId, hash);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    await nextTurn();
  }
}

async function renewHash(ctx: Context, stored: CheckedPassword, password: string): Promise<void> {
  try {
    const hash = await hasher(ctx).hash(password);
    await ctx.storage.write((tx) => renewPasswordHash(tx, stored, hash));
  } catch (error) {
    // The next sign-in retries it; this one has succeeded.
    if (!(error instanceof AppError && error.code === "BUSY"))
      ctx.log.error("replacing a password hash failed", error, { userId: stored.userId });
  }
}

/**
 * Like `hasher.admit`, before an attempt that counts for its network. Throws RATE_LIMITED, BUSY.
 * End the attempt.
 */
export function admitTry(ctx: Context, network: string): Attempt {
  hasher(ctx).admit();
  return passwordAttempts(ctx).admit(network);
}

/**
 * Checks an address and a password. An unknown address, a wrong password, a user without one, a
 * disabled user and an account that must wait look the same and take the same time. `browser`:
 * the digest of the long-lived cookie. Throws BUSY under overload.
 */
export async function prove(
  ctx: Context,
  application: Application,
  { email, password, browser, attempt }: { email: string; password: string; browser: string; attempt: Attempt },
): Promise<PasswordProof> {
  const appId = application.id;
  const owner = await findPasswordByEmail(ctx.storage.reader, appId, email);
  const meeting = await browserSessions.meet(ctx, ctx.storage.reader, owner?.user.id ?? "", browser, ctx.clock());
  const account = failuresOf(ctx, appId, email, meeting.isKnown ? meeting.browser.digest : undefined);
  // A disabled user is treated as unknown, in timing too.
  const stored = owner?.password;
  // The check evens out the cost, which requires the costs of all other hashes.
  if (stored && hasher(ctx).isImported(stored.hash)) await learntHashes(ctx).learning;
  const turn = { appId, account, isKnown: meeting.isKnown };
  const { isRight, evenOut } = await hasher(ctx).verify(stored?.hash, password, turn);
  let ofNetwork: LimitResult | undefined;
  let isCounted = false;
  let isAdmitted = true;
  const countAs = async (tx: Handle, counted: { isRight: boolean }, now: number): Promise<boolean> => {
    ofNetwork = await attempt.count(tx);
    isAdmitted = !ofNetwork.exceeded && (await countPasswordTry(tx, { accountDigest: account, ...counted }, now));
    return isAdmitted;
  };
  return {
    userId: owner?.user.id ?? "",

    async count(tx, now) {
      if (!(await countAs(tx, { isRight }, now)) || !isRight || stored === undefined) {
        afterCommit(tx, () => (isCounted = true));
        return { kind: "failed", keepsWrites: true };
      }
      const used = owner && (await recordPasswordUse(tx, stored, now));
      if (!used) return { kind: "failed", keepsWrites: false };
      await attempt.giveBack(tx);
      return { kind: "proven", userId: owner.user.id, user: owner.user, mustChange: used.mustChangeAt !== null };
    },

    async refuse() {
      attempt.fail();
      if (!isCounted) await ctx.storage.write((tx) => countAs(tx, { isRight: false }, ctx.clock()));
      await learntHashes(ctx).learning;
      await evenOut();
      if (ofNetwork) passwordAttempts(ctx).refuseExceeded(ofNetwork);
    },

    whyRefused() {
      if (!owner) return undefined;
      if (!stored) return owner.user.disabledAt === null ? "no-password" : "disabled";
      if (!isAdmitted) return "blocked";
      return isRight ? undefined : "wrong-password";
    },

    async renew() {
      if (isRight && stored && hasher(ctx).isWeaker(stored.hash)) await renewHash(ctx, stored, password);
    },
  };
}

/**
 * Reads the costs of all stored hashes, so that refusals for unknown addresses take as long as
 * for imported users. Refusals and imported users wait for it. Rejects if the database is
 * unreachable.
 */
export async function learnStoredHashes(ctx: Context, isStopping: () => boolean): Promise<void> {
  const learned = learnHashes(ctx, isStopping);
  learntHashes(ctx).learning = learned.catch(() => {});
  await learned;
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const triedBefore = ctx.clock() - failuresAreKept;
  return await ctx.storage.write((tx) => sweepPasswordFailures(tx, triedBefore));
}

export async function hasOne(ctx: Context, userId: string): Promise<boolean> {
  return (await findPassword(ctx.storage.reader, userId)) !== undefined;
}

/** The mark of a user's password, if it must be replaced. */
export async function markOf(handle: Handle, userId: string): Promise<(Mark & { mustChangeAt: number }) | undefined> {
  const { mustChangeAt = null, mustChangeEmail = null } = (await findPassword(handle, userId)) ?? {};
  return mustChangeAt === null ? undefined : { mustChangeAt, mustChangeEmail };
}

/**
 * Whether this is the password that the user must replace. Ask only for somebody who has proven
 * more than an address: nothing counts the answers.
 */
export async function isOneToReplace(
  ctx: Context,
  user: Pick<User, "id" | "appId">,
  password: string,
): Promise<boolean> {
  const stored = await findPassword(ctx.storage.reader, user.id);
  if (!stored || stored.mustChangeAt === null) return false;
  const turn = { appId: user.appId, account: user.id, isKnown: true };
  return (await hasher(ctx).verify(stored.hash, password, turn)).isRight;
}

/** When a user's password was chosen; undefined without a password. */
export async function chosenAt(ctx: Context, userId: string): Promise<number | undefined> {
  return (await findPassword(ctx.storage.reader, userId))?.updatedAt;
}

/** Sets or replaces a user's password. Proofs with the old one become void. */
export async function set(
  ctx: Context,
  tx: Handle,
  userId: string,
  hash: string,
  now: number,
): Promise<{ methodId: string; changes: boolean }> {
  const changed = await changePassword(tx, userId, hash, now);
  if (changed !== undefined) return { methodId: changed, changes: true };
  const methodId = newId("mth", now, ctx.random);
  await insertPassword(tx, { id: methodId, userId, hash, lastUsedAt: null }, now);
  return { methodId, changes: false };
}

/**
 * Clears the failures of an address and of this known browser (its cookie's digest), after another
 * proof by the owner.
 */
export async function forgetFailures(
  ctx: Context,
  tx: Handle,
  { id, appId, email }: Pick<User, "id" | "appId" | "email">,
  browser?: string,
): Promise<void> {
  if (email === null) return;
  await forgetPasswordFailures(tx, failuresOf(ctx, appId, email));
  if (browser === undefined) return;
  const digest = browserSessions.knownBrowserDigest(ctx, id, browser);
  await forgetPasswordFailures(tx, failuresOf(ctx, appId, email, digest));
}

/** `ofKnown`: those of `all` in the `knownBrowsers` that the user has signed in with. */
export type Blocks = { all: PasswordBlock[]; ofKnown: PasswordBlock[]; knownBrowsers: number };

/** Where the user's password is not checked now, after wrong ones. */
export async function blocksOf(
  ctx: Context,
  handle: Handle,
  { id, appId, email }: Pick<User, "id" | "appId" | "email">,
): Promise<Blocks> {
  if (email === null) return { all: [], ofKnown: [], knownBrowsers: 0 };
  const account = failuresOf(ctx, appId, email);
  const known = await browserSessions.known(handle, id);
  const accounts = [account, ...known.map((browser) => failuresOf(ctx, appId, email, browser))];
  const all = await listPasswordBlocks(handle, accounts, ctx.clock());
  return { all, ofKnown: all.filter((block) => block.accountDigest !== account), knownBrowsers: known.length };
}

/** Ends these blocks of a locked user. Returns how many there were. */
export async function endBlocks(ctx: Context, tx: Handle, user: User): Promise<number> {
  const { all } = await blocksOf(ctx, tx, user);
  for (const { accountDigest } of all) await forgetPasswordFailures(tx, accountDigest);
  return all.length;
}

/** Adds a first password. `lastUsedAt`: now if it signs the user in, else null. */
export async function add(
  ctx: Context,
  tx: Handle,
  userId: string,
  { hash, lastUsedAt }: { hash: string; lastUsedAt: number | null },
  now: number,
): Promise<void> {
  await insertPassword(tx, { id: newId("mth", now, ctx.random), userId, hash, lastUsedAt }, now);
}

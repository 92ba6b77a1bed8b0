/**
 * The people signed in in a browser: to the account page, and by single sign-on to OpenID Connect
 * clients of the same application.
 */
import type { Application } from "../applications/application.ts";
import { day, minute } from "../lib/clock.ts";
import { isConfined, withProof } from "../organizations/provider/provider.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import {
  browserIsKnownUntil,
  deleteBrowserSessionsOfUser,
  deleteTiedBrowserSession,
  findBrowserSession,
  forgetKnownBrowsers,
  forgetOldestKnownBrowsers,
  moveBrowserSessionEnd,
  insertBrowserSession,
  listKnownBrowsers,
  moveBrowserSessionOn,
  rememberBrowser,
  removeBrowserSession,
  sweepBrowserSessions,
  type BrowserSession,
} from "./browser-session-store.ts";
import { endOfBrowserSession } from "./lives.ts";

const browsersAreKnownFor = 365 * day;
const month = 30 * day;

/** A user in a browser. `isLasting`: it is remembered for long enough. */
type Meeting = { browser: { userId: string; digest: string }; isKnown: boolean; isLasting: boolean };

/** A session that began, and the one that it took the place of, if that was another user's. */
type Started = Pick<BrowserSession, "tie" | "keptUntil"> & {
  replaced: Pick<BrowserSession, "userId" | "tie" | "keptUntil"> | undefined;
};

/**
 * `replaces`: the digest of the cookie that the browser sent; `tie`: of its session, as read
 * before, or the new digest. The tie stays the same if that session still exists and is the
 * user's; otherwise it is a new one. A proof of an organization's provider stands beside what
 * this user proved here before, and another user's session is replaced whole.
 */
export async function start(
  tx: Handle,
  session: Pick<
    BrowserSession,
    | "digest"
    | "appId"
    | "userId"
    | "tie"
    | "signedInWith"
    | "signedInProvider"
    | "proofs"
    | "secondFactor"
    | "provenAt"
    | "provenElsewhereAt"
    | "organizationProofs"
    | "organizationId"
  >,
  { replaces, application }: { replaces: string; application: Application },
  now: number,
): Promise<Started> {
  const { tie, ...opened } = session;
  const { digest } = opened;
  const fresh = { ...opened, createdAt: now, expiresAt: endOfBrowserSession({ createdAt: now }, application, now) };
  const begun = fresh.organizationProofs === null ? fresh : await beside(tx, replaces, fresh, now);
  const moved = tie === digest ? undefined : await moveBrowserSessionOn(tx, replaces, begun);
  if (moved !== undefined) return { ...moved, replaced: undefined };
  const removed = await removeBrowserSession(tx, replaces);
  await insertBrowserSession(tx, { ...begun, tie: digest, keptUntil: null });
  return { tie: digest, keptUntil: null, replaced: removed?.userId === begun.userId ? undefined : removed };
}

/** The session with proofs of organizations, beside what this browser's user proved before. */
async function beside(
  tx: Handle,
  replaces: string,
  fresh: Omit<BrowserSession, "tie" | "keptUntil">,
  now: number,
): Promise<Omit<BrowserSession, "tie" | "keptUntil">> {
  const before = await findBrowserSession(tx, replaces, now);
  if (before?.userId !== fresh.userId) return fresh;
  const organizationProofs = (fresh.organizationProofs ?? []).reduce(withProof, before.organizationProofs ?? []);
  if (!isConfined(fresh) || isConfined(before)) return { ...fresh, organizationProofs };
  // Their own proof stays as it was: neither younger, nor for longer.
  const { signedInWith, signedInProvider, proofs, secondFactor, provenAt, provenElsewhereAt } = before;
  const own = { signedInWith, signedInProvider, proofs, secondFactor, provenAt, provenElsewhereAt };
  const { createdAt, expiresAt } = before;
  return { ...fresh, ...own, organizationProofs, createdAt, expiresAt };
}

/**
 * The live session with this cookie digest, if its user proved something of their own; undefined if
 * this application has none. Whatever asks for no more is closed to who came by their company.
 */
export async function find(
  ctx: Context,
  handle: Handle,
  digest: string,
  application: Application,
): Promise<BrowserSession | undefined> {
  const session = await findOwnOrConfined(ctx, handle, digest, application);
  return session && !isConfined(session) ? session : undefined;
}

/** The same, also if its user proved nothing but that they came from an organization's provider. */
export async function findOwnOrConfined(
  ctx: Context,
  handle: Handle,
  digest: string,
  application: Application,
): Promise<BrowserSession | undefined> {
  const now = ctx.clock();
  const session = await findBrowserSession(handle, digest, now);
  // The settings may have become shorter since its last use.
  return session?.appId === application.id && endOfBrowserSession(session, application, now) > now
    ? session
    : undefined;
}

/** The end that a session's use gives it; undefined if it has that end, to the minute. */
function movedEnd(session: BrowserSession, application: Application, now: number): number | undefined {
  const end = endOfBrowserSession(session, application, now);
  return end < session.expiresAt || end >= session.expiresAt + minute ? end : undefined;
}

/** A person used their session: if it ends without use, it now lasts longer. */
export async function use(
  ctx: Context,
  handle: Handle | undefined,
  session: BrowserSession,
  application: Application,
): Promise<void> {
  const end = movedEnd(session, application, ctx.clock());
  if (end === undefined) return;
  if (handle) await moveBrowserSessionEnd(handle, session.digest, end);
  else await ctx.storage.write((tx) => moveBrowserSessionEnd(tx, session.digest, end));
}

/** The live sessions with these digests, of any application, with a proof of their user's own. */
export async function findAll(ctx: Context, digests: string[]): Promise<BrowserSession[]> {
  return (await findAllOwnOrConfined(ctx, digests)).filter((session) => !isConfined(session));
}

/** The same, also confined ones. */
export async function findAllOwnOrConfined(ctx: Context, digests: string[]): Promise<BrowserSession[]> {
  const now = ctx.clock();
  const rows = await Promise.all(digests.map((digest) => findBrowserSession(ctx.storage.reader, digest, now)));
  return rows.filter((session) => session !== undefined);
}

/** The tie of the live session with this digest; undefined if there is none. */
export async function findTie(tx: Handle, digest: string, now: number): Promise<string | undefined> {
  return (await findBrowserSession(tx, digest, now))?.tie;
}

/** Ends the session of a browser that signs out, which the audit log records. */
export async function close(
  ctx: Context,
  tx: Handle,
  { tie, appId, userId }: Pick<BrowserSession, "appId" | "userId" | "tie">,
  by: By,
  now: number,
): Promise<void> {
  // Another tab or the user's deletion may have removed it: then there is nothing to record.
  if (!(await deleteTiedBrowserSession(tx, tie))) return;
  await audit.record(ctx, tx, { ...by, action: "account.sign-out", result: "success", appId, userId }, now);
}

/**
 * Ends a user's sessions except the one with the tie `keep`. `forgetBrowsers`: every browser
 * counts as new afterwards.
 */
export async function endAll(
  tx: Handle,
  userId: string,
  { keep, forgetBrowsers }: { keep: string | undefined; forgetBrowsers: boolean },
): Promise<void> {
  await deleteBrowserSessionsOfUser(tx, userId, keep);
  if (forgetBrowsers) await forgetKnownBrowsers(tx, userId);
}

/** Depends on the user, so rows of different people do not reveal a shared browser. */
export function knownBrowserDigest(ctx: Context, userId: string, cookie: string): string {
  return ctx.keyring.mac("browser", userId, cookie).toString("base64url");
}

/**
 * Whether a user has signed in with this browser before. `cookie`: the digest of its long-lived
 * cookie. One statement.
 */
export async function meet(ctx: Context, tx: Handle, userId: string, cookie: string, now: number): Promise<Meeting> {
  const browser = { userId, digest: knownBrowserDigest(ctx, userId, cookie) };
  const until = await browserIsKnownUntil(tx, browser, now);
  // Not with every sign-in: the date need not be exact.
  const isLasting = until !== undefined && until >= now + browsersAreKnownFor - month;
  return { browser, isKnown: until !== undefined, isLasting };
}

/** The digests of the browsers that a user has signed in with. */
export async function known(handle: Handle, userId: string): Promise<string[]> {
  return await listKnownBrowsers(handle, userId);
}

/** Remembers that the user has signed in with this browser. */
export async function remember(tx: Handle, { browser, isKnown, isLasting }: Meeting, now: number): Promise<void> {
  if (!isLasting) await rememberBrowser(tx, { ...browser, expiresAt: now + browsersAreKnownFor });
  if (!isKnown) await forgetOldestKnownBrowsers(tx, browser);
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepBrowserSessions(tx, now));
}

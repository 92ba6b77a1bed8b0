/** Signs in the user of this browser without a new proof (docs/decisions/0042). */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import { proofIsFresh, provenTime, restsOnPassword } from "../../factors/assurance.ts";
import { hasFactor } from "../../factors/service.ts";
import { isOver } from "../../lib/clock.ts";
import { takesConfined } from "../../organizations/gate.ts";
import { findMembership } from "../../organizations/membership-store.ts";
import { isConfined, liveProof } from "../../organizations/provider/provider.ts";
import type { Context } from "../../runtime/context.ts";
import type { BrowserSession } from "../../sessions/browser-session-store.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import type { OrganizationProof } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUser } from "../../users/store.ts";
import * as clientAccess from "../client-access.ts";
import * as organizationChoice from "../organization-choice.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import { demandOf, type SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import { insertSession } from "../store.ts";
import { continuesAlone, isYoungEnough, mayContinue, type SignedIn } from "./continuing.ts";

/** `cookie`: the digest of the browser's cookie for the account page. */
export async function find(
  ctx: Context,
  handle: Handle,
  { session, application, cookie }: { session: SignInSession; application: Application; cookie: string },
): Promise<SignedIn | undefined> {
  const now = ctx.clock();
  const inBrowser = await browserSessions.findOwnOrConfined(ctx, handle, cookie, application);
  const browserSession =
    inBrowser && isConfined(inBrowser) ? await asConfined(ctx, handle, session, inBrowser, application) : inBrowser;
  if (!browserSession || !isYoungEnough(browserSession, application, now)) return undefined;
  const { signedInWith, signedInProvider } = browserSession;
  if (!applications.accepts(application, signedInWith, signedInProvider)) return undefined;
  const user = await users.find(handle, browserSession.userId);
  if (user?.disabledAt !== null) return undefined;
  if (!mayContinue(session, { browserSession, user }, now)) return undefined;
  const signedIn = { browserSession, user };
  // A password that must be replaced signs in to nothing more.
  if (restsOnPassword(browserSession) && (await passwords.markOf(handle, user.id))) return undefined;
  return (await needsNewProof(ctx, handle, session, signedIn, now)) ? undefined : signedIn;
}

/**
 * The browser session with the one proof by which it opens the organization that the session asks
 * for; undefined if it does not, or if the program takes none but a person's own.
 */
async function asConfined(
  ctx: Context,
  handle: Handle,
  session: SignInSession,
  inBrowser: BrowserSession,
  application: Application,
): Promise<BrowserSession | undefined> {
  const { userId, organizationId: last, organizationProofs } = inBrowser;
  const client = await clientAccess.clientOf(ctx, handle, session);
  const resource = await clientAccess.resourceOf(handle, session, client);
  if (client?.kind === "proxy" || !takesConfined(application, client, resource)) return undefined;
  const demand = demandOf(session);
  const isLast = ({ organizationId }: OrganizationProof): boolean => organizationId === last;
  const latest = (organizationProofs ?? []).toReversed();
  for (const proof of latest.toSorted((a, b) => Number(isLast(b)) - Number(isLast(a)))) {
    const { organizationId, issuer, provenAt, elsewhereAt } = proof;
    if (demand !== null && demand !== organizationId) continue;
    const { provider } = (await findMembership(handle, { organizationId, userId })) ?? {};
    if (!liveProof({ organizationProofs }, provider, ctx.clock())) continue;
    const proven = { signedInProvider: issuer, provenAt, provenElsewhereAt: elsewhereAt };
    return { ...inBrowser, ...proven, organizationProofs: [proof] };
  }
  return undefined;
}

/** Consent to a program of other people takes a fresh second factor, where the user has one. */
async function needsNewProof(
  ctx: Context,
  handle: Handle,
  session: SignInSession,
  { browserSession, user }: SignedIn,
  now: number,
): Promise<boolean> {
  const provenAt = provenTime(browserSession.provenAt, browserSession.provenElsewhereAt);
  if (session.authorization === null || !isOver(provenAt + proofIsFresh, proofIsFresh, now)) return false;
  if (!(await hasFactor(handle, user.id))) return false;
  const registration = await clientAccess.registrationOf(ctx, handle, session);
  if (await clientAccess.asksConsent(handle, session, registration?.client, user.id)) return true;
  if (!registration) return false;
  const place = { session, currentBrowserSession: browserSession.digest, ...registration };
  return await organizationChoice.mayAskConsent(ctx, handle, place, user);
}

async function accept(
  ctx: Context,
  attempt: SignInAttempt,
  how: { isSilent?: boolean },
  before: (tx: Handle) => Promise<void>,
): Promise<Outcome | undefined> {
  const place = { session: attempt.session, application: attempt.application, cookie: attempt.currentBrowserSession };
  const signedIn = await find(ctx, ctx.storage.reader, place);
  if (!signedIn) return undefined;
  const {
    signedInWith,
    signedInProvider: provider,
    tie,
    proofs: all,
    secondFactor,
    provenAt,
    provenElsewhereAt,
    organizationProofs,
  } = signedIn.browserSession;
  const proven = { secondFactor, provenAt, provenElsewhereAt, organizationProofs };
  const continues = { tie, proofs: all ?? [signedInWith], ...proven };
  const outcome = await proofs.accept(ctx, attempt, { signedInWith, provider, continues, ...how }, async (tx) => {
    // A concurrent end of this person's access waits now and cancels the code, or is visible here.
    await lockUser(tx, signedIn.user.id);
    const still = await find(ctx, tx, place);
    // Replaced or outdated since: treated as if nobody were signed in.
    const now = still?.browserSession;
    const isSame = now?.provenAt === provenAt && now.tie === tie && now.secondFactor === secondFactor;
    if (!still || !isSame) return proofs.failed;
    await browserSessions.use(ctx, tx, still.browserSession, attempt.application);
    await before(tx);
    return proofs.proven(still.user);
  });
  return outcome === "refused" || outcome === "over" ? undefined : outcome;
}

/**
 * Begins a session and finishes it without a page, if allowed. Undefined: nothing was written, the
 * person must act. `isSilent`: if a step is left, nothing is written either.
 */
export async function begin(
  ctx: Context,
  attempt: SignInAttempt,
  how: { isSilent: boolean },
): Promise<Outcome | undefined> {
  if (!continuesAlone(attempt.session)) return undefined;
  const session = { ...attempt.session, browserDigest: attempt.browserDigest };
  return await accept(ctx, { ...attempt, session }, how, (tx) => insertSession(tx, session));
}

/** Continues a session because the person said so. Undefined if that is no longer possible. */
export async function agree(ctx: Context, attempt: SignInAttempt): Promise<Outcome | undefined> {
  return await accept(ctx, attempt, {}, async () => {});
}

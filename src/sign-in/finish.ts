import type { Client } from "../applications/clients/client.ts";
import * as notices from "../credentials/mailed/notices.ts";
import { second } from "../lib/clock.ts";
import { digestOf, newSecret } from "../lib/random.ts";
import { noOrganization } from "../organizations/gate.ts";
import { recordUse } from "../organizations/membership-store.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import { deletePushedRequest } from "../openid/pushed-requests-store.ts";
import * as audit from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import {
  keepBrowserSession,
  recordOrganizationOfBrowser,
  recordOrganizationProof,
} from "../sessions/browser-session-store.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import * as ends from "../sessions/login-ends.ts";
import type { OrganizationProof, SecondFactorProof, SignInMethod, SignInProof } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { recordLocale } from "../users/store.ts";
import type { User } from "../users/user.ts";
import * as pendingLinks from "./adding/pending-links.ts";
import { authorizationResponse, type AuthorizationResponse } from "./authorization-response.ts";
import { allowDeviceRequest } from "./devices/store.ts";
import type { Choice } from "./organization-choice.ts";
import { codeLasts, conflictOf, deviceCodeDigest, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { completeSession, recordTie, type Completion } from "./store.ts";

/** All proofs of a sign-in. `tie`: of the browser session that single sign-on continues. */
export type CompleteProof = {
  signedInWith: SignInMethod;
  provider: string | null;
  proofs: SignInProof[];
  secondFactor: SecondFactorProof | null;
  provenAt: number;
  provenElsewhereAt: number | null;
  /** Of organizations' providers; the last is of the sign-in itself, if it is confined. */
  organizationProofs: OrganizationProof[] | null;
  tie: string | null;
};

/** In the form of rows: null if there was only one proof. */
function storedProofs({ proofs }: CompleteProof): SignInProof[] | null {
  return proofs.length > 1 ? proofs : null;
}

/** The code for the application or the device. */
function redeemable(
  { authorization, expiresAt }: SignInSession,
  code: string | null,
  now: number,
): Pick<Completion, "codeDigest" | "codeExpiresAt"> {
  const device = authorization?.device;
  if (device !== undefined) return { codeDigest: deviceCodeDigest(device), codeExpiresAt: expiresAt };
  return code === null
    ? { codeDigest: null, codeExpiresAt: null }
    : { codeDigest: digestOf(code), codeExpiresAt: now + codeLasts };
}

/** `keptUntil`: the cookie of the account page lives that long, for logins of protected hosts. */
type Finished = { response: AuthorizationResponse; keptUntil: number | null };

/** Finishes a session: its code, its browser session, its entry in the audit log. */
export async function finish(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  {
    user,
    proven,
    proofOf,
    choice,
    client,
  }: { user: User; proven: CompleteProof; proofOf: string | undefined; choice: Choice; client: Client | undefined },
  now: number,
): Promise<Finished | undefined> {
  const { session, application, source, sessionId } = attempt;
  const userId = user.id;
  const { signedInWith, provider, provenAt, tie: continued } = proven;
  const device = session.authorization?.device;
  const { organization } = choice;
  const organizationId = organization?.organizationId ?? null;
  const remembers = choice.kind === "taken" && choice.isOwn ? (organizationId ?? noOrganization) : null;
  const code = session.purpose === "sign-in" && device === undefined ? newSecret(ctx.random) : null;
  // Written first: of two sessions about one device, only one gets its code.
  if (device !== undefined && !(await allowDeviceRequest(tx, device, now))) return undefined;
  const completing = completeSession(
    tx,
    { digest: session.digest, browserDigest: attempt.browserDigest, proofOf },
    {
      userId,
      signedInWith,
      signedInProvider: provider,
      signedInAt: provenAt,
      provenElsewhereAt: proven.provenElsewhereAt,
      proofs: storedProofs(proven),
      secondFactor: proven.secondFactor,
      organizationProofs: proven.organizationProofs,
      organizationId,
      ipAddress: source.ipAddress,
      userAgent: source.userAgent,
      browserSession:
        continued === null
          ? { digest: attempt.browserSession, replaces: attempt.currentBrowserSession }
          : { digest: continued, replaces: "" },
      knownBrowserDigest: browserSessions.knownBrowserDigest(ctx, userId, attempt.knownBrowser),
      ...redeemable(session, code, now),
    },
    now,
  );
  // Together: on PostgreSQL one round trip inside a transaction.
  const [completed, meeting] = await Promise.all([
    completing,
    browserSessions.meet(ctx, tx, userId, attempt.knownBrowser, now),
  ]);
  if (!completed) return undefined;
  const pushedDigest = session.authorization?.pushedDigest;
  if (pushedDigest !== undefined) await deletePushedRequest(tx, pushedDigest);
  const pendingLink = conflictOf(completed);
  // Only to the proven account, in the session of the browser that brought the identity.
  if (
    pendingLink?.userId === userId &&
    !(await pendingLinks.link(ctx, tx, user, { pendingLink, application, source }, now))
  )
    return undefined;
  // Single sign-on does not change the browser session: the old proof does not become a new one.
  const browser =
    continued === null
      ? await openBrowserSession(ctx, tx, attempt, { user, proven, tie: completed.tie, remembers }, meeting, now)
      : { tie: continued, keptUntil: null };
  for (const proof of continued === null ? [] : (proven.organizationProofs ?? []))
    await recordOrganizationProof(tx, browser.tie, proof);
  if (continued !== null && remembers !== null) await recordOrganizationOfBrowser(tx, continued, remembers);
  const keptUntil = client?.proxy
    ? await keepBrowserSession(tx, browser.tie, now + codeLasts + client.proxy.sessionSeconds.absolute * second)
    : browser.keptUntil;
  if (organizationId !== null) await recordUse(tx, { organizationId, userId }, now);
  const actor = { kind: "user", name: userId } as const;
  const details = {
    method: signedInWith,
    provider,
    ...(proven.secondFactor && { secondFactor: proven.secondFactor }),
    ...(continued === null ? {} : { singleSignOn: true }),
    ...(device === undefined ? {} : { device: true }),
  };
  const event = {
    actor,
    action: "sign-in",
    result: "success",
    appId: application.id,
    userId,
    source,
    details,
    ...(organizationId === null ? {} : { organizationId }),
  } as const;
  await audit.record(ctx, tx, event, now);
  const response = authorizationResponse(session, { code }, { issuer: ctx.baseUrl, sessionId: code && sessionId });
  return { response, keptUntil };
}

/** Opens the browser session of a new proof. */
async function openBrowserSession(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  {
    user,
    proven,
    tie: found,
    remembers: organizationId,
  }: { user: User; proven: CompleteProof; tie: string | null; remembers: string | null },
  meeting: Awaited<ReturnType<typeof browserSessions.meet>>,
  now: number,
): Promise<{ tie: string; keptUntil: number | null }> {
  const { session, application, source } = attempt;
  const { signedInWith, provider, provenAt } = proven;
  const userId = user.id;
  if (user.locale !== attempt.lang && !isConfined(proven)) await recordLocale(tx, userId, attempt.lang);
  const expected = found ?? attempt.browserSession;
  const { tie, keptUntil, replaced } = await browserSessions.start(
    tx,
    {
      digest: attempt.browserSession,
      appId: application.id,
      userId,
      tie: expected,
      signedInWith,
      signedInProvider: provider,
      proofs: storedProofs(proven),
      secondFactor: proven.secondFactor,
      // It is no proof for the account.
      provenAt: isConfined(proven) ? 0 : provenAt,
      provenElsewhereAt: proven.provenElsewhereAt,
      organizationProofs: proven.organizationProofs,
      organizationId,
    },
    { replaces: attempt.currentBrowserSession, application },
    now,
  );
  // Another sign-in with the same cookie came first, or the session has just ended.
  if (tie !== expected) await recordTie(tx, session.digest, tie);
  if (replaced && replaced.keptUntil !== null) await ends.endAtHosts(ctx, tx, replaced, source, now);
  // What a company's provider says makes no browser known: that one gets more tries of a password.
  if (!isConfined(proven)) await browserSessions.remember(tx, meeting, now);
  // A user's first browser is not reported.
  if (!isConfined(proven) && !meeting.isKnown && user.lastLoginAt !== null)
    await notices.newDevice(ctx, tx, { user, source }, now);
  return { tie, keptUntil };
}

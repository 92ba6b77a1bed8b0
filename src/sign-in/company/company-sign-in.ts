/** Signs in by the provider of an organization, and links people to it (docs/decisions/0109). */
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import * as signInCodes from "../../credentials/mailed/sign-in-codes.ts";
import { consumeEmailToken } from "../../credentials/mailed/store.ts";
import * as factors from "../../factors/service.ts";
import { typedFactor } from "../../factors/typed-factor.ts";
import { AppError } from "../../lib/errors.ts";
import { note } from "../../organizations/announcements.ts";
import * as invitations from "../../organizations/invitations.ts";
import * as members from "../../organizations/members.ts";
import * as factorFailures from "../../companies/factor-failures.ts";
import * as factorFailureStore from "../../companies/factor-failure-store.ts";
import { recordFailure, recordSuccess } from "../../companies/failing.ts";
import { identify, type EmailProblem } from "../../companies/identify.ts";
import {
  deleteIdentityOf,
  findIdentity,
  insertIdentity,
  recordIdentityUse,
} from "../../organizations/provider/identity-store.ts";
import { deleteRelink } from "../../organizations/provider/relink-store.ts";
import { findProvider, recordTried } from "../../organizations/provider/provider-store.ts";
import type { OrganizationProvider } from "../../organizations/provider/provider.ts";
import { lockOrganization } from "../../organizations/store.ts";
import { joinByDomain } from "../../organizations/domains/joining.ts";
import type { Context } from "../../runtime/context.ts";
import { browserIsKnownUntil } from "../../sessions/browser-session-store.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import type { CompanyIdentity } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import { cancelProofOfSession } from "../cancel-store.ts";
import * as emailCode from "../email-code/email-code-sign-in.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import { byPerson } from "../organization-choice.ts";
import type { FactorRefusal } from "../factors/factor-sign-in.ts";
import * as proofs from "../proofs.ts";
import type { How, Outcome } from "../proofs.ts";
import { demandOf, type SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import * as arrivals from "./arrivals.ts";
import type { Arrival, Refused } from "./arrivals.ts";
import { recordCompanyIdentity } from "./store.ts";

/** `changed`: the provider, or what the page said. `full`: the organization or the account is. */
export type CompanyRefusal = Refused | EmailProblem | "other-account" | "changed" | "full";

type Problem = CompanyRefusal | FactorRefusal["kind"];

/** `ask`: the identity waits in the session, and its page asks the person. */
type Arriving = Outcome<Problem> | "ask";

/** The user of this session's own proof, which the provider's stands beside; null: none. */
export function ownProofOf({ provenUserId, provenWith }: SignInSession): string | null {
  return provenWith === "organization" ? null : provenUserId;
}

function howOf({ session }: SignInAttempt, identity: CompanyIdentity, now: number): How {
  const { organizationId, issuer, elsewhereAt, twoFactors } = identity;
  const organizationProof = { organizationId, issuer, provenAt: now, elsewhereAt, twoFactors };
  const { provenWith, provenProvider: provider } = session;
  const proofOf = ownProofOf(session);
  if (proofOf !== null && provenWith !== null)
    return { signedInWith: provenWith, provider, proofOf, organizationProof, answersStep: session.proofs !== null };
  const secondFactor = twoFactors ? ("provider" as const) : undefined;
  return {
    signedInWith: "organization",
    provider: issuer,
    organizationProof,
    ...(secondFactor && { secondFactor }),
    provenElsewhereAt: elsewhereAt,
  };
}

/** The browser as this organization's, of this person, counted apart from those of the account. */
function knownHere(
  ctx: Context,
  { knownBrowser }: Pick<SignInAttempt, "knownBrowser">,
  { userId, organizationId }: Person,
) {
  const mac = browserSessions.knownBrowserDigest(ctx, userId, `${knownBrowser} ${organizationId}`);
  return { userId, digest: `${organizationId} ${mac}` };
}

type Person = { organizationId: string; userId: string };

/** Whether this browser signed in to the organization before, by its provider, as this person. */
export async function isKnownHere(
  ctx: Context,
  browser: Pick<SignInAttempt, "knownBrowser">,
  of: Person,
): Promise<boolean> {
  const known = knownHere(ctx, browser, of);
  return (await browserIsKnownUntil(ctx.storage.reader, known, ctx.clock())) !== undefined;
}

/**
 * The provider's answer. Signs in at once who is known in this browser; `expected`: only this user,
 * of a visit without a page. Throws ProviderFailure.
 */
export async function arrive(
  ctx: Context,
  attempt: SignInAttempt,
  provider: OrganizationProvider,
  { expected, ...answer }: { state: string; code: string; iss: string | undefined; expected: string | null },
): Promise<Arriving> {
  const named = await identify(ctx, provider, answer).catch(async (error: unknown) => {
    await recordFailure(ctx, provider, error);
    await failedSignIns.record(ctx, attempt, { method: "organization" });
    throw error;
  });
  await recordSuccess(ctx, provider);
  const { emailProblem } = named;
  const identity = emailProblem === undefined ? named.identity : { ...named.identity, email: null };
  const arrival = await arrivals.find(ctx, ctx.storage.reader, attempt.application, identity);
  // Not even a subject that is known: somebody may have left the company with it.
  if (emailProblem === "hosted") return await refuse(ctx, attempt, emailProblem);
  if (arrival.kind === "refused")
    return await refuse(ctx, attempt, arrival.why === "stranger" ? (emailProblem ?? arrival.why) : arrival.why);
  const own = ownProofOf(attempt.session);
  const user = "user" in arrival ? arrival.user : undefined;
  if (own !== null && user?.id !== own) return await refuse(ctx, attempt, "other-account");
  const isSame = expected === null || expected === user?.id;
  if (isSame && arrival.kind === "known" && arrival.joins === undefined) {
    const person = { organizationId: identity.organizationId, userId: arrival.user.id };
    if (await isKnownHere(ctx, attempt, person)) return await enter(ctx, attempt, { identity, arrival });
  }
  return (await keep(ctx, attempt, identity)) ? "ask" : "over";
}

async function refuse(ctx: Context, attempt: SignInAttempt, refusal: Problem): Promise<{ refusal: Problem }> {
  await failedSignIns.record(ctx, attempt, { method: "organization", reason: refusal });
  return { refusal };
}

async function keep(ctx: Context, attempt: SignInAttempt, identity: CompanyIdentity | null): Promise<boolean> {
  const { session, browserDigest, renewedBrowser } = attempt;
  const here = { digest: session.digest, browserDigest, renewedBrowser };
  return await ctx.storage.write((tx) => recordCompanyIdentity(tx, here, identity));
}

/** Who waits in the session, and what they have to do; undefined: nobody does. */
export async function waiting(
  ctx: Context,
  { session, application }: Pick<SignInAttempt, "session" | "application">,
): Promise<{ identity: CompanyIdentity; arrival: Arrival; asksFactor: boolean } | undefined> {
  const identity = session.companyIdentity;
  if (identity === null) return undefined;
  const arrival = await arrivals.find(ctx, ctx.storage.reader, application, identity);
  const asksFactor =
    arrival.kind === "link" &&
    ownProofOf(session) !== arrival.user.id &&
    identity.mailboxProven === true &&
    (await factors.hasFactor(ctx.storage.reader, arrival.user.id));
  return { identity, arrival, asksFactor };
}

/** The person agreed. `code`: of the second factor, where an account is proved by its mailbox. */
export async function agree(
  ctx: Context,
  attempt: SignInAttempt,
  { code }: { code: string | undefined },
): Promise<Outcome<Problem | Exclude<FactorRefusal, { kind: "factor-malformed" | "factor-wrong" }>>> {
  const found = await waiting(ctx, attempt);
  if (!found) return { refusal: "changed" };
  if (!found.asksFactor || found.arrival.kind !== "link") return await enter(ctx, attempt, found);
  const typed = typedFactor(code ?? "");
  // A recovery code is for what the person does with their own account.
  if (typed?.kind !== "totp") return { refusal: "factor-malformed" };
  const { user } = found.arrival;
  const tried = await factorFailures.countTry(ctx, { organizationId: found.identity.organizationId, userId: user.id });
  if (tried) return { refusal: tried };
  return await enter(ctx, attempt, found, typed);
}

/** Everything is decided anew in the transaction that signs in, and must be as `arrival` says. */
async function enter(
  ctx: Context,
  attempt: SignInAttempt,
  { identity, arrival: expected }: { identity: CompanyIdentity; arrival: Arrival },
  typed?: Parameters<typeof factors.verify>[3],
): Promise<Outcome<Problem>> {
  const how = howOf(attempt, identity, ctx.clock());
  try {
    const outcome = await proofs.accept<Problem>(
      ctx,
      attempt,
      { ...how, ...(typed && { secondFactor: "totp" }) },
      async (tx, now) => {
        const provider = await findProvider(tx, identity.organizationId);
        if (provider?.issuer !== identity.issuer) return { kind: "refused", refusal: "changed" };
        if (expected.kind === "refused") return { kind: "refused", refusal: expected.why };
        const user = await personOf(ctx, tx, attempt, identity, { expected, typed, provider }, now);
        if (typeof user === "string") return { kind: "refused", refusal: user };
        await recordTried(tx, provider, now);
        const person = { organizationId: identity.organizationId, userId: user.id };
        await browserSessions.remember(
          tx,
          { browser: knownHere(ctx, attempt, person), isKnown: false, isLasting: false },
          now,
        );
        return proofs.proven(user);
      },
    );
    if (typeof outcome === "object" && "refusal" in outcome) return await refuse(ctx, attempt, outcome.refusal);
    await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "organization" });
    return outcome;
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    if (code === "CONFLICT") return await refuse(ctx, attempt, "full");
    if (code === "ORGANIZATION_NOT_FOUND") return await refuse(ctx, attempt, "changed");
    throw error;
  }
}

type Entering = {
  expected: Exclude<Arrival, { kind: "refused" }>;
  typed: Parameters<typeof factors.verify>[3] | undefined;
  provider: OrganizationProvider;
};

/** The locked person, as a member with this identity; or why not. */
async function personOf(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  identity: CompanyIdentity,
  { expected, typed, provider: { clientId } }: Entering,
  now: number,
): Promise<User | Problem> {
  const { application, source } = attempt;
  const { joins } = expected;
  if (expected.kind === "mailbox") return "changed";
  if (expected.kind === "new") return await newPerson(ctx, tx, attempt, identity, joins, now);
  const { id: userId } = expected.user;
  // First, because it locks in the order of all invitations.
  if (typeof joins === "object")
    await invitations.acceptWithin(ctx, tx, { id: joins.invitationId, userId }, source, now);
  const user = await lockUserForChange(tx, userId, now);
  if (user?.disabledAt !== null) return "disabled";
  if (joins === "domain") {
    const joining = { organizationId: identity.organizationId, agreed: true, byProvider: true };
    if (!(await joinByDomain(ctx, tx, user, joining, byPerson(attempt, userId)))) return "changed";
  }
  const arrival = await arrivals.find(ctx, tx, application, identity);
  if (arrival.kind !== expected.kind || !("user" in arrival) || arrival.user.id !== userId) return "changed";
  if (arrival.kind === "known") {
    const before = await findIdentity(tx, identity);
    await recordIdentityUse(tx, { ...identity, email: identity.email ?? before?.email ?? null }, now);
    return user;
  }
  if (ownProofOf(attempt.session) !== userId) {
    if (identity.mailboxProven !== true) return "changed";
    if (await factors.hasFactor(tx, userId)) {
      const by = { actor: { kind: "user", name: userId }, source } as const;
      if (!typed || !(await factors.verify(ctx, tx, { user, by }, typed, now))) return "factor-wrong";
      await factorFailureStore.forget(tx, { organizationId: identity.organizationId, userId });
    }
  }
  if (!arrival.replaces) return (await link(ctx, tx, attempt, identity, user, now)) ? user : "changed";
  await deleteIdentityOf(tx, { ...identity, userId });
  await deleteRelink(tx, { organizationId: identity.organizationId, userId });
  return (await link(ctx, tx, attempt, { ...identity, relinkedClientId: clientId }, user, now)) ? user : "changed";
}

async function newPerson(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  identity: CompanyIdentity,
  joins: Exclude<Arrival, { kind: "refused" }>["joins"],
  now: number,
): Promise<User | Problem> {
  const { application, source } = attempt;
  const { email, name, organizationId } = identity;
  const signedUp = { method: "organization", source, asksApproval: true } as const;
  const person = { appId: application.id, email: email ?? "", emailVerified: true, name, signedUp };
  const organization = typeof joins === "object" ? undefined : await lockOrganization(tx, organizationId);
  if (organization) {
    // While this waited for the lock, an owner may have closed the door.
    const arrival = await arrivals.find(ctx, tx, application, identity);
    if (organization.disabledAt !== null || arrival.kind !== "new" || arrival.joins !== joins) return "changed";
  }
  const user = await users.create(ctx, tx, person, now);
  if (!user) return "changed";
  if (typeof joins === "object")
    await invitations.acceptWithin(ctx, tx, { id: joins.invitationId, userId: user.id }, source, now);
  else {
    if (!organization) return "changed";
    const joining = { user, roles: ["member"], joinedBy: "domain" } as const;
    await members.join(ctx, tx, organization, joining, byPerson(attempt, user.id), now);
  }
  return (await link(ctx, tx, attempt, identity, user, now)) ? user : "changed";
}

async function link(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  {
    organizationId,
    issuer,
    subject,
    email,
    relinkedClientId = null,
  }: CompanyIdentity & { relinkedClientId?: string | null },
  { id: userId, appId }: User,
  now: number,
): Promise<boolean> {
  const who = { organizationId, appId, issuer, subject, userId, email };
  const row = { ...who, relinkedClientId, createdAt: now, lastUsedAt: now };
  if (!(await insertIdentity(tx, row))) return false;
  const place = { id: organizationId, appId };
  const noted = { action: "identity.link", userId, details: { issuer } };
  await note(ctx, tx, place, noted, byPerson(attempt, userId), now);
  return true;
}

/** Mails a code to the address that the provider named, which proves the mailbox once. */
export async function mailCode(ctx: Context, attempt: SignInAttempt): Promise<boolean> {
  const found = await waiting(ctx, attempt);
  const email = found?.identity.email ?? null;
  if (email === null || (found?.arrival.kind !== "link" && found?.arrival.kind !== "mailbox")) return false;
  await signInCodes.ask(ctx, { ...emailCode.placeOf(attempt), signUpOpen: true }, email);
  return true;
}

/** `code`: eight digits (`typedCode`). */
export async function byCode(ctx: Context, attempt: SignInAttempt, code: string): Promise<"proven" | "wrong" | "over"> {
  const { session, source } = attempt;
  const token = await sessionTokens.tryCode(ctx, "sign-in", session.digest, code, source);
  return typeof token === "string" ? token : await byToken(ctx, attempt, token);
}

/** The mailbox is proved; nothing else follows from it. */
export async function byToken(
  ctx: Context,
  { session, browserDigest, renewedBrowser }: SignInAttempt,
  token: NonNullable<Awaited<ReturnType<typeof sessionTokens.waiting>>>,
): Promise<"proven" | "over"> {
  const identity = session.companyIdentity;
  // The session may have asked for a code to another address, too.
  if (identity === null || token.email !== identity.email) return "over";
  const proven = { ...identity, emailVerified: true, mailboxProven: true } as const;
  const here = { digest: session.digest, browserDigest, renewedBrowser };
  const isKept = await ctx.storage.write(async (tx) => {
    if (!(await consumeEmailToken(tx, token, ctx.clock()))) return false;
    return await recordCompanyIdentity(tx, here, proven);
  });
  return isKept ? "proven" : "over";
}

/** Another person or way: forgets whom the provider named, and who was proven here. */
export async function leave(ctx: Context, attempt: SignInAttempt): Promise<void> {
  const { session, browserDigest } = attempt;
  await ctx.storage.write(async (tx) => {
    await recordCompanyIdentity(tx, { digest: session.digest, browserDigest, renewedBrowser: browserDigest }, null);
    await cancelProofOfSession(tx, { digest: session.digest, browserDigest, organizationId: demandOf(session) });
  });
}

/** From a proof to a code. Each step is one transaction. */
import type { Application } from "../applications/application.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import type { Context } from "../runtime/context.ts";
import type { SignInMethod, SignInProof } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { AuthorizationResponse } from "./authorization-response.ts";
import * as clientAccess from "./client-access.ts";
import { finish, type CompleteProof } from "./finish.ts";
import { waitsForConsent, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { dependsOnPasskeys, stepAfter, type Step } from "./steps.ts";
import { keepProof } from "./store.ts";

/**
 * How a user was proven. `mayOffer`: a passkey may be offered afterwards. `proofOf`: relies on the
 * session's stored proof of this user. `isNew`: a passkey created in this sign-in. `continues`: the
 * browser session of an earlier sign-in. `consented`: the person has agreed to what the client
 * asks. `isSilent`: if a step is left, nothing is written.
 */
export type How = {
  signedInWith: SignInMethod;
  provider?: string | null;
  mayOffer?: boolean;
  proofOf?: string;
  isNew?: boolean;
  continues?: { tie: string; proofs: SignInProof[]; provenAt: number };
  consented?: boolean;
  isSilent?: boolean;
};

/**
 * `usedWay`: a method, or "oauth.PROVIDER"; null by single sign-on. `refused`: bad
 * proof; `over`: session not open; `other-account`: the session requires another user; `refusal`:
 * the proof's own reason. These write nothing, except a refusal as `accept` says.
 */
export type Outcome<R = never> =
  | { response: AuthorizationResponse; usedWay: string | null }
  | { next: Exclude<Step, "done"> }
  | "refused"
  | "over"
  | "other-account"
  | { refusal: R };

/**
 * What `prove` found. `user`: if it has just been read. `failed`: the outcome "refused", after
 * which the writes of `prove` stay or not. `refused`: its own reason; they are rolled back.
 */
export type Proof<R = never> =
  | { kind: "proven"; userId: string; user?: User }
  | { kind: "failed"; keepsWrites: boolean }
  | { kind: "refused"; refusal: R };

export const failed = { kind: "failed", keepsWrites: false } as const;

export function proven(user: User | undefined): Proof {
  return user ? { kind: "proven", userId: user.id, user } : failed;
}

export function provenId(userId: string | undefined): Proof {
  return userId === undefined ? failed : { kind: "proven", userId };
}

/**
 * Accepts a proof. `prove` locks the user and writes the proof's effects (for a sign-up, also the
 * user). The same transaction then completes the session and creates its code, or stores the proof
 * for the next step.
 */
export async function accept<R = never>(
  ctx: Context,
  attempt: SignInAttempt,
  how: How,
  prove: (tx: Handle, now: number) => Promise<Proof<R>>,
): Promise<Outcome<R>> {
  const { session, application, browserDigest, renewedBrowser } = attempt;
  const { signedInWith, provider = null } = how;
  const now = ctx.clock();
  let deniedUserId: string | undefined;
  const outcome = await ctx.storage.write<Outcome<R>>(async (tx, rollBack) => {
    deniedUserId = undefined;
    const proof = await prove(tx, now);
    if (proof.kind === "refused") throw rollBack({ refusal: proof.refusal });
    if (proof.kind === "failed") {
      if (proof.keepsWrites) return "refused";
      throw rollBack("refused");
    }
    const { userId } = proof;
    if (session.accountUserId !== null && session.accountUserId !== userId) throw rollBack("other-account");
    const asks = dependsOnPasskeys(application, { signedInWith, mayOffer: how.mayOffer === true });
    // Together: on PostgreSQL one round trip inside a transaction.
    const [user, hasPasskey] = await Promise.all([
      proof.user ?? users.find(tx, userId),
      asks && passkeys.hasAny(tx, userId),
    ]);
    if (!user) throw rollBack("refused");
    const client = await clientAccess.clientOf(ctx, tx, session);
    // Before any step, and nothing is written: the denial is about this client only.
    if (!(await clientAccess.admits(tx, client, userId))) {
      deniedUserId = userId;
      throw rollBack(clientAccess.denial(ctx, session));
    }
    const mayOffer = how.mayOffer === true && users.mayOfferPasskey(user, now);
    const waits = stepAfter(session.purpose, application, { signedInWith, hasPasskey, mayOffer });
    const consentIsNext =
      waits === "done" && how.consented !== true && (await clientAccess.asksConsent(tx, session, client, userId));
    const next = consentIsNext ? "ask-consent" : waits;
    const complete = provenBy(session, how, now);
    if (next === "done") {
      const usedWay = complete.tie !== null ? null : provider === null ? signedInWith : `${signedInWith}.${provider}`;
      const response = await finish(ctx, tx, attempt, { user, proven: complete, proofOf: how.proofOf }, now);
      if (response === undefined) throw rollBack("over");
      return { response, usedWay };
    }
    if (how.isSilent === true) throw rollBack({ next });
    const stored = {
      provenUserId: userId,
      provenWith: signedInWith,
      provenProvider: provider,
      provenAt: complete.provenAt,
      proofs: consentIsNext ? complete.proofs : null,
      browserSessionDigest: complete.tie,
    };
    const browser = { digest: session.digest, browserDigest, renewedBrowser };
    if (!(await keepProof(tx, browser, stored, now))) throw rollBack("over");
    return { next };
  });
  if (deniedUserId !== undefined) clientAccess.noteDenial(ctx, attempt, { userId: deniedUserId, method: signedInWith });
  return outcome;
}

/** The user of a session's stored proof, and its next step; undefined without one. */
export async function findWaiting(
  ctx: Context,
  {
    session,
    application,
  }: {
    session: SignInSession;
    application: Application;
  },
): Promise<{ user: User; next: Step } | undefined> {
  const { provenUserId, provenWith } = session;
  if (provenUserId === null || provenWith === null) return undefined;
  const hasPasskey = await passkeys.hasAny(ctx.storage.reader, provenUserId);
  const next = waitsForConsent(session)
    ? "ask-consent"
    : stepAfter(session.purpose, application, { signedInWith: provenWith, hasPasskey, mayOffer: true });
  const user = await users.find(ctx.storage.reader, provenUserId);
  return user?.disabledAt === null ? { user, next } : undefined;
}

/** What the sign-in rests on: this proof, an earlier step's, or single sign-on. */
function provenBy(session: SignInSession, how: How, now: number): CompleteProof {
  const { signedInWith, provider = null, continues, consented } = how;
  if (continues) return { signedInWith, provider, ...continues };
  const { proofs, provenAt, browserSessionDigest: tie } = session;
  if (consented === true && proofs !== null) return { signedInWith, provider, proofs, provenAt: provenAt ?? now, tie };
  return { signedInWith, provider, proofs: proofsOf(session, how), provenAt: now, tie: null };
}

function proofsOf({ provenWith }: SignInSession, { signedInWith, proofOf, isNew }: How): SignInProof[] {
  if (proofOf === undefined || provenWith === null || provenWith === signedInWith) return [signedInWith];
  return [provenWith, isNew ? "new-passkey" : signedInWith];
}

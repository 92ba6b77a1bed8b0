/** The required age of a proof, and the matching request to a provider (docs/decisions/0074). */
import { proofIsFresh, provenTime } from "../factors/assurance.ts";
import type { ProviderWishes } from "../credentials/identities/authorization.ts";
import { second } from "../lib/clock.ts";
import type { SignInSession } from "./session.ts";

type Asking = Pick<
  SignInSession,
  "purpose" | "accountUserId" | "recoveryDigest" | "authorization" | "maxAge" | "createdAt"
>;

/** How far the clocks of one provider may be apart, and the seconds that it cuts off. */
const tolerance = 5 * second;

/** The request of an OpenID Connect client, or of the contract's initiate. */
function maxAgeOf({ authorization, maxAge }: Asking): number | null {
  return authorization ? authorization.maxAge : maxAge;
}

/** Whether the person must sign in again, wherever they already are. */
function asksAnew(session: Asking): boolean {
  return maxAgeOf(session) === 0 || session.authorization?.prompt.includes("login") === true;
}

/** A recovery link requires its own proof. */
function changesAccount({ purpose, accountUserId, recoveryDigest }: Asking): boolean {
  return purpose === "add-method" || (purpose === "account" && accountUserId !== null && recoveryDigest === null);
}

/** The earliest proof that will do; 0: any. */
function earliest(session: Asking, now: number): number {
  if (asksAnew(session)) return session.createdAt - tolerance;
  const maxAge = maxAgeOf(session);
  // In whole seconds, because the client compares `auth_time`, which it always gets.
  if (maxAge !== null) return Math.max(1, (Math.floor(now / second) - maxAge) * second);
  return changesAccount(session) ? now - proofIsFresh : 0;
}

/** Whether the provider's sign-in is too old, or of unknown age. */
export function isLate(
  session: Asking,
  { provenAt, provenElsewhereAt }: { provenAt: number; provenElsewhereAt: number | null },
  now: number,
): boolean {
  return provenElsewhereAt !== null && provenTime(provenAt, provenElsewhereAt) < earliest(session, now);
}

/** The parameters for the provider of a sign-in. */
export function wishesOf(session: Asking & Pick<SignInSession, "loginHint">): ProviderWishes {
  const login = asksAnew(session) || changesAccount(session);
  return {
    login,
    maxAge: login ? 0 : maxAgeOf(session),
    selectAccount: session.authorization?.prompt.includes("select_account") === true,
    loginHint: session.loginHint,
  };
}

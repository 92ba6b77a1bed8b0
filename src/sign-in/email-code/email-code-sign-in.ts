/** Signs in by a mailed code, or by the mail's link in the browser that asked for it. */
import type { Unproven } from "../../credentials/identities/first-proof.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import * as signInCodes from "../../credentials/mailed/sign-in-codes.ts";
import type { CodePlace } from "../../credentials/mailed/sign-in-codes.ts";
import type { Context } from "../../runtime/context.ts";
import type { User } from "../../users/user.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { How, Outcome } from "../proofs.ts";
import { signUpIsOpen } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** `agreed`: the mark of the removals that the person has seen. `anew`: see `howOf`. */
type Agreed = { agreed: string | undefined; anew: User | undefined };

/** The facts that the mail of a sign-in depends on. */
export function placeOf(attempt: SignInAttempt): CodePlace {
  const { application, sessionId, session, source, lang } = attempt;
  const connects = session.companyIdentity ? new URL(session.companyIdentity.issuer).host : undefined;
  return { application, sessionId, session, signUpOpen: signUpIsOpen(attempt), connects, source, lang };
}

/** A mailed code that signs in, or that proves `anew` the user of the session's stored proof. */
function howOf({ session }: SignInAttempt, anew: User | undefined): How {
  const { provenWith, provenProvider: provider } = session;
  if (!anew || provenWith === null) return { signedInWith: "emailCode" };
  return { signedInWith: provenWith, provider, proofOf: anew.id, besides: "emailCode" };
}

/** `code`: eight digits (`typedCode`). */
export async function byCode(
  ctx: Context,
  attempt: SignInAttempt,
  { code, ...agreed }: Agreed & { code: string },
): Promise<Outcome<Unproven> | "code-wrong" | "code-over"> {
  const token = await sessionTokens.tryCode(ctx, "sign-in", attempt.session.digest, code, attempt.source);
  if (typeof token !== "string") return await byToken(ctx, attempt, token, agreed);
  await failedSignIns.record(ctx, attempt, { method: "emailCode" });
  return `code-${token}`;
}

/** `token`: of a link that this session requested. */
export async function byToken(
  ctx: Context,
  attempt: SignInAttempt,
  token: EmailToken,
  { agreed, anew }: Agreed,
): Promise<Outcome<Unproven>> {
  const how = { signUpOpen: signUpIsOpen(attempt), source: attempt.source, agreed, keepsMethods: anew !== undefined };
  const outcome = await proofs.accept<Unproven>(ctx, attempt, howOf(attempt, anew), async (tx, now) => {
    const used = await signInCodes.use(ctx, tx, token, how, now);
    return used && "refusal" in used ? { kind: "refused", ...used } : proofs.proven(used);
  });
  await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "emailCode", userId: token.userId });
  return outcome;
}

/** The step that replaces a password which must change (docs/decisions/0102). */
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as notices from "../../credentials/mailed/notices.ts";
import * as resetLinks from "../../credentials/mailed/reset-links.ts";
import { consumeEmailToken } from "../../credentials/mailed/store.ts";
import * as newPasswords from "../../credentials/passwords/new-passwords.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import { findSecondFactor } from "../../factors/store.ts";
import * as audit from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import type { ResetProblem } from "../problems.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import * as signIn from "../service.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/**
 * What proves the person besides the old password: the second factor of this sign-in, or a code
 * mailed to their address. Each counts only if it was there before the mark. Undefined: neither, so
 * the password must be reset.
 */
export type Evidence = "factor" | "mail" | undefined;

/** Undefined, too, if the password need not change any more. */
export async function evidenceFor(
  ctx: Context,
  handle: Handle,
  { session: { secondFactor } }: Pick<SignInAttempt, "session">,
  user: User,
): Promise<Evidence> {
  const mark = await passwords.markOf(handle, user.id);
  if (!mark) return undefined;
  const factor = await findSecondFactor(handle, user.id);
  const isProven = secondFactor === "totp" || secondFactor === "recovery-code";
  if (isProven && (factor?.setUpAt ?? Number.POSITIVE_INFINITY) < mark.mustChangeAt) return "factor";
  const isMailed = user.emailVerified && user.email !== null && user.email === mark.mustChangeEmail;
  return isMailed && mail.available(ctx) ? "mail" : undefined;
}

/** Mails the code, if it is what is missing. */
export async function ask(ctx: Context, attempt: SignInAttempt, user: User): Promise<boolean> {
  const { application, sessionId, session, source, lang } = attempt;
  if (user.email === null || (await evidenceFor(ctx, ctx.storage.reader, attempt, user)) !== "mail") return false;
  const asked = { application, email: user.email, sessionId, source, lang };
  if (await resetLinks.ask(ctx, asked)) await signIn.awaitMail(ctx, session);
  return true;
}

/**
 * Replaces the password and continues the sign-in. `code`: eight digits (`typedCode`), if one is
 * needed. `endsTokens`: personal access tokens too. Ends everything outside this browser. Throws
 * RATE_LIMITED and BUSY.
 */
export async function change(
  ctx: Context,
  attempt: SignInAttempt,
  user: User,
  typed: { password: string; code: string | undefined; network: string; endsTokens: boolean },
): Promise<Outcome<ResetProblem>> {
  const { application, source } = attempt;
  const { password, code, network, endsTokens } = typed;
  if (password === "") return { refusal: { kind: "password-missing" } };
  const person = { email: user.email ?? "", name: user.name };
  const problem = await newPasswords.problemWith(ctx, password, application, person, network);
  if (problem) return { refusal: problem };
  const hash = await newPasswords.hash(ctx, password, network);
  const evidence = await evidenceFor(ctx, ctx.storage.reader, attempt, user);
  if (evidence === undefined) return "over";
  const token = evidence === "mail" ? await tokenOf(ctx, attempt, user, code) : undefined;
  if (token && "refusal" in token) return token;
  // Only now: this tells whether it is the old one, which the person has proven already.
  if (await passwords.isOneToReplace(ctx, user, password)) return { refusal: { kind: "password-same" } };
  const how = { signedInWith: "password", proofOf: user.id } as const;
  return await proofs.accept<ResetProblem>(ctx, attempt, how, async (tx, now) => {
    const locked = await lockUserForChange(tx, user.id, now);
    if (locked?.disabledAt !== null || (await evidenceFor(ctx, tx, attempt, locked)) !== evidence) return proofs.failed;
    if (token && !(await consumeEmailToken(tx, token, now))) return { kind: "refused", refusal: { kind: "code-over" } };
    const by = { actor: { kind: "user", name: user.id }, source } as const;
    await passwords.forgetFailures(ctx, tx, locked, attempt.knownBrowser);
    const { methodId } = await passwords.set(ctx, tx, user.id, hash, now);
    const keep = { browserSession: attempt.currentBrowserSession, signIn: attempt.session.digest };
    const end = { reason: "password-changed", by, keep, tokens: endsTokens } as const;
    const endedLogins = await ends.endAccess(ctx, tx, user.id, end, now);
    await users.recordUpdate(ctx, tx, locked, source, now);
    await notices.passwordChanged(ctx, tx, { user: locked, source }, now);
    const details = { method: "password", methodId, wasRequired: true, with: evidence, endedLogins };
    const about = { appId: locked.appId, userId: user.id, details };
    await audit.record(ctx, tx, { ...by, action: "password.changed", result: "success", ...about }, now);
    return { ...proofs.proven(locked), mustChange: false };
  });
}

async function tokenOf(
  ctx: Context,
  { application, source }: SignInAttempt,
  { email }: User,
  code: string | undefined,
): Promise<EmailToken | { refusal: ResetProblem }> {
  if (code === undefined) return { refusal: { kind: "code-missing" } };
  const token = await resetLinks.tryCode(ctx, application.id, email ?? "", code, source);
  return typeof token === "string" ? { refusal: { kind: `code-${token}` } } : token;
}

/** Resets a forgotten password: by a mailed code within a sign-in, or by the mail's link. */
import type { Unproven } from "../../credentials/identities/first-proof.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as passwordReset from "../../credentials/mailed/password-reset.ts";
import * as resetLinks from "../../credentials/mailed/reset-links.ts";
import * as emailTokens from "../../credentials/mailed/service.ts";
import { hasher } from "../../credentials/passwords/hasher.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import * as newPasswords from "../../credentials/passwords/new-passwords.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { Context } from "../../runtime/context.ts";
import * as signIn from "../service.ts";
import type { SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import type { ResetProblem } from "../problems.ts";

type PostedLink = NonNullable<Awaited<ReturnType<typeof passwordReset.find>>> & { source: RequestSource };

/** `network`: counts the attempt. `mark`: of the removals that the person agreed to. */
type Typed = { password: string; network: string; mark: string | undefined };

/** `toAgree`: the person must first agree to what the reset also removes. */
type ResetOutcome = "changed" | "over" | { problem: ResetProblem } | { toAgree: Unproven };

/** The sign-in that asked for the mail, if this browser may continue it; else the app. */
export type WayBack = { sessionId: string; session: SignInSession } | { home: string | undefined };

/** The hash of a valid new password, or its problem. A problem does not consume the token. */
async function newHash(
  ctx: Context,
  { password, network }: Typed,
  about: Pick<SignInAttempt, "application"> & { email: string; name: string | null },
): Promise<string | ResetProblem> {
  if (password === "") return { kind: "password-missing" };
  const problem = await newPasswords.problemWith(ctx, password, about.application, about, network);
  return problem ?? (await newPasswords.hash(ctx, password, network));
}

/** Methods added after the page was shown must be shown too. */
async function notAgreed(ctx: Context, token: EmailToken, mark: string | undefined): Promise<Unproven | undefined> {
  const removes = await passwordReset.removes(ctx, token);
  return removes && mark !== removes.mark ? removes : undefined;
}

/**
 * Whether it is the password that must be replaced. Ask only once the token is known to be good.
 */
async function isSame(ctx: Context, { appId, userId }: EmailToken, password: string): Promise<boolean> {
  return userId !== null && (await passwords.isOneToReplace(ctx, { id: userId, appId }, password));
}

async function finish(
  ctx: Context,
  token: EmailToken,
  hash: string,
  source: RequestSource,
): Promise<"changed" | "over"> {
  return (await passwordReset.finish(ctx, token, hash, source)) ? "changed" : "over";
}

/** Mails a code and a link to this canonical address; the same result for every address. */
export async function ask(ctx: Context, attempt: SignInAttempt, email: string): Promise<"asked" | "other-browser"> {
  const { application, session, sessionId, browserDigest, source, lang } = attempt;
  if (!(await signIn.claim(ctx, session, browserDigest))) return "other-browser";
  // Above the limits no session is kept, even if a mail was sent: it would fill the disk.
  if (await resetLinks.ask(ctx, { application, email, sessionId, source, lang })) await signIn.awaitMail(ctx, session);
  return "asked";
}

/** `code`: eight digits (`typedCode`). Throws RATE_LIMITED and BUSY. */
export async function byCode(
  ctx: Context,
  { application, session, browserDigest, source }: SignInAttempt,
  typed: Typed & { email: string; code: string },
): Promise<ResetOutcome | "other-browser"> {
  const { email, code, mark } = typed;
  // Nothing is written if the password cannot be hashed now.
  hasher(ctx).admit();
  if (!(await signIn.claim(ctx, session, browserDigest))) return "other-browser";
  const hash = await newHash(ctx, typed, { application, email, name: null });
  if (typeof hash !== "string") return { problem: hash };
  const token = await resetLinks.tryCode(ctx, application.id, email, code, source);
  if (typeof token === "string") return { problem: { kind: `code-${token}` } };
  if (await isSame(ctx, token, typed.password)) return { problem: { kind: "password-same" } };
  const toAgree = await notAgreed(ctx, token, mark);
  return toAgree ? { toAgree } : await finish(ctx, token, hash, source);
}

/** In any browser. Throws RATE_LIMITED and BUSY. */
export async function byLink(
  ctx: Context,
  { token, user, application, source }: PostedLink,
  typed: Typed,
): Promise<ResetOutcome> {
  const toAgree = await notAgreed(ctx, token, typed.mark);
  if (toAgree) return { toAgree };
  if (await isSame(ctx, token, typed.password)) return { problem: { kind: "password-same" } };
  const hash = await newHash(ctx, typed, { application, email: user.email ?? "", name: user.name });
  return typeof hash === "string" ? await finish(ctx, token, hash, source) : { problem: hash };
}

/** The target of a link. `digestOf` returns this browser's cookie digest for a session. */
export async function wayBack(
  ctx: Context,
  token: EmailToken,
  digestOf: (sessionId: string) => string,
): Promise<WayBack> {
  const sessionId = emailTokens.sessionIdOf(ctx, token);
  if (sessionId === undefined) return { home: undefined };
  const opened = await signIn.open(ctx, sessionId, digestOf(sessionId));
  if (opened.state === "open") return { sessionId, session: opened.session };
  const isKnown = opened.state !== "unknown" && opened.state !== "bad-redirect";
  return { home: isKnown ? signIn.homeOf(ctx, opened.session, opened.application) : undefined };
}

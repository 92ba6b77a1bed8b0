import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { PasswordReset } from "../../email-tokens/password-reset.ts";
import type { ResetLinks } from "../../email-tokens/reset-links.ts";
import type { EmailTokens } from "../../email-tokens/service.ts";
import type { ClientInfo } from "../../lib/client-info.ts";
import type { Unproven } from "../../oauth/first-proof.ts";
import type { ResetProblem } from "../../pages/sign-in/reset-password-page.ts";
import type { NewPasswords } from "../../passwords/new-passwords.ts";
import type { Passwords } from "../../passwords/service.ts";
import type { Holder } from "../holder.ts";
import type { SignIn } from "../service.ts";
import type { SignInSession } from "../session.ts";

type LinkHolder = NonNullable<Awaited<ReturnType<PasswordReset["find"]>>> & { clientInfo: ClientInfo };

/** `network`: counts the attempt. `mark`: of the removals that the person agreed to. */
type Typed = { password: string; network: string; mark: string | undefined };

/** `toAgree`: the person must first agree to what the reset also removes. */
type ResetOutcome = "changed" | "over" | { problem: ResetProblem } | { toAgree: Unproven };

/** The sign-in that asked for the mail, if this browser may continue it; else the app. */
export type WayBack = { sessionId: string; session: SignInSession } | { home: string | undefined };

export type Resets = ReturnType<typeof createResets>;

/** Resets a forgotten password: by a mailed code within a sign-in, or by the mail's link. */
export function createResets(deps: {
  signIn: SignIn;
  passwords: Passwords;
  newPasswords: NewPasswords;
  resetLinks: ResetLinks;
  passwordReset: PasswordReset;
  emailTokens: EmailTokens;
}) {
  const { signIn, passwords, newPasswords, resetLinks, passwordReset, emailTokens } = deps;

  /** The hash of a valid new password, or its problem. A problem does not consume the token. */
  async function newHash(
    { password, network }: Typed,
    about: Pick<Holder, "application"> & { email: string; name: string | null },
  ): Promise<string | ResetProblem> {
    if (password === "") return { kind: "password-missing" };
    const problem = await newPasswords.problemWith(password, about.application, about, network);
    return problem ?? (await newPasswords.hash(password, network));
  }

  /** Methods added after the page was shown must be shown too. */
  async function notAgreed(token: EmailToken, mark: string | undefined): Promise<Unproven | undefined> {
    const removes = await passwordReset.removes(token);
    return removes && mark !== removes.mark ? removes : undefined;
  }

  async function finish(token: EmailToken, hash: string, clientInfo: ClientInfo): Promise<"changed" | "over"> {
    return (await passwordReset.finish(token, hash, clientInfo)) ? "changed" : "over";
  }

  return {
    available: resetLinks.available,
    find: passwordReset.find,
    removes: passwordReset.removes,

    /** Mails a code and a link to this canonical address; the same result for every address. */
    async ask(holder: Holder, email: string): Promise<"asked" | "other-browser"> {
      const { application, session, sessionId, browserDigest, clientInfo, lang } = holder;
      if (!(await signIn.claim(session, browserDigest))) return "other-browser";
      // A request above the limits sends no mail, so its session is not kept either.
      if (await resetLinks.ask({ application, email, sessionId, clientInfo, lang })) await signIn.awaitMail(session);
      return "asked";
    },

    /** `code`: eight digits (`typedCode`). Throws RATE_LIMITED and BUSY. */
    async byCode(
      { application, session, browserDigest, clientInfo }: Holder,
      typed: Typed & { email: string; code: string },
    ): Promise<ResetOutcome | "other-browser"> {
      const { email, code, mark } = typed;
      // Nothing is written if the password cannot be hashed now.
      passwords.admit();
      if (!(await signIn.claim(session, browserDigest))) return "other-browser";
      const hash = await newHash(typed, { application, email, name: null });
      if (typeof hash !== "string") return { problem: hash };
      const token = await resetLinks.tryCode(application.id, email, code, clientInfo);
      if (typeof token === "string") return { problem: { kind: `code-${token}` } };
      const toAgree = await notAgreed(token, mark);
      return toAgree ? { toAgree } : await finish(token, hash, clientInfo);
    },

    /** In any browser. Throws RATE_LIMITED and BUSY. */
    async byLink({ token, user, application, clientInfo }: LinkHolder, typed: Typed): Promise<ResetOutcome> {
      const toAgree = await notAgreed(token, typed.mark);
      if (toAgree) return { toAgree };
      const hash = await newHash(typed, { application, email: user.email ?? "", name: user.name });
      return typeof hash === "string" ? await finish(token, hash, clientInfo) : { problem: hash };
    },

    /** Where a link leads. `digestOf` tells this browser's cookie for a session. */
    async wayBack(token: EmailToken, digestOf: (sessionId: string) => string): Promise<WayBack> {
      const sessionId = emailTokens.sessionIdOf(token);
      if (sessionId === undefined) return { home: undefined };
      const opened = await signIn.open(sessionId, digestOf(sessionId));
      if (opened.state === "open") return { sessionId, session: opened.session };
      const isKnown = opened.state !== "unknown" && opened.state !== "bad-redirect";
      return { home: isKnown ? signIn.homeOf(opened.session, opened.application) : undefined };
    },
  };
}

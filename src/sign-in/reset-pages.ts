import type { Application } from "../applications/application.ts";
import type { EmailToken } from "../email-tokens/email-token.ts";
import type { PasswordReset } from "../email-tokens/password-reset.ts";
import type { EmailTokens } from "../email-tokens/service.ts";
import type { Browsers } from "../hosted/browser.ts";
import { isAnswer, orTryLater, withRetryAfter, type Guest, type Hosted, type PostedForm } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import { canonicalEmail, maxEmailCharacters } from "../lib/email.ts";
import { typedCode } from "../lib/typed-code.ts";
import { forgotPasswordPage, noResetPage, type ForgotPasswordData } from "../pages/forgot-password-page.ts";
import {
  resetByCodePage,
  resetByLinkPage,
  type ResetByCodeData,
  type ResetProblem,
} from "../pages/reset-password-page.ts";
import type { UnprovenData } from "../pages/take-over-page.ts";
import type { Passwords } from "../passwords/service.ts";
import type { User } from "../users/user.ts";
import { pathOf, type ChoosePages } from "./choose-pages.ts";
import type { SignIn } from "./service.ts";
import type { Posted, Visit, Visits } from "./visits.ts";

/** The holder of a link for a new password, in any browser. */
type LinkGuest = Guest & { emailToken: EmailToken; user: User };

/**
 * Resets a forgotten password: by a mailed code within the sign-in, or by the mail's link on any
 * device.
 */
export function createResetPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  choose: ChoosePages;
  signIn: SignIn;
  passwords: Passwords;
  passwordReset: PasswordReset;
  emailTokens: EmailTokens;
  providers: ProviderClients;
  baseUrl: string;
}) {
  const { hosted, browsers, visits, choose, signIn, passwords, passwordReset, emailTokens, providers, baseUrl } = deps;

  function showForgot(visit: Visit, shown: Pick<ForgotPasswordData, "email" | "problem">): Answer {
    const sessionPath = pathOf(visit);
    const body = passwordReset.available
      ? forgotPasswordPage(visit.frame, { sessionPath, token: visit.browser.formToken, ...shown })
      : noResetPage(visit.frame, { sessionPath, passkey: choose.allows(visit, "passkey") });
    return visits.page(visit, body, shown.problem ? 422 : 200);
  }

  /** Shown after requesting a mail: the same page for every address. */
  function showCode(
    visit: Visit,
    shown: Pick<ResetByCodeData, "email" | "problem" | "removes" | "code"> & { again?: boolean },
  ): Answer {
    const body = resetByCodePage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      passwordMinLength: visit.application.settings.passwordMinLength,
      again: false,
      ...shown,
    });
    return withRetryAfter(visits.page(visit, body, statusOf(shown.problem)), shown.problem);
  }

  /** What the first proof of an address also removes, for a page. */
  async function removedBy(emailToken: EmailToken): Promise<UnprovenData | undefined> {
    const removes = await passwordReset.removes(emailToken);
    return removes && { ...removes, providers: removes.providers.map((name) => providers.displayName(name)) };
  }

  async function showLink(guest: LinkGuest, problem?: ResetProblem): Promise<Answer> {
    const { request, frame, browser, application, user } = guest;
    const body = resetByLinkPage(frame, {
      path: `/reset/${request.parameter("token")}`,
      token: browser.formToken,
      email: user.email,
      passwordMinLength: application.settings.passwordMinLength,
      problem,
      removes: await removedBy(guest.emailToken),
    });
    return withRetryAfter(
      hosted.page(frame, body, { status: statusOf(problem), cookies: [browser.setCookie] }),
      problem,
    );
  }

  /** A form in a session whose app has passwords; otherwise the session's own page. */
  async function submitted(request: HttpRequest): Promise<Posted | Answer> {
    const posted = await visits.post(request);
    if (isAnswer(posted)) return posted;
    if (!choose.allows(posted, "password")) return seeOther(pathOf(posted));
    return passwordReset.available ? posted : showForgot(posted, { email: "" });
  }

  /** The hash of a valid new password, or its problems. Problems do not consume the token. */
  async function newHash(
    form: Map<string, string>,
    about: { application: Application; email: string; name: string | null; network: string },
  ): Promise<string | ResetProblem> {
    const password = form.get("password") ?? "";
    if (password === "") return { kind: "password-missing" };
    const problem = await passwords.problemWith(password, about.application, about, about.network);
    return problem ?? (await passwords.hash(password, about.network));
  }

  async function resetByCode(posted: Posted, email: string): Promise<Answer> {
    const { form, application, network, clientInfo } = posted;
    const again = (problem: ResetProblem): Answer => showCode(posted, { email, problem });
    const code = typedCode(form.get("code") ?? "");
    if (code === undefined) return again({ kind: "code-missing" });
    // Nothing is written if the password cannot be hashed now.
    passwords.admit();
    const refused = await visits.claim(posted);
    if (refused) return refused;
    const hash = await newHash(form, { application, email, name: null, network });
    if (typeof hash !== "string") return again(hash);
    const token = await passwordReset.tryCode(application.id, email, code, clientInfo);
    if (typeof token === "string") return again({ kind: `code-${token}` });
    const removes = await removedBy(token);
    if (removes && form.get("agreed") !== removes.mark) return showCode(posted, { email, code, removes });
    if (!(await passwordReset.finish(token, hash, clientInfo))) return again({ kind: "code-over" });
    return changed(posted, { backUrl: baseUrl + pathOf(posted), signIn: true });
  }

  async function resetByLink(posted: LinkGuest & PostedForm): Promise<Answer> {
    const { form, application, network, clientInfo, user, emailToken, request, frame } = posted;
    // Methods added after the page was shown must be shown too.
    const removes = await passwordReset.removes(emailToken);
    if (removes && form.get("agreed") !== removes.mark) return await showLink(posted);
    const hash = await newHash(form, { application, email: user.email ?? "", name: user.name, network });
    if (typeof hash !== "string") return await showLink(posted, hash);
    if (!(await passwordReset.finish(emailToken, hash, clientInfo)))
      return hosted.message(frame, { kind: "link-over" });
    return changed(posted, await wayBack(request, emailToken));
  }

  function changed({ frame }: Guest, { backUrl, signIn }: { backUrl: string | undefined; signIn: boolean }): Answer {
    const { backUrl: _, ...rest } = frame;
    return hosted.message(
      { ...rest, ...(backUrl === undefined ? {} : { backUrl }) },
      { kind: "password-changed", signIn },
    );
  }

  /**
   * Back to the sign-in that requested the mail, if this browser may continue it; else to the app.
   */
  async function wayBack(request: HttpRequest, emailToken: EmailToken) {
    const sessionId = emailTokens.sessionIdOf(emailToken);
    if (sessionId === undefined) return { backUrl: undefined, signIn: false };
    const opened = await signIn.open(sessionId, browsers.meet(request, { kind: "sign-in", key: sessionId }).digest);
    if (opened.state === "open") return { backUrl: `${baseUrl}${pathOf({ sessionId })}`, signIn: true };
    const isKnown = opened.state !== "unknown" && opened.state !== "bad-redirect";
    return { backUrl: isKnown ? signIn.homeOf(opened.session) : undefined, signIn: false };
  }

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const secret = request.parameter("token");
    const found = await passwordReset.find(secret);
    if (!found) return hosted.message(hosted.frameFor(request), { kind: "link-over" });
    const { token: emailToken, user, application } = found;
    const browser = browsers.meet(request, { kind: "sign-in", key: secret });
    const frame = hosted.frameFor(request, { application, locale: user.locale });
    return { request, application, browser, frame, emailToken, user };
  }

  return {
    async forgotPage(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visit(request);
      if (isAnswer(visit)) return visit;
      if (!choose.allows(visit, "password")) return seeOther(pathOf(visit));
      return showForgot(visit, { email: visit.session.loginHint ?? "" });
    },

    async ask(request: HttpRequest): Promise<Answer> {
      const posted = await submitted(request);
      if (isAnswer(posted)) return posted;
      const { form, application, sessionId, clientInfo, frame } = posted;
      const typed = form.get("email") ?? "";
      const email = canonicalEmail(typed);
      if (email === undefined) {
        const kind = typed.trim() === "" ? "email-missing" : "email-invalid";
        return showForgot(posted, { email: typed.slice(0, maxEmailCharacters), problem: { kind } });
      }
      const refused = await visits.claim(posted);
      if (refused) return refused;
      // A request above the limits sends no mail, so its session is not kept either.
      if (await passwordReset.ask({ application, email, sessionId, clientInfo, lang: frame.lang }))
        await signIn.awaitMail(posted.session);
      return showCode(posted, { email, again: form.get("again") === "1" });
    },

    async byCode(request: HttpRequest): Promise<Answer> {
      const posted = await submitted(request);
      if (isAnswer(posted)) return posted;
      const email = canonicalEmail(posted.form.get("email") ?? "");
      if (email === undefined) return showForgot(posted, { email: "" });
      return await orTryLater(resetByCode(posted, email), async (problem) => showCode(posted, { email, problem }));
    },

    /** Opened by a link. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      return isAnswer(guest) ? guest : await showLink(guest);
    },

    async byLink(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      return await orTryLater(resetByLink(posted), (problem) => showLink(posted, problem));
    },
  };
}

function statusOf(problem: ResetProblem | undefined): number {
  if (problem === undefined) return 200;
  return problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
}

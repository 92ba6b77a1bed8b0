import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Applications } from "../applications/service.ts";
import type { EmailToken, EmailTokenPayload } from "../email-tokens/email-token.ts";
import type { MailSignUp, SignUpPlace } from "../email-tokens/mail-sign-up.ts";
import type { EmailTokens } from "../email-tokens/service.ts";
import type { Browsers } from "../hosted/browser.ts";
import { appHome, isAnswer, type Guest, type Hosted } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import { originOf, type HttpRequest } from "../http/request.ts";
import { typedCode } from "../lib/typed-code.ts";
import { checkMailPage } from "../pages/check-mail-page.ts";
import { confirmLinkPage } from "../pages/confirm-link-page.ts";
import type { CodeProblem } from "../pages/problems.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import { pathOf, type ChoosePages } from "./choose-pages.ts";
import type { Proofs } from "./proofs.ts";
import { accountAddress } from "./redirects.ts";
import type { SignIn } from "./service.ts";
import type { StepPages } from "./step-pages.ts";
import type { Posted, Visit, Visits } from "./visits.ts";

export type ConfirmPages = ReturnType<typeof createConfirmPages>;

/** Somebody with a link in the one browser that may use it: the one that signs up, or one that is signed in to the account. */
type LinkGuest = (Visit | (Guest & { user: User })) & { emailToken: EmailToken };

/** The proof of an address by the link or the code of a mail (docs/decisions/0018-mails-with-links.md). */
export function createConfirmPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  signIn: SignIn;
  proofs: Proofs;
  emailTokens: EmailTokens;
  mailSignUp: MailSignUp;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
  baseUrl: string;
}) {
  const { hosted, browsers, visits, choose, steps, signIn, proofs, emailTokens, mailSignUp, browserSessions } = deps;
  const { applications, users, baseUrl } = deps;

  function placeOf({ request, application, sessionId, session, frame }: Visit): SignUpPlace {
    const signInUrl = appHome(session.redirectUri) ?? null;
    return {
      application,
      sessionId,
      sessionDigest: session.digest,
      signInUrl,
      origin: originOf(request),
      lang: frame.lang,
    };
  }

  async function showCheckMail(
    visit: Visit,
    { again = false, problem }: { again?: boolean; problem?: CodeProblem } = {},
  ): Promise<Answer> {
    const waiting = await mailSignUp.waiting(visit.session.digest);
    if (!waiting) return seeOther(`${pathOf(visit)}/create-account`);
    const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, email: waiting.email, again, problem };
    return visits.page(visit, checkMailPage(visit.frame, data), problem ? 422 : 200);
  }

  /** Creates the account, and finishes the sign-in that it was created for in the same transaction. */
  async function createAccount(posted: Posted, token: EmailToken): Promise<Answer> {
    const method = token.payload && "passkey" in token.payload ? "passkey" : "password";
    if (!choose.allows(posted, method)) return choose.methodDisabled(posted, method);
    if (!choose.signUpIsOpen(posted)) return await choose.showCreateAccount(posted);
    const held = visits.hold(posted);
    const outcome = await proofs.take(held, { signedInWith: method }, (tx, now) =>
      mailSignUp.create(tx, token, posted.origin, now),
    );
    if (outcome === "over") return await createLate(posted, token);
    return await steps.end(held, outcome, () =>
      choose.showCreateAccount(posted, { email: token.email, problem: { kind: "cannot-create" }, status: 422 }),
    );
  }

  /** The mail took longer than the sign-in lives: what was asked for in this browser is done, but nobody is signed in by it. */
  async function createLate(posted: Posted, token: EmailToken): Promise<Answer> {
    const { state } = await signIn.open(posted.sessionId, posted.browser.digest);
    if (state !== "expired") return await visits.over(posted);
    const isCreated = await mailSignUp.createOnly(token, posted.origin);
    return visits.message(posted, { kind: isCreated ? "account-created" : "link-over" });
  }

  async function signUpGuest(request: HttpRequest, emailToken: EmailToken): Promise<LinkGuest | Answer> {
    const sessionId = emailTokens.sessionIdOf(emailToken) ?? "";
    const opened = await signIn.open(sessionId, browsers.meet(request, { kind: "sign-in", key: sessionId }).digest);
    if (opened.state === "other-browser") {
      const { application, session } = opened;
      return hosted.message(hosted.frameFor(request, { application, locale: session.locale }), {
        kind: "link-elsewhere",
      });
    }
    const visit = await visits.late(request, sessionId);
    return isAnswer(visit) ? visit : { ...visit, emailToken };
  }

  async function accountGuest(request: HttpRequest, emailToken: EmailToken): Promise<LinkGuest | Answer> {
    const { appId, userId } = emailToken;
    const application = await applications.find(appId);
    if (!application) return hosted.message(hosted.frameFor(request), { kind: "link-over" });
    const browser = browsers.meet(request, { kind: "account", key: appId });
    const session = await browserSessions.find(browser.digest, appId);
    const user = session && session.userId === userId ? await users.find(userId) : undefined;
    const frame = hosted.frameFor(request, { application, locale: user?.locale ?? null });
    return user?.disabledAt === null
      ? { request, application, browser, frame, user, emailToken }
      : hosted.message(frame, { kind: "link-elsewhere" });
  }

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const token = await emailTokens.find(request.parameter("token"));
    if (token?.purpose === "sign-up") return await signUpGuest(request, token);
    if (token?.purpose === "verify") return await accountGuest(request, token);
    return hosted.message(hosted.frameFor(request), { kind: "link-over" });
  }

  return {
    isOn: mailSignUp.isOn,

    /** Has a mail sent that creates this account, or tells the owner of the address that there is one. The answer is the same. */
    async begin(posted: Posted, email: string, payload: EmailTokenPayload): Promise<Answer> {
      await mailSignUp.begin(placeOf(posted), email, payload);
      const kept = browsers.keepForMail(posted.request, { kind: "sign-in", key: posted.sessionId });
      return { ...seeOther(`${pathOf(posted)}/confirm`), cookies: kept === undefined ? [] : [kept] };
    },

    /** The page that waits for the code. */
    async page(request: HttpRequest): Promise<Answer> {
      const visit = await visits.late(request);
      return isAnswer(visit) ? visit : await showCheckMail(visit, { again: request.query().get("again") === "1" });
    },

    async byCode(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => visits.late(request));
      if (isAnswer(posted)) return posted;
      const code = typedCode(posted.form.get("code") ?? "");
      if (code === undefined) return await showCheckMail(posted, { problem: { kind: "code-missing" } });
      const token = await mailSignUp.tryCode(posted.session.digest, code, posted.origin);
      return typeof token === "string"
        ? await showCheckMail(posted, { problem: { kind: `code-${token}` } })
        : await createAccount(posted, token);
    },

    async again(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => visits.late(request));
      if (isAnswer(posted)) return posted;
      await mailSignUp.again(placeOf(posted));
      return seeOther(`${pathOf(posted)}/confirm?again=1`);
    },

    /** What a link opens. It changes nothing: programs that look for malware in mails open links, too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      if (isAnswer(guest)) return guest;
      const { emailToken, frame, browser } = guest;
      const body = confirmLinkPage(frame, {
        path: `/confirm/${request.parameter("token")}`,
        token: browser.formToken,
        email: emailToken.email,
        creates: !("user" in guest),
      });
      return "user" in guest ? hosted.page(frame, body) : visits.page(guest, body);
    },

    async byLink(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      if (!("user" in posted)) return await createAccount(posted, posted.emailToken);
      const { user, application, frame, origin } = posted;
      const outcome = await emailTokens.confirmVerify(user, { secret: request.parameter("token") }, origin);
      if (outcome !== "verified") return hosted.message(frame, { kind: "link-over" });
      return seeOther(`${accountAddress(baseUrl, application.id)}&notice=verified`);
    },
  };
}

import type { SignInMethod } from "../applications/application.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isAnswer, withRetryAfter } from "../hosted/hosted.ts";
import { createAccountPage } from "../pages/create-account-page.ts";
import type { OfferedProvider, ProviderAccounts } from "../oauth/accounts.ts";
import type { PageMethods } from "../pages/methods.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import { signInPage } from "../pages/sign-in-page.ts";
import type { Users } from "../users/service.ts";
import { withParameters } from "./redirects.ts";
import type { SignIn } from "./service.ts";
import type { Visit, Visits } from "./visits.ts";

export type ChoosePages = ReturnType<typeof createChoosePages>;

/** The pages on which a person chooses how to go on. */
export function createChoosePages(deps: {
  visits: Visits;
  signIn: SignIn;
  accounts: ProviderAccounts;
  users: Users;
  passkeysAvailable: boolean;
}) {
  const { visits, signIn, accounts, users, passkeysAvailable } = deps;

  function allows(visit: Visit, method: "passkey" | "password"): boolean {
    return (
      (method === "password" || passkeysAvailable) &&
      signIn.methodsFor(visit.session, visit.application).includes(method)
    );
  }

  /** Most applications have no providers, and storage need not be asked. */
  async function offeredTo({ session, application }: Visit): Promise<OfferedProvider[]> {
    if (!application.authMethods.oauth.enabled) return [];
    const offered = await accounts.offered(application.id);
    return offered.filter(({ name }) => signIn.allowsProvider(session, application, name));
  }

  function methodsOf(visit: Visit, oauth: OfferedProvider[]): PageMethods {
    return { passkey: allows(visit, "passkey"), password: allows(visit, "password"), oauth };
  }

  function isUsable({ passkey, password, oauth }: PageMethods): boolean {
    return passkey || password || oauth.length > 0;
  }

  /** Only an app's own sign-in makes accounts. */
  function signUpIsOpen({ session, application }: Visit): boolean {
    return session.purpose === "sign-in" && application.settings.signUp === "open";
  }

  /** How the page names the one account that is asked for. */
  async function accountOf({ session }: Visit): Promise<string | undefined> {
    const user = session.accountUserId === null ? undefined : await users.find(session.accountUserId);
    return user && (user.email ?? user.name ?? user.id);
  }

  /** The sign-in page, with what was typed and what was wrong with it. */
  async function showSignIn(
    visit: Visit,
    shown: { email?: string; problem?: SignInProblem; status?: number } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return visits.message(visit, { kind: "no-methods" });
    const { purpose, loginHint } = visit.session;
    const account = await accountOf(visit);
    const body = signInPage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      email: shown.email ?? loginHint ?? "",
      methods,
      signUpOpen: signUpIsOpen(visit),
      ...(purpose === "sign-in" ? {} : { purpose: { kind: purpose, account } }),
      ...(shown.problem ? { problem: shown.problem } : {}),
    });
    const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
    return withRetryAfter(visits.page(visit, body, shown.status, targets), shown.problem);
  }

  async function showCreateAccount(
    visit: Visit,
    shown: { email?: string; name?: string; problem?: CreateAccountProblem; status?: number } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return visits.message(visit, { kind: "no-methods" });
    if (!signUpIsOpen(visit)) return seeOther(pathOf(visit));
    const body = createAccountPage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      email: shown.email ?? visit.session.loginHint ?? "",
      name: shown.name ?? "",
      methods,
      passwordMinLength: visit.application.settings.passwordMinLength,
      ...(shown.problem ? { problem: shown.problem } : {}),
    });
    const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
    return withRetryAfter(visits.page(visit, body, shown.status, targets), shown.problem);
  }

  return {
    showSignIn,
    showCreateAccount,
    signUpIsOpen,
    accountOf,

    /** Whether a way may be used in this session: asked of every post, because a page may be old or written by hand. */
    allows,

    /** Back to the app: the method was switched off after the page was shown. */
    methodDisabled(visit: Visit, method: SignInMethod): Answer {
      const { session, sessionId } = visit;
      const description = `Signing in by ${method} is not enabled.`;
      return seeOther(
        withParameters(session.redirectUri, {
          error: "method_disabled",
          error_description: description,
          state: session.state,
          sessionId,
        }),
      );
    },

    createAccountPage: async (request: HttpRequest) => {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : await showCreateAccount(visit);
    },

    cancel: async (request: HttpRequest) => {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : seeOther(signIn.cancelAddress(visit.session, visit.sessionId));
    },
  };
}

export function pathOf({ sessionId }: Pick<Visit, "sessionId">): string {
  return `/sign-in/${sessionId}`;
}

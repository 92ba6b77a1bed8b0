import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isAnswer, withRetryAfter } from "../hosted/hosted.ts";
import { createAccountPage } from "../pages/sign-in/create-account-page.ts";
import type { OfferedProvider, ProviderClients } from "../oauth/provider-clients.ts";
import type { PageMethods } from "../pages/parts/methods.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/parts/problems.ts";
import { signInPage } from "../pages/sign-in/sign-in-page.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { AccountNames } from "./account-names.ts";
import type { SignIn } from "./service.ts";
import type { SingleSignOn } from "./single-sign-on/single-sign-on.ts";
import { conflictOf, signUpIsOpen } from "./session.ts";
import type { Visit, Visits } from "./visits.ts";

export type ChoosePages = ReturnType<typeof createChoosePages>;

/** The pages on which a person chooses a sign-in method. */
export function createChoosePages(deps: {
  visits: Visits;
  signIn: SignIn;
  providerClients: ProviderClients;
  accountNames: AccountNames;
  singleSignOn: SingleSignOn;
  passkeysAvailable: boolean;
}) {
  const { visits, signIn, providerClients, accountNames, singleSignOn, passkeysAvailable } = deps;

  function allows(visit: Visit, method: "passkey" | "password"): boolean {
    return (
      (method === "password" || passkeysAvailable) &&
      signIn.methodsFor(visit.session, visit.application).includes(method)
    );
  }

  /** Most applications have no providers and need no query. */
  async function offeredTo({ session, application }: Visit): Promise<OfferedProvider[]> {
    if (!application.authMethods.oauth.enabled) return [];
    const offered = await providerClients.offered(application.id);
    const allowed = offered.filter(({ name }) => signIn.allowsProvider(session, application, name));
    const others = allowed.filter(({ name }) => name !== conflictOf(session)?.provider);
    // The same provider would cause the same conflict, so it is offered only if it is the only
    // method.
    return others.length > 0 || signIn.methodsFor(session, application).some((method) => method !== "oauth")
      ? others
      : allowed;
  }

  function methodsOf(visit: Visit, oauth: OfferedProvider[]): PageMethods {
    return { passkey: allows(visit, "passkey"), password: allows(visit, "password"), oauth };
  }

  /**
   * Back to the app if the requested method was disabled; a page if the app has no methods at all.
   */
  function withoutMethods(visit: Visit): Answer {
    const { purpose, authMethod } = visit.session;
    return purpose === "sign-in" && authMethod !== null
      ? methodDisabled(visit, authMethod)
      : visits.message(visit, { kind: "no-methods" });
  }

  function methodDisabled(visit: Visit, method: SignInMethod): Answer {
    const description = `Signing in by ${method} is not enabled.`;
    return visits.respond(visit, signIn.refusal(visit.session, visit.sessionId, "method_disabled", description));
  }

  function denied(visit: Visit, description: string): Answer {
    return visits.respond(visit, signIn.refusal(visit.session, visit.sessionId, "access_denied", description));
  }

  function isUsable({ passkey, password, oauth }: PageMethods): boolean {
    return passkey || password || oauth.length > 0;
  }

  /** The sign-in page with the entered values and their problems. */
  async function showSignIn(
    visit: Visit,
    shown: { email?: string; problem?: SignInProblem; status?: number } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return withoutMethods(visit);
    const { purpose, loginHint } = visit.session;
    const conflict = conflictOf(visit.session);
    const account = await accountNames.find(visit);
    const cookie = visits.accountCookieOf(visit);
    const signedIn = cookie === undefined ? undefined : await singleSignOn.find({ ...visit, cookie });
    const body = signInPage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      email: shown.email ?? loginHint ?? "",
      methods,
      usedLast: visits.usedLast(visit),
      continueAs: signedIn?.user,
      signUpOpen: signUpIsOpen(visit),
      ...(purpose === "sign-in" ? {} : { purpose: { kind: purpose, account } }),
      ...(conflict ? { links: providerClients.displayName(conflict.provider) } : {}),
      ...(shown.problem ? { problem: shown.problem } : {}),
    });
    const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
    return withRetryAfter(visits.page(visit, body, shown.status, targets), shown.problem);
  }

  async function showCreateAccount(
    visit: Visit,
    shown: {
      email?: string;
      name?: string;
      problem?: CreateAccountProblem | CreateAccountProblem[];
      status?: number;
    } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return withoutMethods(visit);
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
    // A throttling message is shown alone.
    const problem = Array.isArray(shown.problem) ? undefined : shown.problem;
    return withRetryAfter(visits.page(visit, body, shown.status, targets), problem);
  }

  return {
    showSignIn,
    showCreateAccount,

    /**
     * Whether the session may use a method. Checked on every post, which may come from an old page
     * or be forged.
     */
    allows,

    /** Back to the app: the method was disabled after the page was shown. */
    methodDisabled,

    /** Back to the app: the person gave up. */
    cancelled: (visit: Visit) => denied(visit, "The sign-in was cancelled."),

    /** Back to the client: the person did not agree. */
    denied: (visit: Visit) => denied(visit, "The person did not agree."),

    createAccountPage: async (request: HttpRequest) => {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : await showCreateAccount(visit);
    },

    cancel: async (request: HttpRequest) => {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : denied(visit, "The sign-in was cancelled.");
    },
  };
}

export function pathOf({ sessionId }: Pick<Visit, "sessionId">): string {
  return `/sign-in/${sessionId}`;
}

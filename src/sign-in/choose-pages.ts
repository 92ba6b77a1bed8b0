import type { SignInMethod } from "../applications/application.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { createAccountPage } from "../pages/create-account-page.ts";
import { forgotPasswordPage } from "../pages/forgot-password-page.ts";
import type { OfferedProvider, ProviderAccounts } from "../oauth/accounts.ts";
import type { PageMethods } from "../pages/methods.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import { signInPage } from "../pages/sign-in-page.ts";
import { isAnswer, type Hosted, type Posted, type Visit } from "./hosted.ts";
import { withParameters } from "./redirects.ts";
import type { SignedIn, SignIn } from "./service.ts";

export type ChoosePages = ReturnType<typeof createChoosePages>;

/** The pages on which a person chooses how to go on, and the ends that all ways share. */
export function createChoosePages(deps: {
  hosted: Hosted;
  signIn: SignIn;
  accounts: ProviderAccounts;
  passkeysAvailable: boolean;
}) {
  const { hosted, signIn, accounts, passkeysAvailable } = deps;

  function pathOf(visit: Visit): string {
    return `/sign-in/${visit.sessionId}`;
  }

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

  /** The sign-in page, with what was typed and what was wrong with it. */
  async function showSignIn(
    visit: Visit,
    shown: { email?: string; problem?: SignInProblem; status?: number } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return hosted.message(visit.frame, { kind: "no-methods" });
    const body = signInPage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      email: shown.email ?? visit.session.loginHint ?? "",
      methods,
      signUpOpen: visit.application.settings.signUp === "open",
      ...(shown.problem ? { problem: shown.problem } : {}),
    });
    const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
    return withRetryAfter(hosted.page(visit, body, shown.status, targets), shown.problem);
  }

  async function showCreateAccount(
    visit: Visit,
    shown: { email?: string; name?: string; problem?: CreateAccountProblem; status?: number } = {},
  ): Promise<Answer> {
    const offered = await offeredTo(visit);
    const methods = methodsOf(visit, offered);
    if (!isUsable(methods)) return hosted.message(visit.frame, { kind: "no-methods" });
    if (visit.application.settings.signUp === "closed") return seeOther(pathOf(visit));
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
    return withRetryAfter(hosted.page(visit, body, shown.status, targets), shown.problem);
  }

  async function onVisit(request: HttpRequest, show: (visit: Visit) => Answer | Promise<Answer>): Promise<Answer> {
    const visit = await hosted.visit(request);
    return isAnswer(visit) ? visit : await show(visit);
  }

  return {
    showSignIn,
    showCreateAccount,

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

    /** Back to the app with a code, or what to say when the session ended in the meantime. */
    async finish(posted: Posted, outcome: SignedIn | "over"): Promise<Answer> {
      if (outcome === "over") return await hosted.over(posted);
      // The cookie stays: with it the browser is told "You're signed in" when it comes back here, and it is good for nothing else.
      return seeOther(outcome.redirectTo);
    },

    /** A session that asked for a provider has nothing to choose: `startProvider` sends the browser there. */
    signInPage: (startProvider: (visit: Visit, provider: string) => Promise<Answer>) => async (request: HttpRequest) =>
      await onVisit(request, async (visit) => {
        const { provider } = visit.session;
        // Link previews and prefetches look; only a person's visit starts the provider.
        const looksOnly = request.method === "HEAD" || /prefetch|preview/u.test(request.header("sec-purpose") ?? "");
        return provider === null || looksOnly ? await showSignIn(visit) : await startProvider(visit, provider);
      }),

    createAccountPage: async (request: HttpRequest) => await onVisit(request, (visit) => showCreateAccount(visit)),

    forgotPasswordPage: async (request: HttpRequest) =>
      await onVisit(request, (visit) =>
        hosted.page(
          visit,
          forgotPasswordPage(visit.frame, { sessionPath: pathOf(visit), passkey: allows(visit, "passkey") }),
        ),
      ),

    cancel: async (request: HttpRequest) =>
      await onVisit(request, ({ session, sessionId }) => seeOther(signIn.cancelAddress(session, sessionId))),
  };
}

function withRetryAfter(answer: Answer, problem: SignInProblem | CreateAccountProblem | undefined): Answer {
  if (problem?.kind === "too-many-tries") answer.headers["retry-after"] = String(problem.retryAfterSeconds);
  if (problem?.kind === "busy") answer.headers["retry-after"] = "1";
  return answer;
}

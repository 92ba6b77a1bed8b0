/** The pages on which a person chooses a sign-in method. */
import * as providers from "../../applications/providers/provider-clients.ts";
import type { OfferedProvider } from "../../applications/providers/provider-clients.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Application } from "../../applications/application.ts";
import { hasDomainRules } from "../../applications/sign-up/rules.ts";
import { namedDomains } from "../../applications/sign-up/service.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { hasCompanySignIn } from "../../organizations/provider/companies.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import { startOfSession } from "../../sign-in/proxy/start-state.ts";
import * as signIn from "../../sign-in/service.ts";
import { conflictOf, signUpIsOpen } from "../../sign-in/session.ts";
import * as singleSignOn from "../../sign-in/single-sign-on/single-sign-on.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import type { CreateAccountProblem } from "../../sign-in/problems.ts";
import { isAnswer, withRetryAfter } from "../hosted/hosted.ts";
import type { PageMethods } from "../parts/methods.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as accountNames from "./account-names.ts";
import { createAccountPage } from "./create-account-page.ts";
import { signInPage } from "./sign-in-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/**
 * Whether the session may use a method. Checked on every post, which may come from an old page
 * or be forged.
 */
export function allows(ctx: Context, visit: Visit, method: "passkey" | "password" | "emailCode"): boolean {
  const isPossible = { passkey: passkeys.available, password: () => true, emailCode: mail.available }[method](ctx);
  return isPossible && signIn.methodsFor(visit.session, visit.application).includes(method);
}

/** Whether this sign-in may end with a company's proof: not on the account page, nor at a host. */
export function mayLead(ctx: Context, { session, application }: Pick<Visit, "session" | "application">): boolean {
  const isOpen = session.purpose === "sign-in" || session.purpose === "tile";
  return isOpen && hasCompanySignIn(application) && !startOfSession(ctx, session);
}

/** Most applications have no providers and need no query. */
async function offeredTo(ctx: Context, { session, application }: Visit): Promise<OfferedProvider[]> {
  if (!application.authMethods.oauth.enabled) return [];
  const offered = await providers.offered(ctx, application.id);
  const allowed = offered.filter(({ name }) => signIn.allowsProvider(session, application, name));
  const others = allowed.filter(({ name }) => name !== conflictOf(session)?.provider);
  // The same provider would cause the same conflict, so it is offered only if it is the only
  // method.
  return others.length > 0 || signIn.methodsFor(session, application).some((method) => method !== "oauth")
    ? others
    : allowed;
}

function methodsOf(ctx: Context, visit: Visit, oauth: OfferedProvider[]): PageMethods {
  return {
    passkey: allows(ctx, visit, "passkey"),
    password: allows(ctx, visit, "password"),
    emailCode: allows(ctx, visit, "emailCode"),
    oauth,
  };
}

/**
 * Back to the app if the requested method was disabled; a page if the app has no methods at all.
 */
function withoutMethods(ctx: Context, visit: Visit): Answer {
  const { purpose, authMethod } = visit.session;
  return purpose === "sign-in" && authMethod !== null
    ? methodDisabled(ctx, visit, authMethod)
    : visits.message(visit, { kind: "no-methods" });
}

/** Back to the app: the method was disabled after the page was shown. */
export function methodDisabled(ctx: Context, visit: Visit, method: SignInMethod): Answer {
  const description = `Signing in by ${method} is not enabled.`;
  return visits.respond(visit, signIn.refusal(ctx, visit.session, visit.sessionId, "method_disabled", description));
}

function refused(ctx: Context, visit: Visit, description: string): Answer {
  return visits.respond(visit, signIn.refusal(ctx, visit.session, visit.sessionId, "access_denied", description));
}

function isUsable({ passkey, password, emailCode, oauth }: PageMethods): boolean {
  return oauth.length > 0 || [passkey, password, emailCode].includes(true);
}

/** The sign-in page with the entered values and their problems. */
export async function showSignIn(
  ctx: Context,
  visit: Visit,
  shown: { email?: string; problem?: SignInProblem; status?: number; pass?: string; own?: boolean } = {},
): Promise<Answer> {
  const offered = await offeredTo(ctx, visit);
  const methods = methodsOf(ctx, visit, offered);
  if (!isUsable(methods) && mayLead(ctx, visit)) return seeOther(`${pathOf(visit)}/company`);
  if (!isUsable(methods)) return withoutMethods(ctx, visit);
  const { purpose, loginHint } = visit.session;
  const own = shown.own === true || visit.request.query().get("own") === "1";
  const conflict = conflictOf(visit.session);
  const account = await accountNames.find(ctx, visit);
  const cookie = visits.accountCookieOf(ctx, visit);
  const signedIn =
    cookie === undefined ? undefined : await singleSignOn.find(ctx, ctx.storage.reader, { ...visit, cookie });
  const body = signInPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    email: shown.email ?? loginHint ?? "",
    methods,
    usedLast: visits.usedLast(ctx, visit),
    continueAs: signedIn?.user,
    signUpOpen: signUpIsOpen(visit),
    ...(purpose === "sign-in" || purpose === "tile" ? {} : { purpose: { kind: purpose, account } }),
    company: mayLead(ctx, visit) && !own,
    own,
    firstMethod: hasCompanySignIn(visit.application) && (own || purpose === "account") && mail.available(ctx),
    ...(conflict ? { links: providerDisplayName(conflict.provider) } : {}),
    ...(shown.problem ? { problem: shown.problem } : {}),
    ...(shown.pass === undefined ? {} : { pass: shown.pass }),
  });
  const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
  return withRetryAfter(visits.page(ctx, visit, body, shown.status, targets), shown.problem);
}

export async function showCreateAccount(
  ctx: Context,
  visit: Visit,
  shown: {
    email?: string;
    name?: string;
    problem?: CreateAccountProblem | CreateAccountProblem[];
    status?: number;
  } = {},
): Promise<Answer> {
  const offered = await offeredTo(ctx, visit);
  const methods = methodsOf(ctx, visit, offered);
  if (!isUsable(methods)) return withoutMethods(ctx, visit);
  // A code creates an account by itself, from the page that also signs in.
  if (!signUpIsOpen(visit) || !isUsable({ ...methods, emailCode: false })) return seeOther(pathOf(visit));
  const body = createAccountPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    email: shown.email ?? visit.session.loginHint ?? "",
    name: shown.name ?? "",
    methods,
    passwordMinLength: visit.application.settings.passwordMinLength,
    allowedDomains: domainsOf(visit.application),
    ...(shown.problem ? { problem: shown.problem } : {}),
  });
  const targets = [...new Set(offered.flatMap(({ formTargets }) => formTargets))];
  // A throttling message is shown alone.
  const problem = Array.isArray(shown.problem) ? undefined : shown.problem;
  return withRetryAfter(visits.page(ctx, visit, body, shown.status, targets), problem);
}

/** Undefined without rules about domains. */
function domainsOf(application: Application): string[] | undefined {
  return hasDomainRules(application.settings) ? namedDomains(application, "not-allowed") : undefined;
}

/** Back to the app: the person gave up. */
export function cancelled(ctx: Context, visit: Visit) {
  return refused(ctx, visit, "The sign-in was cancelled.");
}

/** Back to the client: the person did not agree. */
export function denied(ctx: Context, visit: Visit) {
  return refused(ctx, visit, "The user did not agree.");
}

/** Back to the client: the person did not accept the terms. */
export function termsDeclined(ctx: Context, visit: Visit) {
  return refused(ctx, visit, "The user declined the terms.");
}

export async function createAccount(ctx: Context, request: HttpRequest) {
  const visit = await visits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showCreateAccount(ctx, visit);
}

export async function cancel(ctx: Context, request: HttpRequest) {
  const visit = await visits.visit(ctx, request);
  return isAnswer(visit) ? visit : refused(ctx, visit, "The sign-in was cancelled.");
}

export function pathOf({ sessionId }: Pick<Visit, "sessionId">): string {
  return `/sign-in/${sessionId}`;
}

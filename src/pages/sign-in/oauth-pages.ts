/**
 * The return from a provider. In every case the person ends on a page with a next step, or at the
 * app with an error.
 */
import * as authorizationRequests from "../../credentials/identities/authorization-requests.ts";
import type { ProviderAnswer } from "../../credentials/identities/authorization-requests.ts";
import type { LinkRefusal } from "../../credentials/identities/linking.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as providerSignIn from "../../sign-in/providers/provider-sign-in.ts";
import type { ProviderResponse } from "../../sign-in/providers/provider-sign-in.ts";
import * as signIn from "../../sign-in/service.ts";
import { continuePage } from "../onward-pages.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as add from "./add-pages.ts";
import * as companyPages from "./company-pages.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as confirm from "./confirm-pages.ts";
import { providerOf } from "./oauth-starts.ts";
import * as oauthStarts from "./oauth-starts.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

const problemOfRefusal: Record<
  Exclude<LinkRefusal, "proof-first">,
  Extract<SignInProblem, { provider: string }>["kind"]
> = {
  "agree-first": "provider-failed",
  "existing-method-first": "provider-existing-account",
  "no-email": "provider-no-email",
  "unsupported-email": "provider-unsupported-email",
  "unverified-email": "provider-unverified-email",
  "sign-up-closed": "provider-no-account",
  "email-refused": "provider-email-refused",
  refused: "provider-refused",
};

async function answerCallback(
  ctx: Context,
  request: HttpRequest,
  provider: string,
  state: string,
  answer: ProviderAnswer,
): Promise<Answer> {
  const providerRequest = await authorizationRequests.consume(ctx, provider, state);
  // The same page for every invalid state, so that it reveals nothing about sessions.
  const visit = await visits.visit(ctx, request, providerRequest?.sessionId ?? "");
  if (isAnswer(visit)) return visit;
  if (providerRequest?.browserDigest !== visit.browser.digest) return visits.message(visit, { kind: "other-browser" });
  if (!signIn.allowsProvider(visit.session, visit.application, provider))
    return choose.methodDisabled(ctx, visit, "oauth");
  const { adds } = providerRequest;
  if (answer.code === undefined) return await notThere(ctx, visit, provider, answer.error, adds);
  const response = { provider, state, answer: { ...answer, code: answer.code } };
  return adds ? await addTo(ctx, visit, response) : await complete(ctx, visit, response);
}

async function complete(ctx: Context, visit: Visit, response: ProviderResponse): Promise<Answer> {
  const { provider } = response;
  const proofVisit = visits.forProof(ctx, visit);
  const outcome = await providerSignIn.signIn(ctx, proofVisit, response).catch((error: unknown) => ({ error }));
  if (typeof outcome === "object" && "error" in outcome)
    return await oauthStarts.failed(ctx, visit, provider, outcome.error);
  // Redirect to a page, so that reloading it does not repeat the provider's answer.
  const renewed = { ...visit, browser: proofVisit.renewed };
  if (outcome === "check-mail") return confirm.begun(ctx, visit);
  if (outcome === "agree-first") return visits.enter(ctx, renewed, pathOf(visit));
  if (typeof outcome === "object" && "waitsIn" in outcome)
    return await choose.showSignIn(ctx, { ...renewed, session: outcome.waitsIn }, { status: 400 });
  if (typeof outcome === "object" && "refusal" in outcome)
    return await oauthStarts.problem(ctx, visit, provider, problemOfRefusal[outcome.refusal]);
  return await steps.end(ctx, proofVisit, outcome, ({ kind }) =>
    kind === "other-account"
      ? choose.showSignIn(ctx, visit, { problem: { kind }, status: 400 })
      : oauthStarts.problem(ctx, visit, provider, "provider-refused"),
  );
}

async function addTo(ctx: Context, visit: Visit, response: ProviderResponse): Promise<Answer> {
  const proofVisit = visits.forProof(ctx, visit);
  const outcome = await providerSignIn.add(ctx, proofVisit, response).catch((error: unknown) => ({ error }));
  if (typeof outcome === "object" && "error" in outcome)
    return await oauthStarts.failed(ctx, visit, response.provider, outcome.error, true);
  return await add.end(ctx, proofVisit, outcome, (kind) => add.show(ctx, visit, { kind }));
}

/** The person cancelled at the provider, or the provider refused. */
async function notThere(
  ctx: Context,
  visit: Visit,
  provider: string,
  error: string | undefined,
  adds: boolean,
): Promise<Answer> {
  const cancelled =
    error === "access_denied" || error === "user_cancelled_login" || error === "user_cancelled_authorize";
  if (visit.session.authMethod === "oauth" && cancelled) return choose.cancelled(ctx, visit);
  return cancelled
    ? await oauthStarts.problem(ctx, visit, provider, "provider-cancelled", adds)
    : await oauthStarts.failed(ctx, visit, provider, `it came back with ${errorName(error)}`, adds);
}

/** The codes of RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6; others are not repeated. */
const authorizationErrors = [
  "invalid_request",
  "unauthorized_client",
  "access_denied",
  "unsupported_response_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
];

function errorName(error: string | undefined): string {
  if (error === undefined) return "neither a code nor an error";
  return `the error ${authorizationErrors.find((name) => name === error) ?? "code of its own"}`;
}

/** The organization whose provider it is; no provider of an application has such a name. */
function companyOf(request: HttpRequest): string | undefined {
  const provider = request.parameter("provider");
  return /^org_\w{1,60}$/u.test(provider) ? provider : undefined;
}

/** GET /oauth/:provider/start: only of an organization's provider. */
export async function tilePage(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await companyPages.tilePage(ctx, request, companyOf(request) ?? "");
}

/** POST /oauth/:provider/start */
export async function startTile(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await companyPages.startTile(ctx, request, companyOf(request) ?? "");
}

/** GET /oauth/:provider/callback */
export async function callback(ctx: Context, request: HttpRequest): Promise<Answer> {
  const query = request.query();
  const organizationId = companyOf(request);
  if (organizationId !== undefined) return await companyPages.callback(ctx, request, organizationId);
  return await answerCallback(ctx, request, providerOf(request), query.get("state") ?? "", answerFrom(query));
}

/**
 * POST /oauth/:provider/callback (response_mode=form_post). The browser omits our Lax cookie
 * from a cross-site post, so the first answer is a page that posts the same fields again from
 * here.
 */
export async function postedCallback(ctx: Context, request: HttpRequest): Promise<Answer> {
  const form = await request.form();
  const state = form.get("state") ?? "";
  const site = request.header("sec-fetch-site");
  if (site === undefined ? form.has("continued") : site === "same-origin")
    return await answerCallback(ctx, request, providerOf(request), state, answerFrom(form));
  const sessionId = (await authorizationRequests.peek(ctx, state)) ?? "";
  const fields = ["state", "code", "error", "iss", "user"].flatMap((name) =>
    form.has(name) ? [[name, form.get(name) ?? ""] as const] : [],
  );
  const action = `/oauth/${providerOf(request)}/callback`;
  return await visits.passOn(ctx, request, sessionId, (frame) =>
    continuePage(frame, { action, fields: [...fields, ["continued", "1"]] }),
  );
}

function answerFrom(fields: { get(name: string): string | null | undefined }): ProviderAnswer {
  const text = (name: string): string | undefined => fields.get(name) ?? undefined;
  return { code: text("code"), error: text("error"), iss: text("iss"), user: text("user") };
}

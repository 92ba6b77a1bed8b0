/**
 * Shared by all hosted pages: framing a page for the app, refusing forms of other sites, showing
 * messages.
 */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { sourceOf, timeZoneOf, type HttpRequest } from "../../http/request.ts";
import { readUpload } from "../../http/uploads.ts";
import { AppError } from "../../lib/errors.ts";
import type { Html } from "../../lib/html.ts";
import { networkOf } from "../../lib/networks.ts";
import { withParameters } from "../../lib/redirect-uris.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { mailbox } from "../../records/mail/mailbox.ts";
import type { Context } from "../../runtime/context.ts";
import type { AuthorizationResponse } from "../../sign-in/authorization-response.ts";
import { accountPath } from "../account/parts.ts";
import { assets } from "../assets/assets.ts";
import { continuePage } from "../onward-pages.ts";
import { messagePage, type Message } from "../message-page.ts";
import { pageAnswer } from "../page-answer.ts";
import { logoUrl, serviceLook, type Frame, type Look } from "../parts/frame.ts";
import { textsFor } from "../../look/texts/texts.ts";
import * as browsers from "./browser.ts";
import type { Browser } from "./browser.ts";
import { formTargets } from "./form-targets.ts";

/**
 * The application that a page is for. `locale` is what the app requested, `backUrl` the way back to
 * it.
 */
export type Setting = { application: Application; locale?: string | null; backUrl?: string | undefined };

/** The visitor of a hosted page: the request, the browser, and the frame for their pages. */
export type PageVisit = BareVisit & { application: Application };

/** The same before the application is known. */
export type BareVisit = { request: HttpRequest; browser: Browser; frame: Frame };

/** An accepted form post. Attempts are counted by `network`. */
export type PostedForm = { form: Map<string, string>; source: RequestSource; network: string };

/** `targets`: origins that its forms may lead to besides this service. */
export type PageSettings = { status?: number; targets?: string[]; cookies?: (string | undefined)[] };

const statusOfMessage: Record<Message["kind"], number> = {
  unknown: 404,
  expired: 410,
  finished: 200,
  "other-browser": 403,
  "bad-redirect": 400,
  "no-methods": 400,
  "cross-site": 403,
  "cookies-blocked": 400,
  "too-many-tries": 429,
  busy: 429,
  "link-over": 410,
  "link-elsewhere": 403,
  "sign-in-link-elsewhere": 403,
  "address-taken": 409,
  "address-restored": 200,
  "account-created": 200,
  pending: 200,
  "device-allowed": 200,
  "device-denied": 200,
  "device-over": 410,
  "device-not-admitted": 403,
  "password-changed": 200,
  "server-error": 500,
  "no-page": 404,
  "bad-link": 400,
  home: 200,
};

export function frameFor(ctx: Context, request: HttpRequest, setting?: Setting): Frame {
  const { texts, lang, dir } = textsFor(setting?.locale ?? undefined, request.header("accept-language"));
  return {
    look: setting ? lookOf(setting.application) : serviceLook,
    texts,
    lang,
    dir,
    timeZone: timeZoneOf(request),
    host: new URL(ctx.baseUrl).host,
    assets: assets(ctx).links,
    mailboxUrl: mailbox(ctx) && `${ctx.baseUrl}/dev/mail`,
    ...(setting?.backUrl === undefined ? {} : { backUrl: setting.backUrl }),
  };
}

export function page(frame: Frame, body: Html, { status = 200, targets, cookies = [] }: PageSettings = {}): Answer {
  return pageAnswer(body, {
    status,
    cookies: cookies.filter((cookie) => cookie !== undefined),
    ...(targets ? { formTargets: targets } : {}),
    logoOrigin: logoUrl(frame.look)?.origin,
  });
}

export function message(frame: Frame, content: Message, status = statusOfMessage[content.kind]): Answer {
  return page(frame, messagePage(frame, content), { status });
}

/**
 * A mailed link that is used, expired, replaced or invalid. Its `app_id` gives the page its
 * branding and the link to a new start.
 */
export async function linkOver(
  ctx: Context,
  request: HttpRequest,
  next: "sign-in" | "new-link" = "sign-in",
): Promise<Answer> {
  const appId = request.query().get("app_id");
  const application = appId === undefined ? undefined : await applications.find(ctx, ctx.storage.reader, appId);
  if (!application) return message(frameFor(ctx, request), { kind: "link-over", next });
  const page = next === "new-link" ? "/forgot-password" : "";
  const backUrl = `${ctx.baseUrl}${accountPath(application.id, page)}`;
  return message(frameFor(ctx, request, { application, backUrl }), { kind: "link-over", next });
}

/** Sends a response to the client: by redirect, or as a form that the page's script submits. */
export function respond(
  frame: Frame,
  { redirectUri, mode, parameters }: AuthorizationResponse,
  { application, cookies = [] }: { application: Application; cookies?: string[] },
): Answer {
  if (mode === "query") return { ...seeOther(withParameters(redirectUri, parameters)), cookies };
  const body = continuePage(frame, { action: redirectUri, fields: Object.entries(parameters) });
  return page(frame, body, { cookies, targets: formTargets(redirectUri, application.domain) });
}

/**
 * Returns the visit with the form, after checking that one of our pages posted it from a
 * browser with cookies. `find` must not reveal anything before another site's form is refused.
 */
export async function post<G extends BareVisit>(
  ctx: Context,
  request: HttpRequest,
  find: () => Promise<G | Answer>,
): Promise<(G & PostedForm) | Answer> {
  if (browsers.isCrossSite(ctx, request)) return message(frameFor(ctx, request), { kind: "cross-site" });
  const form = await request.form();
  const visit = await find();
  if (isAnswer(visit)) return visit;
  // The page with the form set the cookie, so a browser without it blocks cookies.
  if (visit.browser.setCookie !== undefined) return message(visit.frame, { kind: "cookies-blocked" });
  if (!browsers.ownsForm(visit.browser, form.get("token"))) return message(visit.frame, { kind: "cross-site" });
  return { ...visit, form, source: sourceOf(request), network: networkOf(request.ipAddress) };
}

/**
 * The same for a form with a file: the session is looked up, and the token compared, before more
 * than the beginning is read; and the session again afterwards.
 */
export async function postFile<G extends BareVisit>(
  ctx: Context,
  request: HttpRequest,
  find: () => Promise<G | Answer>,
  callerOf: (visit: G) => string,
): Promise<(G & PostedForm) | Answer> {
  if (browsers.isCrossSite(ctx, request)) return message(frameFor(ctx, request), { kind: "cross-site" });
  const first = await find();
  if (isAnswer(first)) return first;
  if (first.browser.setCookie !== undefined) return message(first.frame, { kind: "cookies-blocked" });
  const by = { at: "public", caller: callerOf(first) } as const;
  const form = await readUpload(ctx, request, by, (token) => browsers.ownsForm(first.browser, token));
  if (!form) return message(first.frame, { kind: "cross-site" });
  const visit = await find();
  if (isAnswer(visit)) return visit;
  return { ...visit, form, source: sourceOf(request), network: networkOf(request.ipAddress) };
}

/** GET / */
export function home(ctx: Context, request: HttpRequest): Answer {
  return message(frameFor(ctx, request), { kind: "home" });
}

/**
 * The error page for any route; the router sets the status. `isHosted`: the route is a hosted
 * page.
 */
export function errorPage(ctx: Context, error: AppError, request: HttpRequest, isHosted: boolean): Answer {
  const frame = frameFor(ctx, request);
  if (error.code === "RATE_LIMITED") {
    const retryAfterSeconds = error.retryAfterSeconds ?? 60;
    const answer = message(frame, { kind: "too-many-tries", retryAfterSeconds });
    answer.headers["retry-after"] = String(retryAfterSeconds);
    return answer;
  }
  if (error.code === "BUSY") return message(frame, { kind: "busy" });
  if (error.code === "SERVER_ERROR") return message(frame, { kind: "server-error" });
  if (error.code === "UNKNOWN_PATH" || error.code === "METHOD_NOT_ALLOWED")
    return message({ ...frame, backUrl: `${ctx.baseUrl}/account` }, { kind: "no-page" });
  if (isHosted) return message(frame, { kind: "unknown" });
  return message(frame, { kind: "bad-link", details: error.details || error.message, requestId: request.id });
}

export function isAnswer(value: BareVisit | Answer): value is Answer {
  return "status" in value;
}

/** Shows rate limit errors on the current page, with the entered values. */
export async function orTryLater(
  work: Promise<Answer>,
  again: (problem: { kind: "busy" } | { kind: "too-many-tries"; retryAfterSeconds: number }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "BUSY") return { ...(await again({ kind: "busy" })), error };
    if (error.code !== "RATE_LIMITED") throw error;
    const retryAfterSeconds = error.retryAfterSeconds ?? 60;
    return { ...(await again({ kind: "too-many-tries", retryAfterSeconds })), error };
  }
}

/** Adds Retry-After for an attempt that was refused temporarily. */
export function withRetryAfter(
  answer: Answer,
  problem: { kind: string; retryAfterSeconds?: number } | undefined,
): Answer {
  if (problem?.kind === "too-many-tries") answer.headers["retry-after"] = String(problem.retryAfterSeconds ?? 60);
  if (problem?.kind === "busy") answer.headers["retry-after"] = "1";
  return answer;
}

function lookOf({ name, branding, settings }: Application): Look {
  const { companyName, logo, primaryColor, termsUrl = null, privacyUrl = null, supportUrl = null } = branding;
  return {
    name,
    companyName,
    logo,
    primaryColor,
    links: { terms: termsUrl, privacy: privacyUrl, support: supportUrl },
    ownTexts: settings.texts,
  };
}

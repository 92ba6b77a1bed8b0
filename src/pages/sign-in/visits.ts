/** Shared by the pages of a sign-in: finding the session and its browser. */
import type { Application } from "../../applications/application.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { second } from "../../lib/clock.ts";
import type { Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import type { AuthorizationResponse } from "../../sign-in/authorization-response.ts";
import { deviceAddress } from "../../sign-in/devices/addresses.ts";
import { startOfSession } from "../../sign-in/proxy/start-state.ts";
import * as signIn from "../../sign-in/service.ts";
import type { NewSession, OpenedSession } from "../../sign-in/service.ts";
import type { SignInSession } from "../../sign-in/session.ts";
import type { SignInAttempt } from "../../sign-in/sign-in-attempt.ts";
import * as browsers from "../hosted/browser.ts";
import type { Browser, Scope } from "../hosted/browser.ts";
import { formTargets } from "../hosted/form-targets.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit, type PostedForm, type Setting } from "../hosted/hosted.ts";
import type { Message } from "../message-page.ts";
import type { Frame } from "../parts/frame.ts";

/** A session that this browser may use now. */
export type Visit = PageVisit & { sessionId: string; session: SignInSession };

/**
 * A visit that provides a proof. `cookies`: set if the proof completes the sign-in. `renewed`: the
 * browser with its new cookie, if the proof is kept for another step. `opened`: the same on the
 * account page, if the proof completes the sign-in.
 */
export type ProofVisit = Visit & SignInAttempt & { cookies: string[]; renewed: Browser; opened: Browser };

/** A visit with an accepted form post, from the browser that owns the session. */
export type Posted = Visit & PostedForm;

function accountScope({ id }: Application): Scope {
  return { kind: "account", key: id };
}

/** One for each user, because each cookie is new when its user begins to trust the browser. */
function trustScope(userId: string): Scope {
  return { kind: "trusted", key: userId };
}

/** A new cookie for a user who does not want to be asked in this browser. */
export function renewTrust(ctx: Context, userId: string): Browser {
  return browsers.renew(ctx, trustScope(userId));
}

function settingOf(ctx: Context, { session, application }: Pick<Visit, "session" | "application">): Setting {
  return { application, locale: session.locale, backUrl: signIn.homeOf(ctx, session, application) };
}

function messageFor(ctx: Context, request: HttpRequest, opened: OpenedSession): Answer {
  if (opened.state === "unknown") return hosted.message(hosted.frameFor(ctx, request), { kind: "unknown" });
  const { application, session } = opened;
  if (session.authorization?.device !== undefined && opened.state !== "other-browser") {
    const frame = hosted.frameFor(ctx, request, { application });
    if (opened.state === "finished") return hosted.message(frame, { kind: "device-allowed" });
    return hosted.message({ ...frame, backUrl: deviceAddress(ctx.baseUrl) }, { kind: "device-over" });
  }
  // Never link to an address that the app has removed.
  const setting = opened.state === "bad-redirect" ? { application, locale: session.locale } : settingOf(ctx, opened);
  return hosted.message(hosted.frameFor(ctx, request, setting), {
    kind: opened.state === "open" ? "expired" : opened.state,
  });
}

export async function visit(
  ctx: Context,
  request: HttpRequest,
  sessionId = request.parameter("sessionId"),
  accepted: OpenedSession["state"][] = ["open"],
): Promise<Visit | Answer> {
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: sessionId });
  const opened = await signIn.open(ctx, sessionId, browser.digest);
  if (opened.state === "unknown" || !accepted.includes(opened.state)) return messageFor(ctx, request, opened);
  const { session, application } = opened;
  return {
    request,
    sessionId,
    session,
    application,
    browser,
    frame: { ...hosted.frameFor(ctx, request, settingOf(ctx, opened)), program: startOfSession(ctx, session)?.host },
  };
}

export async function post(ctx: Context, request: HttpRequest): Promise<Posted | Answer> {
  return await hosted.post(ctx, request, () => visit(ctx, request));
}

/** Binds the session to this browser; returns a page if another browser was first. */
export async function claim(ctx: Context, { session, browser, frame }: Visit): Promise<Answer | undefined> {
  const isOwn = await signIn.claim(ctx, session, browser.digest);
  return isOwn ? undefined : hosted.message(frame, { kind: "other-browser" });
}

function targetsOf({ session, application }: Pick<Visit, "session" | "application">, more: string[]): string[] {
  return [...formTargets(session.redirectUri, application.domain), ...more];
}

/** `targets`: origins that its forms may lead to besides the app. */
export function page(ctx: Context, visit: Visit, body: Html, status = 200, targets: string[] = []): Answer {
  const cookies = [visit.browser.setCookie, ...browsers.surplus(ctx, visit.request)];
  return hosted.page(visit.frame, body, { status, targets: targetsOf(visit, targets), cookies });
}

/** Back to the application or client that began the session. */
export function respond(
  { frame, application }: Visit,
  response: AuthorizationResponse,
  cookies: string[] = [],
): Answer {
  return hosted.respond(frame, response, { application, cookies });
}

export function message(visit: Visit, content: Message): Answer {
  return hosted.message(visit.frame, content);
}

/**
 * Like `visit` for the browser that owns the session, but also after it timed out: a mail may
 * arrive later than that.
 */
export async function late(ctx: Context, request: HttpRequest, sessionId?: string): Promise<Visit | Answer> {
  const openVisit = await visit(ctx, request, sessionId, ["open", "expired"]);
  if (isAnswer(openVisit) || openVisit.session.browserDigest === openVisit.browser.digest) return openVisit;
  return hosted.message(openVisit.frame, { kind: "other-browser" });
}

/** A visit of a session that is not stored yet. */
export function begin(ctx: Context, request: HttpRequest, { sessionId, session, application }: NewSession): Visit {
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: sessionId });
  const frame = hosted.frameFor(ctx, request, settingOf(ctx, { session, application }));
  return { request, sessionId, session, application, browser, frame };
}

/** To the session's own page, with its cookie. */
export function enter(ctx: Context, { request, browser }: Visit, authUrl: string): Answer {
  const cookies = [browser.setCookie, ...browsers.surplus(ctx, request)].filter((cookie) => cookie !== undefined);
  return { ...seeOther(authUrl), cookies };
}

/** The digest of the cookie for the account page; undefined if the browser has none. */
export function accountCookieOf(ctx: Context, { request, application }: Visit): string | undefined {
  const browser = browsers.meet(ctx, request, accountScope(application));
  return browser.setCookie === undefined ? browser.digest : undefined;
}

export function forProof<V extends Visit>(ctx: Context, visit: V): V & ProofVisit {
  const { request, sessionId, application, browser, frame } = visit;
  const scope = accountScope(application);
  const renewed = browsers.renew(ctx, { kind: "sign-in", key: sessionId });
  const opened = browsers.renew(ctx, scope);
  const knownBrowser = browsers.meet(ctx, request, { kind: "known", key: "" });
  return {
    ...visit,
    browserDigest: browser.digest,
    renewedBrowser: renewed.digest,
    renewed,
    opened,
    browserSession: opened.digest,
    currentBrowserSession: browsers.meet(ctx, request, scope).digest,
    knownBrowser: knownBrowser.digest,
    trustedBrowser: (userId) => browsers.meet(ctx, request, trustScope(userId)).digest,
    lang: frame.lang,
    source: sourceOf(request),
    cookies: [opened.setCookie, knownBrowser.setCookie, ...browsers.surplus(ctx, request)].filter(
      (cookie) => cookie !== undefined,
    ),
  };
}

/** The cookies of a finished sign-in. By single sign-on, none but one that must last longer. */
export function cookiesAtEnd(
  ctx: Context,
  visit: ProofVisit,
  { usedWay, keptUntil = null }: { usedWay: string | null; keptUntil?: number | null },
): string[] {
  const { request, application, opened } = visit;
  const isNew = usedWay !== null;
  const account = isNew ? opened : browsers.meet(ctx, request, accountScope(application));
  return [
    ...(isNew ? [...visit.cookies, ...rememberedWay(ctx, visit, usedWay)] : []),
    ...(keptUntil === null ? [] : [account.lasting(Math.ceil((keptUntil - ctx.clock()) / second))]),
  ];
}

/** A company's way has a cookie of its own, which a method of the person's own ends. */
function rememberedWay(ctx: Context, { request, application }: Visit, usedWay: string): string[] {
  if (usedWay.startsWith("organization")) return [];
  const { id } = application;
  return [browsers.usedLastCookie(ctx, id, usedWay), ...browsers.forgetCompanies(ctx, request, id)];
}

export function usedLast(ctx: Context, { request, application }: Visit): string | undefined {
  return browsers.usedLast(ctx, request, application.id);
}

/**
 * A page for a request with a session's id but without its cookie. It must reveal nothing about
 * the session but the app.
 */
export async function passOn(
  ctx: Context,
  request: HttpRequest,
  sessionId: string,
  body: (frame: Frame) => Html,
): Promise<Answer> {
  const opened = await signIn.open(ctx, sessionId, undefined);
  if (opened.state === "unknown") return messageFor(ctx, request, opened);
  const frame = hosted.frameFor(ctx, request, settingOf(ctx, opened));
  return hosted.page(frame, body(frame), { targets: targetsOf(opened, []) });
}

/** Like `post`, and binds the session to this browser. */
export async function submit(ctx: Context, request: HttpRequest): Promise<Posted | Answer> {
  const posted = await post(ctx, request);
  if (isAnswer(posted)) return posted;
  return (await claim(ctx, posted)) ?? posted;
}

/** Explains why a session that was just open no longer is. */
export async function over(ctx: Context, visit: Visit): Promise<Answer> {
  return messageFor(ctx, visit.request, await signIn.open(ctx, visit.sessionId, visit.browser.digest));
}

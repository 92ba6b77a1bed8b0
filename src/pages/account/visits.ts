/** Shared by the pages of an account: the signed-in user, and whether their proof is fresh. */
import { appHome, type Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Html } from "../../lib/html.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { BrowserSession } from "../../sessions/browser-session-store.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import { isSignedIn } from "../../sign-in/account-sessions.ts";
import * as freshProofs from "../../sign-in/fresh-proofs.ts";
import * as signIn from "../../sign-in/service.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import type { Browser } from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit, type PageSettings, type PostedForm } from "../hosted/hosted.ts";
import { countStart } from "../hosted/start-limit.ts";
import type { Frame } from "../parts/frame.ts";
import { accountEndPage, type AccountEnd } from "./end-page.ts";
import { accountPath } from "./parts.ts";

/** Messages that the overview shows after a change on another page. */
export const plainNotices = [
  "profile",
  "verified",
  "email",
  "renamed",
  "removed",
  "password",
  "login-ended",
  "others-ended",
  "access-removed",
  "token-ended",
  "factor-added",
  "factor-removed",
  "trust-ended",
  "picture",
  "picture-removed",
  "picture-undone",
] as const;

export type PlainNotice = (typeof plainNotices)[number];

/** A browser on an application's account page, and the user signed in to it, if any. */
export type AccountVisit = PageVisit & { signedIn: { session: BrowserSession; user: User } | undefined };

/** A user signed in to the account page. */
export type SignedInVisit = PageVisit & { session: BrowserSession; user: User };

export type AccountPosted = SignedInVisit & PostedForm;

/** The actor of a posted form. */
export function byUser({ user, source }: AccountPosted): { actor: Actor; source: RequestSource } {
  return { actor: { kind: "user", name: user.id }, source };
}

function endIn(frame: Frame, content: AccountEnd, settings: PageSettings = {}): Answer {
  return hosted.page(frame, accountEndPage(frame, content), settings);
}

async function signedInWith(
  ctx: Context,
  browser: Browser,
  application: Application,
): Promise<AccountVisit["signedIn"]> {
  // Without a cookie there is no session.
  if (browser.setCookie !== undefined) return undefined;
  const session = await browserSessions.find(ctx, ctx.storage.reader, browser.digest, application);
  const user = session && (await users.find(ctx.storage.reader, session.userId));
  if (!session || user?.disabledAt !== null || !(await isSignedIn(ctx, session, application))) return undefined;
  await browserSessions.use(ctx, undefined, session, application);
  return { session, user };
}

/** The applications whose account pages are open in this browser. */
async function applicationsHere(ctx: Context, request: HttpRequest): Promise<Application[]> {
  const sessions = await browserSessions.findAll(ctx, browsers.digests(ctx, request));
  const inBrowser = await Promise.all(sessions.map(({ appId }) => applications.find(ctx, ctx.storage.reader, appId)));
  return inBrowser.filter((application) => application !== undefined);
}

export async function meet(
  ctx: Context,
  request: HttpRequest,
  appId = request.query().get("app_id"),
): Promise<AccountVisit | Answer> {
  const signedInTo = appId === undefined ? await applicationsHere(ctx, request) : [];
  const [only] = signedInTo.length === 1 ? signedInTo : [await applications.findOnly(ctx)];
  const application = appId === undefined ? only : await applications.find(ctx, ctx.storage.reader, appId);
  if (!application) {
    const apps = signedInTo.map(({ id, name }) => ({ name, path: accountPath(id) }));
    return endIn(hosted.frameFor(ctx, request), { kind: "no-app", apps }, { status: appId === undefined ? 200 : 404 });
  }
  const browser = browsers.meet(ctx, request, { kind: "account", key: application.id });
  const signedIn = await signedInWith(ctx, browser, application);
  const setting = { application, locale: signedIn?.user.locale ?? null, backUrl: appHome(application) };
  return { request, application, browser, frame: hosted.frameFor(ctx, request, setting), signedIn };
}

/** `appId`: by default, of the query. */
export async function visit(
  ctx: Context,
  request: HttpRequest,
  appId = request.query().get("app_id"),
): Promise<SignedInVisit | Answer> {
  const visit = await meet(ctx, request, appId);
  if (isAnswer(visit)) return visit;
  const { signedIn, ...rest } = visit;
  return signedIn ? { ...rest, ...signedIn } : seeOther(accountPath(visit.application.id));
}

export async function post(ctx: Context, request: HttpRequest): Promise<AccountPosted | Answer> {
  return await hosted.post(ctx, request, () => visit(ctx, request));
}

/** The same for a form with a file, which is then `request.file`. */
export async function postFile(ctx: Context, request: HttpRequest): Promise<AccountPosted | Answer> {
  return await hosted.postFile(
    ctx,
    request,
    () => visit(ctx, request),
    ({ user }) => user.id,
  );
}

/**
 * Starts a sign-in that returns to the account page, at one of its pages. It writes a row, so it
 * is rate limited.
 */
export async function begin(
  ctx: Context,
  visit: PageVisit,
  asked: { user?: User; next?: string },
  page = "",
): Promise<Answer> {
  await countStart(ctx, visit.request.ipAddress);
  const { authUrl } = await signIn.initiateAccount(ctx, visit.application, {
    accountUserId: asked.user?.id ?? null,
    locale: asked.user?.locale ?? null,
    state: asked.next ?? null,
  });
  return seeOther(authUrl + page);
}

/**
 * The visit if its proof is fresh; otherwise a redirect to a new proof, which continues with
 * `next`.
 */
async function proven<V extends SignedInVisit>(ctx: Context, visit: V | Answer, next: string): Promise<V | Answer> {
  if (isAnswer(visit)) return visit;
  const isProven = await freshProofs.isFresh(ctx, ctx.storage.reader, visit.session, visit.application);
  return isProven ? visit : await begin(ctx, visit, { user: visit.user, next });
}

/**
 * For actions that an unattended browser must not allow. `next` is the page to return to, as
 * `nextPage` reads it.
 */
export async function visitProven(ctx: Context, request: HttpRequest, next: string): Promise<SignedInVisit | Answer> {
  return await proven(ctx, await visit(ctx, request), next);
}

export async function postProven(ctx: Context, request: HttpRequest, next: string): Promise<AccountPosted | Answer> {
  return await proven(ctx, await post(ctx, request), next);
}

/** The result of `work`, if the proof is still fresh; otherwise a redirect to a new proof. */
export async function act<T>(
  ctx: Context,
  posted: AccountPosted,
  next: string,
  work: (ctx: Context) => Promise<T>,
): Promise<{ done: T } | Answer> {
  const acted = await freshProofs.act(ctx, posted.session, posted.application, work);
  return acted ?? (await begin(ctx, posted, { user: posted.user, next }));
}

export async function isProven(ctx: Context, { session, application }: SignedInVisit) {
  return await freshProofs.isFresh(ctx, ctx.storage.reader, session, application);
}

export function page(visit: PageVisit, body: Html, settings: PageSettings = {}): Answer {
  return hosted.page(visit.frame, body, settings);
}

export function end(visit: PageVisit, content: AccountEnd, settings?: PageSettings) {
  return endIn(visit.frame, content, settings);
}

/** The same answer for a missing method or login and for another user's. */
export function notFound(visit: PageVisit) {
  return endIn(visit.frame, { kind: "not-found", path: accountPath(visit.application.id) }, { status: 404 });
}

/** Redirects to the first page of the account with a message. */
export function done({ application }: PageVisit, notice: PlainNotice): Answer {
  return seeOther(`${accountPath(application.id)}&notice=${notice}`);
}

/** Redirects and removes the cookie of this page. */
export function leave(ctx: Context, { application, request }: PageVisit, page: string): Answer {
  const cookies = browsers.forgetPerson(ctx, request, application.id);
  return { ...seeOther(accountPath(application.id, page)), cookies };
}

/** Where clients send a browser to sign out (OpenID Connect RP-Initiated Logout 1.0). */
import type { Application } from "../../applications/application.ts";
import * as clients from "../../applications/clients/service.ts";
import * as applications from "../../applications/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { tickGlyph, windowsGlyph } from "../../look/glyphs.ts";
import { logoutRequest, type LogoutRequest } from "../../openid/logout-request.ts";
import { postedQuery, postedTooLong } from "../../openid/posted-query.ts";
import { supportedLocale } from "../../openid/ui-locales.ts";
import type { By } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { BrowserSession } from "../../sessions/browser-session-store.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import * as ends from "../../sessions/login-ends.ts";
import * as ownLogins from "../../sessions/own-logins.ts";
import * as idTokens from "../../tokens/id-tokens.ts";
import type { IdTokenHint } from "../../tokens/id-tokens.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import { accountPath, actionLink, row } from "../account/parts.ts";
import * as browsers from "../hosted/browser.ts";
import type { Browser } from "../hosted/browser.ts";
import { formTargets } from "../hosted/form-targets.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit } from "../hosted/hosted.ts";
import { postForm, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";

const path = "/oauth2/end-session";
const confirmPath = `${path}/confirm`;

/** A browser at the logout endpoint. `signedIn`: its user, if any. */
type LogoutVisit = PageVisit & {
  clientId: string;
  asked: LogoutRequest;
  hint: IdTokenHint | undefined;
  signedIn: { session: BrowserSession; user: User } | undefined;
};

/** Somebody who is signed in to an application in this browser. */
type SignedInHere = { application: Application; browser: Browser; session: BrowserSession; user: User };

/** Finds who is signed in in this browser, to every application. */
async function signedInHere(ctx: Context, request: HttpRequest): Promise<SignedInHere[]> {
  const sessions = await browserSessions.findAllOwnOrConfined(ctx, browsers.digests(ctx, request));
  const rows = await Promise.all(
    sessions.map(async (session): Promise<SignedInHere[]> => {
      const browser = browsers.meet(ctx, request, { kind: "account", key: session.appId });
      const [application, user] = await Promise.all([
        applications.find(ctx, ctx.storage.reader, session.appId),
        users.find(ctx.storage.reader, session.userId),
      ]);
      // A cookie under another name is not this application's.
      return application && user && browser.digest === session.digest ? [{ application, browser, session, user }] : [];
    }),
  );
  return rows.flat().toSorted((a, b) => a.application.name.localeCompare(b.application.name, "en"));
}

/** For an invalid request: nothing ends, and nobody is redirected. */
function errorPage(ctx: Context, request: HttpRequest, details: string, application?: Application): Answer {
  const frame = hosted.frameFor(ctx, request, application && { application });
  const page = hosted.message(frame, { kind: "bad-link", details, requestId: request.id });
  return { ...page, error: new AppError("INVALID_REQUEST", "The request is not valid.", { details }) };
}

/** "all": the request names no client, so it is about every application in this browser. */
async function visit(
  ctx: Context,
  request: HttpRequest,
  pairs: [string, string][],
): Promise<LogoutVisit | "all" | Answer> {
  const asked = logoutRequest(pairs);
  if ("problem" in asked) return errorPage(ctx, request, asked.problem);
  const { idTokenHint, postLogoutRedirectUri: returnsTo } = asked;
  const hint = idTokenHint === undefined ? undefined : await idTokens.findHint(ctx, idTokenHint);
  if (idTokenHint !== undefined && !hint)
    return errorPage(ctx, request, "id_token_hint: not an ID token of this service");
  const clientId = asked.clientId ?? hint?.clientId ?? (await applications.findOnly(ctx))?.id;
  if (clientId === undefined) {
    return returnsTo === undefined
      ? "all"
      : errorPage(ctx, request, "client_id or id_token_hint: required with post_logout_redirect_uri");
  }
  const registration = await clients.find(ctx, ctx.storage.reader, clientId);
  if (!registration) return errorPage(ctx, request, "client_id: unknown or disabled");
  const { client, application } = registration;
  if (hint && hint.clientId !== clientId)
    return errorPage(ctx, request, "client_id: does not match id_token_hint", application);
  if (returnsTo !== undefined && !client.postLogoutRedirectUris.includes(returnsTo))
    return errorPage(ctx, request, "post_logout_redirect_uri: not registered for this client", application);
  const browser = browsers.meet(ctx, request, { kind: "account", key: application.id });
  const session =
    browser.setCookie === undefined
      ? await browserSessions.findOwnOrConfined(ctx, ctx.storage.reader, browser.digest, application)
      : undefined;
  const user = session && (await users.find(ctx.storage.reader, session.userId));
  const locale = supportedLocale(asked.uiLocales) ?? user?.locale ?? null;
  const frame = hosted.frameFor(ctx, request, { application, locale });
  return { request, application, browser, frame, clientId, asked, hint, signedIn: user && { session, user } };
}

function ask({ frame, application, browser, clientId, asked }: LogoutVisit, user: User): Answer {
  const { postLogoutRedirectUri: returnsTo, state } = asked;
  const body = endSessionPage(frame, {
    appId: application.id,
    action: `${confirmPath}?client_id=${encodeURIComponent(clientId)}`,
    token: browser.formToken,
    account: accountOf(user),
    fields: {
      ...(returnsTo === undefined ? {} : { post_logout_redirect_uri: returnsTo }),
      ...(state === undefined ? {} : { state }),
    },
  });
  const targets = returnsTo === undefined ? [] : formTargets(returnsTo, application.domain);
  return hosted.page(frame, body, { targets });
}

async function askForAll(ctx: Context, request: HttpRequest): Promise<Answer> {
  const frame = hosted.frameFor(ctx, request);
  const signedIn = await signedInHere(ctx, request);
  const [first] = signedIn;
  if (!first) return hosted.page(frame, nobodySignedInPage(frame));
  const body = endSessionsPage(frame, {
    action: confirmPath,
    token: first.browser.formToken,
    signedIn: signedIn.map(({ application, user }) => ({
      app: application.name,
      account: accountOf(user),
      path: `${path}?client_id=${encodeURIComponent(application.id)}`,
    })),
  });
  return hosted.page(frame, body);
}

async function endAll(ctx: Context, request: HttpRequest, all: SignedInHere[]): Promise<Answer> {
  const source = sourceOf(request);
  for (const { session, user } of all)
    await ends.endBrowser(ctx, session, "logout", { actor: { kind: "user", name: user.id }, source });
  const cookies = all.flatMap(({ application }) => browsers.forgetPerson(ctx, request, application.id));
  return { ...seeOther(path), cookies };
}

async function endOne(ctx: Context, visit: LogoutVisit): Promise<Answer> {
  const { request, signedIn, hint } = visit;
  const source = sourceOf(request);
  const by = (userId: string): By => ({ actor: { kind: "user", name: userId }, source });
  if (signedIn) await ends.endBrowser(ctx, signedIn.session, "logout", by(signedIn.user.id));
  else if (hint) await ends.endUnlessBrowserOpen(ctx, hint, by(hint.sub));
  return leave(ctx, visit);
}

function leave(ctx: Context, { request, frame, application, asked }: LogoutVisit): Answer {
  const cookies = browsers.forgetPerson(ctx, request, application.id);
  const { postLogoutRedirectUri: redirectUri, state } = asked;
  if (redirectUri === undefined) return { ...seeOther(accountPath(application.id, "/signed-out")), cookies };
  const parameters: Record<string, string> = state === undefined ? {} : { state };
  return hosted.respond(frame, { redirectUri, mode: "query", parameters }, { application, cookies });
}

/** GET /oauth2/end-session */
export async function endSession(ctx: Context, request: HttpRequest): Promise<Answer> {
  const logoutVisit = await visit(ctx, request, request.queryPairs());
  if (logoutVisit === "all") return await askForAll(ctx, request);
  if (isAnswer(logoutVisit)) return logoutVisit;
  const { signedIn, hint } = logoutVisit;
  const isProven = hint !== undefined && signedIn !== undefined && (await ownLogins.isOf(ctx, signedIn.session, hint));
  if (signedIn && (!isProven || request.onlyLooks)) return ask(logoutVisit, signedIn.user);
  return request.onlyLooks ? leave(ctx, logoutVisit) : await endOne(ctx, logoutVisit);
}

/** POST /oauth2/end-session */
export async function posted(ctx: Context, request: HttpRequest): Promise<Answer> {
  const query = postedQuery(await request.formPairs());
  return query === undefined ? errorPage(ctx, request, postedTooLong) : seeOther(`${path}?${query}`);
}

/** POST /oauth2/end-session/confirm */
export async function confirm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post<PageVisit & { finish(): Promise<Answer> }>(ctx, request, async () => {
    const fields = [...(await request.form())].filter(([name]) => name !== "client_id");
    const logoutVisit = await visit(ctx, request, [...request.queryPairs(), ...fields]);
    if (logoutVisit !== "all")
      return isAnswer(logoutVisit) ? logoutVisit : { ...logoutVisit, finish: () => endOne(ctx, logoutVisit) };
    const all = await signedInHere(ctx, request);
    const [first] = all;
    if (!first) return seeOther(path);
    return { ...first, request, frame: hosted.frameFor(ctx, request), finish: () => endAll(ctx, request, all) };
  });
  return isAnswer(posted) ? posted : await posted.finish();
}

function accountOf({ email, name, id }: User): string {
  return email ?? name ?? id;
}

type EndSessionData = {
  appId: string;
  action: string;
  token: string;
  /** The people who are signed in in this browser. */
  account: string;
  /** The client's target after the logout. */
  fields: Record<string, string>;
};

/** Asks before a logout that the client did not prove to be this browser's. */
export function endSessionPage(frame: Frame, { appId, action, token, account, fields }: EndSessionData): Html {
  const { texts, look } = frame;
  const title = texts.signOutOf(look.name);
  const body = html`<h1>${title}</h1>
    <p>
      <strong><bdi>${account}</bdi></strong>
    </p>
    <p>${texts.signOutOfNext(look.name)}</p>
    ${postForm(action, token, fields, submitButton({ label: texts.signOut, busy: texts.signingOut, look: "main" }))}
    <a class="button plain" href="${accountPath(appId)}">${texts.staySignedIn}</a>`;
  return framePage(frame, { title, body, script: true, base: frame.assets.accountStylesheet });
}

/** `path`: of the page that asks only about this application. */
type SignedInRow = { app: string; account: string; path: string };

/** Asks before a logout of a whole browser: the client did not say which application it means. */
export function endSessionsPage(
  frame: Frame,
  { action, token, signedIn }: { action: string; token: string; signedIn: SignedInRow[] },
): Html {
  const { texts } = frame;
  const title = texts.signOutHere;
  const body = html`<h1>${title}</h1>
    <p>${texts.signOutHereNext}</p>
    <ul class="rows" role="list">
      ${signedIn.map(({ app, account, path }) =>
        row({
          glyph: windowsGlyph,
          title: app,
          facts: [[account]],
          acts: actionLink(path, texts.signOut, texts.signOutNamed(app)),
        }),
      )}
    </ul>
    <form method="post" action="${action}">
      ${tokenField(token)} ${submitButton({ label: texts.signOutHere, busy: texts.signingOut, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true, base: frame.assets.accountStylesheet });
}

/** Nobody is signed in in this browser, to any application. */
export function nobodySignedInPage(frame: Frame): Html {
  const { texts } = frame;
  const body = html`<div class="sign good">${tickGlyph}</div>
    <h1>${texts.signedOutTitle}</h1>
    <p>${texts.signedOutHere}</p>`;
  return framePage(frame, { title: texts.signedOutTitle, body });
}

import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { BrowserSession } from "../account/store.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { By } from "../audit/audit.ts";
import type { Clients } from "../clients/service.ts";
import type { Browsers } from "../hosted/browser.ts";
import { formTargets } from "../hosted/form-targets.ts";
import { isAnswer, type Guest, type Hosted } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import { accountPath } from "../pages/account/parts.ts";
import { endSessionPage, endSessionsPage, nobodySignedInPage } from "../pages/account/end-session-page.ts";
import type { IdTokenHint, IdTokens } from "../tokens/id-tokens.ts";
import type { OwnLogins } from "../tokens/own-logins.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import { logoutRequest, type LogoutRequest } from "./logout-request.ts";
import { postedQuery, postedTooLong } from "./posted-query.ts";
import { createSignedInHere, type SignedInHere } from "./signed-in-here.ts";
import { supportedLocale } from "./ui-locales.ts";

const path = "/oauth2/end-session";
const confirmPath = `${path}/confirm`;

/** A browser at the logout endpoint. `signedIn`: whose browser it is, if anybody's. */
type LogoutVisit = Guest & {
  clientId: string;
  asked: LogoutRequest;
  hint: IdTokenHint | undefined;
  signedIn: { session: BrowserSession; user: User } | undefined;
};

/** Where clients send a browser to sign out (OpenID Connect RP-Initiated Logout 1.0). */
export function createEndSessionPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  browserSessions: BrowserSessions;
  applications: Applications;
  clients: Clients;
  users: Users;
  idTokens: IdTokens;
  ownLogins: OwnLogins;
}) {
  const { hosted, browsers, browserSessions, applications, clients, users, idTokens, ownLogins } = deps;
  const signedInHere = createSignedInHere(deps);

  /** For a request that is wrong: nothing ends, and nobody is redirected. */
  function errorPage(request: HttpRequest, details: string, application?: Application): Answer {
    const frame = hosted.frameFor(request, application && { application });
    const page = hosted.message(frame, { kind: "bad-link", details, requestId: request.id });
    return { ...page, error: invalidRequest(details) };
  }

  /** "all": the request names no client, so it is about every application in this browser. */
  async function visit(request: HttpRequest, pairs: [string, string][]): Promise<LogoutVisit | "all" | Answer> {
    const asked = logoutRequest(pairs);
    if ("problem" in asked) return errorPage(request, asked.problem);
    const { idTokenHint, postLogoutRedirectUri: returnsTo } = asked;
    const hint = idTokenHint === undefined ? undefined : await idTokens.findHint(idTokenHint);
    if (idTokenHint !== undefined && !hint) return errorPage(request, "id_token_hint: not an ID token of this service");
    const clientId = asked.clientId ?? hint?.clientId ?? (await applications.findOnly())?.id;
    if (clientId === undefined) {
      return returnsTo === undefined
        ? "all"
        : errorPage(request, "client_id or id_token_hint: required with post_logout_redirect_uri");
    }
    const found = await clients.find(clientId);
    if (!found) return errorPage(request, "client_id: unknown or disabled");
    const { client, application } = found;
    if (hint && hint.clientId !== clientId)
      return errorPage(request, "client_id: does not match id_token_hint", application);
    if (returnsTo !== undefined && !client.postLogoutRedirectUris.includes(returnsTo))
      return errorPage(request, "post_logout_redirect_uri: not registered for this client", application);
    const browser = browsers.meet(request, { kind: "account", key: application.id });
    const session =
      browser.setCookie === undefined ? await browserSessions.find(browser.digest, application.id) : undefined;
    const user = session && (await users.find(session.userId));
    const locale = supportedLocale(asked.uiLocales) ?? user?.locale ?? null;
    const frame = hosted.frameFor(request, { application, locale });
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

  async function askForAll(request: HttpRequest): Promise<Answer> {
    const frame = hosted.frameFor(request);
    const found = await signedInHere(request);
    const [first] = found;
    if (!first) return hosted.page(frame, nobodySignedInPage(frame));
    const body = endSessionsPage(frame, {
      action: confirmPath,
      token: first.browser.formToken,
      signedIn: found.map(({ application, user }) => ({
        app: application.name,
        account: accountOf(user),
        path: `${path}?client_id=${encodeURIComponent(application.id)}`,
      })),
    });
    return hosted.page(frame, body);
  }

  async function endAll(request: HttpRequest, all: SignedInHere[]): Promise<Answer> {
    const clientInfo = clientInfoOf(request);
    for (const { session, user } of all)
      await ownLogins.endBrowser(session, "logout", { actor: { kind: "user", name: user.id }, clientInfo });
    const cookies = all.map(({ application }) => browsers.forget({ kind: "account", key: application.id }));
    return { ...seeOther(path), cookies };
  }

  async function endOne(visit: LogoutVisit): Promise<Answer> {
    const { request, signedIn, hint } = visit;
    const clientInfo = clientInfoOf(request);
    const by = (userId: string): By => ({ actor: { kind: "user", name: userId }, clientInfo });
    if (signedIn) await ownLogins.endBrowser(signedIn.session, "logout", by(signedIn.user.id));
    else if (hint) await ownLogins.endUnlessBrowserOpen(hint, by(hint.sub));
    return leave(visit);
  }

  function leave({ frame, application, asked }: LogoutVisit): Answer {
    const cookies = [browsers.forget({ kind: "account", key: application.id })];
    const { postLogoutRedirectUri: redirectUri, state } = asked;
    if (redirectUri === undefined) return { ...seeOther(accountPath(application.id, "/signed-out")), cookies };
    const parameters: Record<string, string> = state === undefined ? {} : { state };
    return hosted.respond(frame, { redirectUri, mode: "query", parameters }, { application, cookies });
  }

  return {
    /** GET /oauth2/end-session */
    async endSession(request: HttpRequest): Promise<Answer> {
      const found = await visit(request, request.queryPairs());
      if (found === "all") return await askForAll(request);
      if (isAnswer(found)) return found;
      const { signedIn, hint } = found;
      const isProven = hint !== undefined && signedIn !== undefined && (await ownLogins.isOf(signedIn.session, hint));
      if (signedIn && (!isProven || request.onlyLooks)) return ask(found, signedIn.user);
      return request.onlyLooks ? leave(found) : await endOne(found);
    },

    /** POST /oauth2/end-session */
    async posted(request: HttpRequest): Promise<Answer> {
      const query = postedQuery(await request.formPairs());
      return query === undefined ? errorPage(request, postedTooLong) : seeOther(`${path}?${query}`);
    },

    /** POST /oauth2/end-session/confirm */
    async confirm(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post<Guest & { finish(): Promise<Answer> }>(request, async () => {
        const fields = [...(await request.form())].filter(([name]) => name !== "client_id");
        const found = await visit(request, [...request.queryPairs(), ...fields]);
        if (found !== "all") return isAnswer(found) ? found : { ...found, finish: () => endOne(found) };
        const all = await signedInHere(request);
        const [first] = all;
        if (!first) return seeOther(path);
        return { ...first, request, frame: hosted.frameFor(request), finish: () => endAll(request, all) };
      });
      return isAnswer(posted) ? posted : await posted.finish();
    },
  };
}

function accountOf({ email, name, id }: User): string {
  return email ?? name ?? id;
}

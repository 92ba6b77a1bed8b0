import { seeOther, type Answer } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import type { AuthorizationResponse } from "../hosted/authorization-response.ts";
import { formTargets } from "../hosted/form-targets.ts";
import { isAnswer, type Guest, type Hosted, type PostedForm, type Setting } from "../hosted/hosted.ts";
import type { Application } from "../applications/application.ts";
import type { Browser, Browsers, Scope } from "../hosted/browser.ts";
import type { Html } from "../lib/html.ts";
import type { Frame } from "../pages/parts/frame.ts";
import type { Message } from "../pages/message-page.ts";
import type { Holder } from "./holder.ts";
import type { NewSession, OpenedSession, SignIn } from "./service.ts";
import type { SignInSession } from "./session.ts";

/** A session that this browser may use now. */
export type Visit = Guest & { sessionId: string; session: SignInSession };

/**
 * A visit that provides a proof. `cookies`: set if the proof completes the sign-in. `renewed`: the
 * browser with its new cookie, if the proof is kept for another step.
 */
export type ProofVisit = Visit & Holder & { cookies: string[]; renewed: Browser };

/** A visit with an accepted form post, from the browser that owns the session. */
export type Posted = Visit & PostedForm;

export type Visits = ReturnType<typeof createVisits>;

function accountScope({ id }: Application): Scope {
  return { kind: "account", key: id };
}

/** What the pages of a sign-in share: finding the session and its browser. */
export function createVisits(deps: { hosted: Hosted; browsers: Browsers; signIn: SignIn }) {
  const { hosted, browsers, signIn } = deps;

  function settingOf({ session, application }: Pick<Visit, "session" | "application">): Setting {
    return { application, locale: session.locale, backUrl: signIn.homeOf(session, application) };
  }

  function messageFor(request: HttpRequest, opened: OpenedSession): Answer {
    if (opened.state === "unknown") return hosted.message(hosted.frameFor(request), { kind: "unknown" });
    const { application, session } = opened;
    // Never link to an address that the app has removed.
    const setting = opened.state === "bad-redirect" ? { application, locale: session.locale } : settingOf(opened);
    return hosted.message(hosted.frameFor(request, setting), {
      kind: opened.state === "open" ? "expired" : opened.state,
    });
  }

  async function visit(
    request: HttpRequest,
    sessionId = request.parameter("sessionId"),
    accepted: OpenedSession["state"][] = ["open"],
  ): Promise<Visit | Answer> {
    const browser = browsers.meet(request, { kind: "sign-in", key: sessionId });
    const opened = await signIn.open(sessionId, browser.digest);
    if (opened.state === "unknown" || !accepted.includes(opened.state)) return messageFor(request, opened);
    const { session, application } = opened;
    return { request, sessionId, session, application, browser, frame: hosted.frameFor(request, settingOf(opened)) };
  }

  async function post(request: HttpRequest): Promise<Posted | Answer> {
    return await hosted.post(request, () => visit(request));
  }

  async function claim({ session, browser, frame }: Visit): Promise<Answer | undefined> {
    const isOwn = await signIn.claim(session, browser.digest);
    return isOwn ? undefined : hosted.message(frame, { kind: "other-browser" });
  }

  function targetsOf({ session, application }: Pick<Visit, "session" | "application">, more: string[]): string[] {
    return [...formTargets(session.redirectUri, application.domain), ...more];
  }

  return {
    /** `targets`: where its forms may lead besides the app. */
    page(visit: Visit, body: Html, status = 200, targets: string[] = []): Answer {
      const cookies = [visit.browser.setCookie, ...browsers.surplus(visit.request)];
      return hosted.page(visit.frame, body, { status, targets: targetsOf(visit, targets), cookies });
    },

    /** Back to the application or client that began the session. */
    respond({ frame, application }: Visit, response: AuthorizationResponse, cookies: string[] = []): Answer {
      return hosted.respond(frame, response, { application, cookies });
    },

    message(visit: Visit, content: Message): Answer {
      return hosted.message(visit.frame, content);
    },

    visit,

    post,

    /** Binds the session to this browser; returns a page if another browser was first. */
    claim,

    /**
     * Like `visit` for the browser that owns the session, but also after it timed out: a mail may
     * arrive later than that.
     */
    async late(request: HttpRequest, sessionId?: string): Promise<Visit | Answer> {
      const found = await visit(request, sessionId, ["open", "expired"]);
      if (isAnswer(found) || found.session.browserDigest === found.browser.digest) return found;
      return hosted.message(found.frame, { kind: "other-browser" });
    },

    /** A visit of a session that is not stored yet. */
    begin(request: HttpRequest, { sessionId, session, application }: NewSession): Visit {
      const browser = browsers.meet(request, { kind: "sign-in", key: sessionId });
      const frame = hosted.frameFor(request, settingOf({ session, application }));
      return { request, sessionId, session, application, browser, frame };
    },

    /** To the session's own page, with its cookie. */
    enter({ request, browser }: Visit, authUrl: string): Answer {
      const cookies = [browser.setCookie, ...browsers.surplus(request)].filter((cookie) => cookie !== undefined);
      return { ...seeOther(authUrl), cookies };
    },

    /** The digest of the cookie for the account page; undefined if the browser has none. */
    accountCookieOf({ request, application }: Visit): string | undefined {
      const browser = browsers.meet(request, accountScope(application));
      return browser.setCookie === undefined ? browser.digest : undefined;
    },

    forProof<V extends Visit>(visit: V): V & ProofVisit {
      const { request, sessionId, application, browser, frame } = visit;
      const scope = accountScope(application);
      const renewed = browsers.renew({ kind: "sign-in", key: sessionId });
      const opened = browsers.renew(scope);
      const known = browsers.meet(request, { kind: "known", key: "" });
      return {
        ...visit,
        browserDigest: browser.digest,
        renewedBrowser: renewed.digest,
        renewed,
        browserSession: opened.digest,
        currentBrowserSession: browsers.meet(request, scope).digest,
        knownBrowser: known.digest,
        lang: frame.lang,
        clientInfo: clientInfoOf(request),
        cookies: [opened.setCookie, known.setCookie, ...browsers.surplus(request)].filter(
          (cookie) => cookie !== undefined,
        ),
      };
    },

    usedLast: ({ request, application }: Visit): string | undefined => browsers.usedLast(request, application.id),

    usedLastCookie: ({ application }: Visit, way: string): string => browsers.usedLastCookie(application.id, way),

    /**
     * A page for a request with a session's id but without its cookie. It must reveal nothing about
     * the session but the app.
     */
    async passOn(request: HttpRequest, sessionId: string, body: (frame: Frame) => Html): Promise<Answer> {
      const opened = await signIn.open(sessionId, undefined);
      if (opened.state === "unknown") return messageFor(request, opened);
      const frame = hosted.frameFor(request, settingOf(opened));
      return hosted.page(frame, body(frame), { targets: targetsOf(opened, []) });
    },

    /** Like `post`, and binds the session to this browser. */
    async submit(request: HttpRequest): Promise<Posted | Answer> {
      const posted = await post(request);
      if (isAnswer(posted)) return posted;
      return (await claim(posted)) ?? posted;
    },

    /** Explains why a session that was just open no longer is. */
    async over(visit: Visit): Promise<Answer> {
      return messageFor(visit.request, await signIn.open(visit.sessionId, visit.browser.digest));
    },
  };
}

import type { Application } from "../applications/application.ts";
import type { Origin } from "../audit/audit.ts";
import { networkOf } from "../http/addresses.ts";
import type { Answer } from "../http/answer.ts";
import { originOf, type HttpRequest } from "../http/request.ts";
import type { AppError } from "../lib/errors.ts";
import type { Html } from "../lib/html.ts";
import type { AssetLinks } from "../pages/assets.ts";
import { logoUrl, serviceLook, type Frame, type Look } from "../pages/frame.ts";
import { messagePage, type Message } from "../pages/message-page.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import { textsFor } from "../pages/texts/texts.ts";
import type { Browser, Browsers } from "./browser.ts";
import { formTargets } from "./form-targets.ts";
import type { OpenedSession, SignIn } from "./service.ts";
import type { SignInSession } from "./session.ts";

/** A session that the browser in front of it may use now. */
export type Visit = {
  request: HttpRequest;
  sessionId: string;
  session: SignInSession;
  application: Application;
  browser: Browser;
  frame: Frame;
};

/** A visit with a form that was posted on purpose, by the browser that owns the session. */
export type Posted = Visit & { form: Map<string, string>; origin: Origin; network: string };

export type Hosted = ReturnType<typeof createHosted>;

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
  "server-error": 500,
};

/** What all hosted pages share: finding the session and its browser, framing a page for the app, and saying why there is no page. */
export function createHosted(deps: { signIn: SignIn; browsers: Browsers; assets: AssetLinks; baseUrl: string }) {
  const { signIn, browsers, assets, baseUrl } = deps;
  const host = new URL(baseUrl).host;

  function frameFor(request: HttpRequest, known?: { session: SignInSession; application: Application }): Frame {
    const { texts, lang, dir } = textsFor(known?.session.locale ?? undefined, request.header("accept-language"));
    const backUrl = known && appHome(known.session.redirectUri);
    return {
      look: known ? lookOf(known.application) : serviceLook,
      texts,
      lang,
      dir,
      host,
      assets,
      ...(backUrl === undefined ? {} : { backUrl }),
    };
  }

  function page(
    frame: Frame,
    body: Html,
    status: number,
    visit?: { session: SignInSession; application: Application; targets: string[]; cookies: (string | undefined)[] },
  ): Answer {
    return pageAnswer(body, {
      status,
      cookies: visit?.cookies.filter((cookie) => cookie !== undefined) ?? [],
      formTargets: visit && [...formTargets(visit.session.redirectUri, visit.application.domain), ...visit.targets],
      logoOrigin: logoUrl(frame.look)?.origin,
    });
  }

  function message(frame: Frame, content: Message, status = statusOfMessage[content.kind]): Answer {
    return page(frame, messagePage(frame, content), status);
  }

  function messageFor(request: HttpRequest, opened: OpenedSession): Answer {
    if (opened.state === "unknown") return message(frameFor(request), { kind: "unknown" });
    const { backUrl, ...frame } = frameFor(request, opened);
    // An address that the app has taken back is nowhere to send anybody.
    if (opened.state === "bad-redirect") return message(frame, { kind: "bad-redirect" });
    return message(
      { ...frame, ...(backUrl === undefined ? {} : { backUrl }) },
      { kind: opened.state === "open" ? "expired" : opened.state },
    );
  }

  async function visit(request: HttpRequest, sessionId = request.parameter("sessionId")): Promise<Visit | Answer> {
    const browser = browsers.meet(request, sessionId);
    const opened = await signIn.open(sessionId, browser.digest);
    if (opened.state !== "open") return messageFor(request, opened);
    const { session, application } = opened;
    return { request, sessionId, session, application, browser, frame: frameFor(request, opened) };
  }

  /** A post that its own page sent, in a browser that keeps cookies; nothing else of the session is looked at before that is clear. */
  async function post(request: HttpRequest): Promise<Posted | Answer> {
    if (browsers.isCrossSite(request)) return message(frameFor(request), { kind: "cross-site" });
    const form = await request.form();
    const visited = await visit(request);
    if (isAnswer(visited)) return visited;
    // The page before this one set the cookie: a browser without it keeps none.
    if (visited.browser.setCookie !== undefined) return message(visited.frame, { kind: "cookies-blocked" });
    if (!browsers.holds(visited.browser, form.get("token"))) return message(visited.frame, { kind: "cross-site" });
    return { ...visited, form, origin: originOf(request), network: networkOf(request.ipAddress) };
  }

  return {
    /** `targets`: where its forms may lead besides the app. */
    page(visit: Visit, body: Html, status = 200, targets: string[] = []): Answer {
      return page(visit.frame, body, status, { ...visit, targets, cookies: [visit.browser.setCookie] });
    },

    message,

    visit,

    post,

    /** A page for whoever brings a session's id without its cookie; it must not show anything of the session but the app. */
    async passOn(request: HttpRequest, sessionId: string, body: (frame: Frame) => Html): Promise<Answer> {
      const opened = await signIn.open(sessionId, undefined);
      if (opened.state === "unknown") return messageFor(request, opened);
      const frame = frameFor(request, opened);
      return page(frame, body(frame), 200, { ...opened, targets: [], cookies: [] });
    },

    /** Like `post`, and the session is this browser's from now on. */
    async submit(request: HttpRequest): Promise<Posted | Answer> {
      const posted = await post(request);
      if (isAnswer(posted)) return posted;
      return (await signIn.claim(posted.session, posted.browser.digest))
        ? posted
        : message(posted.frame, { kind: "other-browser" });
    },

    /** Says what has become of a session that was open a moment ago. */
    async over(visit: Visit): Promise<Answer> {
      return messageFor(visit.request, await signIn.open(visit.sessionId, visit.browser.digest));
    },

    /** A page for an error of any hosted route. */
    errorPage(error: AppError, request: HttpRequest): Answer {
      const frame = frameFor(request);
      const retry = error.retryAfterSeconds;
      if (error.code === "RATE_LIMITED") {
        const answer = message(frame, { kind: "too-many-tries", retryAfterSeconds: retry ?? 60 });
        answer.headers["retry-after"] = String(retry ?? 60);
        return answer;
      }
      if (error.code === "BUSY") return message(frame, { kind: "busy" });
      if (error.code === "SERVER_ERROR") return message(frame, { kind: "server-error" });
      return message(
        frame,
        { kind: "unknown" },
        error.code === "BODY_TOO_LARGE" ? 413 : error.code === "UNSUPPORTED_MEDIA_TYPE" ? 415 : 400,
      );
    },
  };
}

export function isAnswer(value: Visit | Answer): value is Answer {
  return "status" in value;
}

function lookOf({ name, branding }: Application): Look {
  return { name, companyName: branding.companyName, logo: branding.logo, primaryColor: branding.primaryColor };
}

/** Where the app can be found without a code: the front page of its redirect address. A private-use scheme has none. */
function appHome(redirectUri: string): string | undefined {
  const { origin } = new URL(redirectUri);
  return origin === "null" ? undefined : `${origin}/`;
}

import type { Answer } from "../http/answer.ts";
import { originOf, type HttpRequest } from "../http/request.ts";
import { formTargets } from "../hosted/form-targets.ts";
import { isAnswer, type Guest, type Hosted, type PostedForm, type Setting } from "../hosted/hosted.ts";
import type { Browsers } from "../hosted/browser.ts";
import type { Html } from "../lib/html.ts";
import type { Frame } from "../pages/frame.ts";
import type { Message } from "../pages/message-page.ts";
import type { Place } from "../passkeys/service.ts";
import type { Holder } from "./proofs.ts";
import type { OpenedSession, SignIn } from "./service.ts";
import type { SignInSession } from "./session.ts";

/** A session that the browser in front of it may use now. */
export type Visit = Guest & { sessionId: string; session: SignInSession };

/** A visit as a proof is taken from it. `cookies`: what its browser keeps when the proof was good. */
export type Held = Visit & Holder & { cookies: string[] };

/** A visit with a form that was posted on purpose, by the browser that owns the session. */
export type Posted = Visit & PostedForm;

export type Visits = ReturnType<typeof createVisits>;

/** Where a passkey ceremony of this visit takes place. */
export function placeOf({ session, browser }: Visit): Place {
  return { sessionDigest: session.digest, browserDigest: browser.digest };
}

/** What the pages of a sign-in share: finding the session and its browser. */
export function createVisits(deps: { hosted: Hosted; browsers: Browsers; signIn: SignIn }) {
  const { hosted, browsers, signIn } = deps;

  function settingOf({ session, application }: Pick<Visit, "session" | "application">): Setting {
    return { application, locale: session.locale, backUrl: signIn.homeOf(session) };
  }

  function messageFor(request: HttpRequest, opened: OpenedSession): Answer {
    if (opened.state === "unknown") return hosted.message(hosted.frameFor(request), { kind: "unknown" });
    const { application, session } = opened;
    // An address that the app has taken back is nowhere to send anybody.
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

    message(visit: Visit, content: Message): Answer {
      return hosted.message(visit.frame, content);
    },

    visit,

    post,

    /** Makes the session this browser's; what to say when another one was first. */
    claim,

    /**
     * Like `visit` in the browser that owns the session already, and good for one that has timed out as well: a mail may take longer than a
     * session lives.
     */
    async late(request: HttpRequest, sessionId?: string): Promise<Visit | Answer> {
      const found = await visit(request, sessionId, ["open", "expired"]);
      if (isAnswer(found) || found.session.browserDigest === found.browser.digest) return found;
      return hosted.message(found.frame, { kind: "other-browser" });
    },

    hold(visit: Visit): Held {
      const { request, application, browser, frame } = visit;
      const scope = { kind: "account", key: application.id } as const;
      const opened = browsers.renew(scope);
      const known = browsers.meet(request, { kind: "known", key: "" });
      return {
        ...visit,
        browserDigest: browser.digest,
        browserSession: opened.digest,
        currentBrowserSession: browsers.meet(request, scope).digest,
        knownBrowser: known.digest,
        lang: frame.lang,
        origin: originOf(request),
        cookies: [opened.setCookie, known.setCookie, ...browsers.surplus(request)].filter(
          (cookie) => cookie !== undefined,
        ),
      };
    },

    /** A page for whoever brings a session's id without its cookie; it must not show anything of the session but the app. */
    async passOn(request: HttpRequest, sessionId: string, body: (frame: Frame) => Html): Promise<Answer> {
      const opened = await signIn.open(sessionId, undefined);
      if (opened.state === "unknown") return messageFor(request, opened);
      const frame = hosted.frameFor(request, settingOf(opened));
      return hosted.page(frame, body(frame), { targets: targetsOf(opened, []) });
    },

    /** Like `post`, and the session is this browser's from now on. */
    async submit(request: HttpRequest): Promise<Posted | Answer> {
      const posted = await post(request);
      if (isAnswer(posted)) return posted;
      return (await claim(posted)) ?? posted;
    },

    /** Says what has become of a session that was open a moment ago. */
    async over(visit: Visit): Promise<Answer> {
      return messageFor(visit.request, await signIn.open(visit.sessionId, visit.browser.digest));
    },
  };
}

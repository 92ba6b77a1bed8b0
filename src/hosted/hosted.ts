import type { Application } from "../applications/application.ts";
import type { Origin } from "../audit/audit.ts";
import { networkOf } from "../http/addresses.ts";
import type { Answer } from "../http/answer.ts";
import { originOf, type HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import type { Html } from "../lib/html.ts";
import type { AssetLinks } from "../pages/assets.ts";
import { logoUrl, serviceLook, type Frame, type Look } from "../pages/frame.ts";
import { messagePage, type Message } from "../pages/message-page.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import { textsFor } from "../pages/texts/texts.ts";
import type { Browser, Browsers } from "./browser.ts";

/** Whose page it is, as far as it is known: `locale` is what the app asked for, `backUrl` the way back to it. */
export type Setting = { application: Application; locale?: string | null; backUrl?: string | undefined };

/** What every hosted page starts from: who asks, in which browser, and how a page for them looks. */
export type Guest = { request: HttpRequest; application: Application; browser: Browser; frame: Frame };

/** A form that was posted on purpose. `network` is what tries are counted by. */
export type PostedForm = { form: Map<string, string>; origin: Origin; network: string };

/** `targets`: where its forms may lead besides this service. */
export type PageSettings = { status?: number; targets?: string[]; cookies?: (string | undefined)[] };

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
  "link-over": 410,
  "link-elsewhere": 403,
  "account-created": 200,
  "password-changed": 200,
  "server-error": 500,
};

/** What all hosted pages share, whatever they are about: framing a page for the app, refusing forms of other sites, saying why there is no page. */
export function createHosted(deps: { browsers: Browsers; assets: AssetLinks; baseUrl: string }) {
  const { browsers, assets, baseUrl } = deps;
  const host = new URL(baseUrl).host;

  function frameFor(request: HttpRequest, setting?: Setting): Frame {
    const { texts, lang, dir } = textsFor(setting?.locale ?? undefined, request.header("accept-language"));
    return {
      look: setting ? lookOf(setting.application) : serviceLook,
      texts,
      lang,
      dir,
      host,
      assets,
      ...(setting?.backUrl === undefined ? {} : { backUrl: setting.backUrl }),
    };
  }

  function page(frame: Frame, body: Html, { status = 200, targets, cookies = [] }: PageSettings = {}): Answer {
    return pageAnswer(body, {
      status,
      cookies: cookies.filter((cookie) => cookie !== undefined),
      ...(targets ? { formTargets: targets } : {}),
      logoOrigin: logoUrl(frame.look)?.origin,
    });
  }

  function message(frame: Frame, content: Message, status = statusOfMessage[content.kind]): Answer {
    return page(frame, messagePage(frame, content), { status });
  }

  return {
    frameFor,

    page,

    message,

    /**
     * The guest with the form that it posted: sent by one of our pages, in a browser that keeps cookies. Nothing of what the form is about is
     * looked at by `find` before another site's form is refused.
     */
    async post<G extends Guest>(
      request: HttpRequest,
      find: () => Promise<G | Answer>,
    ): Promise<(G & PostedForm) | Answer> {
      if (browsers.isCrossSite(request)) return message(frameFor(request), { kind: "cross-site" });
      const form = await request.form();
      const guest = await find();
      if (isAnswer(guest)) return guest;
      // The page before this one set the cookie: a browser without it keeps none.
      if (guest.browser.setCookie !== undefined) return message(guest.frame, { kind: "cookies-blocked" });
      if (!browsers.holds(guest.browser, form.get("token"))) return message(guest.frame, { kind: "cross-site" });
      return { ...guest, form, origin: originOf(request), network: networkOf(request.ipAddress) };
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

export function isAnswer(value: Guest | Answer): value is Answer {
  return "status" in value;
}

/** What the limits refuse is said on the page that the person is on, with what was typed. */
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

/** Tells clients when a try that was refused for now can succeed. */
export function withRetryAfter(
  answer: Answer,
  problem: { kind: string; retryAfterSeconds?: number } | undefined,
): Answer {
  if (problem?.kind === "too-many-tries") answer.headers["retry-after"] = String(problem.retryAfterSeconds ?? 60);
  if (problem?.kind === "busy") answer.headers["retry-after"] = "1";
  return answer;
}

function lookOf({ name, branding }: Application): Look {
  return { name, companyName: branding.companyName, logo: branding.logo, primaryColor: branding.primaryColor };
}

/** Where the app can be found without a code: the front page of its redirect address. A private-use scheme has none. */
export function appHome(redirectUri: string): string | undefined {
  const { origin } = new URL(redirectUri);
  return origin === "null" ? undefined : `${origin}/`;
}

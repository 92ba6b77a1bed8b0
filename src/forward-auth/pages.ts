/** The pages of a protected host, in the look of its application. All are below `/.authsvc/`. */
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { html, type Html, type HtmlValue } from "../lib/html.ts";
import { ownFolder } from "../applications/clients/host-addresses.ts";
import * as applications from "../applications/service.ts";
import { alertGlyph, clockGlyph, lockGlyph, tickGlyph, windowsGlyph } from "../look/glyphs.ts";
import type { AssetLinks } from "../pages/assets/assets.ts";
import { frameFor } from "../pages/hosted/hosted.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import { postForm, submitButton } from "../pages/parts/form-parts.ts";
import { framePage, logoUrl, type Frame } from "../pages/parts/frame.ts";
import type { Context } from "../runtime/context.ts";
import type { ProtectedHost, Refusal } from "./logins.ts";

/**
 * What a page says. `start`: the address at which somebody signs in, and then comes back. `way`:
 * the address where they were.
 */
export type HostMessage =
  /** They post a form: a GET in its place would lose it. */
  | { kind: "form"; start: string }
  /** Within another page. */
  | { kind: "frame"; top: string }
  /** A callback that is not good, or not any more. */
  | { kind: "again"; start: string }
  | { kind: "late"; way: string }
  /** They came back signed in just now, and are signed out all the same. */
  | { kind: "repeated"; start: string }
  | { kind: "cancelled"; start: string }
  /** `missing`: what identifies them for the program, and their account does not have. */
  | { kind: "refused"; refusal: Refusal; account: string; other: string; way: string; missing?: string }
  | { kind: "too-long"; home: string }
  | { kind: "sign-out"; account: string; token: string; home: string }
  /** `provider`: signs them in again without asking, perhaps. */
  | { kind: "signed-out"; start: string; provider?: string | undefined }
  | { kind: "foreign-form"; home: string }
  /** `said`: the header by which the proxy said so. */
  | { kind: "http"; said: string; home: string };

const statuses: Partial<Record<HostMessage["kind"], number>> = {
  form: 401,
  frame: 401,
  again: 400,
  late: 400,
  repeated: 401,
  cancelled: 403,
  refused: 403,
  "foreign-form": 403,
  http: 400,
};

type Words = { title: string; glyph: Html; next: HtmlValue; good?: boolean };

export async function hostPage(
  ctx: Context,
  { host, appId }: Pick<ProtectedHost, "host" | "appId">,
  request: HttpRequest,
  message: HostMessage,
  cookies: string[] = [],
): Promise<Answer> {
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  const hosted = frameFor(ctx, request, application && { application });
  // The service's own uploads: everything else that the page loads is below our folder.
  const look = { ...hosted.look, pictures: ctx.baseUrl };
  const frame: Frame = { ...hosted, look, host, assets: below(ownFolder, hosted.assets) };
  const answer = pageAnswer(markupOf(frame, message), {
    status: statuses[message.kind] ?? 200,
    cookies,
    logoOrigin: logoUrl(look)?.origin ?? new URL(ctx.baseUrl).origin,
    isFramed: message.kind === "frame",
    headers: { "referrer-policy": "same-origin" },
  });
  return answer;
}

/** The same files at a protected host. */
function below(folder: string, assets: AssetLinks): AssetLinks {
  const entries = Object.entries(assets).map(([name, link]) => [
    name,
    typeof link === "string" ? `${folder}${link}` : link,
  ]);
  const accent: AssetLinks["accent"] = (colour) => {
    const link = assets.accent(colour);
    return link === undefined ? undefined : `${folder}${link}`;
  };
  return { ...(Object.fromEntries(entries) as AssetLinks), accent };
}

/** The markup of a page; `frame.host` is the protected host. */
export function markupOf(frame: Frame, message: HostMessage): Html {
  const { title, glyph, next, good } = wordsOf(frame, message);
  const body = html`<div class="sign${good === true && " good"}">${glyph}</div>
    <h1>${title}</h1>
    ${next} ${actsOf(frame, message)}`;
  return framePage(frame, { title, body, ...(message.kind === "sign-out" && { script: true }) });
}

function wordsOf({ texts, host, look }: Frame, message: HostMessage): Words {
  const said = (title: string, glyph: Html, next: string): Words => ({ title, glyph, next: html`<p>${next}</p>` });
  switch (message.kind) {
    case "form":
      return said(texts.hostFormTitle, lockGlyph, texts.hostFormNext(host));
    case "frame":
      return said(texts.hostSignInTo(host), lockGlyph, texts.hostFrameNext);
    case "again":
      return said(texts.hostAgainTitle, windowsGlyph, texts.hostAgainNext(host));
    case "late":
      return said(texts.expiredTitle, clockGlyph, texts.expiredNext(host));
    case "cancelled":
      return said(texts.notSignedInTitle, lockGlyph, texts.hostSignedOutNext(host));
    case "foreign-form":
      return said(texts.crossSiteTitle, lockGlyph, texts.crossSiteNext);
    case "http":
      return {
        ...said(texts.hostRepeatedHttp(host), alertGlyph, ""),
        next: html`<pre><code>${message.said}</code></pre>`,
      };
    case "too-long":
      return { ...said(texts.finishedTitle, tickGlyph, texts.hostTooLongNext), good: true };
    case "signed-out": {
      const { provider } = message;
      const next = html`<p>${texts.hostSignedOutNext(host)}</p>
        ${provider !== undefined && html`<p>${texts.hostProviderNext(provider)}</p>`}`;
      return { title: texts.signedOutTitle, glyph: tickGlyph, next, good: true };
    }
    case "sign-out": {
      const next = html`${accountLine(message.account)}
        <p>${texts.signOutOfNext(look.name)}</p>`;
      return { title: texts.signOutOf(host), glyph: windowsGlyph, next };
    }
    case "repeated": {
      const causes = [texts.hostRepeatedCookies(host), texts.hostRepeatedHttp(host), texts.hostRepeatedClock];
      const next = html`<p>${texts.hostRepeatedNext}</p>
        <ul>
          ${causes.map((cause) => html`<li>${cause}</li>`)}
        </ul>`;
      return { title: texts.hostRepeatedTitle(host), glyph: alertGlyph, next };
    }
    case "refused": {
      const { refusal, account, missing } = message;
      const why = {
        groups: texts.hostRefusedNext(host),
        "second-factor": texts.hostFactorNext(host),
        identity: texts.hostIncompleteNext(host),
      }[refusal];
      const next = html`${account !== "" && accountLine(account)}
        <p>${why}</p>
        ${missing !== undefined && html`<pre dir="auto"><code>${missing === "email" ? texts.email : missing}</code></pre>`}`;
      return { title: texts.hostRefusedTitle(host), glyph: lockGlyph, next };
    }
  }
}

function accountLine(account: string): Html {
  return html`<p>
    <strong><bdi>${account}</bdi></strong>
  </p>`;
}

function link(address: string, label: string, look: "main" | "plain", target?: "_top" | "_blank"): Html {
  return html`<a class="button ${look}" href="${address}" ${target !== undefined && html`target="${target}"`}>
    ${label}
  </a>`;
}

function actsOf({ texts, host }: Frame, message: HostMessage): HtmlValue {
  switch (message.kind) {
    case "form":
      return link(message.start, texts.signIn, "main", "_blank");
    case "frame":
      return link(message.top, texts.signIn, "main", "_top");
    case "again":
    case "cancelled":
    case "signed-out":
      return link(message.start, texts.signIn, "main");
    case "late":
      return link(message.way, texts.backTo(host), "main");
    case "repeated":
      return link(message.start, texts.hostTryAgain, "main");
    case "refused": {
      const { refusal, other, way } = message;
      if (refusal === "second-factor") return link(other, texts.signIn, "main");
      return [link(other, texts.useAnotherAccount, "main"), link(way, texts.hostTryAgain, "plain")];
    }
    case "too-long":
    case "foreign-form":
    case "http":
      return link(message.home, texts.continueTo(host), "main");
    case "sign-out": {
      const button = submitButton({ label: texts.signOut, busy: texts.signingOut, look: "main" });
      return [
        postForm(`${ownFolder}/sign-out`, message.token, {}, button),
        link(message.home, texts.staySignedIn, "plain"),
      ];
    }
  }
}

import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { isShowable } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { consoleAssets } from "../assets.ts";
import type { Visit } from "../route.ts";
import { sections, type Section } from "../sections.ts";
import { maxTroubles, troubles, type Trouble, type Troubles } from "../troubles.ts";
import { formField, isAllowed } from "./act-form.ts";
import { actBar, type PageActs } from "./act-list.ts";
import { withInstants } from "./data.ts";
import { sectionIcon } from "./icons.ts";
import { noticeOf } from "./notice.ts";

export type ConsolePage = {
  /** The heading, and the document's title. */
  title: string;
  /** None for the search, which is of all. */
  section?: Section;
  /** Beside the heading, such as a state. */
  beside?: Html | undefined;
  /** What can be done, as buttons beside the heading. */
  acts?: PageActs;
  /** Above the heading: the parent pages. */
  trail?: { path: string; label: string }[];
  body: Html;
  /** Reloads the elements with `data-live` every few seconds, where there is script. */
  isLive?: boolean;
  status?: number;
  /** It shows another page of the console in a frame. */
  hasFrame?: boolean;
  /** It has a form with a file. */
  uploads?: boolean;
};

/** Answers with a page in the console's frame. */
export async function consolePage(ctx: Context, visit: Visit, page: ConsolePage): Promise<Answer> {
  const {
    title,
    section,
    beside,
    acts,
    trail = [],
    body,
    isLive = false,
    status = 200,
    hasFrame = false,
    uploads,
  } = page;
  const notice = noticeOf(ctx, visit);
  const shown = acts && actBar(acts);
  const content = html`${trail.length > 0 && html`<nav class="trail" aria-label="Above this page">${trail.map(({ path, label }) => html`<a href="${path}">${label}</a> `)}</nav>`}
    <div class="heading">
      <h1>${title}</h1>
      ${beside} ${shown?.bar}
    </div>
    ${notice !== undefined && html`<p class="notice" role="status">${withInstants(notice)}</p>`} ${body}
    ${shown?.dialogs}`;
  const nav = navigation(visit, section, await troubles(ctx, visit));
  return pageAnswer(documentOf(ctx, { title, nav, content, isLive, uploads }), {
    status,
    hasFrame,
    // Acts that need a proof or a sign-in lead there.
    formTargets: [new URL(ctx.baseUrl).origin],
  });
}

/** The document around a page, with or without an operator. */
export function documentOf(
  ctx: Context,
  {
    title,
    nav,
    content,
    isLive = false,
    uploads = false,
  }: { title: string; nav?: Html; content: Html; isLive?: boolean; uploads?: boolean | undefined },
): Html {
  const { links } = consoleAssets(ctx);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · authsvc console</title>
        <link rel="icon" href="${links.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${links.stylesheet}" />
        <script type="module" src="${links.script}"></script>
        ${uploads && html`<script type="module" src="${links.uploadScript}"></script>`}
      </head>
      <body ${isLive && html`data-live-page`}>
        <a class="skip" href="#content">Skip to the content</a>
        ${nav}
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html> `;
}

function navigation(visit: Visit, current: Section | undefined, troubled: Troubles): Html {
  const { operator, request } = visit;
  const asked = request.method === "GET" && current === undefined ? (request.query().get("q") ?? "") : "";
  const searched = isShowable(asked) ? asked : "";
  const shown = sections.filter((section) => isAllowed(visit, section));
  const items = shown.map(
    ({ name, path }) =>
      html`<li>
        <a href="${troubled[name]?.path ?? path}" ${name === current && html`aria-current="page"`}
          >${sectionIcon(name)} <span>${name}</span> ${troubleCount(troubled[name])}</a
        >
      </li>`,
  );
  return html`<header class="side">
    <p class="wordmark"><a href="/console">authsvc</a></p>
    <form class="search" role="search" aria-label="Everything" action="/console/search">
      <input
        type="search"
        name="q"
        value="${searched}"
        aria-label="Search everything"
        placeholder="Search"
        autocomplete="off"
        spellcheck="false"
        aria-keyshortcuts="Control+K"
        data-search
      />
    </form>
    <details class="menu" data-menu="sections">
      <summary>Menu${current !== undefined && `: ${current}`}</summary>
      <nav aria-label="Console">
        <ul data-live="menu">
          ${items}
        </ul>
      </nav>
    </details>
    <div class="who">
      <p><bdi>${operator.name}</bdi><span class="quiet">${roleWords(visit)}</span></p>
      <form method="post" action="/console/sign-out">${formField(visit)}<button class="plain">Sign out</button></form>
      <p class="quiet" data-zone>Times are in UTC.</p>
      <button type="button" class="plain small" data-slash hidden></button>
    </div>
  </header>`;
}

function troubleCount(trouble: Trouble | undefined): Html | undefined {
  if (trouble === undefined) return undefined;
  const { count, words } = trouble;
  return html`<span class="count"
    >${count >= maxTroubles ? `${maxTroubles - 1}+` : count}<span class="unseen"> ${words}</span></span
  >`;
}

function roleWords({ operator: { role, appId } }: Visit): string {
  return appId === undefined ? role : `${role}, only ${appId}`;
}

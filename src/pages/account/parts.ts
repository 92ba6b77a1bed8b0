import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { tickGlyph } from "../../look/glyphs.ts";
import { postForm } from "../parts/form-parts.ts";

/** The URL of an account page, for links and forms: "/account/profile?app_id=app_shop". */
export function accountPath(appId: string, page = ""): string {
  return `/account${page}?app_id=${encodeURIComponent(appId)}`;
}

/** The data that every page of an account needs. `token` ties its forms to the browser. */
export type AccountPlace = { appId: string; token: string };

export function accountFrame(
  frame: Frame,
  page: { title: string; body: Html; problem?: boolean; uploads?: boolean; base?: string; stylesheet?: string },
): Html {
  return framePage(frame, { base: frame.assets.accountStylesheet, ...page, script: true });
}

type ActionForm = {
  page: string;
  fields?: Record<string, string>;
  label: string;
  busy: string;
  look: "small" | "small bad" | "plain" | "main" | "danger";
  before?: Html;
  name?: string | undefined;
};

/**
 * A form with a single button. `name` is its accessible name, for people who hear it without its
 * surroundings.
 */
export function actionForm({ appId, token }: AccountPlace, { page, fields = {}, ...button }: ActionForm): Html {
  return postForm(accountPath(appId, page), token, fields, actionButton(button));
}

/** `name`: its accessible name. */
export function actionButton({ label, busy, look, before, name }: Omit<ActionForm, "page" | "fields">): Html {
  return html`<button class="button ${look}" data-busy="${busy}" ${name !== undefined && html`aria-label="${name}"`}>
    ${before}<span>${label}</span>
  </button>`;
}

/** What the last act did, first on the page and first in focus. */
export function doneNotice(words: string): Html {
  return html`<div class="done good" role="status" tabindex="-1" autofocus>
    ${tickGlyph}
    <p>${words}</p>
  </div>`;
}

/** A link beside a thing that leads to an action on it. */
export function actionLink(href: string, label: string, name = label): Html {
  return html`<a class="button small" href="${href}" ${name !== label && html`aria-label="${name}"`}>${label}</a>`;
}

/**
 * A section of the overview with its own heading. `beside` is at the end of the heading's line.
 */
export function part(id: string, title: string, content: HtmlValue, beside?: Html): Html {
  return html`<section class="part" aria-labelledby="${id}">
    <div class="head">
      <h2 id="${id}">${title}</h2>
      ${beside}
    </div>
    ${content}
  </section>`;
}

/** An item of a list: its name, its details, its facts (in lines), its actions. */
export function row(shown: {
  glyph?: Html;
  title: string;
  badge?: string | undefined;
  details?: HtmlValue;
  facts: string[][];
  acts?: HtmlValue;
}): Html {
  return html`<li class="row">
    ${shown.glyph}
    <div>
      <p class="title">
        <bdi>${shown.title}</bdi> ${shown.badge !== undefined && html`<span class="badge">${shown.badge}</span>`}
      </p>
      ${shown.details} ${shown.facts.map((line) => html`<p class="hint">${factsIn(line)}</p>`)}
    </div>
    ${shown.acts !== undefined && html`<div class="acts">${shown.acts}</div>`}
  </li>`;
}

/** `path`: where the person uses it, or answers its invitation. */
export type ListedOrganization = { name: string; slug: string; path: string };

export function organizationRows(organizations: readonly ListedOrganization[]): Html {
  return html`<ul class="rows" role="list">
    ${organizations.map(
      ({ name, slug, path }) =>
        html`<li class="row">
          <div>
            <p class="title">
              <a href="${path}"><bdi>${name}</bdi></a>
            </p>
            <p class="hint"><bdi>${slug}</bdi></p>
          </div>
        </li>`,
    )}
  </ul>`;
}

/**
 * Each fact is isolated, so that an address or a date does not reorder its neighbours in
 * right-to-left text.
 */
export function factsIn(line: string[]): HtmlValue {
  return line.map((fact, index) => html`${index > 0 && " · "}<bdi>${fact}</bdi>`);
}

/** The way back from a page that need not be completed. */
export function backLink({ texts }: Frame, appId: string, label = texts.cancel): Html {
  return html`<div class="end"><a class="quiet" href="${accountPath(appId)}">${label}</a></div>`;
}

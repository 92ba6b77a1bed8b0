import { html, type Html, type HtmlValue } from "../lib/html.ts";
import { framePage, type Frame } from "./frame.ts";
import { tokenField } from "./parts.ts";

/** An address of the account page, for links and forms: "/account/profile?app_id=app_shop". */
export function accountPath(appId: string, page = ""): string {
  return `/account${page}?app_id=${encodeURIComponent(appId)}`;
}

/** What every page of an account needs. `token` ties its forms to the browser. */
export type AccountPlace = { appId: string; token: string };

export function accountFrame(frame: Frame, page: { title: string; body: Html; problem?: boolean }): Html {
  return framePage(frame, { ...page, script: true, stylesheet: frame.assets.accountStylesheet });
}

/** A form that is one button. `name` says what it is about to those who hear the button without its surroundings. */
export function actionForm(
  { appId, token }: AccountPlace,
  form: {
    page: string;
    fields?: Record<string, string>;
    label: string;
    busy: string;
    look: "small" | "small bad" | "plain" | "danger";
    before?: Html;
    name?: string | undefined;
  },
): Html {
  const { page, fields = {}, label, busy, look, before, name } = form;
  return html`<form method="post" action="${accountPath(appId, page)}">
    ${tokenField(token)}
    ${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`)}
    <button class="button ${look}" data-busy="${busy}" ${name !== undefined && html`aria-label="${name}"`}>
      ${before}<span>${label}</span>
    </button>
  </form>`;
}

/** A link that stands beside a thing and says what to do with it. */
export function actionLink(href: string, label: string, name = label): Html {
  return html`<a class="button small" href="${href}" ${name !== label && html`aria-label="${name}"`}>${label}</a>`;
}

/** A part of the overview under its own heading. `beside` stands at the end of the heading's line. */
export function part(id: string, title: string, content: HtmlValue, beside?: Html): Html {
  return html`<section class="part" aria-labelledby="${id}">
    <div class="head">
      <h2 id="${id}">${title}</h2>
      ${beside}
    </div>
    ${content}
  </section>`;
}

/** One thing of a list: what it is, what there is to know about it (in lines), what to do with it. */
export function row(shown: {
  glyph: Html;
  title: string;
  badge?: string | undefined;
  facts: string[][];
  acts: HtmlValue;
}): Html {
  return html`<li class="row">
    ${shown.glyph}
    <div>
      <p class="title">
        <bdi>${shown.title}</bdi> ${shown.badge !== undefined && html`<span class="badge">${shown.badge}</span>`}
      </p>
      ${shown.facts.map((line) => html`<p class="hint">${factsIn(line)}</p>`)}
    </div>
    <div class="acts">${shown.acts}</div>
  </li>`;
}

/** Each by itself: an address or a date must not turn its neighbours round. */
function factsIn(line: string[]): HtmlValue {
  return line.map((fact, index) => html`${index > 0 && " · "}<bdi>${fact}</bdi>`);
}

/** The way back from a page that one need not finish. */
export function backLink({ texts }: Frame, appId: string, label = texts.cancel): Html {
  return html`<div class="end"><a class="quiet" href="${accountPath(appId)}">${label}</a></div>`;
}

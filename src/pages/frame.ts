import { html, type Html } from "../lib/html.ts";
import type { AssetLinks } from "./assets.ts";
import type { Texts } from "./texts/en.ts";
import type { Direction } from "./texts/texts.ts";

/** How an app wants its pages to look. `logo` is shown when it is an https address (http for loopback hosts). */
export type Look = {
  name: string;
  companyName: string | null;
  logo: string | null;
  /** `#rrggbb` or `#rgb`; anything else is ignored. */
  primaryColor: string | null;
};

/** What every page needs, whatever it says. */
export type Frame = {
  look: Look;
  texts: Texts;
  lang: string;
  dir: Direction;
  /** The service's own host, so that people can check where they are: "auth.acme.example". */
  host: string;
  assets: AssetLinks;
  /** Where the app lives, for "Back to Acme". Only http, https and private-use schemes become a link. */
  backUrl?: string;
};

/** The look of a page that belongs to no known app. */
export const serviceLook: Look = { name: "authsvc", companyName: null, logo: null, primaryColor: null };

/**
 * The whole document around `body`. `problem` marks the title, so that a screen reader hears it first; `sessionPath` tells the
 * browser code which session it helps.
 */
export function framePage(
  frame: Frame,
  page: {
    title: string;
    body: Html;
    script?: boolean;
    problem?: boolean;
    sessionPath?: string;
    /** Beside the one that all pages have. */
    stylesheet?: string | undefined;
  },
): Html {
  const { look, texts, assets } = frame;
  const accent = assets.accent(look.primaryColor);
  return html`<!doctype html>
    <html lang="${frame.lang}" dir="${frame.dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.problem === true ? texts.errorTitle(page.title) : page.title}</title>
        <link rel="icon" href="${assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        ${page.stylesheet !== undefined && html`<link rel="stylesheet" href="${page.stylesheet}" />`}
        ${accent !== undefined && html`<link rel="stylesheet" href="${accent}" />`}
        ${page.script === true && html`<script type="module" src="${assets.hostedScript}" blocking="render"></script>`}
      </head>
      <body>
        <main class="card" ${page.sessionPath !== undefined && html`data-session="${page.sessionPath}"`}>
          ${brand(look)} ${page.body}
        </main>
        <footer class="where">${texts.youAreOn} <bdi>${frame.host}</bdi></footer>
      </body>
    </html> `;
}

/** The logo, or the name as a wordmark behind its first letter in the app's colour. */
function brand(look: Look): Html {
  const name = look.companyName ?? look.name;
  const logo = logoUrl(look);
  if (logo !== undefined) return html`<p class="brand"><img src="${logo.href}" alt="${name}" /></p>`;
  return html`<p class="brand"><span class="initial" aria-hidden="true">${initialOf(name)}</span>${name}</p>`;
}

/** The first letter as people see it: one grapheme, which may be several code points. */
function initialOf(name: string): string {
  const trimmed = name.trim();
  // Between two of ASCII there is always a boundary; the segmenter takes as long as a quarter of a page.
  if (/^[!-~](?:[ -~]|$)/u.test(trimmed)) return trimmed.charAt(0).toUpperCase();
  // Not made with the module: the first one of a process takes 11 ms, which every start would pay; the next ones take 6 µs.
  const [first] = new Intl.Segmenter().segment(trimmed);
  return first?.segment.toUpperCase() ?? "";
}

/** The address of the logo if it may be shown. The server lets its origin into `img-src`. */
export function logoUrl(look: Look): URL | undefined {
  if (look.logo === null || !URL.canParse(look.logo)) return undefined;
  const url = new URL(look.logo);
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && loopback) ? url : undefined;
}

/** An address for an href: never javascript:, data: or anything else that runs or shows what it carries. */
export function safeHref(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  // A private-use scheme has a dot (RFC 8252 section 7.1), and no scheme that a browser runs has one.
  return protocol === "https:" || protocol === "http:" || protocol.includes(".") ? href : undefined;
}

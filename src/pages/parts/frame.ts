import { html, type Html } from "../../lib/html.ts";
import type { Direction } from "../../lib/languages.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import { initialOf } from "../../lib/text.ts";
import { ownFooter, ownText, type Placeholder } from "../../look/own-words.ts";
import type { Texts } from "../../look/texts/en.ts";
import type { OwnText } from "../../storage/column-types.ts";
import type { AssetLinks } from "../assets/assets.ts";

/**
 * The branding of an app's pages. `logo` is shown if it was uploaded, or is an https URL (http for
 * loopback hosts). `pictures`: where uploaded ones are, in front of their path.
 */
export type Look = {
  name: string;
  companyName: string | null;
  logo: string | null;
  pictures?: string;
  /** `#rrggbb` or `#rgb`; anything else is ignored. */
  primaryColor: string | null;
  /** The app's own pages; only https URLs become links. */
  links?: { terms: string | null; privacy: string | null; support: string | null };
  /** The application's own words. */
  ownTexts?: readonly OwnText[] | null | undefined;
};

/** The data that every page needs, whatever its content. */
export type Frame = {
  look: Look;
  texts: Texts;
  lang: string;
  dir: Direction;
  /** The browser's; times are in UTC if it is unknown. */
  timeZone?: string | undefined;
  /** The service's host, so that people can check where they are: "auth.acme.example". */
  host: string;
  assets: AssetLinks;
  /** The protected host that somebody signs in to; otherwise it is the app. */
  program?: string | undefined;
  /** The app's URL, for "Back to Acme". Only http, https and private-use schemes become a link. */
  backUrl?: string;
  /** The URL of the mailbox in development mode. */
  mailboxUrl?: string | undefined;
};

/** The look of pages without a known app. */
export const serviceLook: Look = { name: "authsvc", companyName: null, logo: null, primaryColor: null };

/**
 * The document around `body`. `problem` marks the title, so that screen readers announce it first;
 * the script does the same for problems it finds. `sessionPath` tells the browser code its session.
 */
export function framePage(
  frame: Frame,
  page: {
    title: string;
    body: Html;
    script?: boolean;
    problem?: boolean;
    sessionPath?: string;
    /** In place of the stylesheet of the sign-in pages. */
    base?: string;
    /** In addition. */
    stylesheet?: string | undefined;
    /** It has a form with a file. */
    uploads?: boolean;
    /** It solves a puzzle. */
    puzzle?: boolean;
  },
): Html {
  const { look, texts, assets } = frame;
  const accent = assets.accent(look.primaryColor);
  const logo = logoOf(look);
  // The script replaces a logo that fails to load.
  const more = page.uploads === true ? assets.uploadScript : page.puzzle === true ? assets.puzzleScript : undefined;
  const script = page.script ?? logo !== undefined;
  return html`<!doctype html>
    <html lang="${frame.lang}" dir="${frame.dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.problem === true ? texts.errorTitle(page.title) : page.title}</title>
        ${logo === undefined ? html`<link rel="icon" href="${assets.icon}" type="image/svg+xml" />` : html`<link rel="icon" href="${logo.href}" />`}
        <link rel="stylesheet" href="${page.base ?? assets.stylesheet}" />
        ${page.stylesheet !== undefined && html`<link rel="stylesheet" href="${page.stylesheet}" />`}
        ${logo !== undefined && html`<link rel="stylesheet" href="${assets.logoStylesheet}" />`}
        ${accent !== undefined && html`<link rel="stylesheet" href="${accent}" />`}
        ${script && html`<script type="module" src="${assets.hostedScript}" blocking="render"></script>`}
        ${more !== undefined && html`<script type="module" src="${more}"></script>`}
      </head>
      <body>
        <main
          class="card"
          ${page.sessionPath !== undefined && html`data-session="${page.sessionPath}"`}
          ${page.script === true && html`data-error-title="${texts.errorTitle(page.title)}"`}
        >
          ${brand(look)} ${page.body}
        </main>
        <footer class="where">
          <p>${texts.youAreOn} <bdi>${frame.host}</bdi></p>
          ${footer(frame) ?? links(frame)}
          ${
            frame.mailboxUrl !== undefined &&
            html`<p class="links">
              <a href="${frame.mailboxUrl}" target="_blank" rel="noopener">${texts.openMailbox}</a>
            </p>`
          }
        </footer>
      </body>
    </html> `;
}

/** The application's own title and intro of this page, if it has them in the page's language. */
export function ownWords(
  { look, lang }: Frame,
  page: "sign-in" | "sign-up" | "account",
  values: Partial<Record<Placeholder, string | null>> = {},
): { title: string | undefined; intro: Html | undefined } {
  const all = { app: look.name, ...values };
  const intro = ownText(look.ownTexts, `${page}.intro`, lang, all);
  return {
    title: ownText(look.ownTexts, `${page}.title`, lang, all),
    intro: intro === undefined ? undefined : html`<p>${intro}</p>`,
  };
}

/** With the links above it. */
function footer(frame: Frame): Html | undefined {
  const own = ownFooter(frame.look.ownTexts, frame.lang);
  if (own === undefined) return undefined;
  const { text, links: given } = own;
  const shown = given.map(
    ({ url, text: label, lang: of }) =>
      html`<a href="${url}" target="_blank" rel="noopener"><bdi lang="${of}">${label}</bdi></a>`,
  );
  return html`${links(frame)} ${text && html`<p lang="${text.lang}" dir="auto">${text.text}</p>`}
  ${shown.length > 0 && html`<p class="links">${shown}</p>`}`;
}

/** The logo, or else the name after its first letter in the app's colour. */
function brand(look: Look): Html {
  const name = look.companyName ?? look.name;
  const logo = logoOf(look);
  const initial = html`<span class="initial" aria-hidden="true">${initialOf(name)}</span>${name}`;
  if (logo === undefined) return html`<p class="brand">${initial}</p>`;
  const { href, ground } = logo;
  const image = ground
    ? html`<img src="${href}" alt="${name}" data-ground="${ground}" />`
    : html`<img src="${href}" alt="${name}" />`;
  return html`<p class="brand">${image}</p>
    <p class="brand" data-no-logo hidden>${initial}</p>`;
}

/** Open in a new tab, so that input on this page is not lost. */
function links({ look, texts }: Frame): Html | undefined {
  const { terms = null, privacy = null, support = null } = look.links ?? {};
  const all = [
    [terms, texts.terms],
    [privacy, texts.privacy],
    [support, texts.support],
  ] as const;
  const shown = all.flatMap(([address, label]) => {
    const href = safeHref(address ?? undefined);
    return href?.startsWith("https:") === true
      ? [html`<a href="${href}" target="_blank" rel="noopener">${label}</a>`]
      : [];
  });
  return shown.length === 0 ? undefined : html`<p class="links">${shown}</p>`;
}

/** `ground`: what an uploaded one needs under it. */
function logoOf(look: Look): { href: string; ground?: string } | undefined {
  const stored = storedPicture(look.logo);
  return stored ? { href: `${look.pictures ?? ""}${stored.path}`, ground: stored.ground ?? "none" } : logoUrl(look);
}

/** The URL of a logo elsewhere, if it may be shown. The server adds its origin to `img-src`. */
export function logoUrl(look: Look): URL | undefined {
  if (look.logo === null || !URL.canParse(look.logo)) return undefined;
  const url = new URL(look.logo);
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && loopback) ? url : undefined;
}

/**
 * A URL for an href: never javascript:, data: or other schemes that execute or display their
 * content.
 */
export function safeHref(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  // A private-use scheme has a dot (RFC 8252 section 7.1). No scheme that browsers execute has one.
  return protocol === "https:" || protocol === "http:" || protocol.includes(".") ? href : undefined;
}

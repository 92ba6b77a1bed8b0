import { pictureAddress, storedPicture } from "../../lib/stored-picture.ts";
import { html, render, type Html } from "../../lib/html.ts";
import { accentFor, parseColour, type Accent } from "../../look/colours.ts";
import type { OwnFooter } from "../../look/own-words.ts";
import { initialOf } from "../../lib/text.ts";
import type { Branding } from "../../storage/column-types.ts";

/** A mail in words, independent of text or HTML. Every value is one line. */
export type MailWords = {
  heading: string;
  lead: string;
  /** The name of the lead's subject, if any: the added method. */
  about: string | undefined;
  button: { label: string; url: string; addressBelow: string } | undefined;
  /** The code in groups ("1234 5678"), with instructions. */
  code: { intro: string; digits: string } | undefined;
  holds: string | undefined;
  facts: string[];
  ifNotYou: { title: string; text: string };
  /** The app's support page, if it has one. */
  support: { label: string; url: string } | undefined;
  /** The application's own. */
  footer: OwnFooter | undefined;
};

/** Black on white, like the pages of an app without a colour; white on black in dark mode. */
const plainColour = "#1f2126";
const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

type Look = { app: string; branding: Branding; baseUrl: string; lang: string; dir: "ltr" | "rtl" };

/**
 * The mail as HTML: one column of at most 600 px, with inline styles because many mail programs
 * drop others, and no picture but the app's logo. Values in styles are only colours from
 * `accentFor`.
 */
export function htmlOf(words: MailWords, { app, branding, baseUrl, lang, dir }: Look): string {
  const colour = parseColour(branding.primaryColor) ?? plainColour;
  const accent = accentFor(colour, "light");
  const { about, button, code, holds, facts, ifNotYou, support, footer } = words;
  const supported = support && supportPart(support, accent);
  return render(
    html`<!doctype html>
      <html lang="${lang}" dir="${dir}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="supported-color-schemes" content="light dark" />
          <title>${words.heading}</title>
          ${darkStyles(colour)}
        </head>
        <body class="ground" style="margin:0;padding:0;background-color:#f5f5f7">
          <table role="presentation" width="100%" border="0" cellpadding="0" cellspacing="0">
            <tr>
              <td align="center" style="padding:24px 12px">
                <table
                  role="presentation"
                  class="card"
                  width="600"
                  border="0"
                  cellpadding="0"
                  cellspacing="0"
                  style="width:100%;max-width:600px;background-color:#ffffff;border-radius:12px"
                >
                  <tr>
                    <td
                      class="ink"
                      align="${dir === "rtl" ? "right" : "left"}"
                      style="padding:32px;font-family:${font};font-size:16px;line-height:1.5;color:#17181c"
                    >
                      ${brand(app, branding.logo, baseUrl, accent)}
                      <h1 style="margin:0 0 16px;font-size:24px;line-height:1.25;font-weight:600">${words.heading}</h1>
                      <p style="margin:0 0 24px">${words.lead}</p>
                      ${about !== undefined && html`<p style="margin:0 0 24px;font-weight:600"><bdi>${about}</bdi></p>`}
                      ${button && buttonPart(button, accent)} ${code && codePart(code)}
                      ${holds !== undefined && html`<p style="margin:0 0 24px">${holds}</p>`}
                      <p class="quiet line" style="${quietStyle}">
                        ${facts.map((fact, position) => html`${position > 0 && html`<br />`}<bdi>${fact}</bdi>`)}
                      </p>
                      <h2 style="margin:24px 0 8px;font-size:16px;font-weight:600">${ifNotYou.title}</h2>
                      <p style="margin:0">${ifNotYou.text}</p>
                      ${footer ? html`${supported} ${footerPart(footer, accent)}` : supported}
                    </td>
                  </tr>
                </table>
              </td>
            </tr>
          </table>
        </body>
      </html>`,
  );
}

const quietStyle =
  "margin:0;padding-top:16px;border-top:1px solid #e2e3e8;font-size:14px;line-height:1.6;color:#5c606a";

/** For mail programs that know the colour scheme; others keep the light colours or invert them. */
function darkStyles(colour: string): Html {
  const { accent, accentEdge, onAccent, accentText } = accentFor(colour, "dark");
  return html`<style>
    :root {
      color-scheme: light dark;
      supported-color-schemes: light dark;
    }
    @media (prefers-color-scheme: dark) {
      .ground {
        background-color: #101114 !important;
      }
      .card {
        background-color: #1a1b1f !important;
      }
      .ink {
        color: #f0f1f4 !important;
      }
      .quiet {
        color: #a5a9b4 !important;
      }
      .line {
        border-color: #2d2f36 !important;
      }
      .code {
        background-color: #2d2f36 !important;
      }
      .button {
        background-color: ${accent} !important;
        color: ${onAccent} !important;
        border-color: ${accentEdge} !important;
      }
      .link {
        color: ${accentText} !important;
      }
    }
  </style>`;
}

/** As on the pages: the logo, or else the name after its first letter in the app's colour. */
function brand(app: string, given: string | null, baseUrl: string, { accent, onAccent }: Accent): Html {
  const logo = pictureAddress(baseUrl, given);
  if (logo !== null && URL.canParse(logo) && new URL(logo).protocol === "https:") {
    const ground = { light: "#ffffff", dark: "#17181c", none: undefined }[storedPicture(given)?.ground ?? "none"];
    const under = ground === undefined ? "" : `;padding:6px;border-radius:8px;background-color:${ground}`;
    const style = `display:block;height:48px;max-width:100%;border:0${under}`;
    return html`<p style="margin:0 0 24px">
      <img src="${new URL(logo).href}" alt="${app}" height="48" style="${style}" />
    </p>`;
  }
  const style = `display:inline-block;width:32px;margin-inline-end:10px;border-radius:8px;background-color:${accent};color:${onAccent};line-height:32px;text-align:center`;
  return html`<p style="margin:0 0 24px;font-weight:600">
    <span class="button" style="${style}" aria-hidden="true">${initialOf(app)}</span>${app}
  </p>`;
}

function buttonPart(
  { label, url, addressBelow }: NonNullable<MailWords["button"]>,
  { accent, accentEdge, onAccent, accentText }: Accent,
): Html {
  const style = `display:inline-block;padding:11px 23px;border:1px solid ${accentEdge};border-radius:8px;background-color:${accent};color:${onAccent};font-weight:600;text-decoration:none`;
  return html`<p style="margin:0 0 24px"><a class="button" href="${url}" style="${style}">${label}</a></p>
    <p class="quiet" style="margin:0 0 24px;font-size:14px;color:#5c606a">
      ${addressBelow}<br />
      <a class="link" href="${url}" dir="ltr" style="color:${accentText};word-break:break-all">${url}</a>
    </p>`;
}

function supportPart({ label, url }: NonNullable<MailWords["support"]>, { accentText }: Accent): Html {
  return html`<p style="margin:24px 0 0;font-size:14px">
    <a class="link" href="${url}" style="color:${accentText}">${label}</a>
  </p>`;
}

function footerPart({ text, links }: OwnFooter, { accentText }: Accent): Html {
  return html`<div class="quiet line" style="${quietStyle};margin-top:24px">
    ${text && html`<p lang="${text.lang}" dir="auto" style="margin:0">${text.text}</p>`}
    ${links.map(
      ({ url, text: label, lang }) =>
        html`<p style="margin:0">
          <a class="link" href="${url}" lang="${lang}" style="color:${accentText}"><bdi>${label}</bdi></a>
        </p>`,
    )}
  </div>`;
}

/** In a right-to-left line, two groups of digits would swap places without a direction. */
function codePart({ intro, digits }: NonNullable<MailWords["code"]>): Html {
  const style =
    "display:inline-block;padding:8px 16px;border-radius:8px;background-color:#f0f1f4;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:24px;letter-spacing:2px";
  return html`<p style="margin:0 0 8px">${intro}</p>
    <p style="margin:0 0 24px"><span class="code" dir="ltr" style="${style}">${digits}</span></p>`;
}

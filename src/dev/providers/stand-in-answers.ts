import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../../pages/parts/frame.ts";
import { alertGlyph } from "../../look/glyphs.ts";
import { submitButton } from "../../pages/parts/form-parts.ts";

/** The way back to the client at `address`. The answer's Refresh header follows it at once. */
export function standInReturnPage(frame: Frame, address: string): Html {
  const title = "Going back…";
  const body = html`<h1>${title}</h1>
    <a class="button main" href="${address}">Continue</a>`;
  return framePage(frame, { title, body });
}

/** The way back to a client that uses response_mode=form_post. The script presses the button. */
export function standInPostPage(frame: Frame, action: string, fields: [name: string, value: string][]): Html {
  const title = "Going back…";
  const body = html`<h1>${title}</h1>
    <form method="post" action="${action}" data-continue>
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${submitButton({ label: "Continue", busy: "Going back…", look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}

/** For a request without a client to redirect to. */
export function standInRefusalPage(frame: Frame, reason: string): Html {
  const title = "This request is refused";
  const body = html`<div class="sign">${alertGlyph}</div>
    <h1>${title}</h1>
    <p>${reason}</p>`;
  return framePage(frame, { title, body, problem: true });
}

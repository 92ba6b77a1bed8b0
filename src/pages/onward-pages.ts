import { html, type Html } from "../lib/html.ts";
import { submitButton } from "./parts/form-parts.ts";
import { framePage, type Frame } from "./parts/frame.ts";

/**
 * Posts fields from this page: what a provider's site posted, this time with this site's cookie, or
 * a response to the client (OAuth 2.0 Form Post Response Mode). The script presses the button.
 */
export function continuePage(
  frame: Frame,
  data: { action: string; fields: (readonly [name: string, value: string])[] },
): Html {
  const { texts, look } = frame;
  const body = html`<h1>${texts.continueTo(look.name)}</h1>
    <form method="post" action="${data.action}" data-continue>
      ${data.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${submitButton({ label: texts.continueTo(look.name), busy: texts.signingIn, look: "main" })}
    </form>`;
  return framePage(frame, { title: texts.continueTo(look.name), body, script: true });
}

/**
 * A link, for browsers that do not follow a redirect to a provider, or have only fetched the
 * address so far.
 */
export function leavePage(frame: Frame, data: { address: string; to: string }): Html {
  const title = frame.texts.continueTo(data.to);
  const body = html`<h1>${title}</h1>
    <a class="button main" href="${data.address}">${title}</a>`;
  return framePage(frame, { title, body });
}

import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "./parts/frame.ts";

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

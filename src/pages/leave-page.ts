import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "./frame.ts";

/** Redirects to a provider. The link is for browsers that do not follow. */
export function leavePage(frame: Frame, data: { address: string; provider: string }): Html {
  const title = frame.texts.continueTo(data.provider);
  const body = html`<h1>${title}</h1>
    <a class="button main" href="${data.address}">${title}</a>`;
  return framePage(frame, { title, body });
}

import { html, type Html } from "../../lib/html.ts";
import type { Frame } from "./frame.ts";
import { scopeWords } from "./scope-words.ts";

/** What a client asks for. `resource`: the API that it gets a token for, and what that allows. */
export type Granted = {
  scopes: string[];
  resource: { name: string; identifier: string; allows: string[] } | null;
};

/** What a client gets, in words. */
export function grantedParts(frame: Frame, { scopes, resource }: Granted): Html {
  const { texts } = frame;
  return html`${
    scopes.length > 0 &&
    html`<p>${texts.consentGets}</p>
      <ul>
        ${scopes.map((scope) => html`<li>${scopeWords(frame, scope)}</li>`)}
      </ul>`
  }
  ${
    resource &&
    html`<p>${texts.consentAt(resource.name)} <bdi>${resource.identifier}</bdi></p>
      <ul>
        ${resource.allows.map((sentence) => html`<li>${sentence}</li>`)}
      </ul>`
  }`;
}

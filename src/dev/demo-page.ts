import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "../pages/parts/frame.ts";
import { stylesheetPath as stylesheet } from "./stylesheet.ts";

export type DemoPageData = {
  appId: string;
  apiKey: string;
  callbackUrl: string;
  /** The OpenID Connect client of the second program. */
  wikiId: string;
  baseUrl: string;
};

/**
 * GET /dev/demo and its callback, for developers: plays an app called Acme that uses this service.
 * Data attributes configure the script, because the policy allows none inline.
 */
export function demoPage(frame: Frame, { appId, apiKey, callbackUrl, wikiId, baseUrl }: DemoPageData): Html {
  const title = "Demo page";
  const body = html`<p><a href="/dev">Development mode</a></p>
    <div>
      <h1>${title}</h1>
      <p class="hint">
        Acme is a made-up app that signs people in with this service. Your browser also plays Acme’s server here. In a
        real app, the API key stays on the server.
      </p>
    </div>
    <noscript><p>This page needs JavaScript: it makes the calls of Acme’s server.</p></noscript>
    <div
      id="demo"
      class="parts"
      data-app-id="${appId}"
      data-api-key="${apiKey}"
      data-callback-url="${callbackUrl}"
      data-wiki-id="${wikiId}"
      data-base-url="${baseUrl}"
    >
      ${button("sign-in", "Sign in", "main")}
      <p class="notice" role="status" id="said"></p>
      <pre id="result" hidden></pre>
      <section class="parts" id="signed-in" hidden>
        <div class="acts">
          ${button("validate", "Validate")} ${button("refresh", "Refresh")} ${button("sign-out", "Sign out")}
        </div>
        <h2>Access token</h2>
        <p class="hint">A signed JWT, valid until <span id="until"></span>, or until the sign-in ends. It says:</p>
        <pre id="access-token"></pre>
        <h2>Refresh token</h2>
        <p class="hint">Buys new tokens, once.</p>
        <pre id="refresh-token"></pre>
      </section>
      <section class="parts">
        <h2>A second program</h2>
        <p class="hint">
          Acme Wiki signs people in by OpenID Connect. If you are signed in to Acme in this browser, it asks for
          nothing.
        </p>
        ${button("wiki-sign-in", "Sign in to Acme Wiki")}
        <div class="parts" id="wiki" hidden>
          <p class="hint">The ID token tells Acme Wiki who signed in:</p>
          <pre id="id-token"></pre>
        </div>
      </section>
      <section class="parts" id="made" hidden>
        <h2>Calls</h2>
        <div id="calls"></div>
      </section>
    </div>
    ${frame.assets.demoScript !== undefined && html`<script type="module" src="${frame.assets.demoScript}"></script>`}`;
  return framePage(frame, { title, body, stylesheet });
}

function button(id: string, label: string, kind: "main" | "plain" = "plain"): Html {
  return html`<button type="button" class="button ${kind}" id="${id}">${label}</button>`;
}

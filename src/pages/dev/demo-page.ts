import { html, type Html } from "../../lib/html.ts";
import type { AssetLinks } from "../assets/assets.ts";
import { furtherSteps } from "./demo-further-steps.ts";
import { demoSteps, stepRow } from "./demo-steps.ts";

export type DemoPageData = {
  appId: string;
  apiKey: string;
  callbackUrl: string;
  /** Where this service receives the demo's webhooks; each browser appends its own name. */
  hooksUrl: string;
  /** The OpenID Connect client of its second program. */
  wikiId: string;
  baseUrl: string;
  assets: AssetLinks;
};

/**
 * Plays an app called Acme that uses this service. The same document is served at /dev/demo and at
 * its callback. Data attributes configure the browser code, because the policy allows no inline
 * script.
 */
export function demoPage({ appId, apiKey, callbackUrl, hooksUrl, wikiId, baseUrl, assets }: DemoPageData): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>Acme: a sign-in, step by step</title>
        <link rel="icon" href="${assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        ${assets.demoStylesheet !== undefined && html`<link rel="stylesheet" href="${assets.demoStylesheet}" />`}
        ${assets.demoScript !== undefined && html`<script type="module" src="${assets.demoScript}"></script>`}
      </head>
      <body class="demo">
        <header class="top">
          <p class="brand"><span class="initial" aria-hidden="true">A</span>Acme</p>
          <p class="mark">Demo app</p>
          <button type="button" class="button" data-act="start-again" disabled>Start again</button>
        </header>
        <main
          data-app-id="${appId}"
          data-api-key="${apiKey}"
          data-callback-url="${callbackUrl}"
          data-hooks-url="${hooksUrl}"
          data-wiki-id="${wikiId}"
          data-base-url="${baseUrl}"
        >
          <div class="intro">
            <div>
              <h1 tabindex="-1">A sign-in, step by step</h1>
              <p class="lead">
                Acme is a made-up app that signs people in with this service. Walk through its eight steps, with real
                calls and real answers.
              </p>
              <p class="stage">
                Here your browser plays Acme’s server too, and makes its calls with <code>fetch</code> so that you can
                watch them. In a real app the API key stays on your server and never reaches a browser.
              </p>
            </div>
            <dl class="facts">
              ${fact("Service", baseUrl)} ${fact("App ID", appId)} ${fact("API key", apiKey)}
              ${fact("Redirect address", callbackUrl)}
            </dl>
          </div>
          <noscript
            ><p class="stage">
              This page needs JavaScript: it makes the calls that Acme’s server would make.
            </p></noscript
          >
          <ol class="steps" role="list">
            ${demoSteps.map(stepRow)}
          </ol>
          <div class="further">
            <h2>Further steps</h2>
            <p>
              Each is optional, and they come in any order. The ones with an access token need a person who is signed
              in: take them before step 8, or start again.
            </p>
          </div>
          <ol class="steps" role="list">
            ${furtherSteps.map((step, index) => stepRow(step, demoSteps.length + index))}
          </ol>
          <p class="spoken" role="status" data-part="spoken"></p>
        </main>
        <footer class="where">
          Development mode of <bdi>${new URL(baseUrl).host}</bdi>. Public keys:
          <a href="${baseUrl}/.well-known/jwks.json">jwks.json</a>. What the service says of itself:
          <a href="${baseUrl}/.well-known/openid-configuration">openid-configuration</a>.
        </footer>
      </body>
    </html> `;
}

function fact(name: string, value: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd><code>${value}</code></dd>
  </div>`;
}

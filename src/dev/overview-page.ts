import { demoAppId } from "../applications/leftovers.ts";
import { html, type Html } from "../lib/html.ts";
import { demoCallbackPath } from "../lib/redirect-uris.ts";
import { framePage, type Frame } from "../pages/parts/frame.ts";
import { standIns } from "./providers/stand-ins.ts";
import { stylesheetPath as stylesheet } from "./stylesheet.ts";

export type Overview = {
  baseUrl: string;
  /** The lines of the developer's .env file. */
  envText: string;
  /** Of the developer's program. */
  redirectUris: readonly string[];
  /** False if a mail server is configured. */
  hasMailbox: boolean;
};

/** GET /dev: for developers, so in English and without translations. */
export function overviewPage(frame: Frame, { baseUrl, envText, redirectUris, hasMailbox }: Overview): Html {
  const title = "Development mode";
  const body = html`<div>
      <h1>${title}</h1>
      <p class="hint">All of this is on this machine only. None of it exists without --dev.</p>
    </div>
    <h2>The .env file of your application</h2>
    ${copied(envText)} ${redirectUriHint(redirectUris)}
    <ul class="rows">
      ${hasMailbox && row("/dev/mail", "Mailbox", "Every mail, such as the code that a new account asks for. As JSON: ", "/dev/mail.json")}
      ${row("/dev/webhooks", "Webhooks", "Every event of this application, as your receiver would get it. As JSON: ", "/dev/webhooks.json")}
      ${row("/dev/demo", "Demo page", "Signs in, and shows each call with its answer.")}
      <li>
        <b>Providers</b>
        <div class="hint">
          Stand-ins, which need no account: you choose the person, or a failure. Each link signs in to the demo page.
        </div>
        <div>
          ${standIns.map(
            ({ name, displayName }) => html`<a href="${providerSignIn(baseUrl, name)}">${displayName}</a> `,
          )}
        </div>
      </li>
      ${row(`/account?app_id=${demoAppId}`, "Account page", "What your users see behind “Manage account”.")}
      ${row("/docs", "API reference", "Every call, with examples. For programs: ", "/openapi.json")}
    </ul>
    <h2>For your tests</h2>
    <p class="hint">
      Sign a user in without a browser. Move the clock forward by an hour. Start afresh: this deletes every user of this
      application, and empties the mailbox and the webhooks.
    </p>
    ${copied(controls(baseUrl))}
    ${frame.assets.developerScript !== undefined && html`<script type="module" src="${frame.assets.developerScript}"></script>`}`;
  return framePage(frame, { title, body, stylesheet });
}

/** The script shows the button. */
function copied(text: string): Html {
  return html`<pre>${text}</pre>
    <button type="button" class="button plain" data-copy hidden>Copy</button>`;
}

function redirectUriHint(redirectUris: readonly string[]): Html {
  if (redirectUris.length === 0)
    return html`<p>
      Your application is not known yet. Start again with
      <code>--redirect-uri http://localhost:3000/callback</code>
    </p>`;
  return html`<p>
    Users return to ${redirectUris.map((uri, index) => html`${index > 0 && ", "}<code>${uri}</code>`)}
  </p>`;
}

function row(href: string, name: string, about: string, alsoAt?: string): Html {
  return html`<li>
    <a href="${href}">${name}</a>
    <div class="hint">${about}${alsoAt !== undefined && html`<a href="${alsoAt}">${alsoAt}</a>`}</div>
  </li>`;
}

function providerSignIn(baseUrl: string, name: string): string {
  const query = new URLSearchParams({ app_id: demoAppId, redirect_uri: `${baseUrl}${demoCallbackPath}` });
  return `/oauth/${name}/authorize?${query.toString()}`;
}

function controls(baseUrl: string): string {
  const post = (path: string, body?: string): string =>
    `curl -X POST ${baseUrl}/dev/${path}${body === undefined ? "" : ` -H "Content-Type: application/json" -d '${body}'`}\n`;
  return [post("token", '{"email":"ada@example.com"}'), post("clock", '{"advanceSeconds":3600}'), post("reset")].join(
    "",
  );
}

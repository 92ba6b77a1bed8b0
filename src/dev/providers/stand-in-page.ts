import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../../pages/parts/frame.ts";
import { divider, field, submitButton } from "../../pages/parts/form-parts.ts";

export type StandInPageData = {
  /** The provider that it plays: "Google". */
  displayName: string;
  people: { id: string; name: string; email: string | null; verified: boolean }[];
  /** Whether this provider reports verified addresses. */
  saysVerified: boolean;
  scopes: string[];
  clientId: string;
  redirectUri: string;
  failures: { id: string; label: string }[];
};

/**
 * The page of a provider that exists on this machine only. Its forms post to the page's own URL,
 * whose query has the request. For developers, so in English only.
 */
export function standInPage(frame: Frame, data: StandInPageData): Html {
  const { displayName, people, saysVerified } = data;
  const title = `Who signs in with ${displayName}?`;
  const body = html`<div>
      <h1>${title}</h1>
      <p class="hint">
        Not ${displayName}, but a stand-in for development: no account needed, and nothing leaves this machine.
      </p>
    </div>
    <form method="post" class="people">${people.map((person) => personButton(person, saysVerified))}</form>
    ${divider("or somebody else")}
    <form method="post">
      ${field(frame, { name: "name", label: "Name", type: "text", autocomplete: "off" }, undefined)}
      ${field(
        frame,
        { name: "email", label: "Email", type: "text", autocomplete: "off", hint: "Leave it empty to share none." },
        undefined,
      )}
      ${
        saysVerified
          ? html`<label class="check"><input type="checkbox" name="verified" checked /> The address is verified</label>`
          : html`<p class="hint">${displayName} does not say whether an address is verified.</p>`
      }
      ${submitButton({ label: "Continue", busy: "", look: "main" })}
    </form>
    ${failPart(data)} ${requestPart(data)}
    <form method="post" class="end">
      <span>Change your mind?</span>
      <button class="link" name="cancel" value="1">Cancel</button>
    </form>`;
  return framePage(frame, { title, body, stylesheet: frame.assets.standInStylesheet });
}

function personButton({ id, name, email, verified }: StandInPageData["people"][number], saysVerified: boolean): Html {
  const note = email !== null && saysVerified && (verified ? "verified" : "not verified");
  return html`<button class="person" name="person" value="${id}">
    <span class="face" aria-hidden="true">${name.charAt(0)}</span>
    <span class="who"><span>${name}</span> <span class="hint">${email ?? "Shares no address"}</span></span>
    ${note !== false && html`<span class="note${verified && " good"}">${note}</span>`}
  </button>`;
}

/** A failure that does not stop the sign-in uses the first of the prepared people. */
function failPart({ failures, people }: StandInPageData): Html {
  return html`<details>
    <summary>Let it fail</summary>
    <form method="post">
      ${people.slice(0, 1).map(({ id }) => html`<input type="hidden" name="person" value="${id}" />`)}
      <div class="field">
        <label for="failure">What fails</label>
        <div class="control">
          <select id="failure" name="failure">
            ${failures.map(({ id, label }) => html`<option value="${id}">${label}</option>`)}
          </select>
        </div>
      </div>
      <button class="button plain" name="fail" value="1"><span></span><span>Fail</span></button>
    </form>
  </details>`;
}

function requestPart({ scopes, clientId, redirectUri }: StandInPageData): Html {
  return html`<details>
    <summary>What was asked for</summary>
    <dl>
      <dt>Scopes</dt>
      <dd>${scopes.length === 0 ? "none" : scopes.map((scope) => html`<code>${scope}</code> `)}</dd>
      <dt>Client</dt>
      <dd><code>${clientId}</code></dd>
      <dt>Comes back to</dt>
      <dd><code>${redirectUri}</code></dd>
    </dl>
  </details>`;
}

import { html, type Html } from "../../lib/html.ts";
import { browserGlyph, serverGlyph } from "./demo-glyphs.ts";
import { tickGlyph } from "../parts/glyphs.ts";

/**
 * One step of the walk: who calls, why, and what the person can press. The browser code fills in
 * the rest.
 */
export type DemoStep = {
  name:
    | "initiate"
    | "hosted"
    | "return"
    | "callback"
    | "validate"
    | "profile"
    | "refresh"
    | "logout"
    | "wiki"
    | "rename"
    | "add-method"
    | "application"
    | "endpoint"
    | "config";
  title: string;
  caller: "server" | "browser";
  /** The credential of the call. */
  credential?: string;
  /** Who calls and why, in one sentence. */
  why: Html;
  method: "GET" | "POST" | "PATCH";
  path: string;
  /** The controls. The first button continues the walk. */
  controls?: Html;
  /** Shown instead of the call until the walk reaches this step. */
  later: string;
  /** Below the calls, filled in by the browser code. */
  below?: Html;
};

export const demoSteps: readonly DemoStep[] = [
  {
    name: "initiate",
    title: "Ask for a sign-in session",
    caller: "server",
    credential: "API key",
    why: html`Your server starts the sign-in with its API key, so that nobody else can start one in your name, and keeps
      the <code>state</code> that it made up for step 3.`,
    method: "POST",
    path: "/auth/initiate",
    controls: html`<fieldset class="choice">
        <legend>Sign in with</legend>
        <div class="segments">
          ${choice("any", "Any method", true)} ${choice("passkey", "Passkey")} ${choice("password", "Password")}
        </div>
      </fieldset>
      <div class="tick">
        <input type="checkbox" id="pkce" aria-describedby="pkce-hint" />
        <label for="pkce">Use PKCE</label>
        <p class="hint" id="pkce-hint">Ties the code to whoever asked for it; apps without a server need it.</p>
      </div>
      ${button("initiate", "Start sign-in")}`,
    later: "",
  },
  {
    name: "hosted",
    title: "Send the browser to sign in",
    caller: "browser",
    why: html`The browser goes to <code>authUrl</code>, because passwords and passkeys belong on the service’s own page
      and never pass through your app.`,
    method: "GET",
    path: "/sign-in/{sessionId}",
    controls: html`<a class="button" data-act="hosted" role="link" aria-disabled="true">Continue to the hosted page</a>
      <p class="timer" data-timer="session" hidden></p>`,
    later: "After step 1, at the authUrl of its answer.",
  },
  {
    name: "return",
    title: "Take the browser back",
    caller: "browser",
    why: html`The browser comes to your redirect address with a <code>code</code>, and your app compares the
      <code>state</code> before anything else, so that nobody can slip in a sign-in of their own.`,
    method: "GET",
    path: "/dev/demo/callback",
    controls: html`<p class="timer" data-timer="code" hidden></p>`,
    later: "When the hosted page has sent the browser back.",
  },
  {
    name: "callback",
    title: "Exchange the code for tokens",
    caller: "server",
    credential: "API key",
    why: html`Your server swaps the code with its API key, because the code has been in an address bar and must buy
    nothing by itself: it works once, for 60 seconds.`,
    method: "POST",
    path: "/auth/callback",
    controls: button("callback", "Exchange the code"),
    later: "After step 3, with the code from there.",
  },
  {
    name: "validate",
    title: "Check the access token",
    caller: "server",
    credential: "access token",
    why: html`Your server asks whether a caller’s access token still holds, because the signature alone cannot tell it
    of a sign-out or a disabled account.`,
    method: "GET",
    path: "/auth/validate",
    controls: html`${button("validate", "Validate")}
      <p class="timer" data-timer="access" hidden></p>`,
    later: "After step 4, with the access token from there.",
  },
  {
    name: "profile",
    title: "Know your user",
    caller: "server",
    credential: "access token",
    why: html`Your app reads who signed in, and how that person can. Everything else about the account, the person does
    on the service’s own account page.`,
    method: "GET",
    path: "/users/profile",
    controls: html`${button("profile", "Read the profile")} ${button("methods", "List the methods")}
      <a class="button" data-act="account" role="link" aria-disabled="true">Open the account page</a>`,
    later: "After step 4, with the access token from there.",
  },
  {
    name: "refresh",
    title: "Get fresh tokens",
    caller: "server",
    credential: "API key",
    why: html`Your server swaps the refresh token for a new pair before the access token’s 15 minutes are over; each
    works once, so a stolen copy gives itself away.`,
    method: "POST",
    path: "/auth/refresh",
    controls: html`${button("refresh", "Refresh")}
      <div class="aside" data-part="old-refresh" hidden>
        <p class="timer" data-timer="grace"></p>
        ${button("old-refresh", "Use the old one again")}
      </div>`,
    later: "After step 4, with the refresh token from there.",
  },
  {
    name: "logout",
    title: "End the sign-in",
    caller: "server",
    credential: "access token",
    why: html`Your server ends the login at the service when the person signs out, so that its refresh token and every
    access token from it stop working at once.`,
    method: "POST",
    path: "/auth/logout",
    controls: html`<div class="tick">
        <input type="checkbox" id="all-sessions" />
        <label for="all-sessions">On every device <code>allSessions</code></label>
      </div>
      ${button("logout", "Sign out")}
      <div class="aside" data-part="dead-token" hidden>${button("dead-token", "Try the access token now")}</div>`,
    later: "After step 4, with the tokens from there.",
  },
];

function choice(value: string, label: string, checked = false): Html {
  return html`<label
    ><input type="radio" name="method" value="${value}" ${checked && html` checked`} />${label}</label
  >`;
}

export function button(act: string, label: string): Html {
  return html`<button type="button" class="button" data-act="${act}" disabled>${label}</button>`;
}

/** A row with the step on the left and its call on the right (below it on a phone). */
export function stepRow(step: DemoStep, index: number): Html {
  const { name, title, caller, credential, method, path } = step;
  return html`<li class="step" id="${name}" data-state="later">
    <div class="tell">
      <h2 tabindex="-1">
        <span class="number" aria-hidden="true"><span>${index + 1}</span>${tickGlyph}</span>
        <span class="spoken">Step ${index + 1}, <span data-part="state">not reached</span>:</span>
        ${title}
      </h2>
      <p class="who">
        ${caller === "server" ? serverGlyph : browserGlyph}
        <span>${caller === "server" ? "Your server" : "The browser"}</span>
        ${credential !== undefined && html`<span class="credential">with ${credential}</span>`}
      </p>
      <p>${step.why}</p>
      ${step.controls}
    </div>
    <section class="call" aria-label="${`Call of step ${index + 1}`}">
      <header>
        <p class="endpoint"><b>${method}</b> ${path}</p>
        <p class="status" data-part="status"></p>
      </header>
      <div class="exchanges" data-part="exchanges">
        ${step.later !== "" && html`<p class="later">${step.later}</p>`}
      </div>
      ${step.below}
    </section>
  </li>`;
}

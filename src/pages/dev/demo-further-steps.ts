import { html, type Html } from "../../lib/html.ts";
import { button, type DemoStep } from "./demo-steps.ts";

/** What an app can do besides signing in. Each step is optional, in any order. */
export const furtherSteps: readonly DemoStep[] = [
  {
    name: "wiki",
    title: "Sign in to a second program",
    caller: "server",
    credential: "client ID and PKCE",
    why: html`Acme has a wiki. Like any program, it signs people in by OpenID Connect. Who is signed in to Acme in this
    browser needs no form: the browser comes back at once. Signing out of the wiki signs out of both.`,
    method: "POST",
    path: "/oauth2/token",
    controls: html`<a class="button" data-act="wiki-page" role="link" aria-disabled="true">Open the wiki</a>
      ${button("wiki", "Get its tokens")} ${button("wiki-userinfo", "Read userinfo")}
      <a class="button" data-act="wiki-out" role="link" aria-disabled="true">Sign out of both</a>
      <div class="aside" data-part="wiki-over" hidden>
        <p>Both are signed out. Press Validate in step 5: the token of Acme has ended, too.</p>
      </div>`,
    later: "When the browser has come back from the wiki’s sign-in, with a code.",
  },
  {
    name: "rename",
    title: "Change the profile",
    caller: "server",
    credential: "access token",
    why: html`Your app changes the name or the picture for the signed-in person, with that person’s own token.`,
    method: "PATCH",
    path: "/users/profile",
    controls: html`${textField("person-name", "New name")} ${button("rename", "Change the name")}`,
    later: "After step 4 and before step 8, with the access token.",
  },
  {
    name: "add-method",
    title: "Add a way to sign in",
    caller: "server",
    credential: "access token",
    why: html`Your app asks for a session that adds a method, then sends the browser to its <code>authUrl</code>. The
      person creates the passkey or password there. Step 6 lists the result.`,
    method: "POST",
    path: "/users/auth-methods",
    controls: html`<div class="field">
        <label for="add-type">Method to add</label>
        <div class="control">
          <select id="add-type">
            <option value="passkey">A passkey</option>
            <option value="password">A password</option>
          </select>
        </div>
      </div>
      ${button("add-method", "Ask for the page")}
      <a class="button" data-act="add-page" role="link" aria-disabled="true">Continue to add it</a>
      <div class="aside" data-part="added" hidden>
        <p data-part="added-words"></p>
        ${button("remove-method", "Remove it again")}
      </div>`,
    later: "After step 4 and before step 8, with the access token.",
  },
  {
    name: "application",
    title: "Read and change the application",
    caller: "server",
    credential: "API key",
    why: html`Your server reads its own settings and statistics, and changes them: the name, the redirect addresses, and
    the ways to sign in.`,
    method: "GET",
    path: "/applications/{appId}",
    controls: html`${button("application", "Read the application")} ${textField("app-name", "Name on the sign-in page")}
    ${button("rename-app", "Change the application")}`,
    later: "",
  },
  {
    name: "endpoint",
    title: "Receive webhooks",
    caller: "server",
    credential: "API key",
    why: html`Your server registers an address, and the service posts every event there, signed with the secret.
    Register it, then sign in, change the profile or sign out: the deliveries appear here.`,
    method: "POST",
    path: "/webhooks/endpoints",
    controls: html`${button("endpoint", "Register the webhook")} ${button("sample", "Send a sample")}
    ${button("remove-endpoint", "Remove the webhook")}`,
    later: "",
    below: html`<div class="exchange" data-part="deliveries" hidden></div>`,
  },
  {
    name: "config",
    title: "Use the query-style calls",
    caller: "server",
    credential: "App ID and token in the address",
    why: html`For clients that cannot send headers. Addresses end up in logs and in the browser’s history, so prefer the
    calls with headers where you can.`,
    method: "GET",
    path: "/api/config",
    controls: html`${button("config", "Read the public settings")} ${button("verify-token", "Verify the token")}
    ${button("current-user", "Read the user")}`,
    later: "",
  },
];

function textField(id: string, label: string): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <div class="control"><input type="text" id="${id}" maxlength="200" autocomplete="off" /></div>
  </div>`;
}

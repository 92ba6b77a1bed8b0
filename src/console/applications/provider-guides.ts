/** What each provider's own console asks for (docs/providers.md has the same steps). */
import { html, type Html } from "../../lib/html.ts";

/** `steps`: in the provider's console. `fields`: those that a sign-in with it needs. */
type Guide = { steps: Html[]; fields: readonly string[]; advanced: readonly string[] };

const usual = ["clientId", "secret"];

/** In the order of the tiles. `callback`: the redirect URI, to copy. */
const guides: Readonly<Record<string, (callback: Html) => Guide>> = {
  google: (callback) => ({
    steps: [
      html`Open ${site("https://console.cloud.google.com/auth/clients", "Google Auth Platform")}, choose a project, and
        fill in app name, support address and contact, with the audience <b>External</b>.`,
      html`<b>Clients</b>, <b>Create client</b>, type <b>Web application</b>. Under <b>Authorized redirect URIs</b> add
        ${callback}`,
      html`Copy client ID and client secret at once: Google shows the secret only then.`,
      html`<b>Audience</b>, <b>Publish app</b>. Until then only the test users listed there can sign in.`,
    ],
    fields: usual,
    advanced: [],
  }),
  github: (callback) => ({
    steps: [
      html`Open ${site("https://github.com/settings/developers", "Developer settings")} of yourself or of your
        organization: <b>OAuth Apps</b>, <b>New OAuth App</b>.`,
      html`<b>Authorization callback URL</b>: ${callback} Then <b>Register application</b>.`,
      html`<b>Generate a new client secret</b>, and copy it and the client ID.`,
    ],
    fields: usual,
    advanced: ["authorizationUrl", "tokenUrl", "userinfoUrl"],
  }),
  microsoft: (callback) => ({
    steps: [
      html`Open ${site("https://entra.microsoft.com", "Microsoft Entra")}: <b>App registrations</b>,
        <b>New registration</b>, with accounts in any organizational directory and personal Microsoft accounts.`,
      html`<b>Redirect URI</b>: platform <b>Web</b>, ${callback} Then <b>Register</b>, and copy
        <b>Application (client) ID</b>.`,
      html`<b>Certificates &amp; secrets</b>, <b>New client secret</b>. Copy the <b>Value</b>, not the Secret ID. It
        expires after 24 months at the latest: note the date.`,
    ],
    fields: usual,
    advanced: ["authorizationUrl", "tokenUrl", "jwksUrl", "issuer", "emailClaim"],
  }),
  apple: (callback) => ({
    steps: [
      html`Open ${site("https://developer.apple.com/account/resources/identifiers", "Identifiers")} of your Apple
        developer account: an <b>App ID</b> with the capability <b>Sign in with Apple</b>.`,
      html`<b>Services IDs</b>: its identifier, such as com.example.web, is the client ID. Under <b>Configure</b> choose
        the App ID, your domain, and as return URL ${callback}`,
      html`<b>Keys</b>: one with <b>Sign in with Apple</b> for the App ID. Download the .p8 file, which is possible
        once, and note the <b>Key ID</b>. The <b>Team ID</b> is under <b>Membership details</b>.`,
    ],
    fields: ["clientId", "teamId", "keyId", "privateKey"],
    advanced: [],
  }),
  discord: (callback) => ({
    steps: [
      html`Open ${site("https://discord.com/developers/applications", "Discord's applications")}:
        <b>New Application</b>.`,
      html`<b>OAuth2</b>: under <b>Redirects</b> add ${callback} and save.`,
      html`Copy <b>Client ID</b>. <b>Reset Secret</b> shows the secret once.`,
    ],
    fields: usual,
    advanced: [],
  }),
  facebook: (callback) => ({
    steps: [
      html`Open ${site("https://developers.facebook.com/apps", "Meta's apps")}: <b>Create app</b>, with the use case
        <b>Authenticate and request data from users with Facebook Login</b>.`,
      html`<b>Use cases</b>, <b>Customize</b>: add the permission <b>email</b>. In the settings of Facebook Login,
        <b>Valid OAuth Redirect URIs</b>: ${callback}`,
      html`<b>App settings</b>, <b>Basic</b>: copy <b>App ID</b> (the client ID) and <b>App secret</b>. Enter the
        addresses of your privacy policy and of data deletion: the account page will do.`,
      html`<b>Publish</b>. Until then only people with a role in the app can sign in.`,
    ],
    fields: usual,
    advanced: [],
  }),
};

export const knownProviders = Object.keys(guides);

export function guideOf(name: string, callback: Html): Guide {
  return (guides[name] ?? ownGuide)(callback);
}

/** Any OpenID Connect provider, under a name of the operator's. */
function ownGuide(callback: Html): Guide {
  return {
    steps: [
      html`Create a confidential client for the authorization code flow there, with the scopes
        <b>openid email profile</b> and the redirect URI ${callback}`,
      html`Its issuer is the address before /.well-known/openid-configuration, as that document says it.`,
      html`Copy client ID and client secret.`,
    ],
    fields: ["name", "issuer", ...usual, "trustsEmail"],
    advanced: ["emailClaim", "trustsSecondFactor", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"],
  };
}

function site(address: string, name: string): Html {
  return html`<a href="${address}" rel="noreferrer">${name}</a>`;
}

/** What people call the pages, acts and settings of the console, and where each is. */
import { programs, programTitle, type ProgramName } from "../../applications/clients/configurations.ts";
import { clientRows } from "../../applications/clients/settings.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Setting } from "../../applications/setting.ts";
import { applicationRows } from "../../applications/settings.ts";
import { fold } from "../../people/search-text.ts";
import { knownProviders } from "../applications/provider-guides.ts";
import type { ConsoleRoute } from "../route.ts";

/** `path`: of its page, with the parts that must be chosen first. */
export type Place = { title: string; about: string; path: string; route: Pick<ConsoleRoute, "role" | "isGlobal"> };

const organization = "/applications/:appId/organizations/:orgId";

/** By method and path below /console: the title, and other words for it. */
export const names: Record<string, readonly [title: string, words: string]> = {
  "GET /overview": ["Overview", "charts numbers activity sign-ins home dashboard what is wrong"],
  "GET /people": ["People", "users accounts list"],
  "POST /people/invite": ["Invite somebody", "invitation user person"],
  "POST /people/create": ["Create a user", "add new person account"],
  "POST /audit/export": ["Export the audit log", "csv download spreadsheet entries"],
  "POST /people/export": ["Export people", "csv download spreadsheet users"],
  "POST /bulk/disable": ["Disable several people", "bulk block users"],
  "POST /bulk/enable": ["Enable several people", "bulk unblock users"],
  "POST /bulk/require-new-password": ["Require a new password of several people", "bulk force change breach expire"],
  "POST /bulk/end-logins": ["End the logins of several people", "bulk sign out sessions"],
  "POST /people/:userId/unblock": ["Unblock a person", "wrong passwords locked out second factor"],
  "POST /people/:userId/invitation/withdraw": ["Withdraw an invitation", "invite cancel"],
  "POST /people/:userId/approve": ["Approve a person", "pending waiting sign-up admit let in"],
  "POST /people/:userId/refuse": ["Refuse a person", "pending waiting sign-up reject deny"],
  "POST /people/:userId/disable": ["Disable a person", "block lock ban suspend user account"],
  "POST /people/:userId/enable": ["Enable a person", "unblock unlock user account"],
  "POST /people/:userId/require-new-password": ["Require a new password of a person", "force change breach expire"],
  "POST /people/:userId/logins/end": ["End every login of a person", "sign out everywhere sessions logout revoke"],
  "POST /people/:userId/logins/:loginId/end": ["End a login of a person", "sign out session logout revoke"],
  "POST /people/:userId/methods/:methodId/remove": ["Remove a sign-in method", "passkey password provider delete"],
  "POST /people/:userId/factors/remove": ["Remove a second factor", "reset 2fa mfa totp authenticator lost phone"],
  "POST /people/:userId/trusted-browsers/:browserId/end": ["Forget a trusted browser", "2fa mfa device"],
  "POST /people/:userId/trusted-browsers/end": ["Forget all trusted browsers", "2fa mfa devices"],
  "POST /people/:userId/tokens/:tokenId/end": ["End a personal access token", "pat revoke key"],
  "POST /people/:userId/tokens/end": ["End all personal access tokens of a person", "pat revoke keys"],
  "POST /people/:userId/reset-link": ["Make a password reset link", "forgotten password"],
  "POST /people/:userId/reset-link/mail": ["Mail a password reset link", "forgotten password send"],
  "POST /people/:userId/recovery-link": ["Make a recovery link", "lost passkey second factor 2fa"],
  "POST /people/:userId/invitation/mail": ["Send an invitation again", "invite resend"],
  "POST /people/:userId/invitation": ["Make an invitation link", "invite"],
  "POST /people/:userId/programs/:clientId/remove": ["Remove a program's access", "consent grant revoke"],
  "POST /people/:userId/profile": ["Change a person's profile", "name picture locale language rename"],
  "POST /people/:userId/fields": ["Change a person's profile fields", "custom attributes data"],
  "POST /people/:userId/picture": ["Upload a person's picture", "photo avatar image"],
  "POST /people/:userId/picture/remove": ["Remove a person's picture", "photo avatar image delete"],
  "POST /people/:userId/address": ["Change a person's address", "email mail"],
  "POST /people/:userId/address/verify": ["Mark an address as verified", "email verify"],
  "POST /people/:userId/address/unverify": ["Mark an address as unverified", "email"],
  "POST /people/:userId/metadata/public": ["Change public metadata", "person data attributes"],
  "POST /people/:userId/metadata/private": ["Change private metadata", "person data attributes"],
  "POST /people/:userId/groups": ["Add a person to a group", "role member permission"],
  "POST /people/:userId/groups/:group/remove": ["Remove a person from a group", "role member permission"],
  "POST /people/:userId/delete": ["Delete a person", "erase user account gdpr"],
  "GET /applications": ["Applications", "apps"],
  "POST /applications": ["Create an application", "new app add"],
  "GET /applications/:appId": ["Settings of an application", "app id issuer discovery base url"],
  "POST /applications/:appId/delete": ["Delete an application", "remove app"],
  "GET /applications/:appId/branding": ["Branding", "logo colour color theme look design appearance"],
  "GET /applications/:appId/texts": ["Own words", "text title intro subject mail footer imprint template"],
  "POST /applications/:appId/logo": ["Upload the logo of an application", "image branding icon"],
  "POST /applications/:appId/logo/remove": ["Remove the logo of an application", "image branding delete"],
  "GET /applications/:appId/keys": ["API keys", "credentials tokens"],
  "POST /applications/:appId/keys": ["Create an API key", "new credential env"],
  "POST /applications/:appId/keys/rotate": ["Replace all API keys", "rotate leaked"],
  "POST /applications/:appId/keys/:keyId/revoke": ["Revoke an API key", "delete leaked end"],
  "GET /applications/:appId/providers": ["Providers", "social login oauth federation identity single sign-on"],
  "POST /applications/:appId/providers": ["Set up a provider", "social login oauth oidc"],
  "POST /applications/:appId/providers/:provider/remove": ["Remove a provider", "social login oauth delete"],
  "GET /applications/:appId/own-provider": ["Set up a provider of your own", "another oidc oauth entra okta keycloak"],
  "GET /applications/:appId/clients": ["OpenID Connect clients", "programs oidc oauth connect"],
  "POST /applications/:appId/clients": ["Create a client", "connect a program oidc oauth new"],
  "POST /applications/:appId/clients/:clientId/settings": ["Change a client", "redirect uri oidc"],
  "POST /applications/:appId/clients/:clientId/disable": ["Disable a client", "program block"],
  "POST /applications/:appId/clients/:clientId/enable": ["Enable a client", "program"],
  "POST /applications/:appId/clients/:clientId/delete": ["Delete a client", "program remove"],
  "POST /applications/:appId/clients/:clientId/logo": ["Upload the logo of a client", "image program icon"],
  "POST /applications/:appId/clients/:clientId/logo/remove": ["Remove the logo of a client", "image program delete"],
  "POST /applications/:appId/clients/:clientId/secrets": ["Create a client secret", "new credential"],
  "POST /applications/:appId/clients/:clientId/secrets/rotate": ["Replace all client secrets", "rotate leaked"],
  "POST /applications/:appId/clients/:clientId/secrets/:secretId/revoke": ["Revoke a client secret", "leaked end"],
  "GET /applications/:appId/groups": ["Groups", "roles members permissions"],
  "POST /applications/:appId/groups": ["Create a group", "new role"],
  "POST /applications/:appId/groups/update": ["Change a group", "second factor policy role"],
  "POST /applications/:appId/groups/delete": ["Delete a group", "remove role"],
  "GET /applications/:appId/organizations": ["Organizations", "companies customers tenants teams b2b"],
  "POST /applications/:appId/organizations": ["Create an organization", "company customer tenant new"],
  [`POST ${organization}/change`]: ["Change an organization", "company tenant rename slug policy"],
  [`POST ${organization}/disable`]: ["Disable an organization", "company tenant block suspend"],
  [`POST ${organization}/enable`]: ["Enable an organization", "company tenant undo deletion"],
  [`POST ${organization}/delete`]: ["Delete an organization", "company tenant remove"],
  [`POST ${organization}/members`]: ["Add a member to an organization", "company appoint owner"],
  [`POST ${organization}/members/:userId/roles`]: ["Change roles in an organization", "company member owner admin"],
  [`POST ${organization}/members/:userId/remove`]: ["Remove a member of an organization", "company user"],
  [`POST ${organization}/invitations`]: ["Invite people to an organization", "company member"],
  [`POST ${organization}/invitations/:invitationId/withdraw`]: [
    "Withdraw an invitation to an organization",
    "company cancel",
  ],
  [`POST ${organization}/domains`]: ["Add a domain of an organization", "company claim dns"],
  [`POST ${organization}/domains/:domain/vouch`]: [
    "Vouch for a domain of an organization",
    "company proved verify dns",
  ],
  [`POST ${organization}/domains/:domain/join`]: ["Change who joins an organization by a domain", "company"],
  [`POST ${organization}/domains/:domain/check`]: [
    "Check a domain of an organization",
    "company txt record dns verify",
  ],
  [`POST ${organization}/domains/:domain/remove`]: ["Remove a domain of an organization", "company dns delete"],
  [`POST ${organization}/provider/test`]: ["Ask the provider of an organization", "company sign-in sso oidc"],
  [`POST ${organization}/provider/confirm`]: ["Confirm the provider of an organization", "company sign-in sso agree"],
  [`POST ${organization}/provider/remove`]: ["Remove the provider of an organization", "company sign-in sso delete"],
  [`POST ${organization}/provider/relinks`]: ["Let a member link a new identity", "company sign-in sso subject"],
  [`POST ${organization}/provider/relinks/:userId/agree`]: ["Agree to a new identity", "company sign-in sso relink"],
  [`POST ${organization}/setup-links`]: ["Mail a set-up link of an organization", "company sign-in sso provider"],
  [`POST ${organization}/setup-links/:linkId/end`]: ["End a set-up link of an organization", "company sign-in sso"],
  "GET /applications/:appId/try": ["Try a sign-in", "test login demo"],
  "GET /webhooks": ["Webhooks", "endpoints deliveries events"],
  "GET /webhooks/new": ["New webhook endpoint", "create add"],
  "POST /webhooks/:id/change": ["Change a webhook endpoint", "url events"],
  "POST /webhooks/:id/enable": ["Enable or disable a webhook endpoint", "turn on off"],
  "POST /webhooks/:id/rotate-secret": ["Rotate a webhook secret", "signing leaked"],
  "POST /webhooks/:id/delete": ["Delete a webhook endpoint", "remove"],
  "POST /webhooks/:id/test": ["Send a test event", "webhook try"],
  "POST /webhooks/:id/send-failed-again": ["Send all failed deliveries again", "webhook retry redeliver"],
  "POST /webhooks/:id/deliveries/:event/send-again": ["Send a delivery again", "webhook retry redeliver"],
  "GET /mail": ["Mail", "email queue smtp waiting failed"],
  "POST /mail/test": ["Send a sample mail", "email smtp test try"],
  "GET /mail/texts": ["Texts of mails", "email templates preview languages"],
  "GET /service": ["Service", "backup restore disk certificate version update doctor findings"],
  "POST /service/backup": ["Make a backup", "database save"],
  "POST /service/check": ["Run all checks", "doctor findings service"],
  "GET /keys": ["Signing keys", "jwks rotation"],
  "POST /keys/rotate": ["Rotate the signing keys", "jwks new"],
  "POST /keys/:kid/revoke": ["Revoke a signing key", "jwks stolen"],
  "GET /capacity": ["Capacity", "performance password hashing load"],
  "POST /capacity/measure": ["Measure this machine", "capacity performance benchmark"],
  "GET /agents": ["Agents", "machines mcp unregistered client documents"],
  "POST /agents/block": ["Block an unregistered client", "agent mcp document"],
  "POST /agents/unblock": ["Unblock an unregistered client", "agent mcp document"],
  "GET /audit": ["Audit log", "history who did what changed changes events"],
  "GET /operators": ["Operators", "team admins colleagues roles"],
  "POST /operators": ["Invite an operator", "team admin colleague add"],
  "POST /operators/:id/invite": ["Send an operator's invitation again", "team colleague resend"],
  "POST /operators/:id/withdraw": ["Withdraw an operator's invitation", "team colleague cancel"],
  "POST /operators/networks": ["Limit the networks of operators", "ip allowlist vpn"],
  "POST /operators/:id/role": ["Change an operator's role", "owner support viewer"],
  "POST /operators/:id/remove": ["Remove an operator", "team admin delete"],
};

/** Found by nobody: parts of other pages, and steps within them. */
export const unnamed: readonly string[] = [
  "GET /people/:userId",
  "POST /applications/:appId/settings/:group",
  "POST /applications/:appId/branding",
  "GET /applications/:appId/preview",
  "POST /applications/:appId/texts/change",
  "GET /applications/:appId/texts/preview",
  "POST /people/:userId/picture/undo",
  "POST /applications/:appId/logo/undo",
  "POST /applications/:appId/clients/:clientId/logo/undo",
  "GET /applications/:appId/providers/:provider",
  "POST /applications/:appId/providers/:provider",
  "GET /applications/:appId/programs/:program",
  "POST /applications/:appId/programs/:program",
  "GET /applications/:appId/clients/:clientId",
  "GET /applications/:appId/organizations/:orgId",
  "GET /applications/:appId/try/back",
  "POST /applications/:appId/try/add-address",
  "POST /applications/:appId/try/remove-address",
  "POST /applications/:appId/try/start",
  "POST /applications/:appId/try/validate",
  "POST /applications/:appId/try/refresh",
  "POST /applications/:appId/try/log-out",
  "POST /webhooks",
  "GET /bulk",
  "GET /webhooks/:id",
  "GET /webhooks/events/:event",
  "GET /webhooks/:id/deliveries/:event",
  "GET /mail/texts/preview",
  "GET /keys/:kid",
  "GET /operators/:id",
  "GET /search",
  "POST /sign-out",
];

/** Other words for settings, beside their label and sentence. */
const settingWords: Record<string, string> = {
  redirectUris: "callback url return",
  "settings.signUpEmailDomains": "allow domain company address only",
  "settings.signUpBlockedDomains": "deny domain address",
  "settings.signUpBlockDisposable": "throwaway temporary mail address",
  "settings.signUpRequireVerified": "confirm prove address",
  "settings.signUpShowRules": "explain refusal",
  "settings.signUpApproval": "pending waiting moderate review",
  "settings.signUpApprovalMail": "notify waiting",
  "settings.signUp": "registration register create account invite only",
  "settings.relatedOrigins": "webauthn well-known other sites domains",
  "settings.passwordMinLength": "policy strength complexity characters",
  "settings.secondFactor": "2fa mfa totp authenticator two-factor policy",
  "settings.trustBrowsersDays": "2fa mfa remember device",
  "settings.singleSignOnSeconds": "sso session duration",
  "settings.sessionIdleSeconds": "timeout inactivity expiry lifetime",
  "settings.sessionAbsoluteSeconds": "timeout expiry lifetime duration",
  "settings.maxLogins": "concurrent sessions devices",
  "settings.emailCode": "magic link passwordless otp",
  "settings.organizations": "companies tenants b2b multi-tenant customers",
  "settings.publicClients": "spa mobile pkce",
  "branding.primaryColor": "color theme accent",
  claims: "jwt roles custom",
};

const filler = new Set(
  "a an the of for in on to how do i can my is where set up change edit configure setting".split(" "),
);
const maxFound = 8;

export const keyOf = ({ method, path }: Pick<ConsoleRoute, "method" | "path">): string =>
  `${method} ${path.replace(/^\/console/u, "")}`;

/** The pages, acts and settings that have every word, those with it in their title first. */
export function findPlaces(routes: readonly ConsoleRoute[], text: string): Place[] {
  const all = fold(text)
    .split(/[\s,.?!]+/u)
    .filter((word) => word !== "");
  const words = all.filter((word) => !filler.has(word) && word.length > 1);
  if (words.length === 0) return [];
  const countIn = (texts: string): number => {
    const folded = ` ${fold(texts)}`.replaceAll(/[^\p{L}\p{N}]+/gu, " ");
    return words.filter((word) => folded.includes(` ${word}`)).length;
  };
  return placesOf(routes)
    .filter(({ words: more, title, about }) => countIn(`${title} ${about} ${more}`) === words.length)
    .toSorted((a, b) => countIn(b.title) - countIn(a.title))
    .slice(0, maxFound);
}

function placesOf(routes: readonly ConsoleRoute[]): (Place & { words: string })[] {
  const named = routes.flatMap((route) => {
    const [title, words = ""] = names[keyOf(route)] ?? [];
    if (title === undefined) return [];
    return [{ title, about: "", words, path: pageOf(routes, route), route }];
  });
  const of = (path: string) => routes.find((route) => keyOf(route) === `GET ${path}`);
  const settings = [
    ...applicationRows.map(
      (row) =>
        [
          ...row,
          row[0] === "settings.texts"
            ? "/applications/:appId/texts"
            : row[1].form === "branding"
              ? "/applications/:appId/branding"
              : "/applications/:appId",
        ] as const,
    ),
    ...clientRows.map((row) => [...row, "/applications/:appId/clients"] as const),
  ].flatMap(([field, row, path]: readonly [string, Setting, string]) => {
    const route = of(path);
    const words = settingWords[field] ?? "";
    const about = path.endsWith("/clients") ? `Of a client. ${row.about}` : row.about;
    return route ? [{ title: row.label, about, words, path: route.path, route }] : [];
  });
  const each = (path: string, all: readonly string[], titleOf: (name: string) => string, words: string) =>
    all.flatMap((name) => {
      const route = of(path);
      const itsPath = route?.path.replace(/:\w+$/u, name) ?? "";
      return route ? [{ title: titleOf(name), about: "", words, path: itsPath, route }] : [];
    });
  return [
    ...each(
      "/applications/:appId/providers/:provider",
      knownProviders,
      (name) => `Set up ${providerDisplayName(name)}`,
      "provider social login oauth",
    ),
    ...each(
      "/applications/:appId/programs/:program",
      programs,
      (name) => `Connect ${programTitle(name as ProgramName)}`,
      "program client oidc",
    ),
    ...named,
    ...settings,
  ];
}

/** The page that has the act: the nearest one above it. */
function pageOf(routes: readonly ConsoleRoute[], { path }: ConsoleRoute): string {
  const above = routes.filter(
    (each) => each.method === "GET" && (path === each.path || path.startsWith(`${each.path}/`)),
  );
  if (path.startsWith("/console/bulk/")) return "/console/people";
  return above.map((each) => each.path).toSorted((a, b) => b.length - a.length)[0] ?? "/console/overview";
}

import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../src/applications/application.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as applications from "../../src/applications/service.ts";
import { clientSettings } from "../../src/console/applications/client-settings.ts";
import { applicationAccess, clientAccess } from "../../src/console/applications/opens-access.ts";
import {
  brandingSettings,
  settingGroups,
  signsNow,
  type ApplicationSetting,
} from "../../src/console/applications/settings.ts";
import * as factors from "../../src/factors/service.ts";
import * as groups from "../../src/users/groups/service.ts";
import { recordFactorTries } from "../../src/factors/store.ts";
import { unblock } from "../../src/people/administration.ts";
import * as methods from "../../src/credentials/methods/service.ts";
import * as organizations from "../../src/organizations/service.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import type { ClientKind } from "../../src/storage/column-types.ts";
import { createClient } from "../support/clients-logout.ts";
import { openConsole } from "../support/console.ts";
import { createProxy } from "../support/forward-auth.ts";
import { freePort } from "../support/free-port.ts";
import { blockPassword } from "../support/limits.ts";
import { makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { newUser } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import { Visitor, type Page } from "../support/person.ts";
import { updateApp } from "../support/service.ts";
import { createEndpoint, localWebhooks } from "../support/webhooks.ts";
import { newSomebody } from "./somebody.ts";
import { filled } from "./support-forms.ts";

const minute = 60_000;
const by = { actor: { kind: "cli", name: "test" } } as const;
const port = await freePort();
const consoleUrl = `http://127.0.0.1:${port}`;
const service = useService({ console: { host: "127.0.0.1", port, baseUrl: consoleUrl }, ...localWebhooks });
const ctx = () => service.server.app.ctx;

let owner: TestOperator;
/** A session whose passkey was used eleven minutes ago. */
let stale: Visitor;

async function signedIn(operator: TestOperator): Promise<Visitor> {
  const visitor = new Visitor();
  await signInTo(service, await visitor.get(`${consoleUrl}/console/overview`), operator, visitor);
  return visitor;
}

beforeAll(async () => {
  owner = await makeOperator(service, "owner");
  stale = await signedIn(owner);
  service.clock.advance(11 * minute);
});

/** Posts a form of a page, as a browser would, with these values. */
async function send(path: string, action: string, values: Record<string, string>, visitor = stale): Promise<Page> {
  const page = await visitor.get(`${consoleUrl}/console${path}`);
  return await visitor.post(new URL(page.form(action).action, page.url).href, { ...filled(page, action), ...values });
}

function isAsked({ status, text }: Page): boolean {
  return status === 403 && text.includes("Confirm with your passkey");
}

async function applicationOf(id: string): Promise<Application> {
  const found = await applications.find(ctx(), ctx().storage.reader, id);
  if (!found) throw new Error(`no application ${id}`);
  return found;
}

/** What a form posts to give a field another value. */
const others: Record<string, Record<string, string>> = {
  redirectUris: { redirectUris: "https://evil.example/callback" },
  domain: { domain: "example.com" },
  relyingPartyId: { relyingPartyId: "login.example.com" },
  "passkeys.relatedOrigins": {
    domain: "passkeys.example",
    relyingPartyId: "passkeys.example",
    "passkeys.relatedOrigins": "https://shop.example",
  },
  methods: { "methods.oauth": "on" },
  passkeyRequired: { passkeyRequired: "on" },
  providers: { providers: "google" },
  emailCode: { emailCode: "on" },
  signUp: { signUp: "closed" },
  signUpEmailDomains: { signUpEmailDomains: "acme.example" },
  signUpBlockedDomains: { signUpBlockedDomains: "bad.example" },
  signUpBlockDisposable: { signUpBlockDisposable: "on" },
  signUpRequireVerified: { signUpRequireVerified: "on" },
  signUpShowRules: { signUpShowRules: "on" },
  signUpApproval: { signUpApproval: "on" },
  signUpApprovalMail: { signUpApprovalMail: "team@acme.example" },
  passwordMinLength: { passwordMinLength: "20" },
  secondFactor: { secondFactor: "optional" },
  trustBrowsers: { trustBrowsers: "30d" },
  singleSignOn: { singleSignOn: "30m" },
  refreshGrace: { refreshGrace: "60s" },
  "sessions.idle": { "sessions.idle": "1h" },
  "sessions.absolute": { "sessions.absolute": "8h" },
  "sessions.maxLogins": { "sessions.maxLogins": "3" },
  loginIdleSeconds: { loginIdleSeconds: "1h" },
  loginAbsoluteSeconds: { loginAbsoluteSeconds: "8h" },
  maxLogins: { maxLogins: "3" },
  refreshGraceSeconds: { refreshGraceSeconds: "60s" },
  scopes: { "scopes.groups": "on", "scopes.offline_access": "on" },
  claims: { claims: '[{"claim":"roles","from":"groups","in":["access"]}]' },
  clientsDefaultAccess: { clientsDefaultAccess: "groups" },
  launchUrl: { launchUrl: "https://wiki.example/start" },
  personalTokens: { personalTokens: "on" },
  personalTokenLife: { personalTokenLife: "30d" },
  signingAlgorithm: { signingAlgorithm: "EdDSA" },
  clientDocuments: { clientDocuments: "any" },
  organizations: { organizations: "on" },
  organizationCreation: { organizationCreation: "people" },
  companySignIn: { companySignIn: "on" },
  organizationRoles: { organizationRoles: "billing, audit:owners" },
  profileFields: { profileFields: '[{"name":"team","type":"text","label":{"en":"Team"}}]' },
  "terms.version": { "terms.version": "1" },
  "terms.url": { "terms.url": "https://evil.example/" },
  "terms.required": { "terms.required": "off" },
  publicClients: { publicClients: "on" },
  queryEndpoints: { queryEndpoints: "off" },
  primaryColor: { primaryColor: "#b3261e" },
  postLogoutRedirectUris: { postLogoutRedirectUris: "https://evil.example/" },
  backchannelLogoutUri: { backchannelLogoutUri: "https://evil.example/" },
  consent: { consent: "ask" },
  requirePkce: { requirePkce: "on" },
  refreshTokens: { refreshTokens: "offline_access" },
  deviceGrant: { deviceGrant: "on" },
  allowedGroups: { allowedGroups: "admins" },
  idTokenAlg: { idTokenAlg: "ES256" },
  idTokenClaims: { idTokenClaims: "minimal" },
  jwks: { jwks: '{"keys":[]}' },
  assertionAudience: { assertionAudience: "any" },
  profile: { profile: "fapi2" },
  resources: { resources: "https://api.example" },
  exchangeTo: { exchangeTo: "https://api.example" },
  audienceOf: { audienceOf: "https://api.example" },
  dpop: { dpop: "required" },
  dpopNonce: { dpopNonce: "on" },
  hosts: { hosts: "other.example.com" },
  access: { access: "everyone" },
  publicPaths: { publicPaths: "/public" },
  headers: { headers: "Remote-User=email" },
  idle: { idle: "1h" },
  absolute: { absolute: "30d" },
  basicChallenge: { basicChallenge: "on" },
  passTokens: { passTokens: "on" },
};

function anotherValue(name: string): Record<string, string> {
  if (name.startsWith("limit.")) return { [name]: "7" };
  if (["name", "mailName", "companyName"].includes(name)) return { [name]: "Another" };
  const https = ["logo", "termsUrl", "privacyUrl", "supportUrl", "homeUrl"].includes(name);
  const values = https ? { [name]: "https://acme.example/a" } : others[name];
  if (!values) throw new Error(`enter another value of ${name} here`);
  return values;
}

/** Those that change without a passkey: a new setting asks, or is listed here. */
const harmless = [
  "name",
  "mailName",
  "signingAlgorithm",
  "signUpShowRules",
  "limit.userManagement",
  "limit.applicationManagement",
  "limit.webhooks",
  "companyName",
  "logo",
  "primaryColor",
  "termsUrl",
  "privacyUrl",
  "supportUrl",
  "homeUrl",
  "idTokenAlg",
];

const fields: [page: string, action: string, setting: ApplicationSetting][] = [
  ...settingGroups.flatMap(({ id, settings }) =>
    settings
      .filter((setting) => setting !== signsNow)
      .map((setting): [string, string, ApplicationSetting] => ["", `/settings/${id}`, setting]),
  ),
  ...brandingSettings.map((setting): [string, string, ApplicationSetting] => ["/branding", "/branding", setting]),
];

describe("J9: eleven minutes after the passkey, a form of an application that changes", () => {
  test.each(fields.map(([page, action, setting]) => [setting.name, action, page] as const))(
    "%s, posted to %s",
    async (name, action, page) => {
      const { id } = await service.createApp();
      const before = await applicationOf(id);
      const answer = await send(`/applications/${id}${page}`, action, anotherValue(name));
      expect(isAsked(answer)).toBe(!harmless.includes(name));
      const after = await applicationOf(id);
      if (isAsked(answer)) expect(after).toEqual(before);
      else expect(after).not.toEqual(before);
    },
  );
});

const scopeless = { settings: { scopes: [] as string[] } } as Application;
const namesOf = (kind: ClientKind): string[] => clientSettings(scopeless, kind).map(({ name }) => name);
/** The settings of every client: those of a proxy are on its page alone. */
const ofClients = [
  ...namesOf("web").map((name) => ["web", name] as const),
  ...namesOf("proxy").map((name) => ["proxy", name] as const),
];

describe("J9: eleven minutes after the passkey, a form of a client that changes", () => {
  test.each(ofClients)("%s: %s", async (kind, name) => {
    const app = await service.createApp();
    const id =
      kind === "proxy"
        ? (await createProxy(service, app, { access: "groups" })).client.id
        : await createClient(service, app, { scopes: ["openid"] });
    const before = await clients.get(ctx(), id);
    const answer = await send(`/applications/${app.id}/clients/${id}`, "/settings", anotherValue(name));
    expect(isAsked(answer)).toBe(!harmless.includes(name));
    if (isAsked(answer)) expect(await clients.get(ctx(), id)).toEqual(before);
    else expect(await clients.get(ctx(), id)).not.toEqual(before);
  });
});

test("J9: every field of a change that opens access is in a form above, or in none", () => {
  const inNoForm = [
    // The page "Try it" has acts of their own.
    "addedRedirectUris",
    "removedRedirectUris",
    // The page "Own words" has an act of its own, and does not open access.
    "settings.texts",
    "resourceScopes",
    "trusts",
    // Disabling and enabling are acts of their own.
    "enabled",
  ];
  const changed = [
    ...fields.map(([, , setting]) => setting),
    ...clientSettings({ settings: { scopes: [] as string[] } } as Application),
  ].flatMap(({ name, kind, change }) => {
    const [[field, value] = ["", ""]] = Object.entries(anotherValue(name));
    return leavesOf(change(kind === "some-of" ? field.replace(`${name}.`, "") : value));
  });
  const known = [...leavesOf(applicationAccess), ...leavesOf(clientAccess)];
  expect(new Set(known.filter((leaf) => !changed.includes(leaf)))).toEqual(new Set(inNoForm));
});

/** The paths of the members of an object that are no objects: `settings.signUp`. */
function leavesOf(value: object, path = ""): string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    typeof member === "object" &&
    member !== null &&
    Object.getPrototypeOf(member) === Object.prototype &&
    name !== "jwks"
      ? leavesOf(member, `${path}${name}.`)
      : [`${path}${name}`],
  );
}

test("J9: a machine's keys are replaced only with a passkey of the last ten minutes, and then they are", async () => {
  const app = await service.createApp();
  const id = await createClient(service, app, { kind: "machine", redirectUris: [] });
  const { kty, crv, x, y } = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const jwks = JSON.stringify({ keys: [{ kty, crv, x, y, kid: "mine", alg: "ES256" }] });
  const path = `/applications/${app.id}/clients/${id}`;
  const asked = await send(path, "/settings", { jwks });
  expect(isAsked(asked)).toBe(true);
  expect(await clients.get(ctx(), id)).toMatchObject({ jwks: null });
  const visitor = await signedIn(owner);
  await send(path, "/settings", { jwks }, visitor);
  expect(await clients.get(ctx(), id)).toMatchObject({ jwks: { keys: [{ kid: "mine" }] } });
});

test("J9: who says that a field already had its new value changes nothing", async () => {
  const { id } = await service.createApp();
  const before = await applicationOf(id);
  const value = "https://evil.example/callback";
  const values = { redirectUris: value, "was.redirectUris": value };
  expect(isAsked(await send(`/applications/${id}`, "/settings/names", values))).toBe(false);
  expect((await applicationOf(id)).redirectUris).toEqual(before.redirectUris);
  await send(`/applications/${id}`, "/settings/names", { ...values, name: "Another" });
  expect(await applicationOf(id)).toMatchObject({ name: "Another", redirectUris: before.redirectUris });
});

test("J9: a harmless field beside one that opens access asks", async () => {
  const { id } = await service.createApp();
  const values = { name: "Another", redirectUris: "https://evil.example/callback" };
  expect(isAsked(await send(`/applications/${id}`, "/settings/names", values))).toBe(true);
});

test("a check changes nothing, and asks for no passkey", async () => {
  const { id } = await service.createApp();
  const values = { redirectUris: "https://evil.example/callback", check: "yes" };
  const checked = await send(`/applications/${id}`, "/settings/names", values);
  expect(checked.text).toContain("This can be saved. Nothing has changed yet.");
});

test("J9: support removes no factor and no method without a passkey of the last ten minutes", async () => {
  const visitor = await signedIn(await makeOperator(service, "support"));
  service.clock.advance(11 * minute);
  const { id } = await newSomebody(service, await service.createApp());
  const { reader } = ctx().storage;
  const before = await methods.list(reader, id);
  expect(isAsked(await send(`/people/${id}`, "/factors/remove", {}, visitor))).toBe(true);
  for (const { id: methodId } of before)
    expect(isAsked(await send(`/people/${id}`, `/methods/${methodId}/remove`, {}, visitor))).toBe(true);
  expect(await methods.list(reader, id)).toEqual(before);
  expect(await factors.factsOf(reader, id)).toMatchObject({ hasTotp: true });
});

test("J9: a webhook gets more events only with a passkey, and fewer without", async () => {
  const app = await service.createApp();
  const events = ["user.created", "user.deleted"];
  const id = await createEndpoint(service, app, { url: "http://127.0.0.1:9/hook", events });
  const path = `/webhooks/${id}`;
  expect(isAsked(await send(path, "/change", { "event:user.login": "on" }))).toBe(true);
  // What the form claims to have shown is compared with what is stored.
  const claimed = { "event:user.login": "on", "was.events": "user.created,user.login" };
  expect(isAsked(await send(path, "/change", claimed))).toBe(true);
  const removed = { "was.events": "user.created,user.deleted,user.login", "event:user.login": "on" };
  expect(isAsked(await send(path, "/change", removed))).toBe(false);
  const { token = "" } = filled(await stale.get(`${consoleUrl}/console${path}`), "/change");
  const reordered = { token, url: "http://127.0.0.1:9/hook", "was.url": "http://127.0.0.1:9/hook" };
  const more = { "was.events": "user.login,user.created", "event:user.login": "on" };
  expect((await stale.post(`${consoleUrl}/console${path}/change`, { ...reordered, ...more })).status).toBe(409);
  expect(await webhooks.get(ctx(), id)).toMatchObject({ events });
  const fewer = { ...reordered, "was.events": events.join(","), "event:user.created": "on" };
  expect((await stale.post(`${consoleUrl}/console${path}/change`, fewer)).status).toBe(303);
  expect(await webhooks.get(ctx(), id)).toMatchObject({ events: ["user.created"] });
});

test("J9: a group gets another policy only with a passkey", async () => {
  const { id } = await service.createApp();
  await groups.put(ctx(), id, "staff", { secondFactor: "required" }, { actor: { kind: "cli", name: "test" } });
  const path = `/applications/${id}/groups`;
  expect(isAsked(await send(path, "/groups/update", { secondFactor: "off" }))).toBe(true);
  const claimed = { secondFactor: "off", "was.secondFactor": "off" };
  expect(isAsked(await send(path, "/groups/update", claimed))).toBe(false);
  expect(await groups.get(ctx(), id, "staff")).toMatchObject({ secondFactor: "required" });
});

test("J9: an organization gets another policy only with a passkey, and another name without", async () => {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { organizations: "on" } });
  const { id: owner } = await newUser(service, app);
  const { id } = await organizations.create(ctx(), app, { name: "Acme", owner, secondFactor: "required" }, by);
  const path = `/applications/${app.id}/organizations/${id}`;
  const found = async () => await organizations.named(ctx().storage.reader, app.id, id);
  expect(isAsked(await send(path, "/change", { secondFactor: "off" }))).toBe(true);
  expect(isAsked(await send(path, "/change", { name: "Another" }))).toBe(false);
  // Who claims that the form had shown it changes nothing.
  const claimed = { secondFactor: "off", "was.secondFactor": "off" };
  expect(isAsked(await send(path, "/change", claimed))).toBe(false);
  expect(await found()).toMatchObject({ name: "Another", secondFactor: "required" });
  for (const action of ["/members", "/invitations", "/domains", `/members/${owner}/roles`])
    expect(isAsked(await send(path, action, { who: owner, domain: "acme.example", addresses: "a@b.example" }))).toBe(
      true,
    );
  expect(isAsked(await send(path, "/disable", {}))).toBe(false);
  expect(isAsked(await send(path, "/enable", {}))).toBe(true);
  expect(isAsked(await send(path, "/delete", { confirmation: "Another" }))).toBe(true);
  expect((await found()).disabledAt).not.toBeNull();
});

test("J9: a webhook gets another address, or is enabled, only with a passkey; it is disabled without", async () => {
  const app = await service.createApp();
  const id = await createEndpoint(service, app, { url: "http://127.0.0.1:9/hook" });
  const path = `/webhooks/${id}`;
  expect(isAsked(await send(path, "/change", { url: "http://127.0.0.1:9/evil" }))).toBe(true);
  expect(await webhooks.get(ctx(), id)).toMatchObject({ url: "http://127.0.0.1:9/hook" });
  expect(isAsked(await send(path, "/enable", {}))).toBe(false);
  expect(await webhooks.get(ctx(), id)).toMatchObject({ enabled: false });
  expect(isAsked(await send(path, "/enable", {}))).toBe(true);
  expect(await webhooks.get(ctx(), id)).toMatchObject({ enabled: false });
});

test("J9: ending the block of a password asks for no passkey, that of a second factor does", async () => {
  const app = await service.createApp();
  const { id, email } = await newSomebody(service, app);
  await blockPassword(service, app, email);
  const blocked = async () => {
    const { passwords, factor } = await unblock(ctx(), id, { dryRun: true, factor: true }, by);
    return { passwords, factor };
  };
  expect(isAsked(await send(`/people/${id}`, "/unblock", {}))).toBe(false);
  expect(await blocked()).toEqual({ passwords: 0, factor: false });
  await blockPassword(service, app, email);
  await ctx().storage.write((tx) => recordFactorTries(tx, { userId: id, failures: 100, blockedUntil: 0 }));
  expect(isAsked(await send(`/people/${id}`, "/unblock", {}))).toBe(true);
  expect(await blocked()).toEqual({ passwords: 1, factor: true });
  const fresh = await signedIn(owner);
  expect((await send(`/people/${id}`, "/unblock", {}, fresh)).status).toBe(303);
  expect(await blocked()).toEqual({ passwords: 0, factor: false });
});

test("J9: a passkey counts for ten minutes, not longer", async () => {
  const { id } = await service.createApp();
  const visitor = await signedIn(owner);
  const add = async (uri: string) =>
    await send(`/applications/${id}`, "/settings/names", { redirectUris: uri }, visitor);
  service.clock.advance(10 * minute - 1);
  expect(isAsked(await add("https://acme.example/1"))).toBe(false);
  service.clock.advance(1);
  expect(isAsked(await add("https://acme.example/2"))).toBe(true);
  expect(await applicationOf(id)).toMatchObject({ redirectUris: ["https://acme.example/1"] });
});

test("authsvc console asks for no passkey: its user can run every command", async () => {
  const { id } = await service.createApp();
  const console = await openConsole(service);
  service.clock.advance(11 * minute);
  const page = await console.get(`/applications/${id}`);
  await console.submit(page, "/settings/names", {
    ...filled(page, "/settings/names"),
    redirectUris: "https://acme.example/1",
  });
  expect(await applicationOf(id)).toMatchObject({ redirectUris: ["https://acme.example/1"] });
});

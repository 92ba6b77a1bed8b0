/** Of merchants: each setting of a client, its secrets and its assertions. */
import * as clients from "../../../src/applications/clients/service.ts";
import type { ClientChange } from "../../../src/applications/clients/settings.ts";
import * as trusts from "../../../src/applications/clients/workload/trusts.ts";
import type { ResourceChange } from "../../../src/applications/resources/resource.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { eq } from "drizzle-orm";
import { call } from "../../support/person.ts";
import { operator, written, type Client, type Json, type Shop } from "../mall.ts";
import { unchanged } from "../dry-runs.ts";
import { issuer, postAs } from "../programs.ts";
import { time } from "../time.ts";

const tokenPath = "https://mall.example";

/** Values that each setting may have, beside what it is. */
function changesOf(shop: Shop, resource: string): ClientChange[] {
  return [
    { name: shop.word("Name") },
    { redirectUris: [`${tokenPath}/a`, `${tokenPath}/b`] },
    { postLogoutRedirectUris: [`${tokenPath}/bye`] },
    { backchannelLogoutUri: `${tokenPath}/logout` },
    { backchannelLogoutUri: null },
    { scopes: ["openid", "email"] },
    { requirePkce: true },
    { idTokenAlg: "ES256" },
    { idTokenClaims: "minimal" },
    { assertionAudience: "any" },
    { refreshTokens: "offline_access" },
    { jwks: { keys: [{ ...shop.newKey().jwk, alg: "EdDSA", kid: "one" }] } },
    { jwks: null },
    { allowedGroups: ["buyers"] },
    { allowedGroups: null },
    { launchUrl: `${tokenPath}/start` },
    { secondFactor: "optional" },
    { resources: [resource] },
    { resourceScopes: ["read"] },
    { resourceScopes: [] },
    { exchangeTo: [resource] },
    { audienceOf: [resource] },
    { dpop: "required" },
    { dpop: "off" },
    { dpopNonce: true },
    { loginIdleSeconds: 1800 },
    { loginAbsoluteSeconds: 3600 },
    { maxLogins: 7 },
    { refreshGraceSeconds: 45 },
    { companySignIn: true },
  ];
}

/** Those that change with any act. */
function lasting(is: Client["is"]): Json {
  const { updatedAt: _, lastUsedAt: __, jwks, trusts, ...rest } = is;
  return { ...rest, keys: jwks?.keys.length ?? 0, trusts: trusts.map(({ id: _id, ...trust }) => trust) };
}

/** O4 and O9: one setting at a time, read back as a whole; its entry names it and nothing else. */
export async function everySetting(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = await shop.newResource("shelf");
  const client = await shop.newClient("web");
  const read = async () => await shop.command(async (ctx) => await clients.get(ctx, client.id));
  const entries = async () => await entriesAbout(shop, client.id);
  shop.same("O4", lasting(await read()), lasting(client.is), "a new client");
  const drawn = changesOf(shop, resource.identifier).filter(() => me.chances.chance(0.35));
  for (const change of drawn) {
    const before = lasting(client.is);
    const [field = ""] = Object.keys(change);
    const known = await entries();
    const dry = await shop.refusal(
      async (ctx) => await clients.update(ctx, client.id, change, { ...operator, dryRun: true }),
    );
    shop.same("O4", lasting(await read()), before, `a client after a dry run of ${field}`);
    const done = await shop.refusal(
      async (ctx) => (client.is = await clients.update(ctx, client.id, change, operator)),
    );
    me.must("O4", dry === done, `a dry run of ${field} says ${dry}, and then it is ${done}`);
    const value = field === "jwks" ? undefined : (change as Json)[field];
    const keys = change.jwks === undefined ? before["keys"] : change.jwks === null ? 0 : 1;
    const should = done === "done" ? { ...before, ...(value !== undefined && { [field]: value }), keys } : before;
    shop.same("O4", lasting(client.is), should, `a client whose ${field} was set`);
    shop.same("O4", lasting(await read()), should, `a client whose ${field} was set, read again,`);
    const isOther = written(should) !== written(before);
    const added = (await entries())
      .slice(known.length)
      .map(({ action, actor, details }) => ({ action, actor, details }));
    const entry = {
      action: "client.update",
      actor: "cli:mall",
      details: { clientId: client.id, fields: field },
    };
    if (field !== "jwks") shop.same("O9", added, isOther ? [entry] : [], `the log about ${field}`);
  }
}

/** O4: a dry run of the operator leaves a client, a resource and the keys as they were. */
export async function dryRuns(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const resource = await shop.newResource("shelf");
  const client = await shop.newClient("web");
  const login = await shop.login(client, { scope: "openid" });
  const [dry, { id: clientId }] = [{ ...operator, dryRun: true }, client];
  const { identifier } = resource;
  const { rotations } = me.world;
  const keysBefore = await shop.command(async (ctx) => await signingKeys.list(ctx));
  const other = `${identifier}/other`;
  const by = { actor: operator.actor };
  const scopes = [{ name: "none", sentence: "None" }];
  const trust = { issuer: "https://jobs.example", subject: "one" };
  const runs: Record<string, [id: string, (ctx: Context) => Promise<unknown>]> = {
    "a client's deletion": [clientId, async (ctx) => await clients.remove(ctx, clientId, dry)],
    "a new trust": [clientId, async (ctx) => await trusts.add(ctx, clientId, trust, dry)],
    "a new client": [
      `${clientId}x`,
      async (ctx) => await clients.create(ctx, { id: `${clientId}x`, appId: app.id, name: "x" }, {}, dry),
    ],
    "a resource's change": [identifier, async (ctx) => await resources.update(ctx, identifier, { scopes }, dry)],
    "a resource's deletion": [identifier, async (ctx) => await resources.remove(ctx, identifier, dry)],
    "a new resource": [
      other,
      async (ctx) => await resources.create(ctx, { appId: app.id, identifier: other, scopes }, dry),
    ],
    "new signing keys": [
      clientId,
      async (ctx) => await signingKeys.rotateByCommand(ctx, { atOnce: true, dryRun: true }, by),
    ],
  };
  for (const [what, [id, act]] of Object.entries(runs)) await unchanged(me, what, id, act);
  const keysAfter = await shop.command(async (ctx) => await signingKeys.list(ctx));
  const last = (keys: typeof keysAfter) => keys.filter(({ algorithm }) => algorithm === "ES256").map(({ kid }) => kid);
  if (rotations === me.world.rotations) shop.same("O4", last(keysAfter), last(keysBefore), "the keys after a dry run");
  await shop.leaves(identifier, "resource.create");
  await shop.refreshed(login);
  await shop.look(login);
}

/** The same of a resource. */
export async function everySettingOfAResource(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const { identifier } = await shop.newResource("shelf");
  const changes: ResourceChange[] = [
    { name: shop.word("Shelf") },
    { scopes: [{ name: "read", sentence: "May look" }] },
    { accessTokenSeconds: 1200 },
    { clientDocuments: true },
    { clientDocuments: false },
    { companySignIn: true },
    { companySignIn: false },
  ];
  const read = async () => {
    const found = await shop.command(async (ctx) => await resources.list(ctx, app.id));
    const { updatedAt: _, ...rest }: Json = { ...found.find((each) => each.identifier === identifier) };
    return rest;
  };
  let count = 0;
  for (const change of changes) {
    const before = await read();
    const [field = ""] = Object.keys(change);
    await shop.command(async (ctx) => await resources.update(ctx, identifier, change, operator));
    const after = await read();
    shop.same("O4", after, { ...before, ...change }, `a resource whose ${field} was set`);
    const entries = await entriesAbout(shop, identifier);
    if (written(before) !== written(after)) count += 1;
    shop.same("O9", entries.length, 1 + count, `the number of entries after ${field}`);
    if (written(before) !== written(after))
      shop.same("O9", entries.at(-1)?.details["fields"], field, "the newest entry about a resource");
  }
  me.world.reached("each setting of a resource");
}

async function entriesAbout(shop: Shop, target: string) {
  return await shop.command(async ({ storage: { reader } }) => {
    const { auditEvents } = reader.tables;
    return await reader.db.select().from(auditEvents).where(eq(auditEvents.target, target));
  });
}

/** O8: an assertion is of its client, for this service, of now, and by a key of now. */
export async function assertions(shop: Shop): Promise<void> {
  const { me } = shop;
  const key = shop.newKey();
  const client = await shop.newClient("meter", {}, key);
  const other = await shop.newClient("other");
  const send = async (assertion: string, path = "/oauth2/introspect"): Promise<number> => {
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const form = { token: "none", client_assertion: assertion, client_assertion_type: type };
    return (await postAs({ id: client.id }, path, form)).status;
  };
  const now = Math.floor(time.now() / 1000);
  const steady = shop.newKey();
  const meter = await shop.newClient("steady", {}, steady);
  const long = steady.assertion(meter.id, steady.newJti(), { exp: now + 3500 });
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const used = { token: "none", client_assertion: long, client_assertion_type: type };
  const again = async () => (await postAs({ id: meter.id }, "/oauth2/introspect", used)).status === 200;
  me.must("O4", await again(), "a long assertion was refused");
  me.voided.push({ what: "an assertion that was used", works: again });
  const good = key.assertion(client.id);
  me.must("O4", (await send(good)) === 200, "an assertion was refused");
  const wrong: Record<string, string> = {
    "that was used": good,
    "by another key": shop.newKey().assertion(client.id),
    "for another audience": key.assertion(client.id, key.newJti(), { aud: "https://other.example" }),
    "for an endpoint": key.assertion(client.id, key.newJti(), { aud: "http://localhost:8080/oauth2/token" }),
    "for a list of audiences": key.assertion(client.id, key.newJti(), { aud: ["http://localhost:8080", "other"] }),
    "that is over": key.assertion(client.id, key.newJti(), { exp: now - 200 }),
    "that lasts too long": key.assertion(client.id, key.newJti(), { exp: now + 2 * 3600 }),
    "of later": key.assertion(client.id, key.newJti(), { nbf: now + 600 }),
    "issued later": key.assertion(client.id, key.newJti(), { iat: now + 600, exp: now + 900 }),
    "without an id": key.assertion(client.id, key.newJti(), { jti: undefined }),
    "of another client": key.assertion(other.id),
    "of another subject": key.assertion(client.id, key.newJti(), { sub: other.id }),
  };
  for (const [what, assertion] of Object.entries(wrong)) {
    if (me.chances.chance(0.4)) continue;
    const status = await send(assertion);
    me.must("O8", status === 401 || status === 400, `an assertion ${what} was taken: ${status}`);
  }
  await shop.update(client, { assertionAudience: "any" });
  const endpoint = key.assertion(client.id, key.newJti(), { aud: "http://localhost:8080/oauth2/token" });
  me.must("O4", (await send(endpoint)) === 200, "an assertion for an endpoint was refused");
  const next = shop.newKey();
  await shop.update(client, { jwks: { keys: [{ ...next.jwk, alg: "EdDSA" }] } });
  me.must("O1", (await send(key.assertion(client.id))) === 401, "a key that was removed works");
  me.must("O4", (await send(next.assertion(client.id))) === 200, "a new key was refused");
}

/** The discovery documents say what the service is and does. */
export async function documents(shop: Shop): Promise<void> {
  const { me } = shop;
  const { body } = await call(me.world.service, "GET", "/.well-known/openid-configuration", {});
  const server = await call(me.world.service, "GET", "/.well-known/oauth-authorization-server", {});
  const at = (path: string): string => `${issuer}/oauth2/${path}`;
  const urn = "urn:ietf:params:oauth:grant-type:";
  const grants = [
    "authorization_code",
    "refresh_token",
    "client_credentials",
    `${urn}device_code`,
    `${urn}token-exchange`,
  ];
  const should: Json = {
    issuer,
    authorization_endpoint: at("authorize"),
    token_endpoint: at("token"),
    introspection_endpoint: at("introspect"),
    revocation_endpoint: at("revoke"),
    pushed_authorization_request_endpoint: at("par"),
    device_authorization_endpoint: at("device_authorization"),
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: grants,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: undefined,
    scopes_supported: ["openid", "profile", "email", "groups", "offline_access", "organization"],
  };
  const both: Json = { ...should, userinfo_endpoint: at("userinfo"), end_session_endpoint: at("end-session") };
  const of = (said: Json, names: string[]): Json => Object.fromEntries(names.map((name) => [name, said[name]]));
  shop.same("O10", of(body, Object.keys(both)), both, "the discovery document");
  shop.same("O10", of(server.body, Object.keys(should)), should, "the metadata of the server");
}

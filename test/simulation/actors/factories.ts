/**
 * Machines of an application without people: their secrets, keys and trusts, what they may manage,
 * and the application's own limits.
 */
import * as secretsOfClients from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as trusts from "../../../src/applications/clients/workload/trusts.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as applications from "../../../src/applications/service.ts";
import { call } from "../../support/person.ts";
import type { Company } from "../company.ts";
import { tryForged } from "../forgery.ts";
import { operator, Shop, type Client, type Json, type Resource } from "../mall.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { issuer, postAs, type Answer, type ProgramKey } from "../programs.ts";
import { lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";
import { feed, nextMinute } from "./merchants-flows.ts";
import { documents } from "./merchants-settings.ts";

export async function factories(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.plant.app, name: "factory", network: 160 }, live);
}

const acts = { bySecret, byKey, byTrust, ofResources, management, callsAMinute, documents };

async function live(me: Resident, part: Pick<Part, "isOver" | "pause">): Promise<void> {
  const shop = new Shop(me);
  // An answer that was lost may have left it so.
  if (me.world.plant.mayBeLimited) await limit(shop, null);
  await shop.actsOf("factories", acts, 5, part);
}

type Work = { machine: Client; resource: Resource; credential: string; prover?: ProgramKey };
type Given = { token: string; claims: Json; prover: ProgramKey | undefined };

/** What a machine asks for, by whatever it authenticates with. */
async function ask({ machine, resource, prover }: Work, more: Record<string, string> = {}): Promise<Answer> {
  const program = { id: machine.id, secret: machine.secret, key: machine.key } as Parameters<typeof postAs>[0];
  const form = { grant_type: "client_credentials", resource: resource.identifier, ...more };
  return await postAs(program, "/oauth2/token", form, { prover });
}

/** O6: a token that says all that it should. */
async function take(shop: Shop, work: Work, scopes: string[], more: Record<string, string> = {}): Promise<Given> {
  const { me, app } = shop;
  const { machine, resource, credential, prover } = work;
  const from = time.now();
  const { status, body } = await ask(work, more);
  me.must("O4", status === 200, `${machine.id} gets no token: ${status} ${String(body["error_description"])}`);
  const { access_token: token, scope, ...others } = body;
  const type = prover ? "DPoP" : "Bearer";
  shop.same("O6", others, { token_type: type, expires_in: resource.seconds }, `an answer to ${machine.id}`);
  const claims = claimsOf(String(token));
  const { iat, exp, jti: _, scope: granted, ...rest } = claims;
  const span = me.world.secondsOf({ from, to: time.now() });
  me.must("O6", Number(iat) >= span.from && Number(iat) <= span.to, `iat ${String(iat)} of a machine's token`);
  me.must("O7", Number(exp) === Number(iat) + resource.seconds, `exp ${String(exp)} of a machine's token`);
  const should = {
    iss: issuer,
    sub: machine.id,
    aud: [resource.identifier],
    app_id: app.id,
    client_id: machine.id,
    credential_id: credential,
    ...(prover && { cnf: { jkt: prover.thumbprint } }),
  };
  shop.same("O6", rest, should, `a token of ${machine.id}`);
  for (const text of [scope, granted])
    shop.same("O6", String(text).split(" ").toSorted(), [...scopes].toSorted(), `the scope for ${machine.id}`);
  const given = { token: String(token), claims, prover };
  await shop.checkSignature(given.token);
  if (me.chances.chance(0.2)) await tryForged(shop, given);
  return given;
}

/** O1 and O4: active with what it says, or nothing. */
async function introspect(shop: Shop, by: Client, { token, claims, prover }: Given, isLive: boolean): Promise<void> {
  const exp = Number(claims["exp"]) * 1000;
  if (exp < time.now() + 30_000) return;
  const { body } = await shop.post(by, "/oauth2/introspect", { token });
  const { app_id: _, credential_id: __, ...said } = claims;
  const type = prover ? "DPoP" : "Bearer";
  const should = isLive ? { active: true, token_type: type, ...said } : { active: false };
  shop.same(isLive ? "O4" : "O1", body, should, `introspection of a token of ${String(claims["sub"])}`);
}

/** The feed names a machine whose tokens may have ended. */
async function isTold(shop: Shop, since: { cursor: string }, { id }: Client, should = true): Promise<void> {
  const { revoked } = await feed(shop, since);
  const is = revoked.some(({ sub }) => sub === id);
  shop.me.must("O1", is === should, `the feed ${is ? "names" : "does not name"} ${id}`);
}

async function newWork(shop: Shop, given: Parameters<Shop["newClient"]>[1] = {}, key?: ProgramKey): Promise<Work> {
  const resource = await shop.newResource("works");
  const settings: typeof given = { kind: "machine", resources: [resource.identifier], ...given };
  const machine = await shop.newClient("machine", settings, key);
  const [secret] = await shop.command(async (ctx) => await secretsOfClients.listSecrets(ctx, machine.id));
  return { machine, resource, credential: key?.thumbprint ?? secret?.id ?? "" };
}

async function refused(shop: Shop, answer: Promise<Answer>, error: string, why: string): Promise<void> {
  const { status, body } = await answer;
  shop.me.must("O8", body["error"] === error, `a machine got ${status} ${String(body["error"])} ${why}`);
}

/** O1: a token ends with the secret that got it, with its client, and with nothing else. */
async function bySecret(shop: Shop): Promise<void> {
  const { me } = shop;
  const work = await newWork(shop);
  const { machine } = work;
  const other = await shop.newClient("other");
  const all = ["read", "write", "admin"];
  const first = await take(shop, work, all);
  await introspect(shop, other, first, true);
  await introspect(shop, me.world.programs.web[0] as never, first, false);
  await refused(shop, ask(work, { scope: "read more" }), "invalid_scope", "for a scope that there is not");
  const { body } = await shop.post(machine, "/oauth2/revoke", { token: first.token });
  me.must("O8", body["error"] === "unsupported_token_type", `a machine's token was revoked: ${String(body["error"])}`);
  await shop.post(other, "/oauth2/revoke", { token: first.token });
  await introspect(shop, other, first, true);
  let cursor = await feed(shop);
  const overlap = me.chances.pick([0, 60_000]);
  const rotated = await shop.command(
    async (ctx) => await secretsOfClients.rotateSecret(ctx, { clientId: machine.id, overlap }, operator.actor),
  );
  if (overlap === 0) {
    await introspect(shop, other, first, false);
    await isTold(shop, cursor, machine);
    await refused(shop, ask(work), "invalid_client", "by a secret that has ended");
  } else await introspect(shop, other, first, true);
  const next = { ...work, machine: { ...machine, secret: rotated.secret }, credential: rotated.id };
  const second = await take(shop, next, ["read"], { scope: "read" });
  if (overlap > 0) {
    await time.pause(overlap + 2000);
    await introspect(shop, other, first, false);
    await refused(shop, ask(work), "invalid_client", "by a secret whose overlap is over");
  }
  await introspect(shop, other, second, true);
  cursor = await feed(shop);
  const end = me.chances.below(3);
  if (end === 0) {
    await shop.command(async (ctx) => await secretsOfClients.revokeSecret(ctx, rotated.id, operator.actor));
  } else if (end === 1) await shop.update(machine, { enabled: false });
  else await shop.command(async (ctx) => await clients.remove(ctx, machine.id, operator));
  await introspect(shop, other, second, false);
  await isTold(shop, cursor, machine);
  await refused(shop, ask(next), "invalid_client", "although it has ended");
  if (end !== 1) return;
  await shop.update(machine, { enabled: true });
  await introspect(shop, other, second, true);
}

/** O1: a token ends with the key that got it; a proof binds it to another. */
async function byKey(shop: Shop): Promise<void> {
  const [key, next, prover] = [shop.newKey(), shop.newKey(), shop.newKey()];
  const required = shop.me.chances.chance(0.5);
  const work = await newWork(shop, required ? { dpop: "required" } : {}, key);
  const { machine } = work;
  if (required) await refused(shop, ask(work), "invalid_dpop_proof", "without a proof");
  const bound = { ...work, prover };
  const first = await take(shop, bound, ["read"], { scope: "read" });
  await introspect(shop, shop.itself, first, true);
  const both = [key, next].map(({ jwk }) => ({ ...jwk, alg: "EdDSA" }));
  await shop.update(machine, { jwks: { keys: both } });
  await introspect(shop, shop.itself, first, true);
  const cursor = await feed(shop);
  await shop.update(machine, { jwks: { keys: both.slice(1) } });
  await introspect(shop, shop.itself, first, false);
  await isTold(shop, cursor, machine);
  await refused(shop, ask(bound), "invalid_client", "by a key that was removed");
  const moved = { ...bound, machine: { ...machine, key: next }, credential: next.thumbprint };
  await introspect(shop, shop.itself, await take(shop, moved, ["read", "write", "admin"]), true);
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Another issuer's token in the place of a secret. */
async function byTrust(shop: Shop): Promise<void> {
  const { me } = shop;
  const address = `https://jobs.${me.name}.example`;
  const company: Company = me.world.issuers.open(address, me.chances.fork("jobs"));
  const audience = me.chances.pick([null, "https://audience.example"]);
  const subject = shop.word("repo:main:");
  const resource = await shop.newResource("works");
  const machine = await shop.newClient("job", {
    kind: "machine",
    resources: [resource.identifier],
    jwks: { keys: [{ ...shop.newKey().jwk, alg: "EdDSA" }] },
  });
  const add = async (): Promise<string> =>
    (
      await shop.command(
        async (ctx) => await trusts.add(ctx, machine.id, { issuer: address, subject, audience }, operator),
      )
    ).id;
  const credential = await add();
  const claims = (other: Json = {}): Json => {
    const now = Math.floor(time.now() / 1000);
    const right = {
      iss: address,
      sub: subject,
      aud: audience ?? issuer,
      iat: now,
      exp: now + 300,
      jti: shop.word("jti"),
    };
    return { ...right, ...other };
  };
  const send = async (assertion: string, as = machine): Promise<Answer> => {
    const form = { grant_type: "client_credentials", resource: resource.identifier };
    const proof = { client_assertion_type: assertionType, client_assertion: assertion };
    return await postAs({ id: as.id }, "/oauth2/token", { ...form, ...proof });
  };
  const once = company.signed(claims());
  const from = time.now();
  const { status, body } = await send(once);
  me.must("O4", status === 200, `a job gets no token: ${status}`);
  const given: Given = {
    token: String(body["access_token"]),
    claims: claimsOf(String(body["access_token"])),
    prover: undefined,
  };
  shop.same("O6", given.claims["credential_id"], credential, "a job's token");
  await introspect(shop, shop.itself, given, true);
  const now = Math.floor(time.now() / 1000);
  const other = await shop.newClient("other", { kind: "machine", resources: [resource.identifier] });
  const wrong: Record<string, string> = {
    "that was used": once,
    "for another audience": company.signed(claims({ aud: audience === null ? "https://other.example" : issuer })),
    "for a list of audiences": company.signed(claims({ aud: [audience ?? issuer, "https://other.example"] })),
    "of another subject": company.signed(claims({ sub: `${subject}x` })),
    "that is over": company.signed(claims({ iat: now - 500, exp: now - 100 })),
    "that is eleven minutes old": company.signed(claims({ iat: now - 700, exp: now + 300 })),
    "of later": company.signed(claims({ nbf: now + 300 })),
    "without an end": company.signed(claims({ exp: undefined })),
    "by another key": company.signedByAnother(claims()),
    "of another issuer": company.signed(claims({ iss: "https://other.example" })),
  };
  for (const [what, assertion] of Object.entries(wrong)) {
    if (me.chances.chance(0.4)) continue;
    const answer = await send(assertion);
    me.must("O8", answer.status === 401, `a token ${what} is a job's: ${answer.status}`);
  }
  me.must("O8", (await send(company.signed(claims()), other)).status === 401, "a job is another client");
  if (time.now() > from + 60_000) return;
  const cursor = await feed(shop);
  await shop.command(async (ctx) => await trusts.remove(ctx, machine.id, credential, operator));
  me.must("O1", (await send(company.signed(claims()))).status === 401, "a trust that was removed works");
  await introspect(shop, shop.itself, given, false);
  await isTold(shop, cursor, machine);
  const again = await add();
  me.must("O1", again !== credential, "a trust that was added again has its former id");
  await introspect(shop, shop.itself, given, false);
  me.must("O4", (await send(company.signed(claims()))).status === 200, "a trust that was added again does not work");
  const changes = ["client-credential.add", "client-credential.remove", "client-credential.add"];
  await shop.leaves(machine.id, "client.create", ...changes);
  const any = { issuer: address, subject: `${subject}*` };
  const wild = await shop.refusal(async (ctx) => await trusts.add(ctx, machine.id, any, operator));
  me.must("O8", wild === "INVALID_REQUEST", `a trust in any subject: ${wild}`);
}

/** Which resources, and which of their scopes, a machine may have. */
async function ofResources(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const work = await newWork(shop, { resourceScopes: ["read", "write"] });
  const { machine, resource } = work;
  const [other, person] = [await shop.newResource("others"), await shop.newClient("web")];
  const first = await take(shop, work, ["read", "write"]);
  await refused(shop, ask({ ...work, resource: other }), "invalid_target", "for a resource that it does not list");
  await refused(shop, ask(work, { resource: "" }), "invalid_target", "for no resource");
  await refused(shop, ask({ ...work, machine: person }), "unauthorized_client", "although it is no machine");
  await refused(shop, ask({ ...work, machine: shop.itself }), "unauthorized_client", "as the application");
  await refused(shop, ask(work, { scope: "admin" }), "invalid_scope", "for a scope that it may not have");
  await refused(
    shop,
    ask(work, { grant_type: "authorization_code", code: "none" }),
    "unauthorized_client",
    "by a code",
  );
  const seconds = 60 * (2 + me.chances.below(50));
  const scopes = [{ name: "write", sentence: "May write" }];
  await shop.command(async (ctx) => {
    await resources.update(ctx, resource.identifier, { scopes, accessTokenSeconds: seconds }, operator);
  });
  resource.seconds = seconds;
  await introspect(shop, shop.itself, first, true);
  await take(shop, work, ["write"]);
  await shop.update(machine, { resources: [other.identifier] });
  await refused(shop, ask(work), "invalid_target", "for a resource that it lists no more");
  await shop.command(async (ctx) => await resources.remove(ctx, resource.identifier, operator));
  await introspect(shop, shop.itself, first, false);
  await shop.leaves(resource.identifier, "resource.create", "resource.update", "resource.delete");
  const strange = { resources: [me.world.programs.orders] };
  for (const act of [
    async (ctx: Context) => await clients.update(ctx, machine.id, strange, operator),
    async (ctx: Context) =>
      await clients.create(ctx, { appId: app.id, name: "strange", kind: "machine", ...strange }, {}, operator),
  ])
    me.must("O8", (await shop.refusal(act)) === "INVALID_REQUEST", "a client lists another application's resource");
  const { status } = await call(me.world.service, "GET", `/applications/${app.id}`, {
    authorization: `Bearer ${(await take(shop, { ...work, resource: other }, ["read", "write"])).token}`,
  });
  me.must("O8", status === 401, `a token of a resource manages the application: ${status}`);
}

/** O8 and O1: what a machine may call here, and until when. */
async function management(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const here: Resource = { identifier: issuer, scopes: ["management"], seconds: 900, isListed: true };
  const machine = await shop.newClient("manager", { kind: "machine", resources: [issuer] });
  const [secret] = await shop.command(async (ctx) => await secretsOfClients.listSecrets(ctx, machine.id));
  const work: Work = { machine, resource: here, credential: secret?.id ?? "" };
  const { token } = await take(shop, work, ["management"]);
  const get = async (path: string): Promise<number> =>
    (await call(me.world.service, "GET", path, { authorization: `Bearer ${token}` })).status;
  const own = [`/applications/${app.id}`, `/applications/${app.id}/users?limit=1`, "/webhooks/endpoints"];
  for (const path of own) me.must("O4", (await get(path)) === 200, `a machine may not call ${path}`);
  const [opened = ""] = own;
  const manages = async (forged: string): Promise<boolean> =>
    (await call(me.world.service, "GET", opened, { authorization: `Bearer ${forged}` })).status === 200;
  await tryForged(shop, { token }, { [opened]: manages });
  const others = ["/auth/revocations", "/users/profile", "/oauth2/userinfo", "/auth/validate"];
  for (const path of others) me.must("O8", (await get(path)) === 401, `a machine may call ${path}`);
  const foreign = await get(`/applications/${me.world.app.id}/users`);
  me.must("O8", foreign >= 400, `a machine manages another application: ${foreign}`);
  const group = shop.word("group");
  const { status } = await call(me.world.service, "PUT", `/applications/${app.id}/groups/${group}`, {
    authorization: `Bearer ${token}`,
  });
  me.must("O4", status < 300, `a machine may not create a group: ${status}`);
  const end = me.chances.below(4);
  if (end === 0) await shop.update(machine, { resourceScopes: [] });
  else if (end === 1) await shop.update(machine, { resources: [] });
  else if (end === 2) await shop.update(machine, { enabled: false });
  else await shop.command(async (ctx) => await secretsOfClients.revokeSecret(ctx, work.credential, operator.actor));
  const after = await get(`/applications/${app.id}`);
  me.must("O1", after >= 400, `a machine manages although it may not any more (${end}): ${after}`);
}

/** Nodes notice within a second, and read slowly at times. */
async function limit({ me, app }: Shop, userManagement: number | null): Promise<void> {
  const { world } = me;
  world.plant.mayBeLimited = true;
  const settings = { rateLimits: { userManagement } };
  await world.operate(async (ctx) => await applications.update(ctx, app.id, { settings }, operator.actor));
  world.plant.mayBeLimited = userManagement !== null;
  await time.pause(70_000);
}

/** O7: an application's own limit of calls, exactly, and anew in the next minute. */
async function callsAMinute(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const { world } = me;
  const most = 3 + me.chances.below(4);
  await limit(shop, most);
  for (let minutes = 0; minutes < 2; minutes += 1) {
    const from = await nextMinute();
    const [ends, answers] = [from - (from % 60_000) + 60_000, [] as unknown[]];
    const right = Array.from({ length: most + 2 }, (_, at) => [
      at < most ? 404 : 429,
      String(most),
      String(Math.max(0, most - at - 1)),
      String(ends / 1000),
      at >= most,
    ]);
    for (let count = 0; count < most + 2; count += 1) {
      const sent = time.now();
      // What only reads may arrive twice.
      const path = `/applications/${app.id}/users/usr_none`;
      const { status, headers } = await call(world.service, "PATCH", path, app.headers, { name: "Nobody" });
      const of = (name: string): string | null => headers.get(name);
      const waits = Number(of("retry-after") ?? 0) * 1000;
      const isRight = waits >= ends - time.now() && waits < ends - sent + 1000;
      const said = ["limit", "remaining", "reset"].map((name) => of(`x-ratelimit-${name}`));
      answers.push([status, ...said, waits > 0 && isRight]);
    }
    if (time.now() < ends && world.wasCalm(from)) {
      shop.same("O7", answers, right, `calls in a minute of ${most}`);
      world.reached("a limit of calls a minute");
    }
  }
  await limit(shop, null);
  const later = await me.server("GET", "/users?limit=1");
  me.must("O4", later.status === 200, `a limit of before holds: ${later.status}`);
}

/** Of merchants: what a request demands, and the lives of the keys of applications and clients. */
import * as keys from "../../../src/applications/keys.ts";
import * as secretsOfClients from "../../../src/applications/clients/secrets.ts";
import * as applications from "../../../src/applications/service.ts";
import type { Context } from "../../../src/runtime/context.ts";
import { call, Visitor } from "../../support/person.ts";
import { operator, type Asked, type Json, type Shop } from "../mall.ts";
import { postAs } from "../programs.ts";
import { time } from "../time.ts";

const unmet = "unmet_authentication_requirements";
const two = "urn:authsvc:acr:2";
const one = "urn:authsvc:acr:1";

/** Of somebody signed in: a request is answered as its levels, ages, hints and prompts say. */
export async function requests(shop: Shop): Promise<void> {
  const { me } = shop;
  const { world, chances } = me;
  const client = await shop.newClient("web", { kind: chances.pick(["web", "spa"] as const), requirePkce: true });
  const visitor = new Visitor();
  const from = time.now();
  const login = await shop.login(client, { scope: "openid email" }, { visitor });
  const theirs = world.mall.hints.filter(({ userId }) => userId !== me.userId);
  world.mall.hints.push({ userId: me.userId, token: login.idToken });
  const silent = { prompt: "none" };
  const acr = (member: Json): Asked => ({ claims: { id_token: { acr: member } }, more: silent });
  const ofUser = (sub: string): Asked => ({ claims: { id_token: { sub: { value: sub } } }, more: silent });
  const more = (other: Record<string, string>): Asked => ({ more: { ...silent, ...other } });
  const strangers = [world.people[0]?.userId ?? "usr_none", "usr_none"];
  const all: [error: string, asked: Asked][] = [
    ["", more({})],
    ["", more({ id_token_hint: login.idToken })],
    ["", more({ login_hint: me.email })],
    ["", more({ max_age: "100000" })],
    ["", more({ acr_values: `${two} ${one}` })],
    ["", more({ acr_values: "urn:other" })],
    ["", more({ ui_locales: "de" })],
    ["", acr({ essential: true })],
    ["", acr({ essential: true, value: one })],
    ["", acr({ essential: true, values: [two, one] })],
    ["", acr({ value: two })],
    ["", ofUser(me.userId)],
    ["login_required", more({ id_token_hint: `${login.idToken}x` })],
    ["login_required", more({ id_token_hint: login.tokens[0]?.token ?? "" })],
    ["login_required", more({ id_token_hint: chances.pick(theirs.slice(-5))?.token ?? "none" })],
    ["login_required", more({ login_hint: "somebody.else@example.org" })],
    ["login_required", more({ max_age: "0" })],
    ["login_required", ofUser(chances.pick(strangers))],
    ["login_required", ofUser(chances.pick(theirs.slice(-5))?.userId ?? "usr_none")],
    [unmet, acr({ essential: true, value: "urn:other" })],
    // Without a page, nobody knows yet what the account can reach.
    ["login_required", acr({ essential: true, values: ["phr", two] })],
    ["login_required", more({ acr_values: two })],
    [unmet, { claims: { id_token: { acr: { essential: true, value: two } } } }],
    [unmet, more({ acr_values: "phr" })],
    ["invalid_request", more({ prompt: "none login" })],
    ["invalid_request", more({ prompt: "other" })],
    ["invalid_request", more({ max_age: "-1" })],
    ["invalid_request", more({ claims: "{" })],
    ["invalid_request", more({ response_mode: "fragment" })],
    ["invalid_request", more({ code_challenge_method: "plain" })],
    ["invalid_request", more({ code_challenge: "" })],
    ["invalid_request", more({ code_challenge: "short" })],
    ["invalid_request", more({ code_challenge: "", code_challenge_method: "" })],
    ["invalid_request", more({ state: "s".repeat(4097) })],
    ["unsupported_response_type", more({ response_type: "token" })],
    ["invalid_scope", more({ scope: "address phone" })],
    ["request_not_supported", more({ request: "none" })],
    ["request_uri_not_supported", more({ request_uri: "https://mall.example/request" })],
    ["registration_not_supported", more({ registration: "{}" })],
    ["invalid_target", more({ resource: "https://none.example/api" })],
  ];
  for (const [error, wish] of all) {
    if (chances.chance(0.25)) continue;
    const asked = { scope: "openid email", ...wish };
    const what = JSON.stringify([wish.claims?.id_token, wish.more]).slice(0, 200);
    const { page, begun, error: is } = await shop.authorize(client, asked, { visitor });
    me.must("O8", page.status === 303 && is === error, `${what} is answered ${page.status} ${is}, not ${error}`);
    if (!begun || chances.chance(0.7)) continue;
    // Its single sign-on says when the password was given.
    const next = await shop.start({ ...begun, from });
    shop.same("O6", next.authTime, login.authTime, `auth_time for ${what}`);
    me.must("O6", next.sid !== login.sid, "two logins have one id");
    await shop.look(next);
  }
  await shop.look(login);
}

type Key = { id: string; secret: string; endsAt: number; isRevoked: boolean };
/** Of keys or secrets. */
type Commands = {
  create: (ctx: Context) => Promise<Pick<Key, "id" | "secret">>;
  rotate: (ctx: Context, overlap: number) => Promise<Pick<Key, "id" | "secret">>;
  revoke: (ctx: Context, id: string) => Promise<unknown>;
  list: (ctx: Context) => Promise<{ id: string; state: string }[]>;
  works: (secret: string) => Promise<boolean>;
};

/** O1 and O4: each works until its end; whatever is done to others, it comes no sooner or later. */
async function lives(shop: Shop, first: Pick<Key, "id" | "secret">, of: Commands, what: string): Promise<void> {
  const { me } = shop;
  const all: Key[] = [{ ...first, endsAt: Infinity, isRevoked: false }];
  for (let acts = 0; acts < 7; acts += 1) {
    const act = me.chances.pick(["create", "rotate", "rotate", "revoke", "pause"] as const);
    const from = time.now();
    if (act === "create" || act === "rotate") {
      const overlap = me.chances.pick([0, 100_000, 200_000, 3_600_000]);
      const made = await shop.command(
        async (ctx) => await (act === "create" ? of.create(ctx) : of.rotate(ctx, overlap)),
      );
      const live = all.filter(({ endsAt, isRevoked }) => !isRevoked && endsAt > from);
      if (act === "rotate")
        for (const key of live.filter(({ endsAt }) => endsAt > from + overlap))
          Object.assign(key, { endsAt: from + overlap, isRevoked: overlap === 0 });
      all.push({ ...made, endsAt: Infinity, isRevoked: false });
    } else if (act === "revoke") {
      const key = me.chances.pick(all);
      await shop.command(async (ctx) => await of.revoke(ctx, key.id));
      key.isRevoked = true;
    } else await time.pause(110_000);
    // Nodes notice within a second, and read slowly at times.
    await time.pause(2000);
    const since = time.now();
    const listed = await shop.command(async (ctx) => await of.list(ctx));
    for (const key of all) {
      const isLive = !key.isRevoked && key.endsAt > time.now();
      // Its end is near, or the act took long.
      if (!key.isRevoked && Math.abs(key.endsAt - time.now()) < 45_000 + since - from) continue;
      if (!me.world.wasCalm(from - 60_000)) continue;
      const [is, state] = [await of.works(key.secret), listed.find(({ id }) => id === key.id)?.state];
      me.must(isLive ? "O4" : "O1", is === isLive, `${what} ${isLive ? "does not work" : "works"} after ${act}`);
      const should = key.isRevoked ? "revoked" : isLive ? "live" : "expired";
      shop.same("O4", state, should, `${what} after ${act}`);
      me.world.reached("a key or secret that was tried after another's end");
    }
    shop.same("O4", listed.length, all.length, `the number of ${what}s`);
  }
}

export async function livesOfKeys(shop: Shop): Promise<void> {
  const { me } = shop;
  const { actor } = operator;
  const client = await shop.newClient("web");
  const { id: clientId } = client;
  const secretOf = async (ctx: Context): Promise<string> =>
    (await secretsOfClients.listSecrets(ctx, clientId))[0]?.id ?? "";
  const first = { id: await shop.command(secretOf), secret: client.secret ?? "" };
  await lives(
    shop,
    first,
    {
      create: async (ctx) => await secretsOfClients.createSecret(ctx, { clientId }, actor),
      rotate: async (ctx, overlap) => await secretsOfClients.rotateSecret(ctx, { clientId, overlap }, actor),
      revoke: async (ctx, id) => await secretsOfClients.revokeSecret(ctx, id, actor),
      list: async (ctx) => await secretsOfClients.listSecrets(ctx, clientId),
      works: async (secret) =>
        (await postAs({ id: clientId, secret }, "/oauth2/introspect", { token: "none" })).status === 200,
    },
    "a client's secret",
  );
  const id = `app_${shop.word("keys")}`.replaceAll("-", "_");
  const made = await shop.command(
    async (ctx) => await applications.createWithKey(ctx, { id, name: "Keys" }, {}, actor),
  );
  const named = ({ id: keyId, apiKey }: { id: string; apiKey: string }) => ({ id: keyId, secret: apiKey });
  const list = async (ctx: Context) => await keys.listKeys(ctx, id);
  const [own] = await shop.command(list);
  await lives(
    shop,
    { id: own?.id ?? "", secret: made.apiKey },
    {
      create: async (ctx) => named(await keys.createKey(ctx, { appId: id }, actor)),
      rotate: async (ctx, overlap) => named(await keys.rotateKey(ctx, { appId: id, overlap }, actor)),
      revoke: async (ctx, keyId) => await keys.revokeKey(ctx, keyId, actor),
      list,
      async works(secret) {
        const headers = { authorization: `Bearer ${secret}`, "x-service-app-id": id };
        const { status } = await call(me.world.service, "GET", `/applications/${id}`, headers);
        const asClient = await postAs({ id, secret }, "/oauth2/introspect", { token: "none" });
        me.must("O1", (status === 200) === (asClient.status === 200), "a key is not what a secret of its client is");
        return status === 200;
      },
    },
    "an API key",
  );
}

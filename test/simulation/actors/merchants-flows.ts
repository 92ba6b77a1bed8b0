/** Of merchants: proofs of keys, pushed requests, devices, signing keys, and lives of logins. */
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { call, Visitor } from "../../support/person.ts";
import type { Client, Login, Shop } from "../mall.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { calling } from "../browser.ts";
import { basic } from "../../support/openid-tokens.ts";
import { issuer, type Answer, type ProgramKey } from "../programs.ts";
import { has } from "../resident.ts";
import { time } from "../time.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Sent as it is, with the headers that are given. */
async function sent(path: string, headers: Record<string, string>, form?: Record<string, string>) {
  const body = form && { method: "POST", body: new URLSearchParams(form) };
  const answer = await fetch(`${issuer}${path}`, { headers, ...body });
  const text = await answer.text();
  const said = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: answer.status, headers: answer.headers, error: said["error"], body: said };
}

/** O8: a bound token works with a proof of its key, for this call, once and now. */
export async function proofs(shop: Shop): Promise<void> {
  const { me } = shop;
  const kind = me.chances.pick(["web", "spa"] as const);
  const client = await shop.newClient("web", { kind, dpop: "required" });
  const [prover, thief] = [shop.newKey(), shop.newKey()];
  const asked = { scope: "openid email", prover };
  const stolen = await shop.authorize(client, asked);
  if (stolen.begun) {
    const { status } = await shop.redeem({ ...stolen.begun, asked: { ...asked, prover: thief } });
    me.must("O3", status === 400, "a code that is bound to a key was redeemed with another");
  }
  const login = await shop.login(client, asked);
  await shop.look(login);
  const [issued] = login.tokens;
  if (!issued) return;
  const { token } = issued;
  const path = "/oauth2/userinfo";
  const now = Math.floor(time.now() / 1000);
  const once = prover.proof("GET", path, { token });
  const used = await shop.present(issued, path, prover, once);
  me.must("O4", used.status === 200, `a proof was refused: ${used.status}`);
  const wrong: Record<string, [key: ProgramKey, proof: string]> = {
    "that was used": [prover, once],
    "of another key": [thief, thief.proof("GET", path, { token })],
    "for another method": [prover, prover.proof("POST", path, { token })],
    "for another address": [prover, prover.proof("GET", "/auth/validate", { token })],
    "for another token": [prover, prover.proof("GET", path, { token: `${token}x` })],
    "for no token": [prover, prover.proof("GET", path)],
    "of before": [prover, prover.proof("GET", path, { token, other: { iat: now - 200 } })],
    "of later": [prover, prover.proof("GET", path, { token, other: { iat: now + 300 } })],
    "of another host": [prover, prover.proof("GET", path, { token, other: { htu: `https://other.example${path}` } })],
    "that is over": [prover, prover.proof("GET", path, { token, other: { exp: now - 200 } })],
  };
  for (const [what, [key, proof]] of Object.entries(wrong)) {
    if (me.chances.chance(0.5)) continue;
    const { status } = await shop.present(issued, path, key, proof);
    me.must("O8", status === 401, `a token worked with a proof ${what}: ${status}`);
  }
  const bare = await shop.present(issued, me.chances.pick([path, "/auth/validate"]));
  me.must("O8", bare.status === 401, `a bound token worked without a proof: ${bare.status}`);
  // A public client's refresh token is bound to the key; that of a secret to the secret.
  const another = await shop.refresh(login, {}, thief);
  if (kind === "spa") me.must("O8", another.status === 400, "a refresh token worked with another key");
  else if (another.status === 200) {
    const moved = { ...login, asked: { ...asked, prover: thief } };
    shop.took(moved, another.body, { scopes: login.scopes, from: me.begun });
    login.refresh = moved.refresh;
  }
  await refusesWithout(shop, login);
  if (kind === "spa") await withNonce(shop, client, login);
  await shop.refreshed(login);
  await shop.look(login);
}

async function refusesWithout(shop: Shop, login: Login): Promise<void> {
  const form = { grant_type: "refresh_token", refresh_token: login.refresh };
  const { status, body } = await shop.post(login.client, "/oauth2/token", form);
  const isRight = status === 400 && body["error"] === "invalid_dpop_proof";
  shop.me.must("O8", isRight, `tokens without a proof, which is required: ${status} ${String(body["error"])}`);
}

/** A proof needs a nonce of the service, for five minutes. */
async function withNonce(shop: Shop, client: Client, login: Login): Promise<void> {
  const { me } = shop;
  const { prover } = login.asked;
  if (!prover) return;
  await shop.update(client, { dpopNonce: true });
  const form = { client_id: client.id, grant_type: "refresh_token", refresh_token: login.refresh };
  const path = "/oauth2/token";
  const ask = async (nonce?: string) => {
    const proof = prover.proof("POST", path, { other: nonce === undefined ? {} : { nonce } });
    return await sent(path, { dpop: proof }, { ...form, refresh_token: login.refresh });
  };
  const first = await ask();
  me.must("O8", first.error === "use_dpop_nonce", `no nonce was asked for: ${first.status} ${String(first.error)}`);
  const nonce = first.headers.get("dpop-nonce") ?? "";
  const forged = await ask(`${nonce.slice(0, -4)}AAAA`);
  me.must("O8", forged.error === "use_dpop_nonce", `a forged nonce was taken: ${forged.status}`);
  const from = time.now();
  const { status, body } = await ask(nonce);
  if (time.now() < from + 120_000) {
    me.must("O4", status === 200, `a nonce was refused: ${status}`);
    if (status === 200) shop.took(login, body, { scopes: login.scopes, from });
  }
  if (me.chances.chance(0.4)) {
    await time.pause(11 * 60_000);
    const late = await ask(nonce);
    me.must("O8", late.error === "use_dpop_nonce", `a nonce of before was taken: ${late.status}`);
  }
  await shop.update(client, { dpopNonce: false });
}

/** O8: a pushed request is of its client, for a minute. */
export async function pushedRequests(shop: Shop): Promise<void> {
  const { me } = shop;
  const [client, other] = [await shop.newClient("web"), await shop.newClient("other")];
  const prover = me.chances.chance(0.5) ? shop.newKey() : undefined;
  const login = await shop.login(client, { scope: "openid email", ...(prover && { prover }) }, { pushes: true });
  await shop.look(login);
  const form = {
    response_type: "code",
    redirect_uri: "https://mall.example/callback",
    scope: "openid",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  };
  const push = async (by: Client, more: Record<string, string> = {}): Promise<Answer> =>
    await shop.post(by, "/oauth2/par", { ...form, ...more });
  const open = async (by: Client, requestUri: string) => {
    const query = { client_id: by.id, request_uri: requestUri };
    const visitor = new Visitor();
    return await visitor.get(`${issuer}/oauth2/authorize?${new URLSearchParams(query).toString()}`);
  };
  const { status, body } = await push(client);
  me.must("O10", status === 201 && body["expires_in"] === 60, `a request was not pushed: ${status}`);
  const uri = String(body["request_uri"]);
  const theirs = await open(other, uri);
  me.must("O8", theirs.status === 400, `another client opens a pushed request: ${theirs.status}`);
  const wrong = await push(client, { redirect_uri: "https://other.example/" });
  me.must("O8", wrong.status === 400, `a request to another address was pushed: ${wrong.status}`);
  const refused = await push({ ...client, secret: `${client.secret}x` });
  me.must("O8", refused.status === 401, `a request was pushed with a wrong secret: ${refused.status}`);
  const ours = await push(client, { scope: "address" });
  me.must("O8", ours.status === 400, `a request for no scope was pushed: ${ours.status}`);
  await time.pause(62_000);
  const late = await open(client, uri);
  me.must("O7", late.status === 400, `a pushed request was opened a minute later: ${late.status}`);
}

/** A device: what its person says, how often it may ask, and until when. */
export async function onDevices(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = me.chances.chance(0.4) ? await shop.newResource("shelf") : undefined;
  const client = await shop.newClient("tv", {
    kind: me.chances.pick(["device", "native"] as const),
    deviceGrant: true,
    ...(resource && { resources: [resource.identifier] }),
  });
  const other = await shop.newClient("radio", { kind: "device" });
  const asked = { scope: resource ? "openid read" : "openid profile", ...(resource && { resource }) };
  const begin = async () => {
    const form = { scope: asked.scope, ...(resource && { resource: resource.identifier }) };
    const { status, body } = await shop.post(client, "/oauth2/device_authorization", form);
    me.must("O10", status === 200, `no codes for a device: ${status}`);
    const { device_code: code, user_code: userCode, ...others } = body;
    shop.same(
      "O6",
      others,
      {
        verification_uri: `${issuer}/device`,
        verification_uri_complete: `${issuer}/device?user_code=${String(userCode)}`,
        expires_in: 600,
        interval: 5,
      },
      "an answer to a device",
    );
    return { code: String(code), userCode: String(userCode) };
  };
  const poll = async (code: string, by = client): Promise<Answer> =>
    await shop.post(by, "/oauth2/token", { grant_type: deviceGrant, device_code: code });
  const expects = async (code: string, error: string, why: string, by = client): Promise<void> => {
    const { status, body } = await poll(code, by);
    const is = status === 200 ? "tokens" : body["error"];
    me.must("O8", is === error, `a device that ${why} gets ${String(is)} and not ${error}`);
  };
  const decide = async (userCode: string, allows: boolean, byLink = false): Promise<boolean> => {
    const visitor = new Visitor();
    const form = await visitor.get(`${issuer}/device${byLink ? `?user_code=${userCode}` : ""}`);
    const typed = await visitor.submit(form, "/device", {
      code: byLink ? userCode : userCode.toLowerCase().replace("-", " "),
    });
    if (typed.status !== 303) return false;
    const page = await me.walk(typed, visitor);
    if (!has(page, "/step/consent")) return false;
    shop.isStale = true;
    return (await visitor.submit(page, allows ? "/step/consent" : "/step/deny", {})).status < 400;
  };
  const one = await begin();
  await time.pause(6000);
  const from = time.now();
  await expects(one.code, "authorization_pending", "waits");
  await expects(one.code, "invalid_grant", "is another client's", other);
  const early = await poll(one.code);
  if (time.now() < from + 2000)
    me.must("O7", early.body["error"] === "slow_down", `asked at once: ${String(early.body["error"])}`);
  const end = me.chances.below(5);
  if (end === 0) {
    await time.pause(12_000);
    me.must("O10", await decide(one.userCode, false), "cannot deny a device");
    me.leaves("entry device.deny");
    await expects(one.code, "access_denied", "was denied");
    me.must("O3", !(await decide(one.userCode, true)), "a device was allowed after it was denied");
    await expects(one.code, "access_denied", "was denied before");
  } else if (end === 1) {
    await time.pause(610_000);
    await expects(one.code, "expired_token", "came too late");
    me.must("O7", !(await decide(one.userCode, true)), "a code of before was taken");
  } else if (end === 2) {
    await shop.update(client, { enabled: false });
    me.must("O8", !(await decide(one.userCode, true)), "a device of a disabled client was allowed");
    await expects(one.code, "invalid_client", "is of a disabled client");
  } else {
    const begun = time.now();
    me.must("O10", await decide(one.userCode, true, end === 3), "cannot allow a device");
    const { status, body } = await poll(one.code);
    me.must("O4", status === 200, `a device that was allowed gets ${status} ${String(body["error"])}`);
    const login = await shop.began({ client, asked, nonce: undefined, from: begun }, body);
    await shop.look(login);
    await shop.refreshed(login);
    await expects(one.code, "invalid_grant", "used its code again");
    await shop.ended(login, "after its code was used again");
  }
}

type Published = { kid: string; alg: string };

/** O1 and O4: keys stay published as long as they must; the tokens of a revoked one are refused. */
export async function keysOfTheService(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const { world } = me;
  const published = async (): Promise<string[]> => {
    const { body } = await call(world.service, "GET", "/.well-known/jwks.json", {});
    return (body["keys"] as Published[]).map(({ kid }) => kid);
  };
  const client = await shop.newClient("web", { idTokenAlg: "ES256" });
  const login = await shop.login(client, { scope: "openid" });
  const [first] = login.tokens;
  const before = await shop.checkSignature(first?.token ?? "");
  // Those of other applications sign by EdDSA, so that only ours are meant.
  const by = { actor: { kind: "cli", name: "keys" } } as const;
  const waits = me.chances.chance(0.3);
  world.rotations += 1;
  const { rotations } = world;
  const isAlone = (): boolean => rotations === world.rotations;
  await shop.command(async (ctx) => await signingKeys.rotateByCommand(ctx, { atOnce: !waits, dryRun: false }, by));
  const second = await shop.refreshed(login);
  const after = await shop.checkSignature(second.token);
  if (isAlone())
    me.must("O1", (after === before) === waits, `a ${waits ? "waiting" : "new"} key: ${String(after === before)}`);
  me.must("O4", (await published()).includes(before), "a key was withdrawn although its tokens live");
  const states = (await shop.command(async (ctx) => await signingKeys.list(ctx)))
    .filter(({ algorithm }) => algorithm === "ES256")
    .filter(({ kid, state }) => kid === before || kid === after || (waits && state === "next"))
    .map(({ state }) => state);
  if (isAlone())
    shop.same("O4", states, waits ? ["signing", "next"] : ["retired", "signing"], "the keys after a rotation");
  await shop.look(login);
  if (waits) return;
  const cursor = await feed(shop);
  await shop.command(async (ctx) => await signingKeys.revoke(ctx, before, by));
  if (first) first.isOver = true;
  me.must("O1", !(await published()).includes(before), "a revoked key is published");
  await shop.look(login);
  const told = (await feed(shop, cursor)).revoked;
  me.must(
    "O1",
    told.some((each) => each["kid"] === before),
    "the feed does not name a revoked key",
  );
  await shop.command(async (ctx) => await signingKeys.revoke(ctx, after, by));
  second.isOver = true;
  await shop.look(login);
  const third = await shop.refreshed(login);
  const last = await shop.checkSignature(third.token);
  me.must("O1", last !== before && last !== after, "a revoked key signs");
  await shop.look(login);
  const listed = await shop.command(async (ctx) => await signingKeys.list(ctx));
  const known = new Set((await published()).concat(listed.map(({ kid }) => kid)));
  me.must("O4", known.size === listed.length, `${app.id}: the list and the key set differ`);
}

/** What the application's server is told, from now on or since then. */
export async function feed({ me, app }: Shop, since?: { cursor: string }) {
  const query = since ? `?after=${encodeURIComponent(since.cursor)}` : "";
  const { status, body } = await call(me.world.service, "GET", `/auth/revocations${query}`, app.headers);
  me.must("O10", status === 200, `no feed: ${status}`);
  return body as { cursor: string; revoked: Record<string, unknown>[] };
}

/** O7: how long a login lives, how many there are, and how long a refresh can be repeated. */
export async function livesOfLogins(shop: Shop): Promise<void> {
  const { me } = shop;
  const which = me.chances.below(4);
  if (which === 0) {
    const client = await shop.newClient("web", { maxLogins: 2 });
    const other = await shop.newClient("other");
    const beside = await shop.login(other, { scope: "openid" });
    const own: Login[] = [];
    for (let count = 0; count < 3; count += 1) {
      own.push(await shop.login(client, { scope: "openid" }));
      await time.pause(1500);
    }
    const [oldest, ...others] = own;
    if (oldest) await shop.ended(oldest, "although there were too many");
    for (const login of [...others, beside]) await shop.look(login);
    return;
  }
  if (which === 1) {
    const seconds = 15 + me.chances.below(60);
    const client = await shop.newClient("web", { refreshGraceSeconds: seconds });
    const login = await shop.login(client, { scope: "openid" });
    const [old, from] = [login.refresh, time.now()];
    const first = await shop.refreshed(login);
    const repeated = await shop.refresh({ ...login, refresh: old });
    if (time.now() < from + (seconds - 1) * 1000) {
      me.must("O2", repeated.status === 200, `a repeated refresh was refused within ${seconds} s`);
      me.must("O2", repeated.body["refresh_token"] === login.refresh, "a refresh token has two successors");
    }
    await shop.introspect(login, first, shop.itself);
    await time.pause((seconds + 2) * 1000);
    const late = await shop.refresh({ ...login, refresh: old });
    me.must("O2", late.status === 400, `an old refresh token worked after ${seconds} s`);
    await shop.ended(login, "after its old refresh token was used");
    return;
  }
  const idle = which === 2;
  const client = await shop.newClient("web", idle ? { loginIdleSeconds: 900 } : { loginAbsoluteSeconds: 900 });
  const login = await shop.login(client, { scope: "openid" });
  const began = time.now();
  await time.pause(600_000);
  const later = await shop.refreshed(login);
  const ends = idle ? time.now() + 900_000 : began + 900_000;
  const { exp } = claimsOf(later.token);
  me.must("O7", Number(exp) * 1000 <= ends, `a token outlives its login by ${Number(exp) * 1000 - ends} ms`);
  await time.pause(400_000);
  if (idle) {
    await shop.refreshed(login);
    await time.pause(902_000);
  }
  await shop.ended(login, `${idle ? "unused" : ""} for longer than it lives`);
}

/** The profile FAPI 2.0: requests are pushed, keys in the place of secrets, and proofs. */
export async function fapi(shop: Shop): Promise<void> {
  const { me } = shop;
  const [key, prover] = [shop.newKey(), shop.newKey()];
  const client = await shop.newClient("bank", { profile: "fapi2" }, key);
  const { is } = client;
  shop.same("O4", [is.dpop, is.requirePkce, is.assertionAudience], ["required", true, "issuer"], "a client of FAPI");
  const asked = { scope: "openid email", prover };
  const open = await shop.authorize(client, asked);
  me.must("O8", open.page.status === 400, `a request was not pushed, and was taken: ${open.page.status}`);
  const login = await shop.login(client, asked, { pushes: true });
  await shop.look(login);
  const before = login.refresh;
  await shop.refreshed(login);
  await shop.refreshed(login);
  me.must("O2", login.refresh === before, "a refresh token of FAPI was replaced");
  await refusesWithout(shop, login);
  const other = shop.newKey();
  const wrong = await shop.post(
    { ...client, key: other },
    "/oauth2/token",
    { grant_type: "refresh_token", refresh_token: before },
    prover,
  );
  me.must("O8", wrong.status === 401, `another key is the client's: ${wrong.status}`);
  const secret = await sent("/oauth2/introspect", basic({ client, secret: "cs_none" }), { token: "none" });
  me.must("O8", secret.status === 401, `a client of FAPI has a secret: ${secret.status}`);
  await shop.look(login, client);
}

/** When it has begun. */
export async function nextMinute(): Promise<number> {
  await time.pause(60_100 - (time.now() % 60_000));
  return time.now();
}

/** O7: a network has ten wrong passwords, and as many wrong codes of devices, a minute. */
export async function attemptsOfANetwork(shop: Shop): Promise<void> {
  const { me } = shop;
  const { world, chances } = me;
  const drawn = [1, 2].map(() => `198.19.${chances.below(250)}.${chances.below(250)}`);
  const [one = "", other = ""] = drawn;
  const from = async <T>(ipAddress: string, work: (visitor: Visitor) => Promise<T>): Promise<T> =>
    await calling(
      { world, ipAddress, chances: chances.fork(shop.word("network")) },
      async () => await work(new Visitor()),
    );
  const password = async (ipAddress: string, email: string, typed: string): Promise<number> =>
    await from(ipAddress, async (visitor) => {
      const { page } = await me.begin(visitor);
      return (await visitor.submit(page, "/password", { email, password: typed })).status;
    });
  const code = async (ipAddress: string, typed: string): Promise<number> =>
    await from(ipAddress, async (visitor) => {
      const form = await visitor.get(`${issuer}/device`);
      return (await visitor.submit(form, "/device", { code: typed })).status;
    });
  const device = await shop.newClient("tv", { kind: "device" });
  const began = await nextMinute();
  const { body } = await shop.post(device, "/oauth2/device_authorization", { scope: "openid" });
  const userCode = String(body["user_code"]);
  const near = "BCDFGHJKLMNPQRSTVWXZ".split("").filter((each) => !userCode.endsWith(each));
  const wrong = chances.pick([9, 10]);
  const statuses = [await password(one, me.email, me.password)];
  const wrongOnes = async (many: number): Promise<void> => {
    for (let count = 0; count < many; count += 1) statuses.push(await password(one, me.nextEmail(), "no password"));
  };
  await wrongOnes(5);
  // What was counted outlives the process.
  let isCalm = world.wasCalm(began);
  const restarts = chances.chance(0.5);
  if (restarts) await world.stop();
  const since = restarts ? time.now() + 1 : began;
  await time.pause(2);
  await wrongOnes(5);
  for (const email of [me.nextEmail(), me.email]) statuses.push(await password(one, email, me.password));
  statuses.push(await password(other, me.email, me.password));
  for (const last of near.slice(0, wrong)) statuses.push(await code(one, `${userCode.slice(0, -1)}${last}`));
  statuses.push(await code(wrong === 10 ? one : other, wrong === 10 ? "BBBB-BBBB" : userCode));
  statuses.push(await code(other, userCode));
  const should = [303, ...Array(10).fill(401), 429, 429, 303, ...Array(wrong).fill(422)];
  // After ten tries, one that was nearly guessed is over.
  should.push(...(wrong === 10 ? [429, 422] : [303, 303]));
  isCalm &&= world.wasCalm(since);
  if (isCalm && Math.floor(began / 60_000) === Math.floor(time.now() / 60_000)) {
    shop.same("O7", statuses, should, "attempts of a network");
    world.reached("the attempts of a network");
  }
  await nextMinute();
  const again = await password(one, me.email, me.password);
  me.must("O4", again === 303, `a network is still shut in the next minute: ${again}`);
}

/**
 * Of merchants: a program behind a proxy, whose operator changes it. Each answer of a door is
 * compared as a whole with what was sent, what the client says, and what is true of the person.
 */
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { HostVisitor, navigates } from "../../support/host-visitor.ts";
import { simulatedRequest } from "../browser.ts";
import { tryForged } from "../forgery.ts";
import { operator, type Client, type Json, type Login, type Shop } from "../mall.ts";
import { doorsOrigin } from "../node.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { issuer } from "../programs.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import { entering, script } from "./resident-hosts.ts";

type Lines = [name: string, value: string][];
/** What a proxy asks about. `takes`: the address of the door says that the program gets cookies. */
type Asked = {
  door: "nginx" | "proxy";
  takes: boolean;
  path: string;
  method: string;
  cookies: string[];
  authorization: string | undefined;
  more: Record<string, string>;
};
/** What a door does, and why. `sid`: the id of the login; undefined: not seen yet. */
type Why = { is: "in"; sid: string | undefined } | { is: "public" | "out" | "refused" };

const loginName = (host: string): string => `__Host-authsvc-proxy${host.includes(":") ? "-8443" : ""}`;
const encoded = (text: string): string =>
  text.replaceAll(/[^!-$&-~]/gu, (each) => (each === " " ? "%20" : encodeURIComponent(each)));

class Porter {
  readonly shop: Shop;
  readonly client: Client;
  readonly host: string;
  readonly sibling: string;
  readonly browser: HostVisitor;
  isVerified = true;
  /** Of the login there. */
  sid: string | undefined;

  /** `other`: that of the sibling, whose browser goes there, too. */
  constructor(shop: Shop, client: Client, other?: Porter) {
    this.shop = shop;
    this.client = client;
    const hosts = client.is.hosts as [string, string];
    [this.host, this.sibling] = other ? (hosts.toReversed() as [string, string]) : hosts;
    const { world, chances } = shop.me;
    this.browser = other?.browser ?? new HostVisitor(world.service, chances.pick(["nginx", "proxy"]), simulatedRequest);
  }

  get headers(): { name: string; from: string }[] {
    return this.client.is.headers ?? [];
  }

  draw(other: Partial<Asked> = {}): Asked {
    const { chances } = this.shop.me;
    const door = chances.pick(["nginx", "proxy"] as const);
    return {
      door,
      takes: door === "proxy" && chances.chance(0.5),
      path: chances.pick(["/", "/a?b=1", "/a/%2e%2e/b", "//x"]),
      method: chances.pick(["GET", "HEAD", "OPTIONS", "PROPFIND"]),
      cookies: [],
      authorization: undefined,
      more: script,
      ...other,
    };
  }

  /** The program's own cookies, and ours among them. */
  cookies(): string[] {
    const { chances } = this.shop.me;
    const own = [...this.browser.jar(this.host)].map(([name, value]) => `${name}=${value}`);
    const others = ["a=1", `evil${loginName(this.host)}=2`, "b=__Host-authsvc-start=3", "c"];
    const all = [...others.filter(() => chances.chance(0.5)), ...own, "__Host-authsvc-start-9000=4"];
    const places = all.map((each): [number, string] => [chances.below(1000), each]);
    return places.toSorted(([one], [other]) => one - other).map(([, each]) => each);
  }

  family({ door, path, method }: Pick<Asked, "door" | "path" | "method">, host = this.host): Lines {
    const forwarded: Lines = [
      ["X-Forwarded-Proto", "https"],
      ["X-Forwarded-Host", host],
      ["X-Forwarded-Method", method],
      ["X-Forwarded-Uri", path],
    ];
    const original: Lines = [
      ["X-Original-Method", method],
      ["X-Original-Url", `https://${host}${path}`],
    ];
    return door === "nginx" ? original : forwarded;
  }

  async send(asked: Asked, family = this.family(asked)) {
    const { door, takes, cookies, authorization, more } = asked;
    const lines = [...family, ...Object.entries(more)];
    if (cookies.length > 0) lines.push(["Cookie", cookies.join("; ")]);
    if (authorization !== undefined) lines.push(["Authorization", authorization]);
    const at = door === "nginx" ? "/auth-request" : `/forward-auth${takes ? "?cookie=1" : ""}`;
    return await simulatedRequest(doorsOrigin, at, lines);
  }

  /** O6 and O8: the whole answer. `ours`: the `Authorization` is a secret of the service. */
  async check(asked: Asked, why: Why, { ours = true } = {}): Promise<void> {
    const { shop, host, client } = this;
    const { status, headers, body } = await this.send(asked);
    const what = `${host}, of ${asked.method} ${asked.path} at ${asked.door}`;
    const identity = why.is === "in" ? this.#identity() : {};
    const isIn = why.is === "public" || (why.is === "in" && identity !== undefined);
    const { "set-cookie": set, "x-authsvc-assertion": assertion, ...told } = headers;
    shop.me.must("O8", set?.length === 0, `a check at ${what} sets a cookie`);
    if (!isIn) return this.#checkAway(asked, why, { status, told, body }, what);
    shop.me.must("O4", status === 200 && body === "", `${what} answers ${status} and not 200`);
    const left = asked.cookies.filter((each) => !/^__Host-authsvc-(?:proxy|start)/u.test(each));
    const passes = asked.authorization !== undefined && (!ours || client.is.passTokens);
    const should = {
      "cache-control": "no-store",
      "content-length": "0",
      "x-authsvc-decision": host,
      ...identity,
      ...(asked.takes && left.length > 0 && { cookie: left.join("; ") }),
      ...(passes && { authorization: asked.authorization }),
    };
    shop.same("O6", told, should, `the answer of ${what},`);
    const isAsserted = why.is === "in" && this.headers.some(({ from }) => from === "assertion");
    shop.me.must("O6", (assertion !== undefined) === isAsserted, `an assertion at ${what}: ${String(assertion)}`);
    if (isAsserted && why.is === "in") await this.#checkAssertion(String(assertion), why);
  }

  /** What the headers say; undefined: not who it is. */
  #identity(): Json | undefined {
    const { me, person } = this.shop;
    const values: Record<string, string> = {
      id: me.userId,
      email: this.isVerified ? encoded(me.email) : "",
      name: encoded(person.name),
      groups: person.groups.map((each) => encoded(each)).join(","),
      "private.grade": String(person.grade),
    };
    const lines = this.headers.map(({ name, from }): [string, string] => [name.toLowerCase(), values[from] ?? ""]);
    return lines[0]?.[1] === "" ? undefined : Object.fromEntries(lines.filter(([, value]) => value !== ""));
  }

  async #checkAssertion(token: string, why: Why & { is: "in" }): Promise<void> {
    const { shop, host } = this;
    const { me, person } = shop;
    await shop.checkSignature(token, "authsvc-assertion+jwt");
    const { iat, exp, jti, sid, ...others } = claimsOf(token);
    const should = {
      iss: issuer,
      aud: `https://${host}`,
      sub: me.userId,
      acr: "urn:authsvc:acr:1",
      groups: person.groups,
      email: me.email,
      email_verified: this.isVerified,
    };
    shop.same("O6", others, should, `an assertion for ${host}`);
    // Reused for thirty seconds, and a network and a database take their time.
    const age = time.now() / 1000 - Number(iat);
    const isTimely = age >= -1 && age < 92 && Number(exp) - Number(iat) === 60;
    me.must("O6", isTimely, `an assertion of ${age} s ago lasts ${Number(exp) - Number(iat)} s`);
    me.must("O6", /^[\w-]{22}$/u.test(String(jti)), `jti ${String(jti)}`);
    if (why.sid === undefined) this.sid = String(sid);
    else shop.same("O6", sid, why.sid, "the login in an assertion");
  }

  /** A refused call gets the way to sign in, or that it is not allowed, and nothing else. */
  #checkAway(
    { door, path, method, more }: Asked,
    why: Why,
    { status, told, body }: { status: number; told: Json; body: string },
    what: string,
  ): void {
    const { shop, host } = this;
    const isOut = why.is === "out";
    const navigates = more["sec-fetch-mode"] === "navigate";
    const isRead = method === "GET" || method === "HEAD";
    const isSent = isOut && door === "proxy" && navigates && isRead;
    shop.same(isOut ? "O8" : "O1", status, isSent ? 303 : isOut ? 401 : 403, `the status of ${what},`);
    const start = `https://${host}/.authsvc/start`;
    if (isSent) {
      const to = String(told["location"]);
      return shop.me.must("O8", to.startsWith(`${start}?s=`), `${what} sends to ${to}`);
    }
    if (navigates) return;
    const error = (JSON.parse(body) as { error: Json }).error;
    const { code, signIn } = error;
    const [first] = this.headers;
    const missing = why.is === "in" && first ? "IDENTITY_MISSING" : "NOT_ALLOWED";
    shop.same("O8", { code, signIn }, isOut ? { code: "SIGN_IN_REQUIRED", signIn: start } : { code: missing }, what);
    const challenge = isOut && door === "proxy" ? `Bearer realm="${host}"` : undefined;
    const [marks, asks] = [told["authsvc-sign-in"], told["www-authenticate"]];
    const { "cache-control": stored } = told;
    shop.same("O8", [marks, asks, stored], [isOut ? start : undefined, challenge, "no-store"], `${what} (${path})`);
  }

  /** O8: what a door does not understand, and what only its answer may say. */
  async refuses(): Promise<void> {
    const { shop, host } = this;
    const { me } = shop;
    const asked = this.draw({ cookies: this.cookies(), path: "/", method: "GET" });
    const { door } = asked;
    const lines = this.family(asked);
    const name = (at: number): string => lines[at % lines.length]?.[0] ?? "";
    const at = me.chances.below(lines.length);
    const changed = (value: string, which = lines.length - 1): Lines =>
      lines.map(([each, is], place) => [each, place === which ? value : is]);
    const isUrl = door === "nginx" ? `https://${host}` : "";
    const families: Record<string, Lines> = {
      "without a header": lines.filter((_, place) => place !== at),
      "with an empty header": changed("", at),
      "with a header twice": changed(`${lines[at]?.[1] ?? ""}\n${lines[at]?.[1] ?? ""}`, at),
      "with another writing of a header": [...lines, [name(at).replaceAll("-", "_"), lines[at]?.[1] ?? ""]],
      "with a fragment": changed(`${isUrl}/a#b`),
      "with a blank": changed(`${isUrl}/a b`),
      "for no path": changed(`${isUrl}a`),
      "of a wrong method": changed("GE T", door === "nginx" ? 0 : 2),
      "by http": changed(door === "nginx" ? `http://${host}/` : "http", door === "nginx" ? 1 : 0),
      "for another port": this.family(asked, `${host.replace(/:.*/u, "")}:9443`),
      "for a user at a host": this.family(asked, `x@${host}`),
      "for two hosts": this.family(asked, `${host}, ${host}`),
      "for a host below": this.family(asked, `x.${host}`),
      "for the service": this.family(asked, "localhost:8080"),
    };
    for (const [what, family] of Object.entries(families)) {
      if (me.chances.chance(0.6)) continue;
      const { status } = await this.send(asked, family);
      me.must("O8", status === (door === "nginx" ? 403 : 400), `a check ${what} at ${door} is answered ${status}`);
    }
    const carried = [...this.headers.map((header) => header.name), "X-Authsvc-Any", "Cookie-Omitted"];
    const header = me.chances.pick(carried);
    const written = me.chances.pick([
      header,
      header.toUpperCase(),
      header.replaceAll("-", "_"),
      header.replace("-", "."),
    ]);
    const path = me.chances.pick(["/", "/public"]);
    const forged = await this.send({ ...asked, path, more: { ...script, [written]: "somebody" } });
    me.must("O8", forged.status === 403, `a check with ${written} is answered ${forged.status}`);
    // What an outer balancer adds in good faith.
    const other = this.family({ ...asked, door: door === "nginx" ? "proxy" : "nginx" }, "other.example");
    await this.check({ ...asked, more: { ...script, ...Object.fromEntries(other) } }, { is: "in", sid: this.sid });
  }
}

/** Paths that are public by their bytes, and some that are not. */
const publicPaths: Record<string, boolean> = {
  "/public": true,
  "/public/": true,
  "/public/x?y=%2f": true,
  "/api/v1/a-b": true,
  "/publicity": false,
  "/PUBLIC": false,
  "/public/../x": false,
  "/public/%2e": false,
  "/public//x": false,
  "/public;x": false,
  "/api": false,
  "/api/v1/.": false,
};

async function open(shop: Shop): Promise<Porter> {
  const { me } = shop;
  const word = shop.word("host");
  const port = me.chances.pick(["", ":8443"]);
  const first = me.chances.pick([
    { name: "Remote-User", from: "id" },
    { name: "X-Mail", from: "email" },
    { name: "X-Grade", from: "private.grade" },
  ]);
  const others = [
    { name: "Remote-Name", from: "name" },
    { name: "Remote-Groups", from: "groups" },
    { name: "Remote-Email", from: "email" },
    { name: "X-None", from: "private.none" },
    { name: "X-Authsvc-Assertion", from: "assertion" },
  ];
  const input: NewClient = {
    appId: shop.app.id,
    name: word,
    kind: "proxy",
    hosts: [`${word}.a.example${port}`, `${word}.b.example${port}`],
    headers: [first, ...others.filter(() => me.chances.chance(0.7))],
    publicPaths: ["/public", "/api/v1"],
    passTokens: me.chances.chance(0.3),
    sessionSeconds: { idle: 600, absolute: 1800 },
    ...(me.chances.chance(0.5) ? { access: "everyone" } : { allowedGroups: ["buyers"] }),
  };
  const { client: is } = await shop.command(async (ctx) => await clients.create(ctx, input, {}, operator));
  return new Porter(shop, { id: is.id, is });
}

/** A host from its first visitor on, while its client and its person change. */
export async function atHosts(shop: Shop): Promise<void> {
  const { me } = shop;
  const name = me.chances.pick(["Zoë, 100 %", "Ann O'Neill", "李 \u{1F600}"]);
  await shop.change({ name, badge: shop.word("badge") });
  const porter = await open(shop);
  const { browser, host, client } = porter;
  const out = async (): Promise<void> =>
    await porter.check(porter.draw({ more: me.chances.pick([script, navigates]) }), { is: "out" });
  await out();
  const from = time.now();
  await comesBack(porter);
  const isIn = async (): Promise<void> => {
    if (time.now() > from + 500_000) throw new Lost("a slow network used up the life of a login");
    const authorization = me.chances.pick([undefined, "Basic dTpw", "Bearer none", 'Digest username="u"']);
    const asked = porter.draw({ cookies: porter.cookies(), authorization });
    await porter.check(asked, { is: "in", sid: porter.sid }, { ours: false });
  };
  await isIn();
  const beside = new Porter(shop, client, porter);
  await entering(me, browser, porter.sibling);
  const there = async (sid: string | undefined): Promise<void> =>
    await beside.check(beside.draw({ cookies: beside.cookies(), path: "/" }), { is: "in", sid });
  await there(undefined);
  await isIn();
  await there(beside.sid);
  for (const [path, isPublic] of Object.entries(publicPaths)) {
    if (me.chances.chance(0.6)) continue;
    await porter.check(porter.draw({ path }), { is: isPublic ? "public" : "out" });
  }
  await porter.refuses();
  await byTokens(porter);
  const changes: Record<string, () => Promise<void>> = {
    async group() {
      await shop.belong("buyers", false);
      const cookies = porter.cookies();
      const asked = porter.draw({ cookies });
      if (client.is.allowedGroups === null) await isIn();
      else await porter.check(asked, { is: "refused" });
      await shop.belong("buyers", true);
      await isIn();
    },
    async address() {
      me.leaves("entry user.update", "event user.updated");
      await me.patch({ emailVerified: false });
      porter.isVerified = false;
      shop.isStale = true;
      await isIn();
      me.leaves("entry user.update", "event user.updated");
      await me.patch({ emailVerified: true });
      porter.isVerified = true;
      await isIn();
    },
    async facts() {
      await shop.belong("regulars", !shop.person.groups.includes("regulars"));
      await shop.change({ name: shop.word("Nam\u00e9 of "), grade: 10 + me.chances.below(9) });
      await isIn();
    },
    async settings() {
      const other = `other.${host}`;
      const headers = [{ name: "X-Who", from: "id" }];
      await shop.update(client, { headers, publicPaths: [], passTokens: true, hosts: [host, other] });
      // Nodes know the settings of a second ago.
      await time.pause(1500);
      await isIn();
      await porter.check(porter.draw({ path: "/public" }), { is: "out" });
      const asked = porter.draw({ more: script });
      const closed = asked.door === "nginx" ? 403 : 400;
      const is = [];
      for (const at of [porter.sibling, other]) is.push((await porter.send(asked, porter.family(asked, at))).status);
      shop.same("O1", is, [closed, 401], "a host that was removed, and one that was added,");
    },
    async disabled() {
      await shop.update(client, { enabled: false });
      await time.pause(1500);
      const asked = porter.draw({ cookies: porter.cookies() });
      const { status } = await porter.send(asked);
      me.must("O1", status === (asked.door === "nginx" ? 403 : 400), `a disabled client's host answers ${status}`);
      await shop.update(client, { enabled: true });
      await time.pause(1500);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    if (me.chances.chance(0.4)) continue;
    me.world.note(`${me.name}: ${what} at ${host}`);
    await change();
  }
  const asked = porter.draw({ cookies: porter.cookies() });
  if (me.chances.chance(0.5)) await time.pause(610_000);
  else {
    // Each is a use. One that cannot be written is lost.
    let [used, isSure] = [time.now(), true];
    while (time.now() < from + 1_830_000) {
      isSure &&= time.now() < from + 1_600_000 && me.world.wasCalm(used);
      used = time.now();
      if (isSure) await porter.check({ ...asked, more: {} }, { is: "in", sid: porter.sid });
      await time.pause(400_000);
    }
  }
  await porter.check(asked, { is: "out" });
  me.world.reached("a login at a host that lasted long enough");
  browser.jar(host).clear();
}

/** O8: only the browser that began ends a sign-in at a host, and its code works once. */
async function comesBack(porter: Porter): Promise<void> {
  const { shop, browser, host, sibling } = porter;
  const { me } = shop;
  let page = await browser.go(`https://${host}/a?b=1`);
  page = await me.walk(page, browser.own);
  const back = page.location.href;
  const isBack = page.status === 303 && back.startsWith(`https://${host}/.authsvc/callback?`);
  me.must("O10", isBack, `no way back to ${host}: ${page.status} at ${page.url}`);
  const thief = new HostVisitor(me.world.service, "nginx", simulatedRequest);
  // It has a start of its own, or none.
  if (me.chances.chance(0.5)) await thief.open(`https://${host}/`);
  const state = new URL(back).searchParams.get("state") ?? "";
  const wrong = {
    "by another browser": await thief.open(back),
    "at another host": await browser.open(back.replace(host, sibling)),
    "with another state": await browser.open(
      back.replace(state, state.replace(/^(.{9})./u, state[9] === "A" ? "$1B" : "$1A")),
    ),
    "by a look": await browser.open(back, { method: "HEAD" }),
  };
  for (const [what, { status }] of Object.entries(wrong))
    me.must("O8", status >= 400, `a sign-in at ${host} was ended ${what}: ${status}`);
  for (const jar of [thief.jar(host), browser.jar(sibling), browser.jar(host)])
    me.must("O8", !jar.has(loginName(host)), `a sign-in that was not ended set a cookie`);
  const done = await browser.open(back);
  if (done.status !== 303) await entering(me, browser, host);
  else shop.same("O4", done.headers.get("location"), `https://${host}/a?b=1`, "where a sign-in at a host leads");
  const before = browser.jar(host).get(loginName(host));
  me.must("O10", before !== undefined, `no login at ${host}`);
  const lines = browser.lines.find((line) => line.startsWith(loginName(host)));
  const should = `${loginName(host)}=${before}; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure`;
  if (lines !== undefined) shop.same("O8", lines, should, "the cookie of a host");
  // A cookie opens its own host.
  const cookies = [`${loginName(sibling)}=${before}`];
  const asked = porter.draw({ path: "/", cookies });
  const elsewhere = await porter.send(asked, porter.family(asked, sibling));
  me.must("O8", elsewhere.status === 401, `a cookie of ${host} opens ${sibling}: ${elsewhere.status}`);
}

/** O8: which tokens open a host, and where. */
async function byTokens(porter: Porter): Promise<void> {
  const { shop, host, sibling } = porter;
  const { me } = shop;
  const identifier = `https://${host}/app`;
  const scopes = ["forward-auth", "read"].map((name) => ({ name, sentence: name }));
  const here = await shop.newResource("app", { scopes }, identifier);
  const client = await shop.newClient("cli", { resources: [identifier], dpop: "optional" });
  const login = async (scope: string, more: Json = {}): Promise<Login> =>
    await shop.login(client, { scope, resource: here, ...more });
  const token = async (of: Promise<Login>): Promise<[Login, string]> => {
    const got = await of;
    return [got, got.tokens[0]?.token ?? ""];
  };
  const [good, text] = await token(login("openid forward-auth"));
  const bearer = { authorization: `Bearer ${text}`, cookies: [] };
  const inside = me.chances.pick(["/app", "/app/", "/app/x?y"]);
  const isIn: Why = { is: "in", sid: good.sid };
  await porter.check(porter.draw({ ...bearer, path: inside }), isIn);
  const basic = `Basic ${Buffer.from(`x:${text}`).toString("base64")}`;
  const plain = porter.draw({ authorization: basic, path: inside, more: {} });
  await porter.check(plain, isIn);
  // A link with a password in it signs no browser in.
  await porter.check({ ...plain, more: { ...script, "sec-fetch-site": "cross-site" } }, { is: "out" });
  for (const path of ["/", "/apple", "/app/../x", "/app/%2e"])
    if (me.chances.chance(0.4)) await porter.check(porter.draw({ ...bearer, path }), { is: "out" });
  const there = porter.draw({ ...bearer, path: inside });
  const elsewhere = await porter.send(there, porter.family(there, sibling));
  me.must("O8", elsewhere.status === 401, `a token of ${host} opens ${sibling}: ${elsewhere.status}`);
  const opens = async (each: string): Promise<boolean> =>
    (await porter.send(porter.draw({ authorization: `Bearer ${each}`, path: inside }))).status !== 401;
  const [weak] = (await login("openid read")).tokens;
  const prover = shop.newKey();
  const [bound] = (await login("openid forward-auth", { prover })).tokens;
  const own = await shop.login(client, { scope: "openid" });
  const refused = {
    "without the scope": weak?.token,
    "bound to a key": bound?.token,
    "of the application": own.tokens[0]?.token,
    "that is an ID token": own.idToken,
  };
  for (const [what, each = ""] of Object.entries(refused))
    me.must("O8", !(await opens(each)), `a token ${what} opens ${host}`);
  await tryForged(shop, { token: text }, { [host]: opens });
  // Who has a cookie is decided by it, and the program gets no token of ours.
  const both = porter.draw({
    cookies: porter.cookies(),
    authorization: me.chances.pick([bearer.authorization, basic]),
  });
  await porter.check(both, { is: "in", sid: porter.sid });
  await shop.post(client, "/oauth2/revoke", { token: good.refresh });
  good.isOver = true;
  me.must("O1", !(await opens(text)), `a token opens ${host} after its login`);
  me.world.reached("a token at a host of a resource");
}

/**
 * Somebody who sees each call before it is sent, and now and then sends another one first that must
 * be refused: with a credential, a token, an id, a form or a body that is wrong in one place.
 */
import { createDescription } from "../support/openapi.ts";
import { decoded, encoded, forgeriesOf, type Forged } from "./forgery.ts";
import type { Generator } from "./generator.ts";
import { proxyAddress, type Got, type Sent } from "./node.ts";
import { time } from "./time.ts";
import { Lost, type Part, type World } from "./world.ts";

/** Nobody else calls from there. */
const ownAddress = "198.51.100.200";
const strangeOrigin = "https://evil.example";
const knownOrigin = "https://app.example";
const { document, operationOf } = createDescription();

/** `isRefused`: whether an answer refuses it rightly. */
type Probe = { what: string; sent: Sent; isRefused: (got: Got) => boolean };
type Schema = { required?: string[]; properties?: Record<string, { type?: string }> };
type Described = {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
};

const operations = new Map(
  Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((each) => {
      const methods = Object.keys(path).map((method) => method.toUpperCase());
      return [each.operationId, { ...(each as Described), methods }] as const;
    }),
  ),
);

const isServers = /^\/(?:applications|webhooks)\b|^\/auth\/(?:initiate|callback|refresh|revocations)$/u;
const isUsers = /^\/users\/|^\/auth\/(?:validate|logout)$|^\/oauth2\/userinfo$|^\/api\/user$/u;
/** What a link may lead to. A provider's answer is for one use. */
const isPlace = /^\/(?:sign-in|account|console|verify|reset|undo|invite|join)\b|^\/oauth2\/(?:authorize|end-session)$/u;
const needsAppId = /^\/auth\/(?:initiate|callback|refresh|validate)$/u;
const aJwt = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/u;
const anId = /\b(?:usr|org|mth|whe|inv|ptk|lgn)_[0-9a-z]{20,}/gu;

const probeOf = (what: string, sent: Sent, isRefused: Probe["isRefused"]): Probe => ({ what, sent, isRefused });
const is =
  (...statuses: number[]) =>
  ({ status }: Got): boolean =>
    statuses.includes(status);
const isUnauthorized = is(401);
/** Whoever may not call at all is told that first. */
const isBad = is(400, 401, 403, 404, 409, 410);

class Prober {
  readonly #world: World;
  readonly #chances: Generator;
  readonly #seen = new Map<string, number>();
  /** The newest API key of each application, and tokens by kind. */
  readonly #keys = new Map<string, string>();
  readonly #tokens = new Map<string, { token: string; appId: string }[]>();
  /** Of clients. */
  readonly #secrets = new Map<string, string>();
  /** Below which path each id is; "": nobody knows. */
  readonly #homes = new Map<string, string>();
  /** Which host a cookie opens. */
  readonly #opens = new Map<string, string>();
  /** The last silent sign-in to a program with each cookie. */
  readonly #authorizes = new Map<string, Sent>();
  /** The last call of each list. */
  readonly lists = new Map<string, Sent>();

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
  }

  /** Before a call is sent; returns what is sent in its place. */
  async before(sent: Sent): Promise<Sent> {
    this.#learn(sent);
    const route = `${sent.listener} ${sent.method} ${operationIn(sent) ?? shapeOf(sent)}`;
    const times = this.#seen.get(route) ?? 0;
    this.#seen.set(route, times + 1);
    // Rare calls more often than others.
    const isWanted = this.#chances.chance(Math.max(0.02, 1 / (1 + times / 2)));
    // While calls are limited, these would be counted, too.
    const { mayBeLimited, app } = this.#world.plant;
    if (isWanted && !(mayBeLimited && JSON.stringify(sent).includes(app.id))) await this.#probe(sent);
    // O8: what only looks has no effect, so that the call itself does what it always does.
    const isOut = pathOf(sent) === "/oauth2/end-session";
    if (sent.method === "GET" && isPlace.test(pathOf(sent)) && this.#chances.chance(isOut ? 0.5 : 0.05))
      await this.#look(sent).catch((error: unknown) => {
        if (!(error instanceof Lost)) throw error;
      });
    const isApi = isServers.test(pathOf(sent)) || isUsers.test(pathOf(sent));
    const asPage = isApi && sent.headers["origin"] === undefined && this.#chances.chance(0.1);
    return asPage ? having(sent, { origin: this.#chances.pick([strangeOrigin, knownOrigin]) }) : sent;
  }

  /** As link previews and prefetching browsers do. Who was signed in still is. */
  async #look(sent: Sent): Promise<void> {
    const again = this.#authorizes.get(sent.headers["cookie"] ?? "");
    const isIn = async (): Promise<boolean> =>
      again !== undefined &&
      (await this.ask(again)).headers.some(([name, to]) => name === "location" && /[?&]code=/u.test(to));
    const was = sent.path.startsWith("/oauth2/end-session") && (await isIn());
    const isHead = this.#chances.chance(0.5);
    await this.ask(isHead ? { ...sent, method: "HEAD" } : having(sent, { "sec-purpose": "prefetch" }));
    this.#world.reached("a call that only looks");
    if (!was) return;
    this.#world.reached("a look at a sign-out");
    if (!(await isIn())) this.#world.fail("O8", `who only looked at ${sent.path} was signed out`);
  }

  async #probe(sent: Sent): Promise<void> {
    const probes = this.#probesOf(sent);
    if (probes.length === 0) return;
    const probe = this.#chances.pick(probes);
    try {
      const got = await this.ask(probe.sent);
      this.#world.note(`the prober, ${probe.what}: ${got.status}`);
      if (!probe.isRefused(got) && got.status !== 429) this.#fail(probe.what, probe.sent, got);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  /** Without a network between. A cursor has transaction numbers, which differ from run to run. */
  async ask(sent: Sent): Promise<Got> {
    const from = sent.listener === "doors" ? proxyAddress : ownAddress;
    return await this.#world.arrive(sent, from, this.#chances.fork(`probe at ${time.now()} of ${pathOf(sent)}`));
  }

  #fail(what: string, { method, path }: Sent, { status, body }: Got): never {
    this.#world.fail(
      "O8",
      `${method} ${path} with ${what} was answered ${status}: ${body.replaceAll(/\s+/gu, " ").slice(0, 300)}`,
    );
  }

  #learn(sent: Sent): void {
    const key = keyIn(sent);
    const appId = homeOf(sent)?.split("/")[2] ?? sent.headers["x-service-app-id"];
    if (appId !== undefined && key !== undefined) this.#keys.set(appId, key);
  }

  /** Tokens and ids in an answer, and whether a page of another origin may read it. */
  hears(sent: Sent, got: Got): void {
    const { origin } = sent.headers;
    const shared = got.headers.find(([name]) => name === "access-control-allow-origin")?.[1];
    const isForPages = isUsers.test(pathOf(sent)) || keyIn(sent) === undefined;
    if (origin === strangeOrigin && shared !== undefined) this.#fail("another origin", sent, got);
    if (origin === knownOrigin && shared !== undefined && !isForPages) this.#fail("an API key of a page", sent, got);
    const { cookie = "" } = sent.headers;
    if (pathOf(sent) === "/oauth2/authorize" && cookie !== "" && !sent.path.includes("request")) {
      const url = new URL(sent.path, this.#world.service.url);
      url.searchParams.set("prompt", "none");
      this.#authorizes.set(cookie, { ...sent, path: `${url.pathname}${url.search}` });
    }
    if (sent.listener === "doors" && got.status === 200)
      this.#opens.set(sent.headers["cookie"] ?? "", this.#hostIn(sent));
    if (got.status >= 300 || !got.body.startsWith("{")) return;
    const appId = sent.headers["x-service-app-id"] ?? "";
    for (const [, name = "", token = ""] of got.body.matchAll(/"(\w*[tT]oken)":"([\w.-]{20,})"/gu)) {
      const kind = name.replace("_", "").toLowerCase();
      this.#tokens.set(kind, [...(this.#tokens.get(kind) ?? []).slice(-40), { token, appId }]);
    }
    const home = homeOf(sent) ?? "";
    for (const [id] of home === "" ? [] : `${pathOf(sent)} ${got.body}`.matchAll(anId)) {
      const own = /^(?:mth|inv|ptk)/u.test(id) ? home : home.split("/").slice(0, 3).join("/");
      this.#homes.set(id, (this.#homes.get(id) ?? own) === own ? own : "");
    }
    const operation = operationIn(sent);
    const parameters = operations.get(operation ?? "")?.parameters ?? [];
    if (parameters.some(({ name }) => name === "cursor")) this.lists.set(`${operation} ${appId}`, sent);
  }

  #probesOf(sent: Sent): Probe[] {
    const path = pathOf(sent);
    const isService = sent.listener === "service";
    return [
      ...(isService && isServers.test(path) ? this.#wrongKeys(sent, path) : []),
      ...(isService && isUsers.test(path) ? this.#wrongTokens(sent) : []),
      ...this.#forgedTokens(sent, path),
      ...(path.startsWith("/oauth2/") ? this.#wrongClients(sent) : []),
      ...(operationIn(sent) === undefined ? [] : this.#wrongBodies(sent, path)),
      ...this.#wrongIds(sent, path),
      ...(sent.method === "POST" && !path.startsWith("/oauth2/") ? wrongForms(sent) : []),
      ...(sent.method === "GET" && (isService ? path.startsWith("/account") : !path.startsWith("/.authsvc/"))
        ? this.#wrongCookies(sent)
        : []),
    ];
  }

  #wrongKeys(sent: Sent, path: string): Probe[] {
    const key = keyIn(sent);
    if (key === undefined) return [];
    const own = [...this.#keys].find(([, each]) => each === key)?.[0];
    const others = [...this.#keys].filter(([, each]) => each !== key);
    const [otherApp, otherKey] = this.#chances.pick<string[]>(others.length > 0 ? others : [["none", "none"]]);
    // One for this service may stand in for a key.
    const { url } = this.#world.service;
    const isOfPerson = (token: string): boolean => aJwt.test(token) && String(claimsOf(token)["aud"]) !== url;
    const access = this.#tokens.get("accesstoken")?.findLast(({ token }) => isOfPerson(token))?.token;
    const isWrongKey = isRefusedAs("INVALID_API_KEY");
    // Public clients have none, and other tokens.
    const hasNoKey = needsAppId.test(path) ? isUnauthorized : isWrongKey;
    // The key itself may have ended.
    const isWrongApp = isRefusedAs("INVALID_APP_ID", "INVALID_API_KEY");
    const by = (authorization: string | undefined): Sent => having(sent, { authorization });
    const of = (appId: string | undefined): Sent => having(sent, { "x-service-app-id": appId });
    const inQuery = `${sent.path}${sent.path.includes("?") ? "&" : "?"}token=${key}`;
    const namesApp = sent.headers["x-service-app-id"] !== undefined || path.startsWith("/applications/");
    const { refreshToken = "" } = (path === "/auth/refresh" ? JSON.parse(sent.body) : {}) as { refreshToken?: string };
    const strange = this.#tokens.get("refreshtoken")?.findLast(({ appId }) => appId !== "" && appId !== own)?.token;
    const tokens = refreshToken === "" ? [] : [strange, access, this.#tokens.get("idtoken")?.at(-1)?.token];
    return [
      probeOf("a changed API key", by(`Bearer ${otherCharacter(key)}`), isWrongKey),
      probeOf("an API key as Basic", by(`Basic ${btoa(`${own}:${key}`)}`), isWrongKey),
      probeOf("an API key in the query", { ...by(undefined), path: inQuery }, hasNoKey),
      // Public clients have no key.
      needsAppId.test(path)
        ? probeOf("no App ID", of(undefined), isWrongApp)
        : probeOf("no API key", by(undefined), isWrongKey),
      probeOf("a token for an API key", by(`Bearer ${access}`), isRefusedAs("INVALID_API_KEY", "INVALID_TOKEN")),
      probeOf("another App ID", of(otherApp), isWrongApp),
      ...(namesApp ? [probeOf("another application's API key", by(`Bearer ${otherKey}`), isWrongApp)] : []),
      ...tokens.map((token) => probeOf("another token", replaced(sent, refreshToken, token ?? "none"), isUnauthorized)),
    ];
  }

  /** What there is none of yet is sent as “undefined”. */
  #wrongTokens(sent: Sent): Probe[] {
    const [scheme = "", token = ""] = (sent.headers["authorization"] ?? "").split(" ");
    if (token === "") return [];
    const appId = sent.headers["x-service-app-id"];
    const access = (this.#tokens.get("accesstoken") ?? []).filter((each) => aJwt.test(each.token));
    const strange = access.findLast((each) => each.appId !== "" && each.appId !== appId);
    const isRight = this.#world.clockWasRight(time.now() - 1);
    const isLate = ({ exp }: Record<string, unknown>): boolean => isRight && Number(exp) * 1000 < time.now() - 1000;
    const late = access.find((each) => isLate(claimsOf(each.token)));
    const narrow = access.find((each) => !String(claimsOf(each.token)["scope"]).split(" ").includes("profile"));
    const by = (authorization: string | undefined, more = {}): Sent => having(sent, { authorization, ...more });
    const bearing = (what: string, text: string | undefined, isRefused = isUnauthorized): Probe =>
      probeOf(what, by(`Bearer ${text}`, { dpop: undefined }), isRefused);
    // Of an opaque token, nobody knows whose it is; others have tried it elsewhere, too.
    const own = aJwt.test(token) ? claimsOf(token)["aud"] : undefined;
    const named = { "x-service-app-id": [...this.#keys.keys()].find((id) => id !== own) ?? "none" };
    return [
      probeOf("no token", by(undefined), isUnauthorized),
      probeOf("a token as Basic", by(`Basic ${token}`), isUnauthorized),
      bearing("a refresh token", this.#tokens.get("refreshtoken")?.at(-1)?.token),
      bearing("an ID token", this.#tokens.get("idtoken")?.at(-1)?.token),
      bearing("an API key for a token", [...this.#keys.values()].at(-1)),
      bearing("an expired token", late?.token),
      probeOf("a token by DPoP without a proof", by(`DPoP ${token}`, { dpop: undefined }), isUnauthorized),
      ...(scheme === "DPoP" ? [bearing("a bound token without a proof", token)] : []),
      ...(sent.path.startsWith("/oauth2/") || own === undefined
        ? []
        : [probeOf("a token and another App ID", by(`${scheme} ${token}`, named), isUnauthorized)]),
      ...(appId === undefined ? [] : [bearing("another application's token", strange?.token)]),
      ...(sent.path.startsWith("/users/") ? [bearing("a token without the scope", narrow?.token, is(401, 403))] : []),
    ];
  }

  /** A signed token is changed wherever it stands. */
  #forgedTokens(sent: Sent, path: string): Probe[] {
    const inHeader = /^\w+ (.*)$/u.exec(sent.headers["authorization"] ?? "")?.[1] ?? "";
    const [, field = "", posted = ""] = new RegExp(`(?:^|&)(\\w+)=(${aJwt.source})`, "u").exec(sent.body) ?? [];
    const token = [inHeader, aJwt.exec(sent.path)?.[0] ?? "", posted].find((each) => aJwt.test(each)) ?? "";
    const isPosted = token === posted;
    if (token === "" || (isPosted && !/^\/oauth2\/(?:token|introspect|par)$/u.test(path))) return [];
    if (!isPosted && !inHeader && !/[?&]token=/u.test(sent.path)) return [];
    // At a host, a cookie may open it all the same.
    if (sent.listener === "doors" && sent.headers["cookie"] !== undefined) return [];
    const isRefused = ({ status, headers, body }: Got): boolean => {
      if (path === "/auth/verify-token") return body === '{"valid":false}';
      if (path === "/oauth2/introspect" && field === "token") return status >= 400 || body === '{"active":false}';
      // A public path is open to everybody, and names nobody.
      if (sent.listener === "doors") return status !== 200 || !/usr_|@example\.org/u.test(JSON.stringify(headers));
      return status === 401 || (isPosted && status === 400);
    };
    // The service writes its own in one way, and takes those of clients and issuers in several.
    const isOwn = claimsOf(token)["iss"] === this.#world.service.url;
    const forged = this.#forged(token).filter(({ what }) => isOwn || !/writing|padding/u.test(what));
    return forged.map(({ what, token: other }) => probeOf(`a token ${what}`, replaced(sent, token, other), isRefused));
  }

  #forged(token: string): Forged[] {
    const [head = "", claims = "", signature = ""] = token.split(".");
    // This may be a forgery of somebody else's, of which the right one must not be made.
    const isOther = (text: string): boolean => aJwt.test(text) && text.split(".")[1] !== claims;
    const other = this.#tokens.get("accesstoken")?.findLast(({ token: each }) => isOther(each));
    const { typ } = decoded(head);
    const retyped = encoded({ ...decoded(head), typ: typ === "JWT" ? "at+jwt" : "JWT" });
    return [
      ...forgeriesOf(token, this.#chances),
      { what: "of another type", token: `${retyped}.${claims}.${signature}` },
      {
        what: "with the signature of another",
        token: `${head}.${claims}.${other?.token.split(".")[2] ?? otherCharacter(signature)}`,
      },
    ];
  }

  #wrongClients(sent: Sent): Probe[] {
    const [, basic] = /^Basic (.+)$/u.exec(sent.headers["authorization"] ?? "") ?? [];
    const posted = /(?:^|&)client_secret=([^&]+)/u.exec(sent.body)?.[1];
    const [id = /(?:^|&)client_id=([^&]+)/u.exec(sent.body)?.[1] ?? "", secret] =
      basic === undefined ? [] : atob(basic).split(":");
    const known = secret ?? posted;
    if (known === undefined) return [];
    const [, other] = [...this.#secrets].findLast(([each]) => each !== id) ?? [];
    this.#secrets.set(id, known);
    const isRefused = ({ status, body }: Got): boolean => status === 401 && body.includes('"invalid_client"');
    return [otherCharacter(known), other ?? "none"].map((wrong) => {
      const asBasic = having(sent, { authorization: `Basic ${btoa(`${id}:${wrong}`)}` });
      return probeOf("a wrong secret", posted === undefined ? asBasic : replaced(sent, posted, wrong), isRefused);
    });
  }

  #wrongBodies(sent: Sent, path: string): Probe[] {
    const { methods, parameters = [], requestBody } = operations.get(operationIn(sent) ?? "") ?? {};
    const other = ["DELETE", "PUT", "PATCH", "POST"].find((method) => methods?.includes(method) === false) ?? "PUT";
    const [, query] = sent.path.split("?");
    const probes: Probe[] = [
      probeOf("another method", { ...sent, method: other }, is(405)),
      probeOf("a slash behind", { ...sent, path: sent.path.replace(path, `${path}/`) }, is(404)),
    ];
    if (query !== undefined && parameters.some(({ name }) => query.startsWith(`${name}=`)))
      probes.push(probeOf("a parameter twice", { ...sent, path: `${sent.path}&${query}` }, isBad));
    const isJson = sent.headers["content-type"]?.includes("json") === true && sent.body.startsWith("{");
    if (!isJson) return probes;
    const body = JSON.parse(sent.body) as Record<string, unknown>;
    const named = requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
    const { required = [], properties = {} } = (document.components.schemas[named] ?? {}) as Schema;
    const add = (what: string, text: string, isRefused: Probe["isRefused"] = isBad): void =>
      void probes.push(probeOf(what, { ...sent, body: text }, isRefused));
    const as = (change: object): string => JSON.stringify({ ...body, ...change });
    const isNamed = (got: Got): boolean => isBad(got) && (got.status !== 400 || got.body.includes("isAdmin"));
    add("an unknown field", as({ isAdmin: true }), isNamed);
    add("a list as its body", JSON.stringify([body]));
    add("half a body", sent.body.slice(0, -1));
    add("too long a body", sent.body + " ".repeat(16 * 1024), is(413, 401, 403, 404));
    probes.push(
      probeOf("a body of another type", having(sent, { "content-type": "text/plain" }), is(415, 401, 403, 404)),
    );
    for (const name of Object.keys(body)) {
      const { type: wanted = "object" } = properties[name] ?? {};
      if (wanted !== "object") add(`another type of ${name}`, as({ [name]: { a: 1 } }));
      if (wanted === "string") add(`too long a ${name}`, as({ [name]: "x".repeat(9000) }));
      if (required.includes(name)) add(`no ${name}`, as({ [name]: undefined }));
    }
    return probes;
  }

  /** The same kind of id, which belongs to somebody else. */
  #wrongIds(sent: Sent, path: string): Probe[] {
    const home = homeOf(sent);
    if (home === undefined || sent.listener !== "service") return [];
    // A list may continue behind any text, and a search may find nobody.
    return [...`${sent.path.replace(/\b(?:cursor|search)=[^&]*/u, "")} ${sent.body}`.matchAll(anId)].flatMap(([id]) => {
      const own = this.#homes.get(id);
      const others = [...this.#homes].filter(
        ([each, of]) => of !== "" && of !== own && each.startsWith(id.slice(0, 4)),
      );
      const [other] = this.#chances.pick(others.slice(-30)) ?? [];
      if (other === undefined || own === undefined || own === "" || path === "") return [];
      return [{ what: `an id of ${this.#homes.get(other)}`, sent: replaced(sent, id, other), isRefused: isBad }];
    });
  }

  #hostIn({ headers }: Sent): string {
    return this.#world.house.hosts.find((host) => JSON.stringify(headers).includes(host)) ?? "";
  }

  #wrongCookies(sent: Sent): Probe[] {
    const { cookie } = sent.headers;
    if (cookie === undefined) return [];
    const others = cookie.replaceAll(/=([\w-]{20,})/gu, (_, value: string) => `=${otherCharacter(value)}`);
    // What everybody may see names nobody.
    const isForAll = (body: string): boolean => sent.listener === "service" && !body.includes("@example.org");
    const isRefused = ({ status, body }: Got): boolean => status !== 200 || isForAll(body);
    const host = this.#hostIn(sent);
    const probes = [undefined, others].map((each) =>
      probeOf("other cookies", having(sent, { cookie: each }), isRefused),
    );
    // Somebody may just be trying it elsewhere.
    if (host === "" || this.#opens.get(cookie) !== host) return probes;
    const elsewhere = this.#chances.pick(this.#world.house.hosts.filter((each) => each !== host));
    const headers = Object.entries(sent.headers).map(([name, value]) => [name, value.replace(host, elsewhere)]);
    const there = { ...sent, headers: Object.fromEntries(headers) as Sent["headers"] };
    return [...probes, probeOf("the cookie of another host", there, isRefused)];
  }
}

/** Lists are read whole and in small pages, from time to time: both have the same. */
export async function probe(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const prober = new Prober(world, chances.fork("probes"));
  world.prober = prober;
  while (!isOver()) {
    await pause(60_000);
    const list = chances.pick([...prober.lists.values()]) as Sent | undefined;
    try {
      if (list) await compareList(world, prober, list, 1 + chances.below(3));
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }
}

async function compareList(world: World, prober: Prober, list: Sent, limit: number): Promise<void> {
  const { pathname, searchParams } = new URL(list.path, world.service.url);
  let lastCursor = "";
  const page = async (change: { limit?: string; cursor?: string }): Promise<Got> => {
    const query = new URLSearchParams([...searchParams].filter(([name]) => name !== "limit" && name !== "cursor"));
    for (const [name, value] of Object.entries(change)) query.set(name, value);
    return await prober.ask({ ...list, path: `${pathname}?${query.toString()}` });
  };
  const all = async (size: number, pages: number): Promise<string | undefined> => {
    const items: unknown[] = [];
    let cursor: string | null | undefined;
    for (let number = 0; number < pages && cursor !== null; number += 1) {
      const { status, body } = await page({ limit: String(size), ...(cursor && { cursor }) });
      if (status !== 200) return undefined;
      const { nextCursor, ...rest } = JSON.parse(body) as { nextCursor: string | null };
      const [found = []] = Object.values(rest).filter((each): each is unknown[] => Array.isArray(each));
      if (found.length > size) world.fail("O4", `${pathname} has ${found.length} in a page of ${size}`);
      items.push(...found);
      cursor = nextCursor;
      lastCursor = nextCursor ?? lastCursor;
    }
    return JSON.stringify(items.slice(0, limit * 10));
  };
  const whole = await all(100, 1);
  const inPages = await all(limit, 30);
  // Somebody may have changed it meanwhile.
  if (whole === undefined || whole !== (await all(100, 1))) return;
  world.reached("a list that was read in small pages");
  if (inPages !== whole) world.fail("O4", `${list.path} in pages of ${limit}: ${inPages} and not ${whole}`);
  // Other lists continue behind any text (docs/users-api.md).
  const isForged = lastCursor !== "" && pathname.endsWith("/users");
  const wrong = [{ limit: "0" }, { limit: "100000" }, ...(isForged ? [{ cursor: otherCharacter(lastCursor) }] : [])];
  for (const change of wrong) {
    const { status } = await page(change);
    if (status === 200) world.fail("O8", `${pathname} takes ${JSON.stringify(change)}`);
  }
}

/** A form as another site or browser would post it. */
function wrongForms(sent: Sent): Probe[] {
  const token = new URLSearchParams(sent.body).get("token");
  const isForm = sent.headers["content-type"] === "application/x-www-form-urlencoded";
  if (!isForm || sent.listener === "doors") return [];
  // Who is not signed in is asked to do that first; a sign-in that is over says so.
  const isRefused = ({ status, headers, body }: Got): boolean => {
    const to = headers.find(([name]) => name === "location")?.[1] ?? "";
    const isAsked = /^(?:http:\/\/localhost:8080)?\/(?:sign-in\/[\w-]+|account\?app_id=\w+)$/u.test(to);
    const isOver = sent.path.startsWith("/sign-in/") && body.startsWith("<") && !body.includes("<form");
    return status >= 400 || (status === 303 && isAsked) || (status === 200 && isOver);
  };
  const calls: [string, Sent][] = [
    ["of another site", having(sent, { origin: strangeOrigin, "sec-fetch-site": "cross-site" })],
    ["of another origin", having(sent, { origin: strangeOrigin, "sec-fetch-site": undefined })],
    ["without cookies", having(sent, { cookie: undefined })],
  ];
  if (token !== null)
    calls.push(
      ["without its token", { ...sent, body: sent.body.replace(token, "") }],
      ["with another token", { ...sent, body: sent.body.replace(token, otherCharacter(token)) }],
    );
  return calls.map(([what, call]) => probeOf(`a form ${what}`, call, isRefused));
}

const pathOf = ({ path }: Sent): string => path.split("?")[0] ?? "";
const shapeOf = (sent: Sent): string => pathOf(sent).replaceAll(/[^/]*\d[^/]*|[^/]{20,}/gu, "…");
const operationIn = (sent: Sent): string | undefined =>
  sent.listener === "service" ? operationOf(sent.method, pathOf(sent)) : undefined;
const keyIn = (sent: Sent): string | undefined =>
  isServers.test(pathOf(sent)) ? /^Bearer (ak_\w+)$/u.exec(sent.headers["authorization"] ?? "")?.[1] : undefined;
const claimsOf = (token: string): Record<string, unknown> => decoded(token.split(".")[1]);

/** Below which path the things are that a call names. */
function homeOf(sent: Sent): string | undefined {
  const path = pathOf(sent);
  if (path.startsWith("/webhooks/")) return `/applications/${sent.headers["x-service-app-id"] ?? ""}`;
  const deep = /^\/applications\/[^/]+(?:\/users\/[^/]+|\/organizations\/[^/]+)?/u.exec(path)?.[0];
  if (deep !== undefined || !path.startsWith("/users/")) return deep;
  const token = aJwt.exec(sent.headers["authorization"] ?? "")?.[0];
  if (token === undefined) return undefined;
  const { aud, sub } = claimsOf(token) as Record<string, string>;
  return `/applications/${aud}/users/${sub}`;
}

function isRefusedAs(...codes: string[]) {
  return ({ status, body }: Got): boolean => status === 401 && codes.some((code) => body.includes(`"${code}"`));
}

/** The same text with another character in its middle. */
function otherCharacter(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);
}

function having(sent: Sent, change: Record<string, string | undefined>): Sent {
  const all = Object.entries({ ...sent.headers, ...change });
  const headers = all.filter((each): each is [string, string] => each[1] !== undefined);
  return { ...sent, headers: Object.fromEntries(headers) };
}

/** One text in place of another, wherever a call has it. */
function replaced(sent: Sent, one: string, other: string): Sent {
  const authorization = sent.headers["authorization"]?.replace(one, other);
  return {
    ...having(sent, { authorization }),
    path: sent.path.replace(one, other),
    body: sent.body.replace(one, other),
  };
}

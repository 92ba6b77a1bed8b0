import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createHandler, type HandlerOptions } from "../../packages/sdk/src/handler.ts";
import { localPath } from "../../packages/sdk/src/pages.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, Visitor } from "../support/person.ts";
import { cookieSecret, signIn, appServers, untilRedirect, userOf, type AppServer } from "./app-server.ts";

const current = useService();
const start = appServers(current);

/** A visitor of a new application who has signed in at the service, and only has to come back. */
async function returning(options: HandlerOptions = {}, path?: string) {
  const server = await start(options);
  const visitor = new Visitor();
  return { server, visitor, ...(await untilRedirect(server, visitor, path)) };
}

async function signedIn(options: HandlerOptions = {}) {
  const server = await start(options);
  return { server, ...(await signIn(server)) };
}

async function tokenOf(server: AppServer, visitor: Visitor) {
  const handler = createHandler(server.options);
  const cookie = `${server.cookie}=${visitor.cookies.get(server.cookie)}`;
  const accessToken = (await handler.getAccessToken(new Request(server.url, { headers: { cookie } }))) ?? "";
  handler.authsvc.close();
  return { client: handler.authsvc, accessToken };
}

describe("a sign-in", () => {
  test("brings a person back to the page that asked for it", async () => {
    const { server, visitor, back, email } = await returning();
    const returned = await visitor.get(back);
    expect(returned.location.href).toBe(`${server.url}/me?tab=1`);
    const me = await visitor.get(returned.location.href);
    expect(userOf(me)).toMatchObject({ id: expect.stringMatching(/^usr_/u), email, name: "Ada", emailVerified: false });
    expect(me.headers.get("cache-control")).toBe("private, no-store");
  });

  test("leaves one encrypted cookie, which scripts cannot read", async () => {
    const { server, visitor, back } = await returning();
    const [begun] = visitor.cookies.keys();
    expect(begun).toMatch(/^authsvc-[\w-]{8}-sign-in-/u);
    const { headers } = await visitor.get(back);
    const [, session = ""] = headers.getSetCookie();
    expect(session.split(/=1\.[\w-]+;/u)).toEqual([server.cookie, " Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600"]);
    expect([...visitor.cookies.keys()]).not.toContain(begun);
    expect(session).not.toMatch(/eyJ[\w-]+\.eyJ/u);
  });

  test("refuses a redirect of another browser, and leaves its code alone", async () => {
    const server = await start();
    const victim = new Visitor();
    const attacker = new Visitor();
    const { back } = await untilRedirect(server, attacker);
    const refused = await victim.get(back);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("blocks cookies");
    expect((await attacker.get(back)).status).toBe(303);
  });

  test("refuses a state that only begins like the one of this browser", async () => {
    const server = await start();
    const visitor = new Visitor();
    const back = new URL((await untilRedirect(server, visitor)).back);
    const cookies = new Map(visitor.cookies);
    const state = back.searchParams.get("state") ?? "";
    const changed = new URL(back);
    changed.searchParams.set("state", `${state.slice(0, -1)}${state.endsWith("A") ? "B" : "A"}`);
    const refused = await visitor.get(changed.href);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("not started in this browser")]);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    expect((await visitor.get(back.href)).status).toBe(303);
  });

  test("redeems a code once when a browser sends the redirect twice", async () => {
    const { server, visitor, back } = await returning();
    const cookies = new Map(visitor.cookies);
    const twice = await Promise.all([visitor.get(back), visitor.get(back)]);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    twice.push(await visitor.get(back));
    expect(twice.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  });

  test("that is over sends the back button home", async () => {
    const { server, visitor, back } = await returning();
    await visitor.get(back);
    const again = await visitor.get(back);
    expect(again.location.href).toBe(`${server.url}/`);
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  });

  test("in two tabs at once works in both", async () => {
    const server = await start();
    const visitor = new Visitor();
    const first = await untilRedirect(server, visitor);
    const second = await untilRedirect(server, visitor);
    expect((await visitor.get(first.back)).status).toBe(303);
    expect((await visitor.get(second.back)).status).toBe(303);
  });

  test("returns to no other site", async () => {
    const server = await start();
    const visitor = new Visitor();
    const { back } = await untilRedirect(
      server,
      visitor,
      `/sign-in?returnTo=${encodeURIComponent("/..//evil.example")}`,
    );
    expect((await visitor.get(back)).location.href).toBe(`${server.url}/`);
  });

  test.each([
    ..."https://evil.example/ //evil.example /\\evil.example evil.example".split(" "),
    ..."/..//evil.example /.//evil.example /%2e%2e//evil.example /a/..//evil.example /.\\/evil.example".split(" "),
    "/\t/evil.example",
    `/${"\u4e2d".repeat(500)}`,
  ])("returns to no other site, and to no path that its cookie cannot hold: %j", (returnTo) => {
    expect(localPath(returnTo)).toBe(undefined);
  });

  test("that is cancelled, or took too long, signs nobody in", async () => {
    const { server, visitor, back } = await returning();
    current().clock.advance(61_000);
    const late = await visitor.get(back);
    expect([late.status, late.text.includes("took too long")]).toEqual([400, true]);
    const other = await untilRedirect(server, visitor);
    const cancelled = new URL(other.back);
    cancelled.searchParams.delete("code");
    cancelled.searchParams.set("error", "access_denied");
    expect((await visitor.get(cancelled.href)).location.href).toBe(`${server.url}/`);
    expect(userOf(await visitor.get(server.url))).toBe(null);
  });

  test("is not begun by a browser that loads links ahead of time", async () => {
    const server = await start();
    const ahead = await new Visitor().get(`${server.url}/sign-in`, { "sec-purpose": "prefetch" });
    expect(ahead.status).toBe(204);
  });
});

test.each([
  ["TRACE", "/", "localhost"],
  ["GET", "//", "localhost"],
  ["GET", "//evil.example/me", "localhost"],
  ["GET", "/", "a b"],
])("a request that no browser sends is no error of the application: %s %s of %j", async (method, path, host) => {
  const { url } = await start();
  const request = httpRequest(url, { method, path, headers: { host } }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
});

describe("an application under a path", () => {
  const paths = { homePath: "/shop/", signInPath: "/shop/sign-in", signOutPath: "/shop/sign-out" };

  test("gets people back to its home path, unless they asked for another page", async () => {
    const { server, visitor, back } = await returning(paths, paths.signInPath);
    expect((await visitor.get(back)).location.href).toBe(`${server.url}/shop/`);
    expect((await visitor.post(server.url + paths.signOutPath, {})).location.href).toBe(`${server.url}/shop/`);
    const asking = await untilRedirect(server, visitor, `${paths.signInPath}?returnTo=%2Fshop%2Fcart`);
    expect((await visitor.get(asking.back)).location.href).toBe(`${server.url}/shop/cart`);
    const elsewhere = await untilRedirect(server, visitor, `${paths.signInPath}?returnTo=%2F%2Fevil.example`);
    expect((await visitor.get(elsewhere.back)).location.href).toBe(`${server.url}/shop/`);
  });

  test("leads from a sign-in that took too long to its own sign-in page", async () => {
    const { visitor, back } = await returning(paths, paths.signInPath);
    current().clock.advance(61_000);
    expect((await visitor.get(back)).text).toContain('href="/shop/sign-in?returnTo=%2Fshop%2F"');
  });
});

describe("a bearer token", () => {
  test("is what an API asks for with the same function as pages ask for the cookie", async () => {
    const { server, visitor, email } = await signedIn();
    const { accessToken } = await tokenOf(server, visitor);
    const me = await new Visitor().get(`${server.url}/me`, { authorization: `Bearer ${accessToken}` });
    expect(userOf(me)).toMatchObject({ email, name: null, claims: { aud: server.app.id } });
    expect([me.headers.get("cache-control"), me.headers.getSetCookie()]).toEqual(["private, no-store", []]);
  });

  test("decides alone: one that is not good is refused, no matter whose the cookie is, and leaves the cookie", async () => {
    const { server, visitor } = await signedIn();
    const other = await start();
    const foreign = await tokenOf(other, (await signIn(other)).visitor);
    for (const token of ["x", "a.b.c", foreign.accessToken]) {
      const headers = { authorization: `bearer ${token}`, "sec-fetch-mode": "navigate" };
      const refused = await visitor.get(`${server.url}/me`, headers);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    expect(userOf(await visitor.get(`${server.url}/me`, { authorization: "Basic YTpi" }))?.name).toBe("Ada");
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  });

  test("of a login that has ended is nobody's", async () => {
    const { server, visitor } = await signedIn();
    const { client, accessToken } = await tokenOf(server, visitor);
    const status = async () =>
      (await new Visitor().get(`${server.url}/me`, { authorization: `Bearer ${accessToken}` })).status;
    expect(await status()).toBe(200);
    await client.logout(accessToken);
    await expect.poll(status).toBe(401);
  });
});

describe("a session", () => {
  test("is required: a page goes to the sign-in, a script gets 401", async () => {
    const server = await start();
    const me = await new Visitor().get(`${server.url}/me`);
    expect([me.status, JSON.parse(me.text)]).toMatchObject([401, { error: { code: "INVALID_TOKEN" } }]);
    const handler = createHandler(server.options);
    const navigation = { "sec-fetch-mode": "navigate" };
    const required = await handler.requireUser(new Request(`${server.url}/me?tab=1`, { headers: navigation }));
    expect((required as Response).headers.get("location")).toBe("/sign-in?returnTo=%2Fme%3Ftab%3D1");
  });

  test("outlives the access token: parallel requests refresh it once, and silently", async () => {
    let now = current().clock.now;
    const refreshes: string[] = [];
    const counting: HandlerOptions["fetch"] = async (input, init) => {
      if (input.endsWith("/auth/refresh")) refreshes.push(input);
      return await fetch(input, init);
    };
    const { server, visitor } = await signedIn({ now: () => now, fetch: counting });
    const before = visitor.cookies.get(server.cookie);
    current().clock.advance(16 * 60_000);
    now = current().clock.now;
    const pages = await Promise.all(["/me", "/me", "/"].map(async (path) => await visitor.get(server.url + path)));
    expect(pages.map((page) => userOf(page)?.name)).toEqual(["Ada", "Ada", "Ada"]);
    expect(refreshes).toHaveLength(1);
    expect(visitor.cookies.get(server.cookie)).not.toBe(before);
    // A tab whose response got lost still sends the old cookie.
    visitor.cookies.set(server.cookie, before ?? "");
    current().clock.advance(30_000);
    now += 30_000;
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  });

  test.each([-60_000, 60_000])("works with a clock that is %d ms off", async (offset) => {
    const { server, visitor } = await signedIn({ now: () => current().clock.now + offset });
    for (let minutes = 0; minutes < 30; minutes += 5) {
      expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
      current().clock.advance(5 * 60_000);
    }
  });

  test("ends with a sign-out elsewhere, and its cookie is cleared", async () => {
    const { server, visitor, email } = await signedIn();
    const elsewhere = new Visitor();
    const begun = await elsewhere.get(`${server.url}/sign-in`);
    const page = await elsewhere.get(begun.location.href);
    await elsewhere.get((await elsewhere.submit(page, "/password", { email, password: goodPassword })).location.href);
    const { client, accessToken } = await tokenOf(server, elsewhere);
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
    await client.logout(accessToken, { allSessions: true });
    await expect.poll(async () => (await visitor.get(`${server.url}/me`)).status).toBe(401);
    expect(visitor.cookies.has(server.cookie)).toBe(false);
  });

  test("ends with the form of the application itself, and only with that", async () => {
    const { server, visitor } = await signedIn();
    const cookie = visitor.cookies.get(server.cookie) ?? "";
    const post = async (headers: Record<string, string>) => await visitor.post(`${server.url}/sign-out`, {}, headers);
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await post(foreign)).status).toBe(403);
    // The frame of a sandbox, and an old browser.
    expect((await post({ origin: "null", "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post({ origin: "null", "sec-fetch-site": "" })).status).toBe(403);
    expect(userOf(await visitor.get(`${server.url}/sign-out`))?.name).toBe("Ada");
    const done = await post({});
    expect([done.status, done.location.href]).toEqual([303, `${server.url}/`]);
    expect(visitor.cookies.has(server.cookie)).toBe(false);
    // A copy of the cookie is worth nothing.
    visitor.cookies.set(server.cookie, cookie);
    expect((await visitor.get(`${server.url}/me`)).status).toBe(401);
    expect(visitor.cookies.has(server.cookie)).toBe(false);
  });

  test("ends with a form of a page that hides its address (Referrer-Policy: no-referrer)", async () => {
    const { server, visitor } = await signedIn();
    const hidden = { origin: "null", "sec-fetch-site": "same-origin" };
    expect((await visitor.post(`${server.url}/sign-out`, {}, hidden)).status).toBe(303);
    expect(visitor.cookies.has(server.cookie)).toBe(false);
  });

  test("is not lost while the service does not answer", async () => {
    let isDown = false;
    const failing: HandlerOptions["fetch"] = async (input, init) => {
      if (isDown) throw new TypeError("fetch failed");
      return await fetch(input, init);
    };
    let now = current().clock.now;
    const { server, visitor } = await signedIn({ fetch: failing, now: () => now });
    isDown = true;
    now += 16 * 60_000;
    current().clock.advance(16 * 60_000);
    const down = await visitor.get(`${server.url}/me`);
    expect([down.status, visitor.cookies.has(server.cookie)]).toEqual([503, true]);
    const signingIn = await new Visitor().get(`${server.url}/sign-in`);
    expect([signingIn.status, signingIn.headers.get("retry-after")]).toEqual([503, "5"]);
    isDown = false;
    expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  });

  test("of a changed cookie is none, and a former secret still opens it", async () => {
    const { server, visitor } = await signedIn();
    const cookie = visitor.cookies.get(server.cookie) ?? "";
    const request = (value: string): Request =>
      new Request(`${server.url}/`, { headers: { cookie: `${server.cookie}=${value}` } });
    const newer = createHandler({ ...server.options, cookieSecret: `another ${cookieSecret},${cookieSecret}` });
    expect((await newer.getUser(request(cookie)))?.name).toBe("Ada");
    const only = createHandler({ ...server.options, cookieSecret: `another ${cookieSecret}` });
    expect(await only.getUser(request(cookie))).toBeUndefined();
    const middle = Math.floor(cookie.length / 2);
    const changed = cookie.slice(0, middle) + (cookie[middle] === "A" ? "B" : "A") + cookie.slice(middle + 1);
    expect(await newer.getUser(request(changed))).toBeUndefined();
    newer.authsvc.close();
    only.authsvc.close();
  });
});

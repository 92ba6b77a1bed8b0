/** Signing in at protected hosts, over HTTP as a proxy and a browser send it. */
import { describe, expect, it, vi } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { loginCookie } from "../../../src/forward-auth/cookies.ts";
import { digestOf } from "../../../src/lib/random.ts";
import { day, hour, minute, second } from "../../../src/lib/clock.ts";
import * as administration from "../../../src/sessions/login-administration.ts";
import * as logins from "../../../src/sessions/own-logins.ts";
import { createProxy, forProxies } from "../../support/forward-auth.ts";
import { HostVisitor, navigates, program } from "../../support/host-visitor.ts";
import { post } from "../../support/openid-tokens.ts";
import { call, initiate, newEmail, signUp, type Page } from "../../support/person.ts";
import { describeSqliteFirst, useApp, type TestApp, type TestService } from "../../support/service.ts";

const script = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", accept: "*/*" };

function linkIn({ text }: Page, label: string): string {
  const found = new RegExp(`<a class="button[^"]*" href="([^"]*)"[^>]*>\\s*${label}\\s*</a>`, "u").exec(text);
  if (!found?.[1]) throw new Error(`no link ${label} in ${text}`);
  return found[1].replaceAll("&amp;", "&");
}

describeSqliteFirst("signing in at a protected host", forProxies, (service) => {
  const app = useApp(service);

  async function person(): Promise<string> {
    const email = newEmail();
    await signUp(service, app, { email });
    return email;
  }

  async function loginsOf(email: string) {
    const { ctx } = service.server.app;
    const { tables, db } = ctx.storage.reader;
    const users = await db.select().from(tables.users);
    const id = users.find((user) => user.email === email)?.id ?? "";
    return (await logins.list(ctx, id)).filter(({ clientId }) => clientId !== null);
  }

  for (const proxy of ["nginx", "proxy"] as const)
    it(`leads from a deep link to the sign-in and back to it, behind ${proxy}`, async () => {
      const { host } = await createProxy(service, app);
      const email = await person();
      const browser = new HostVisitor(service, proxy);
      const address = `https://${host}/a%20b//c?x=1&y=%2F&url=https://other.example/#`.replace("#", "");
      const page = await browser.enter(address, email);
      expect([page.url, page.text]).toEqual([address, program]);
      const names = [...browser.jar(host).keys()].toSorted();
      expect(names).toEqual(["__Host-authsvc-proxy", "__Host-authsvc-start"]);
      // Signed in: nothing is asked again.
      expect((await browser.open(`https://${host}/`)).text).toBe(program);
      expect((await browser.open(`https://${host}/`, { method: "POST", headers: script })).text).toBe(program);
    });

  it("has one login for all hosts of a client, and a cookie for each", async () => {
    const [a, b] = ["one.example.org", "two.example.org:8443"];
    await createProxy(service, app, { hosts: [a, b] });
    const other = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${a}/`, email);
    expect((await browser.go(`https://${b}/x`)).url).toBe(`https://${b}/x`);
    expect([...browser.jar(b).keys()]).toContain("__Host-authsvc-proxy-8443");
    expect(await loginsOf(email)).toHaveLength(1);
    expect((await browser.go(`https://${other.host}/`)).text).toBe(program);
    const [, first] = await loginsOf(email);
    const listed = await administration.list(service.server.app.ctx, first?.userId ?? "", { all: false });
    expect(listed.map(({ hosts }) => hosts)).toEqual(expect.arrayContaining([[a, b], [other.host]]));
    const account = await browser.own.get(`${service.url}/account?app_id=${app.id}`);
    expect(account.text).toContain(`${a}, ${b}`);
    // A cookie of one host opens nothing at another.
    const thief = new HostVisitor(service);
    const value = browser.jar(a).get("__Host-authsvc-proxy") ?? "";
    for (const host of [b, other.host])
      for (const name of ["__Host-authsvc-proxy", "__Host-authsvc-proxy-8443"]) thief.jar(host).set(name, value);
    for (const host of [b, other.host])
      expect((await thief.open(`https://${host}/`, { headers: script })).status).toBe(401);
    thief.jar(a).set("__Host-authsvc-proxy", value);
    expect((await thief.open(`https://${a}/`, { headers: script })).status).toBe(200);
  });

  it("counts as a use of the client, as do later visits", async () => {
    const { host, client } = await createProxy(service, app);
    const { ctx } = service.server.app;
    const lastUsedAt = async (): Promise<number> => {
      await clients.sweep(ctx);
      return Date.parse((await clients.show(ctx, client.id)).lastUsedAt ?? "");
    };
    expect(await lastUsedAt()).toBeNaN();
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${host}/`, email);
    expect(await lastUsedAt()).toBe(service.clock.now);
    service.clock.now += 2 * hour;
    await use(browser, host);
    expect(await lastUsedAt()).toBe(service.clock.now);
  });

  it("ten tabs end each at its own address", async () => {
    const { host } = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    const tabs = Array.from({ length: 10 }, (_, index) => `https://${host}/tab?${index}`);
    const signIns: Page[] = [];
    for (const tab of tabs) signIns.push(await browser.go(tab));
    const backs: string[] = [];
    for (const page of signIns) backs.push(await browser.signIn(page, email));
    const ends: Page[] = [];
    for (const back of backs) ends.push(await browser.go(back));
    expect(ends.map(({ url, text }) => [url, text])).toEqual(tabs.map((tab) => [tab, program]));
    expect(await loginsOf(email)).toHaveLength(1);
    expect(browser.jar(host).size).toBe(2);
  });

  /** Opens a host, and waits until that use is written. */
  async function use(browser: HostVisitor, host: string, headers: Record<string, string> = navigates): Promise<number> {
    const method = headers === navigates ? "GET" : "POST";
    const { status } = await browser.open(`https://${host}/`, { headers, method });
    const digest = digestOf(browser.jar(host).get(loginCookie(host)) ?? "");
    const { db, tables } = service.server.app.ctx.storage.reader;
    await vi.waitFor(async () => {
      const row = (await db.select().from(tables.proxyLogins)).find((each) => each.digest === digest);
      expect(row?.lastUsedAt).toBe(service.clock.now);
    });
    return status;
  }

  async function backOf(browser: HostVisitor, url: string, email: string): Promise<string> {
    return await browser.signIn(await browser.go(url), email);
  }

  it("C12: takes a callback only from the browser that asked, once, in time, and at its host", async () => {
    const [host, sibling] = ["files.example.net", "mail.example.net"];
    await createProxy(service, app, { hosts: [host, sibling] });
    const other = await createProxy(service, app);
    const attacker = await person();
    const evil = new HostVisitor(service);
    const victim = new HostVisitor(service);
    const link = `https://${host}/evil`;
    async function expectNothing(browser: HostVisitor, callback: string, title: RegExp): Promise<void> {
      const answer = await browser.open(callback);
      expect(answer.text).toMatch(title);
      expect([answer.status >= 400, browser.lines]).toEqual([true, []]);
    }
    await victim.go(`https://${host}/`);
    const stolen = await backOf(evil, link, attacker);
    await expectNothing(victim, stolen, /Sign in again/u);
    await expectNothing(new HostVisitor(service), stolen, /doesn&#39;t stay signed in/u);
    await expectNothing(evil, stolen.replace(host, sibling), /Sign in again/u);
    await expectNothing(evil, stolen.replace(host, other.host), /Sign in again/u);
    await expectNothing(
      evil,
      stolen.replace(/state=(.)/u, (_, first: string) => `state=${first === "x" ? "y" : "x"}`),
      /Sign in again/u,
    );
    // The code of one tab with the state of another.
    const another = (await evil.open((await evil.open(`https://${host}/2`)).location.href)).location;
    const first = new URL(stolen);
    const mixed = new URL(stolen);
    mixed.searchParams.set("code", another.searchParams.get("code") ?? "");
    await expectNothing(evil, mixed.href, /Sign in again/u);
    expect((await evil.go(first.href)).url).toBe(link);
    await expectNothing(evil, first.href, /Sign in again/u);
    // It was used, but only by this browser: its login stays.
    expect((await evil.open(link)).text).toBe(program);
    const late = await backOf(new HostVisitor(service), link, attacker);
    service.clock.advance(61 * second);
    await expectNothing(evil, late, /Sign in again/u);
  });

  it("keeps the way back of a sign-in that timed out for a day", async () => {
    const { host } = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    const deep = `https://${host}/deep?a=b`;
    const page = await browser.go(deep);
    const authorize = (await browser.open(deep)).location.href;
    service.clock.advance(11 * minute);
    const late = await browser.open(page.url);
    expect(late.text).toContain("This sign-in has timed out");
    const again = linkIn(late, "Back to Acme \\d+");
    expect(again).toBe(deep);
    expect((await browser.open(authorize)).location.href).toBe(deep);
    const state = new URL(authorize).searchParams.get("state") ?? "";
    const callback = `https://${host}/.authsvc/callback?code=x&state=${state}`;
    expect(linkIn(await browser.open(callback), `Back to ${host}`)).toBe(deep);
    expect((await browser.enter(again, email)).url).toBe(deep);
    service.clock.advance(day);
    expect((await browser.open(callback)).text).toContain("Sign in again");
  });

  it("answers a script 401 with the address of the sign-in, and a posted form with a page", async () => {
    const { host } = await createProxy(service, app);
    for (const proxy of ["nginx", "proxy"] as const) {
      const browser = new HostVisitor(service, proxy);
      for (const method of ["GET", "POST", "PUT", "OPTIONS"]) {
        const answer = await browser.open(`https://${host}/api`, { method, headers: script });
        expect(answer.status).toBe(401);
        expect(answer.headers.get("authsvc-sign-in")).toBe(`https://${host}/.authsvc/start`);
        expect(answer.json()).toMatchObject({
          error: { code: "SIGN_IN_REQUIRED", signIn: `https://${host}/.authsvc/start` },
        });
        expect([answer.headers.get("cache-control"), browser.lines]).toEqual(["no-store", []]);
      }
      const posted = await browser.open(`https://${host}/form`, { method: "POST" });
      expect([posted.status, posted.headers.get("location")]).toEqual([401, null]);
      expect(posted.text).toContain("Sign in, then send it again");
      expect(posted.text).toContain('target="_blank"');
      const framed = await browser.open(`https://${host}/x?secret=1`, {
        headers: { ...navigates, "sec-fetch-dest": "iframe" },
      });
      expect(framed.headers.get("x-frame-options")).toBeNull();
      expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors *");
      expect(linkIn(framed, "Sign in")).toBe(`https://${host}/`);
      expect(framed.text).not.toContain("secret");
      for (const page of [posted, framed]) {
        expect(page.headers.get("referrer-policy")).toBe("same-origin");
        const files = [...page.text.matchAll(/(?:href|src)="(\/[^"]*)"/gu)].map(([, path = ""]) => path);
        expect(files.every((path) => path.startsWith("/.authsvc/assets/"))).toBe(true);
        for (const path of files)
          expect((await browser.open(`https://${host}${path.replaceAll("&amp;", "&")}`)).status).toBe(200);
      }
      expect(posted.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  it("ends in a page instead of a redirect if the browser keeps no cookies", async () => {
    const { host } = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    const back = await backOf(browser, `https://${host}/x`, email);
    browser.jar(host).delete("__Host-authsvc-start");
    const page = await browser.open(back);
    expect([page.status, page.headers.get("location")]).toEqual([401, null]);
    expect(page.text).toContain(`Cookies of ${host} are blocked`);
    // The cookie of the host is lost, the other is kept.
    const again = new HostVisitor(service);
    await again.enter(`https://${host}/x`, email);
    again.jar(host).delete("__Host-authsvc-proxy");
    expect((await again.open(`https://${host}/x`)).text).toContain("stay signed in");
    service.clock.advance(10 * second);
    const later = await again.go(`https://${host}/x`);
    expect([later.url, later.text]).toEqual([`https://${host}/x`, program]);
  });

  it("C14: signs out only by a form of this host, and then of everything in this browser", async () => {
    const [host, sibling] = ["wiki.example.com", "evil.example.com"];
    await createProxy(service, app, { hosts: [host] });
    await createProxy(service, app, { hosts: [sibling] });
    const other = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${host}/`, email);
    await browser.go(`https://${sibling}/`);
    for (let index = 0; index < 60; index += 1) browser.jar(host).set(`program${index}`, "x");
    const address = `https://${host}/.authsvc/sign-out`;
    const form = await browser.open(address);
    const { token = "" } = form.form("/sign-out").fields;
    const stillIn = async (): Promise<void> => expect((await browser.open(`https://${host}/`)).text).toBe(program);
    const post = async (headers: Record<string, string>, body: Record<string, string>): Promise<Page> =>
      await browser.open(address, {
        method: "POST",
        headers: { ...navigates, "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      });
    const siblingToken = (await browser.open(`https://${sibling}/.authsvc/sign-out`)).form("/sign-out").fields["token"];
    const origin = `https://${host}`;
    for (const [headers, body] of [
      [{ origin: `https://${sibling}` }, { token }],
      [{ origin: "null" }, { token }],
      [{}, { token }],
      [{ origin: `http://${host}` }, { token }],
      [{ origin }, { token: siblingToken ?? "" }],
      [{ origin }, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const refused = await post(headers, body);
      expect([refused.status, browser.lines]).toEqual([403, []]);
      await stillIn();
    }
    const stranger = new HostVisitor(service);
    stranger.jar(host).set("theirs", "1");
    const nobody = await stranger.open(address, {
      method: "POST",
      headers: { ...navigates, "content-type": "application/x-www-form-urlencoded", origin },
      body: { token },
    });
    expect([nobody.status, stranger.lines]).toEqual([200, []]);
    const out = await post({ origin }, { token });
    expect(out.text).toContain("You&#39;re signed out");
    expect(browser.lines).toHaveLength(52);
    expect(browser.lines.every((line) => line.includes("; Path=/; Max-Age=0") && line.endsWith("; Secure"))).toBe(true);
    expect(out.headers.get("clear-site-data")).toBeNull();
    expect(await loginsOf(email)).toEqual([]);
    expect((await browser.open(`https://${sibling}/`, { headers: script })).status).toBe(401);
    const account = await browser.own.get(`${service.url}/account?app_id=${app.id}`);
    expect(account.location.pathname).toMatch(/^\/sign-in\//u);
    // A browser that has just come back is not sent around again, but a person may press.
    const signedOut = await browser.open(`https://${sibling}/`);
    expect(signedOut.text).toContain("You&#39;re signed out");
    expect((await browser.go(linkIn(signedOut, "Sign in"))).form("/password")).toBeDefined();
    // Nobody continues silently.
    expect((await browser.go(`https://${other.host}/`)).form("/password")).toBeDefined();
  });

  it("seen at the next request: a logout, a disabled client, and every other end of the login", async () => {
    const place = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${place.host}/`, email);
    const page = await browser.own.get(`${service.url}/account?app_id=${app.id}`);
    await browser.own.submit(page, "/sign-out", {});
    expect((await browser.open(`https://${place.host}/`, { headers: script })).status).toBe(401);
    service.clock.advance(10 * second);
    await browser.enter(`https://${place.host}/`, email);
    const { ctx } = service.server.app;
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await clients.update(ctx, place.client.id, { enabled: false }, by);
    service.clock.advance(second);
    expect((await browser.open(`https://${place.host}/`, { headers: script })).status).not.toBe(200);
  });

  it("C15: ends the earlier person's logins at hosts when somebody else signs in in this browser", async () => {
    const first = await createProxy(service, app);
    const other = await createProxy(service, app);
    const [alice, bob] = [await person(), await person()];
    const browser = new HostVisitor(service);
    await browser.enter(`https://${first.host}/`, alice);
    await browser.go(`https://${other.host}/`);
    service.clock.advance(11 * hour);
    for (const { host } of [first, other]) await use(browser, host);
    service.clock.advance(2 * hour);
    // Alice's browser session is over, but not her logins at the hosts.
    expect((await browser.open(`https://${first.host}/`)).text).toBe(program);
    const ended = await loginsOf(alice);
    expect(ended).toHaveLength(2);
    browser.jar(other.host).delete("__Host-authsvc-proxy");
    expect((await browser.enter(`https://${other.host}/`, bob)).text).toBe(program);
    expect(await loginsOf(alice)).toEqual([]);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const told = (await db.select().from(tables.revocations)).map(({ loginId }) => loginId);
    expect(told).toEqual(expect.arrayContaining(ended.map(({ id }) => id)));
    expect((await browser.open(`https://${first.host}/`, { headers: script })).status).toBe(401);
    expect(await loginsOf(bob)).toHaveLength(1);
  });

  it("C15: keeps the tie as long as a login at a host, so that a later sign-out reaches it", async () => {
    const [first, later] = [await createProxy(service, app), await createProxy(service, app)];
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${first.host}/`, email);
    for (const hours of [2, 11]) {
      service.clock.advance(hours * hour);
      await use(browser, first.host);
    }
    expect((await browser.enter(`https://${later.host}/`, email)).text).toBe(program);
    const ties = (await loginsOf(email)).map(({ browserSessionDigest }) => browserSessionDigest);
    expect([ties.length, new Set(ties).size]).toEqual([2, 1]);
    const page = await browser.own.get(`${service.url}/account?app_id=${app.id}`);
    await browser.own.submit(page, "/sign-out", {});
    for (const { host } of [first, later])
      expect((await browser.open(`https://${host}/`, { headers: script })).status).toBe(401);
  });

  it("ends a login that is not used, or old, and polling is no use", async () => {
    const { host } = await createProxy(service, app, { sessionSeconds: { idle: 3600, absolute: 10 * 3600 } });
    const email = await person();
    const browser = new HostVisitor(service);
    await browser.enter(`https://${host}/`, email);
    const status = async (headers: Record<string, string> = script, method = "GET"): Promise<number> =>
      (await browser.open(`https://${host}/`, { headers, method })).status;
    service.clock.advance(50 * minute);
    expect(await status()).toBe(200);
    service.clock.advance(9 * minute);
    expect(await use(browser, host, script)).toBe(200);
    service.clock.advance(59 * minute);
    expect(await status()).toBe(200);
    service.clock.advance(2 * minute);
    expect(await status()).toBe(401);
    expect(await loginsOf(email)).toEqual([]);
    await browser.go(`https://${host}/`);
    for (let uses = 0; uses < 11; uses += 1) {
      service.clock.advance(54 * minute);
      await use(browser, host);
    }
    expect(await status()).toBe(200);
    service.clock.advance(10 * minute);
    expect(await status(script, "POST")).toBe(401);
  });

  it("names the host on the pages that ask who it is, and the app on those of its own sign-ins", async () => {
    const { host } = await createProxy(service, app);
    const browser = new HostVisitor(service);
    const page = await browser.go(`https://${host}/`);
    const ofApp = await browser.own.get((await initiate(service, app)).authUrl);
    const titles = (title: string) => [`<title>${title}`, `<h1>${title}`];
    for (const said of titles(`Sign in to ${host}`)) expect(page.text).toContain(said);
    for (const said of titles(`Sign in to Acme `)) expect(ofApp.text).toContain(said);
  });

  it("names the account that may not use a host, offers another, and returns to the deep link", async () => {
    await call(service, "PUT", `/applications/${app.id}/groups/staff`, app.headers);
    const place = await createProxy(service, app, { allowedGroups: ["staff"] });
    const [outsider, insider] = [await person(), await person()];
    const deep = `https://${place.host}/deep?q=1`;
    const browser = new HostVisitor(service);
    const refused = await browser.enter(deep, outsider);
    expect([refused.status, refused.text.includes(outsider)]).toEqual([403, true]);
    expect(refused.text).toContain(`This account can&#39;t use ${place.host}`);
    expect(await loginsOf(outsider)).toEqual([]);
    // Another browser learns nothing from the address of that page.
    expect((await new HostVisitor(service).open(refused.url)).text).not.toContain(outsider);
    await member(service, app, "PUT", ["staff", insider]);
    const other = await browser.go(linkIn(refused, "Use another account"));
    const page = await browser.go(await browser.signIn(other, insider));
    expect([page.url, page.text]).toEqual([deep, program]);
    await member(service, app, "DELETE", ["staff", insider]);
    const later = await browser.open(deep);
    expect([later.status, later.text.includes(insider)]).toEqual([403, true]);
    expect((await browser.open(deep, { headers: script })).status).toBe(403);
  });

  it("ends at the program's start with a sentence if the address is longer than 4 KiB", async () => {
    const { host } = await createProxy(service, app);
    const email = await person();
    const browser = new HostVisitor(service);
    const longest = `https://${host}/${"x".repeat(4095)}`;
    expect((await browser.enter(longest, email)).url).toBe(longest);
    const other = new HostVisitor(service);
    const page = await other.enter(`${longest}x`, email);
    expect(page.text).toContain("too long to return to");
    expect(linkIn(page, `Continue to ${host}`)).toBe(`https://${host}/`);
    expect((await other.open(`https://${host}/`)).text).toBe(program);
    const own = new HostVisitor(service);
    expect((await own.enter(`https://${host}/x/../.authsvc/sign-out`, email)).url).toBe(`https://${host}/`);
  });

  describe("the authorization endpoint", () => {
    it("C13: takes a proxy client with a state of our start alone, for its own host", async () => {
      const [host, sibling] = ["pad.example.com", "pads.example.com"];
      const { client } = await createProxy(service, app, { hosts: [host, sibling] });
      const other = await createProxy(service, app);
      const browser = new HostVisitor(service);
      const state = (await browser.open(`https://${host}/`)).location.searchParams.get("state") ?? "";
      const good = {
        response_type: "code",
        client_id: client.id,
        redirect_uri: `https://${host}/.authsvc/callback`,
        state,
      };
      const ask = async (changes: Record<string, string>): Promise<Page> =>
        await browser.own.get(
          `${service.url}/oauth2/authorize?${new URLSearchParams({ ...good, ...changes }).toString()}`,
        );
      expect((await ask({})).location.pathname).toMatch(/^\/sign-in\//u);
      for (const changes of [
        { state: "" },
        { state: "x".repeat(200) },
        { redirect_uri: `https://${sibling}/.authsvc/callback` },
        { redirect_uri: `https://${host}/.authsvc/callback/` },
        { redirect_uri: `https://${host}/` },
        { client_id: other.client.id },
        { client_id: other.client.id, redirect_uri: `https://${other.host}/.authsvc/callback` },
      ] as Record<string, string>[]) {
        const refused = await ask(changes);
        expect([refused.status, refused.headers.get("location")], JSON.stringify(changes)).toEqual([400, null]);
      }
    });

    it("C13: is the only one that knows a proxy client; another place takes neither client nor code", async () => {
      const { client, host } = await createProxy(service, app);
      const email = await person();
      const browser = new HostVisitor(service);
      const back = await backOf(browser, `https://${host}/x`, email);
      const code = new URL(back).searchParams.get("code") ?? "";
      const redirect = { redirect_uri: `https://${host}/.authsvc/callback` };
      const form = { client_id: client.id, ...redirect, code, scope: "openid", token: "x" };
      for (const [path, fields] of [
        ["token", { grant_type: "authorization_code" }],
        ["token", { grant_type: "authorization_code", code_verifier: "v".repeat(64) }],
        ["token", { grant_type: "refresh_token", refresh_token: code }],
        ["token", { grant_type: "client_credentials" }],
        ["token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code }],
        ["par", { response_type: "code" }],
        ["device_authorization", {}],
        ["introspect", {}],
        ["revoke", {}],
      ] as [string, Record<string, string>][]) {
        const { status, body } = await post(service, `/oauth2/${path}`, { ...form, ...fields });
        expect([path, status, body["error"]]).toEqual([path, 400, "unauthorized_client"]);
      }
      expect((await browser.go(back)).text).toBe(program);
      // The application itself does not redeem one either.
      const next = new URL(await backOf(new HostVisitor(service), `https://${host}/x`, email)).searchParams;
      const own = { authorization: `Basic ${Buffer.from(`${app.id}:${app.apiKey}`).toString("base64")}` };
      const taken = { grant_type: "authorization_code", ...redirect, code: next.get("code") ?? "" };
      const asked = await post(service, "/oauth2/token", taken, own);
      expect([asked.status, asked.body["error"]]).toEqual([400, "invalid_grant"]);
      const session = { code: taken.code, sessionId: next.get("state") ?? "" };
      expect((await call(service, "POST", "/auth/callback", app.headers, session)).status).toBe(400);
      // Its login has no tokens, and its hosts are no origins of pages that may call.
      expect(await loginsOf(email)).toMatchObject([{ clientId: client.id, scopes: [] }]);
      const origin = `https://${host}`;
      for (const [method, path] of [
        ["OPTIONS", "/oauth2/token"],
        ["POST", "/oauth2/token"],
        ["OPTIONS", "/auth/validate"],
        ["GET", "/auth/validate"],
      ] as const) {
        const headers = {
          origin,
          "access-control-request-method": method === "OPTIONS" ? "POST" : "",
          "x-service-app-id": app.id,
        };
        const body = method === "POST" ? new URLSearchParams(form) : null;
        const answer = await fetch(service.url + path, { method, headers, body });
        expect(answer.headers.get("access-control-allow-origin"), `${method} ${path}`).not.toBe(origin);
      }
    });
  });
});

async function userId(service: TestService, email: string): Promise<string> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return (await db.select().from(tables.users)).find((user) => user.email === email)?.id ?? "";
}

/** `DELETE` takes the person out of the group. */
async function member(
  service: TestService,
  app: TestApp,
  method: "PUT" | "DELETE",
  [name, email]: [name: string, email: string],
): Promise<void> {
  const base = `/applications/${app.id}/groups/${name}`;
  if (method === "PUT") await call(service, "PUT", base, app.headers);
  await call(service, method, `${base}/members/${await userId(service, email)}`, app.headers);
}

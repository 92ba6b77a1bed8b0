import { join } from "node:path";
import type { Page } from "playwright-core";
import { decodeJwt } from "jose";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import * as organizations from "../../src/organizations/service.ts";
import { listLoginsOfUser } from "../../src/sessions/login-list-store.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import { updateApp, type TestApp } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, fillAccount, inPage } from "./support/steps.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

describeInBrowser("a page with the package's browser helper", (stage) => {
  /** `origin`: where the page is; the service is at `localhost`. */
  async function shown(origin = stage.site.origin): Promise<{ app: TestApp; page: Page; url: string }> {
    const url = `${origin}/spa`;
    const app = await createApp(stage, { redirectUris: [url], settings: { publicClients: true } });
    stage.service.clock.advance(1000);
    const input = join(import.meta.dirname, "../../packages/sdk/src/browser.ts");
    const bundle = await rolldown({ input, tsconfig: false });
    const { output } = await bundle.generate({ format: "iife", name: "sdk" });
    const settings = JSON.stringify({ issuer: stage.service.url, appId: app.id });
    const source = `<!doctype html><p id="user"></p><button onclick="auth.signIn()">Sign in</button>
<button onclick="auth.signOut()">Sign out</button><script>${output[0].code}
const auth = sdk.createBrowserAuth(${settings});
const show = (user) => document.querySelector("#user").textContent = user ? user.name : "Nobody";
auth.onChange(show);
auth.start().then(show, (error) => document.querySelector("#user").textContent = error.code);</script>`;
    stage.site.show("/spa", source, "text/html; charset=utf-8");
    const page = await stage.newPage();
    // Of the whole browser: no cookies in a frame of another site.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send("Network.setCookieControls", { enableThirdPartyCookieRestriction: true });
    await page.goto(`${url}?tab=1#part`);
    return { app, page, url };
  }
  const user = (page: Page) => page.locator("#user");
  const shows = async (page: Page, name: string) => await expect.poll(() => user(page).textContent()).toBe(name);

  async function signUp(page: Page): Promise<void> {
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Create account" }).click();
    await fillAccount(page, { email: newEmail(), name: "Ada", password: goodPassword }, "Create account");
    await shows(page, "Ada");
  }

  /** The calls of the service, and whether a frame or the page itself made them. */
  function callsOf(page: Page): string[] {
    const calls: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== stage.service.url || request.method() === "OPTIONS") return;
      calls.push(`${request.isNavigationRequest() && request.frame() !== page.mainFrame() ? "frame " : ""}${pathname}`);
    });
    return calls;
  }

  function expectSandboxedPage(): void {
    stage.expectComplaint(/^Blocked script execution in '.*' because the document's frame is sandboxed/u);
  }
  const inFrame = ["frame /oauth2/authorize"];
  const byRedirect = ["/auth/initiate", "/oauth2/authorize"];
  const redeemed = ["/oauth2/token", "/users/profile"];

  it("signs in, keeps tokens in memory only, renews them silently, and signs out", async () => {
    const { app, page, url } = await shown();
    await signUp(page);
    expect(page.url()).toBe(`${url}?tab=1#part`);
    const stored = await inPage(page, "() => [{ ...localStorage }, sessionStorage.length, document.cookie]");
    // The service's pages are on another port of this host, which shares their time zone.
    const zone = await inPage<string>(page, "() => new Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(stored).toEqual([{ [`authsvc-signed-in-${app.id}`]: "yes" }, 0, `authsvc_time_zone=${zone}`]);
    const before = await inPage<string>(page, "() => auth.getAccessToken()");
    // Sixteen minutes later, for the page and for the service.
    stage.service.clock.advance(16 * 60_000);
    await inPage(
      page,
      "() => { const real = performance.now.bind(performance); performance.now = () => real() + 960_000 }",
    );
    const [one, two] = await inPage<string[]>(
      page,
      "() => Promise.all([auth.getAccessToken(), auth.getAccessToken()])",
    );
    expect(one === two && one !== before).toBe(true);
    await button(page, "Sign out").click();
    await expect.poll(() => user(page).textContent()).toBe("Nobody");
    expect(await inPage(page, "async () => (await auth.getAccessToken()) ?? null")).toBe(null);
  });

  it("Q17: stays in the organization of its tab through a renewal and a reload, and a refused switch changes nothing", async () => {
    expectSandboxedPage();
    const { app, page } = await shown();
    await signUp(page);
    await updateApp(stage.service, app, { settings: { organizations: "on" } });
    stage.service.clock.advance(1000);
    const { ctx } = stage.service.server.app;
    const claims = async () => {
      const token = await inPage<string>(page, "() => auth.getAccessToken()");
      return decodeJwt(token) as {
        sub: string;
        org_id?: string;
      };
    };
    const { sub } = await claims();
    const found = async (name: string) => (await organizations.create(ctx, app, { name, owner: sub }, by)).id;
    const [acme, best] = [await found("Acme"), await found("Best")];
    const open = async (id: string) =>
      await inPage(
        page,
        `() => auth.switchOrganization(${JSON.stringify(id)}).then(() => "done", (error) => error.code)`,
      );
    expect([await open(acme), (await claims()).org_id]).toEqual(["done", acme]);
    expect([await open("org_00000000000000000000000000"), (await claims()).org_id]).toEqual([
      "INSUFFICIENT_SCOPE",
      acme,
    ]);
    // Two at once: the later one counts.
    await Promise.all([open(best), open(acme), open(best)]);
    expect((await claims()).org_id).toBe(best);
    await inPage(page, "() => { performance.now = () => 960_000 }");
    expect((await claims()).org_id).toBe(best);
    await page.reload();
    await shows(page, "Ada");
    expect((await claims()).org_id).toBe(best);
    expect([await open("none"), (await claims()).org_id]).toEqual(["done", undefined]);
    await page.reload();
    await shows(page, "Ada");
    expect((await claims()).org_id).toBeUndefined();
    // A refused organization keeps nobody signed in: an expired token is renewed without it first.
    await open(acme);
    const row = await organizations.named(ctx.storage.reader, app.id, acme);
    await organizations.update(ctx, row, { disabled: true }, by);
    await inPage(page, "() => { performance.now = () => 1_960_000 }");
    const live = async (of = sub) =>
      (await listLoginsOfUser(ctx.storage.reader, of, { all: false, now: stage.service.clock.now })).length;
    const before = await live();
    await button(page, "Sign out").click();
    await expect.poll(() => live()).toBe(before - 1);
    // Where every token names one, there is none to renew it without.
    await signUp(page);
    const person = (await claims()).sub;
    const { id } = await organizations.create(ctx, app, { name: "Third", owner: person }, by);
    await open(id);
    await updateApp(stage.service, app, { settings: { organizations: "required" } });
    stage.service.clock.advance(1000);
    await inPage(page, "() => { performance.now = () => 2_960_000 }");
    const then = await live(person);
    await button(page, "Sign out").click();
    await expect.poll(() => live(person)).toBe(then - 1);
  });

  /** The same, with organizations on, and somebody signed in who can own some. */
  async function shownToOwner() {
    const { app, page } = await shown();
    await signUp(page);
    await updateApp(stage.service, app, { settings: { organizations: "on" } });
    stage.service.clock.advance(1000);
    const { ctx } = stage.service.server.app;
    const { sub: owner = "" } = decodeJwt(await inPage<string>(page, "() => auth.getAccessToken()"));
    return { ctx, app, page, found: async (name: string) => await organizations.create(ctx, app, { name, owner }, by) };
  }

  it("Q17: repeats nothing in another organization after its own one refused a renewal", async () => {
    const { ctx, app, page, found } = await shownToOwner();
    const [acme] = [await found("Acme"), await found("Best")];
    await inPage(page, `() => auth.switchOrganization(${JSON.stringify(acme.id)})`);
    const row = await organizations.named(ctx.storage.reader, app.id, acme.id);
    await organizations.update(ctx, row, { disabled: true }, by);
    await inPage(page, "() => { performance.now = () => 960_000 }");
    expect(await inPage(page, "async () => (await auth.getAccessToken()) ?? null")).toBeNull();
    await shows(page, "Nobody");
    await page.reload();
    await shows(page, "Nobody");
  });

  it("Q17: stays without an organization after a switch whose answer was lost", async () => {
    const { page, found } = await shownToOwner();
    const { id } = await found("Acme");
    const lost = await inPage<string>(
      page,
      `async () => {
        const { fetch } = window;
        window.fetch = async (...call) => { await fetch(...call); throw new TypeError("lost"); };
        const code = await auth.switchOrganization(${JSON.stringify(id)}).catch((error) => error.code);
        window.fetch = fetch;
        performance.now = () => 960_000;
        return code;
      }`,
    );
    expect(lost).toBe("UNREACHABLE");
    expect(decodeJwt(await inPage<string>(page, "() => auth.getAccessToken()"))).not.toHaveProperty("org_id");
  });

  it("renews tokens where organizations were turned off, and of an application with a claim org_id", async () => {
    const { app, page, found } = await shownToOwner();
    const { id } = await found("Acme");
    await inPage(page, `() => auth.switchOrganization(${JSON.stringify(id)})`);
    await updateApp(stage.service, app, { settings: { organizations: "off" } });
    await updateApp(stage.service, app, {
      claims: [{ claim: "org_id", from: "value", value: "theirs", in: ["access"] }],
    });
    for (const now of [960_000, 1_960_000]) {
      await inPage(page, `() => { performance.now = () => ${now} }`);
      const renewed = await inPage<string>(page, "() => auth.getAccessToken()");
      expect(decodeJwt(renewed)["org_id"]).toBe("theirs");
    }
    await shows(page, "Ada");
  });

  it("refuses a redirect that it did not begin", async () => {
    const { page, url } = await shown();
    await signUp(page);
    const calls = callsOf(page);
    for (const sender of ["sessionId=sis_1", "iss=x", "iss=x&error=login_required"]) {
      await page.goto(`${url}?code=c&state=s&${sender}`);
      await shows(page, "Nobody");
      expect([page.url(), calls]).toEqual([url, []]);
    }
    // It changed nothing either: the next load signs in again.
    expectSandboxedPage();
    await page.reload();
    await shows(page, "Ada");
  });

  describe("when it is loaded again, with third-party cookies blocked", () => {
    /** Another site than the service's, with a page of the app. */
    function otherSite(): string {
      const origin = `http://127.0.0.1:${stage.site.port}`;
      stage.allowOrigin(origin);
      return origin;
    }

    it("signs in silently in a hidden frame, if service and page are of the same site", async () => {
      expectSandboxedPage();
      const { page, url } = await shown();
      await signUp(page);
      const calls = callsOf(page);
      await page.reload();
      await shows(page, "Ada");
      expect(calls).toEqual([...inFrame, ...redeemed]);
      expect(page.url()).toBe(`${url}?tab=1#part`);
      expect(await page.locator("iframe").count()).toBe(0);
    });

    it("signs in silently by one redirect, if they are not, and stays where it was", async () => {
      const { page, url } = await shown(otherSite());
      await signUp(page);
      await inPage(page, "() => history.pushState(null, '', '/spa?tab=2#other')");
      const entries = await inPage(page, "() => history.length");
      const calls = callsOf(page);
      for (let load = 0; load < 2; load += 1) {
        await page.reload();
        await shows(page, "Ada");
        expect(page.url()).toBe(`${url}?tab=2#other`);
      }
      expect(calls).toEqual([...byRedirect, ...redeemed, ...byRedirect, ...redeemed]);
      expect(await inPage(page, "() => history.length")).toBe(entries);
      // The new tokens are renewed as those of a sign-in.
      await inPage(page, "() => { performance.now = () => 960_000 }");
      expect(await inPage(page, "() => auth.getAccessToken()")).toEqual(expect.any(String));
      expect(calls.at(-1)).toBe("/auth/refresh");
    });

    it.each([
      ["same", () => stage.site.origin, [...inFrame, ...byRedirect]],
      ["another", otherSite, byRedirect],
    ])("shows nobody after a logout elsewhere, and asks once (%s site)", async (_site, origin, asked) => {
      if (asked.length > byRedirect.length) expectSandboxedPage();
      const { page, url } = await shown(origin());
      await signUp(page);
      const token = await inPage<string>(page, "() => auth.getAccessToken()");
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const logout = { method: "POST", headers, body: JSON.stringify({ allSessions: true }) };
      expect((await fetch(`${stage.service.url}/auth/logout`, logout)).status).toBe(200);
      const calls = callsOf(page);
      for (let load = 0; load < 2; load += 1) {
        await page.reload();
        await shows(page, "Nobody");
      }
      expect(calls).toEqual(asked);
      expect(page.url()).toBe(`${url}?tab=1#part`);
    });

    it("asks nothing after a sign-out, nor in a browser that never signed in", async () => {
      const { page } = await shown();
      const calls = callsOf(page);
      await page.reload();
      await shows(page, "Nobody");
      expect(calls).toEqual([]);
      await signUp(page);
      await button(page, "Sign out").click();
      await shows(page, "Nobody");
      await expect.poll(() => calls.at(-1)).toBe("/auth/logout");
      calls.length = 0;
      await page.reload();
      await shows(page, "Nobody");
      expect(calls).toEqual([]);
    });

    it("does not leave for a service that would show an error page", async () => {
      const { app, page, url } = await shown(otherSite());
      await signUp(page);
      const actor = { kind: "cli", name: "test" } as const;
      await applications.update(stage.service.server.app.ctx, app.id, { settings: { publicClients: false } }, actor);
      await page.reload();
      await shows(page, "INVALID_API_KEY");
      expect(page.url()).toBe(`${url}?tab=1#part`);
    });
  });
});

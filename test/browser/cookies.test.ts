import type { Cookie, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { timeZoneCookie } from "../../src/lib/time-zone.ts";
import { goodPassword, initiate, newEmail, Visitor, type Session } from "../support/person.ts";
import { startTestService, type TestApp, type TestService } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, fillAccount, openSignIn } from "./support/steps.ts";

/** A browser's cookies of sign-ins, and its others. */
async function cookiesOf(page: Page): Promise<[signIns: Cookie[], others: Cookie[]]> {
  const all = await page.context().cookies();
  const isSignIn = ({ name }: Cookie): boolean => name.startsWith("authsvc-");
  return [all.filter(isSignIn), all.filter((cookie) => !isSignIn(cookie))];
}

describeInBrowser("the cookie of a sign-in in a browser", (stage) => {
  it("is the only one but for the time zone, is kept from scripts, and is worth nothing elsewhere", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    const [[cookie], others] = await cookiesOf(page);
    expect(others.map(({ name }) => name)).toEqual([timeZoneCookie]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", secure: false, path: "/", domain: "localhost" });
    expect(cookie?.value).toMatch(/^[\w-]{43}$/u);
    expect(cookie?.name).not.toContain(session.sessionId.slice(4, 12));
    const zone = await page.evaluate("new Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(await page.evaluate("document.cookie")).toBe(`${timeZoneCookie}=${String(zone)}`);
  });

  it("stays the same from the first page to the app, so that a second tab is the same browser", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    const [[before]] = await cookiesOf(page);
    const second = await page.context().newPage();
    await second.goto(`${session.authUrl}/create-account`);
    expect((await cookiesOf(page))[0].map(({ value }) => value)).toEqual([before?.value]);
    await fillAccount(second, { email: newEmail(), password: goodPassword });
    await button(second, "Create account").click();
    await backAtTheApp(stage, second);
  });

  it("differs for each sign-in, so that none can be followed by it", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    await openSignIn(stage, page, app);
    const [cookies] = await cookiesOf(page);
    expect(new Set(cookies.map(({ name }) => name)).size).toBe(2);
    expect(new Set(cookies.map(({ value }) => value)).size).toBe(2);
  });
});

describe("the cookie of a sign-in behind https", () => {
  const baseUrl = "https://auth.example.com";
  const overTls = { "x-forwarded-proto": "https" };
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;

  beforeAll(async () => {
    running = await startTestService("sqlite", { baseUrl, trustedProxies: ["127.0.0.1"] });
    service = running.service;
    const created = await service.createApp();
    app = { ...created, headers: { ...created.headers, ...overTls } };
  });
  afterAll(async () => await running.stop());

  /** Where the proxy in front of the service would ask for a page of it. */
  function inside(session: Session, path = ""): string {
    return session.authUrl.replace(baseUrl, service.url) + path;
  }

  it("is a __Host- cookie: Secure, HttpOnly, SameSite=Lax, for the whole host and no other", async () => {
    const session = await initiate(service, app);
    expect(session.authUrl).toMatch(/^https:\/\/auth\.example\.com\/sign-in\/sis_/u);
    const answer = await fetch(inside(session), { headers: overTls });
    expect(answer.status).toBe(200);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    const [pair = "", ...attributes] = (cookies[0] ?? "").split("; ");
    expect(pair).toMatch(/^__Host-authsvc-visit-[A-Za-z0-9]{12}=[\w-]{43}$/u);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=3600", "Path=/", "SameSite=Lax", "Secure"]);
    expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=\d{8,}/u);
  });

  it("carries a sign-in from the first page to the code", async () => {
    const session = await initiate(service, app);
    const visitor = new Visitor(overTls);
    const page = await visitor.get(inside(session, "/create-account"));
    const fields = { ...page.form("/create-account").fields, email: newEmail(), password: goodPassword, name: "" };
    const done = await visitor.post(inside(session, "/create-account"), fields, { origin: baseUrl });
    expect(done.status).toBe(303);
    expect(done.location.searchParams.get("code")).toMatch(/^[\w-]{43}$/u);
  });

  it("counts under its full name only: a neighbouring host can set one without the prefix", async () => {
    const session = await initiate(service, app);
    const first = await fetch(inside(session), { headers: overTls });
    const [pair = ""] = (first.headers.getSetCookie()[0] ?? "").split(";");
    const again = await fetch(inside(session), { headers: { ...overTls, cookie: pair } });
    expect(again.headers.getSetCookie()).toEqual([]);
    const planted = await fetch(inside(session), { headers: { ...overTls, cookie: pair.replace("__Host-", "") } });
    expect(planted.headers.getSetCookie()).toHaveLength(1);
  });

  it.each(["", "short", "=".repeat(43), `${"A".repeat(43)}%00`])(
    "is replaced where its value cannot be ours: %j",
    async (value) => {
      const session = await initiate(service, app);
      const first = await fetch(inside(session), { headers: overTls });
      const name = (first.headers.getSetCookie()[0] ?? "").split("=")[0] ?? "";
      const answer = await fetch(inside(session), { headers: { ...overTls, cookie: `${name}=${value}` } });
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie()).toHaveLength(1);
    },
  );

  it("is not given out over plain http", async () => {
    const session = await initiate(service, app);
    const answer = await fetch(inside(session), { headers: { "x-forwarded-proto": "http" } });
    expect(answer.status).toBe(400);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.text()).not.toContain("<form");
  });
});

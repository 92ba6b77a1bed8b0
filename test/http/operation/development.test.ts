import { afterEach, beforeAll, describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import {
  call,
  confirmFromMailbox,
  goodPassword,
  initiate,
  newEmail,
  signUp,
  validate,
  Visitor,
} from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { demoApp, describeOnSqlite, type TestApp } from "../../support/service.ts";

const year = 366 * 86_400;
type Received = { deliveries: { body: string }[] };

describeOnSqlite("development mode", { dev: true }, (current) => {
  let demo: TestApp;
  beforeAll(() => {
    demo = demoApp(current());
  });
  afterEach(async () => void (await post("reset")));

  const post = async (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    await call(current(), "POST", `/dev/${path}`, headers, body);
  const events = async (): Promise<string[]> => {
    const { deliveries } = (await call(current(), "GET", "/dev/webhooks.json", {})).body as Received;
    return deliveries.map(({ body }) => (JSON.parse(body) as { event: string }).event);
  };

  it("has a front page with everything, and what an application needs", async () => {
    const { dev, url } = current().server;
    expect(dev?.env).toEqual({
      AUTHSVC_ISSUER: url,
      AUTHSVC_APP_ID: "app_demo",
      AUTHSVC_API_KEY: dev?.apiKey,
      AUTHSVC_COOKIE_SECRET: expect.stringMatching(/^[\w-]{43}$/u),
    });
    const page = await new Visitor().get(`${url}/dev`);
    for (const [name, value] of Object.entries(dev?.env ?? {})) expect(page.text).toContain(`${name}=${value}`);
    const links = [...page.text.matchAll(/href="(\/[^"]*)"/gu)].map(([, path = ""]) => path.replaceAll("&amp;", "&"));
    expect(links.length).toBeGreaterThan(15);
    for (const path of links) {
      const { status } = await fetch(url + path, { redirect: "manual" });
      expect([path, [200, 303].includes(status)]).toEqual([path, true]);
    }
    expect((await fetch(url, { redirect: "manual" })).headers.get("location")).toBe(`${url}/dev`);
  });

  it("says on its pages how long ago a mail and an event came, by the clock that developers move", async () => {
    const { url } = current();
    await signUp(current(), demo);
    await post("clock", { advanceSeconds: 300 });
    const { mails } = (await call(current(), "GET", "/dev/mail.json", {})).body as { mails: { id: string }[] };
    for (const path of ["/dev/mail", `/dev/mail/${mails[0]?.id}`]) {
      const { text } = await new Visitor().get(url + path);
      const shown = text.replaceAll(/<[^>]*>/gu, "");
      expect(shown).toContain("5 minutes ago");
      expect(shown).not.toMatch(/\d{4}-\d\d-\d\dT/u);
    }
    await expect
      .poll(async () => (await new Visitor().get(`${url}/dev/webhooks`)).text)
      .toMatch(/<time [^>]+>(?:now|5 minutes ago)</u);
  });

  it("answers for pages under /dev only when the Host header names this machine", async () => {
    const { port } = new URL(current().url);
    await signUp(current(), demo);
    const { mails } = (await call(current(), "GET", "/dev/mail.json", {})).body as { mails: { id: string }[] };
    const mailPaths = ["", ".json", `/${mails[0]?.id}`, `/${mails[0]?.id}/html`].map((end) => `/dev/mail${end}`);
    const paths = ["/dev", "/dev/demo", "/dev/demo/callback?code=c", "/dev/webhooks", "/dev/webhooks.json"];
    const statusFor = async (path: string, host: string) =>
      (await sendUntidied(current(), "GET", path, { host })).status;
    const ours = [
      "localhost",
      `localhost:${port}`,
      "LOCALHOST:1",
      "127.0.0.1",
      `127.0.0.1:${port}`,
      "[::1]",
      "[::1]:80",
    ];
    const strange = [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "evil-localhost",
      "10.0.0.1",
      "127.0.0.1.nip.io",
      "[::2]",
      "localhost,evil.example",
    ];
    const garbled = ["localhost:x", "a@localhost", "localhost:1:1"];
    for (const path of [...paths, ...mailPaths]) {
      for (const host of ours) expect([host, await statusFor(path, host)]).toEqual([host, 200]);
      for (const host of strange) expect([host, await statusFor(path, host)]).toEqual([host, 404]);
      // What is no host at all does not even get here.
      for (const host of garbled) expect([host, await statusFor(path, host)]).toEqual([host, 400]);
    }
    expect(await statusFor("/healthz", "evil.example")).toBe(200);
  });

  describe("POST /dev/token", () => {
    it("signs a user in as the callback does, and creates the user once", async () => {
      const first = await post("token", { email: " Ada@Example.com", name: "Ada" });
      expect(first).toMatchObject({
        status: 200,
        body: { expiresIn: 900, user: { email: "ada@example.com", emailVerified: true, name: "Ada" } },
      });
      const { accessToken, refreshToken, user } = first.body as Record<string, string>;
      expect((await validate(current(), demo, accessToken ?? "")).status).toBe(200);
      const second = await post("token", { email: "ada@example.com", name: "Eve" });
      expect(second.body["user"]).toMatchObject({ id: (user as unknown as { id: string }).id, name: "Ada" });
      // With the API key, and as a page without one.
      const next = await call(current(), "POST", "/auth/refresh", demo.headers, { refreshToken });
      expect(next.status).toBe(200);
      const appId = { "x-service-app-id": demo.id };
      const body = { refreshToken: next.body["refreshToken"] };
      expect((await call(current(), "POST", "/auth/refresh", appId, body)).status).toBe(200);
    });

    it.each<[body: unknown, details: string]>([
      [{}, "email: required"],
      [{ email: "ada" }, "email: an address"],
      [{ email: "ada@example.com", name: 1 }, "name: must be a string"],
      [{ email: "ada@example.com", name: "a\u0007" }, "name: 1 to 200 characters"],
      [{ email: "ada@example.com", appId: "app_1" }, "appId"],
      ["{", "body: must be JSON"],
    ])("refuses %j", async (body, details) => {
      const answer = await post("token", body);
      expect([answer.status, answer.body.error?.details]).toEqual([400, expect.stringContaining(details)]);
    });
  });

  it("POST /dev/clock moves the service's time, and nothing can move it for good", async () => {
    const { accessToken, refreshToken } = (await post("token", { email: newEmail() })).body;
    const moved = await post("clock", { advanceSeconds: 901 });
    expect(moved).toMatchObject({ status: 200, body: { aheadSeconds: 901 } });
    expect((await validate(current(), demo, String(accessToken))).status).toBe(401);
    const next = await call(current(), "POST", "/auth/refresh", demo.headers, { refreshToken });
    expect((await validate(current(), demo, String(next.body["accessToken"]))).status).toBe(200);
    for (const advanceSeconds of [0, -1, 1.5, year + 1, year - 900, "60", null, undefined]) {
      const answer = await post("clock", { advanceSeconds });
      expect([advanceSeconds, answer.status]).toEqual([advanceSeconds, 400]);
      expect(answer.body.error?.details).toContain("advanceSeconds");
    }
    expect(Number((await post("clock", { advanceSeconds: 1 })).body["aheadSeconds"])).toBe(902);
  });

  it("still signs people in after a year was skipped and the real time is back", async () => {
    await post("clock", { advanceSeconds: year });
    await current().server.app.sweep();
    expect((await post("token", { email: newEmail() })).status).toBe(200);
    await post("reset");
    const { accessToken } = (await post("token", { email: newEmail() })).body;
    expect((await validate(current(), demo, String(accessToken))).status).toBe(200);
    await signUp(current(), demo);
  });

  it("POST /dev/reset deletes every user of the demo application, their logins, mails and events, and no others", async () => {
    const shop = await current().createApp();
    await signUp(current(), shop);
    const { accessToken } = (await post("token", { email: newEmail() })).body;
    await signUp(current(), demo);
    await expect.poll(events).toContain("user.login");
    await post("clock", { advanceSeconds: 60 });
    expect(await post("reset")).toMatchObject({ status: 200, body: { deletedUsers: 2 } });
    expect((await validate(current(), demo, String(accessToken))).status).toBe(401);
    expect((await call(current(), "GET", "/dev/mail.json", {})).body).toEqual({ mails: [] });
    expect(await events()).toEqual([]);
    const { ctx } = current().server.app;
    expect((await applications.get(ctx, demo.id)).stats).toMatchObject({ totalUsers: 0 });
    expect((await applications.get(ctx, shop.id)).stats).toMatchObject({ totalUsers: 1 });
    // A program stays connected, and its events arrive again.
    expect((await call(current(), "GET", `/applications/${demo.id}`, demo.headers)).status).toBe(200);
    await post("token", { email: newEmail() });
    await expect.poll(async () => (await events()).toSorted()).toEqual(["user.created", "user.login"]);
    await Promise.all([post("reset"), post("reset")]);
    expect(await webhooks.list(current().server.app.ctx, demo.id)).toHaveLength(1);
  });

  it("H8: no page of another origin mints, moves the clock or resets, and no other name of this machine", async () => {
    const { accessToken } = (await post("token", { email: newEmail() })).body;
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "http://localhost:3000" },
      { origin: "null" },
      { origin: `${current().url}.evil.example` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: current().url, "sec-fetch-site": "cross-site" },
    ];
    const calls: [path: string, body: unknown][] = [
      ["token", { email: "eve@example.com" }],
      ["clock", { advanceSeconds: 3600 }],
      ["reset", {}],
    ];
    for (const [path, body] of calls) {
      for (const headers of foreign) {
        const answer = await post(path, body, headers);
        expect([path, headers, answer.status]).toEqual([path, headers, 400]);
        expect(answer.body.error?.details).toContain("origin");
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
      // What a form of another site can send, in a browser that sends neither header.
      if (path !== "reset") {
        const form = await post(path, JSON.stringify(body), { "content-type": "text/plain" });
        expect(form.status).toBe(415);
      }
      const preflight = await fetch(`${current().url}/dev/${path}`, {
        method: "OPTIONS",
        headers: { origin: "http://localhost:3000", "access-control-request-method": "POST" },
      });
      expect(preflight.status).toBe(405);
      const rebound = await sendUntidied(current(), "POST", `/dev/${path}`, { host: "evil.example" });
      expect(rebound.status).toBe(404);
    }
    expect((await validate(current(), demo, String(accessToken))).status).toBe(200);
    const own = { origin: current().url, "sec-fetch-site": "same-origin" };
    expect((await post("reset", undefined, own)).status).toBe(200);
  });

  it("shows where the mail of a new account is, and limits no mails", async () => {
    const email = newEmail();
    for (let n = 0; n < 7; n += 1) {
      const visitor = new Visitor();
      const { authUrl } = await initiate(current(), demo);
      const page = await visitor.get(`${authUrl}/create-account`);
      const asked = await visitor.submit(page, "/create-account", { email, password: goodPassword });
      const shown = await visitor.get(asked.location.href);
      expect(shown.text).toContain(`href="${current().url}/dev/mail"`);
      expect((await confirmFromMailbox(visitor, asked.location.href, email)).status).toBe(303);
      await post("reset");
    }
  });
});

import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { call, goodPassword, initiate, newEmail, Visitor } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const registered = "https://app.example/callback?tenant=1";
const alsoRegistered = ["http://localhost:8080/cb", "com.example.app:/cb"];

/** Near to a registered address, and not it. */
const mutants = [
  "https://app.example/callback",
  "https://app.example/callback?",
  "https://app.example/callback?tenant=2",
  "https://app.example/callback?tenant=1&tenant=2",
  "https://app.example/callback?tenant=1&x=1",
  "https://app.example/callback?x=1&tenant=1",
  "https://app.example/callback?tenant=1&",
  "https://app.example/callback?tenant=1#",
  "https://app.example/callback?tenant=1#fragment",
  "https://app.example/callback?tenant=%31",
  "https://app.example/callback?TENANT=1",
  "https://app.example/callback/?tenant=1",
  "https://app.example/callback/evil?tenant=1",
  "https://app.example/callbackevil?tenant=1",
  "https://app.example/Callback?tenant=1",
  "https://app.example//callback?tenant=1",
  "https://app.example/./callback?tenant=1",
  "https://app.example/x/../callback?tenant=1",
  "https://app.example/callback/..?tenant=1",
  "https://app.example/x/%2e%2e/callback?tenant=1",
  "https://app.example/%63allback?tenant=1",
  "https://app.example/callback%2f?tenant=1",
  "https://app.example\\callback?tenant=1",
  "https:\\\\app.example\\callback?tenant=1",
  "https:/app.example/callback?tenant=1",
  "https:app.example/callback?tenant=1",
  "//app.example/callback?tenant=1",
  "/callback?tenant=1",
  "app.example/callback?tenant=1",
  "http://app.example/callback?tenant=1",
  "ftp://app.example/callback?tenant=1",
  "HTTPS://app.example/callback?tenant=1",
  "https://APP.example/callback?tenant=1",
  "https://app.example./callback?tenant=1",
  "https://app.example:443/callback?tenant=1",
  "https://app.example:8443/callback?tenant=1",
  "https://app.example:/callback?tenant=1",
  "https://evilapp.example/callback?tenant=1",
  "https://evil.app.example/callback?tenant=1",
  "https://app.example.evil.com/callback?tenant=1",
  "https://app.exampleevil.com/callback?tenant=1",
  "https://app.example@evil.com/callback?tenant=1",
  "https://app.example%40evil.com/callback?tenant=1",
  "https://user@app.example/callback?tenant=1",
  "https://user:pass@app.example/callback?tenant=1",
  "https://evil.com/https://app.example/callback?tenant=1",
  "https://evil.com/?https://app.example/callback?tenant=1",
  "https://evil.com#https://app.example/callback?tenant=1",
  "https://evil.com\\@app.example/callback?tenant=1",
  "https://аpp.example/callback?tenant=1",
  "https://app.examp1e/callback?tenant=1",
  "https://app。example/callback?tenant=1",
  "https://app.example\u200B/callback?tenant=1",
  " https://app.example/callback?tenant=1",
  "https://app.example/callback?tenant=1 ",
  "https://app.example/callback?tenant=1\t",
  "https://app.example/call\tback?tenant=1",
  "https://app.example/callback?tenant=1\r\nLocation: https://evil.com",
  "https://app.example/callback?tenant=1\n",
  "https://app.example/callback?tenant=1\u2028",
  "https://*.example/callback?tenant=1",
  "https://app.example/*",
  "https://[::1]/callback?tenant=1",
  "https://2130706433/callback?tenant=1",
  "https://0x7f.1/callback?tenant=1",
  "http://localhost:8081/cb",
  "http://localhost/cb",
  "http://127.0.0.1:8080/cb",
  "http://[::1]:8080/cb",
  "http://localhost.evil.com:8080/cb",
  "https://localhost:8080/cb",
  "com.example.app://cb",
  "com.example.app:/cb2",
  "com.example.app:cb",
  "com.example.evil:/cb",
  "javascript:alert(1)//app.example/callback?tenant=1",
  "data:text/html,<script>alert(1)</script>",
  "file:///callback?tenant=1",
  "about:blank",
  "blob:https://app.example/callback?tenant=1",
];

const fitToRegister = [
  "https://app.example/callback",
  "https://app.example:8443/a/b?c=d&e=%2F",
  "https://xn--bcher-kva.example/cb",
  "http://localhost:3000/cb",
  "http://127.0.0.1:3000/cb",
  "http://[::1]:3000/cb",
  "com.example.app:/cb",
  "com.example.app:/oauth/callback",
];

const unfitToRegister = [
  "",
  " ",
  "callback",
  "/callback",
  "//app.example/callback",
  "http://app.example/callback",
  "http://localhost.evil.example/cb",
  "http://127.0.0.1.evil.example/cb",
  "http://10.0.0.1/cb",
  "http://192.168.1.1:3000/cb",
  "http://0.0.0.0:3000/cb",
  "https://app.example/callback#",
  "https://app.example/callback#fragment",
  "com.example.app:/cb#fragment",
  "https://user@app.example/callback",
  "https://user:password@app.example/callback",
  "https://*.app.example/callback",
  "https://*/callback",
  "https://app.example/*",
  "myapp:/cb",
  "myapp://cb",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "ftp://app.example/cb",
  "ws://localhost/cb",
  "about:blank",
  "https://",
  "https://app example/cb",
  "https://app.example/cb\r\nx: y",
];

describeEachDatabase("redirect addresses", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp({ redirectUris: [registered, ...alsoRegistered] });
  });

  it("has at least 40 mutants to try, all different", () => {
    expect(new Set(mutants).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(40);
  });

  it.each([registered, ...alsoRegistered])("takes %s, which is registered", async (redirectUri) => {
    expect((await call(current(), "POST", "/auth/initiate", app.headers, { redirectUri })).status).toBe(200);
  });

  it.each(mutants)(
    "refuses %j, which is not exactly a registered one, and never redirects (security rules R1, R2)",
    async (redirectUri) => {
      const answer = await call(current(), "POST", "/auth/initiate", app.headers, { redirectUri });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_REQUEST", details: expect.stringContaining("redirectUri") } },
      });
      expect(answer.headers.get("location")).toBeNull();
    },
  );

  it("refuses what only another app has registered (security rule R1)", async () => {
    const other = await current().createApp({ redirectUris: ["https://other.example/callback"] });
    const answer = await call(current(), "POST", "/auth/initiate", app.headers, { redirectUri: other.redirectUri });
    expect(answer.status).toBe(400);
  });

  it("shows an error page to a session whose address was taken back, and redirects nowhere (security rule R6)", async () => {
    const mine = await current().createApp({ redirectUris: [registered, "https://app.example/old"] });
    const session = await initiate(current(), mine, { redirectUri: "https://app.example/old" });
    const visitor = new Visitor();
    const page = await visitor.get(`${session.authUrl}/create-account`);
    expect(page.status).toBe(200);
    await current().server.app.storage.write(async ({ db, tables: { applications } }) => {
      await db
        .update(applications)
        .set({ redirectUris: [registered] })
        .where(eq(applications.id, mine.id));
    });
    const after = [
      await visitor.submit(page, "/create-account", { email: newEmail(), password: goodPassword }),
      await visitor.get(session.authUrl),
      await visitor.get(`${session.authUrl}/cancel`),
    ];
    for (const { status, headers, text } of after) {
      expect(status).toBe(400);
      expect(headers.get("location")).toBeNull();
      expect(text).not.toContain("app.example/old");
    }
  });

  describe("when they are registered (security rule R3)", () => {
    const create = async (redirectUris: string[]) => {
      const created = await current().server.app.services.applications.createWithKey(
        { name: "Acme", redirectUris },
        {},
        { kind: "cli", name: "test" },
      );
      return created.application.redirectUris;
    };

    it.each(fitToRegister)("may be %s, and are kept to the letter", async (uri) => {
      expect(await create([uri])).toEqual([uri]);
    });

    it.each(unfitToRegister)("may not be %j", async (uri) => {
      const apps = (await current().server.app.services.applications.list()).length;
      await expect(create([uri])).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: expect.stringContaining("redirectUris"),
      });
      await expect(create(["https://app.example/fine", uri])).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      expect((await current().server.app.services.applications.list()).length).toBe(apps);
    });

    it("may be 50, not 51", async () => {
      const uris = Array.from({ length: 51 }, (_, n) => `https://app.example/${n}`);
      expect(await create(uris.slice(1))).toHaveLength(50);
      await expect(create(uris)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    });
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { askToAdd } from "../../support/adding.ts";
import { call, initiate, signedUp, Visitor, type Tokens } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { setProvider } from "../../support/providers/round.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";

const [github] = await useProviders("github");

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
  "https://good@app.example/callback?tenant=1",
  "https://app.example:pw@evil.com/callback?tenant=1",
  "https://app.example%2f@evil.com/callback?tenant=1",
  "https://app.example%00.evil.com/callback?tenant=1",
  "https://app.example;.evil.com/callback?tenant=1",
  "https://app.example&@evil.com/callback?tenant=1",
  "https:///app.example/callback?tenant=1",
  "https://app.example/callback;x?tenant=1",
  "https://app.example/callback%3ftenant=1",
  "https://app.example/callback?tenant=1?",
  "https://app.example/callback?tenant[]=1",
  "https://app.example/callback?tenant=1;x=2",
  "https://app.example/callback?tenant=1%00",
  "https://app.example/callback?tenant=1%0d%0aLocation:%20https://evil.com",
  "https://app.example/callback?tenant=1\u0000",
  "https://app.exam\u00adple/callback?tenant=1",
  "https://xn--pp-7ka.example/callback?tenant=1",
  "https://127.0.0.1/callback?tenant=1",
  "https://[::ffff:127.0.0.1]/callback?tenant=1",
  "http://127.0.0.1.evil.com:8080/cb",
  "http://127.1:8080/cb",
  "http://localhost:8080@evil.com/cb",
  "http://localhost:8080.evil.com/cb",
  "http://localhost:80800/cb",
  "http://LOCALHOST:8080/cb",
  "http://localhost:8080/cb/../evil",
  "com.example.app:/cb?x=1",
  "COM.EXAMPLE.APP:/cb",
  "com.example.app.evil:/cb",
  "vbscript:msgbox(1)",
  "intent://app.example/#Intent;scheme=https;end",
];

const fitToRegister = [
  "https://app.example/callback",
  "https://app.example:8443/a/b?c=d&e=%2F",
  "https://xn--bcher-kva.example/cb",
  "http://localhost:3000/cb",
  "http://127.0.0.1:3000/cb",
  "http://[::1]:3000/cb",
  "https://203.0.113.9/cb",
  "https://[2001:db8::1]:8443/cb",
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
  "http://127.0.0.1**",
  "http://127.0.0.1*/cb",
  "http://localhost*",
  "http://localhost:*/cb",
  "https://app.example/**",
  "https://good.example@evil.example/cb",
  "http://localhost@evil.example/cb",
  "http://169.254.169.254/cb",
  "javascript://app.example/%0aalert(1)",
  "JaVaScRiPt:alert(1)",
  "vbscript:x",
  "blob:https://app.example/x",
  "mailto:a@b.example",
  "intent://x",
  "https://app.example;frame-ancestors/cb",
  "https://app.example,evil.example/cb",
  "https://app_1.example/cb",
  "https://app'.example/cb",
  "https://app.example&x/cb",
];

/** Refused as the contract says it, and nobody is sent anywhere. */
function expectRefusal(status: number, headers: Headers, body: { error?: { code: string; details: string } }): void {
  expect([status, body.error?.code]).toEqual([400, "INVALID_REQUEST"]);
  expect(body.error?.details).toMatch(/^redirect_?[uU]ri|NUL/u);
  expect(headers.get("location")).toBeNull();
  expect(headers.get("refresh")).toBeNull();
}

describeOnSqlite("redirect addresses", (service) => {
  let app: TestApp;
  let tokens: Tokens;
  beforeAll(async () => {
    app = await service.createApp({
      redirectUris: [registered, ...alsoRegistered],
      methods: ["password", "passkey", "oauth"],
    });
    await setProvider(service, app, github);
    tokens = await signedUp(service, app);
  });

  const initiated = async (redirectUri: string) =>
    await call(service, "POST", "/auth/initiate", app.headers, { redirectUri });
  const added = async (redirectUri: string) =>
    await askToAdd(service, tokens.accessToken, { type: "password", redirectUri });
  const authorized = async (redirectUri: string) => {
    const query = new URLSearchParams({ app_id: app.id, redirect_uri: redirectUri }).toString();
    return await new Visitor().get(`${service.url}/oauth/github/authorize?${query}`);
  };

  it("R1: there are at least 100 mutants to try, all different", () => {
    expect(new Set(mutants).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(100);
  });

  it.each([registered, ...alsoRegistered])("R1: %s is taken at every entrance, as it is registered", async (uri) => {
    expect((await initiated(uri)).status).toBe(200);
    expect((await added(uri)).status).toBe(200);
    expect((await authorized(uri)).location.origin).toBe(github.origin);
  });

  it.each(mutants)(
    "R1, R2, CVE-2026-28512, GHSA-86j7-9j95-vpqj, Hanko-2734: %j is refused at every entrance, and nobody is sent there",
    async (uri) => {
      for (const { status, headers, body } of [await initiated(uri), await added(uri)])
        expectRefusal(status, headers, body);
      const page = await authorized(uri);
      expectRefusal(page.status, page.headers, page.json() as { error: { code: string; details: string } });
      // Beside the right one, in either order: a parameter given twice is nobody's choice.
      const [good, bad] = [registered, uri].map((one) => `redirect_uri=${encodeURIComponent(one)}`);
      for (const both of [`${good}&${bad}`, `${bad}&${good}`]) {
        const twice = await new Visitor().get(`${service.url}/oauth/github/authorize?app_id=${app.id}&${both}`);
        expect([twice.status, twice.headers.get("location")]).toEqual([400, null]);
      }
    },
  );

  it("R1: what only another app has registered is refused", async () => {
    const other = await service.createApp({ redirectUris: ["https://other.example/callback"] });
    for (const { status, headers, body } of [await initiated(other.redirectUri), await added(other.redirectUri)])
      expectRefusal(status, headers, body);
    expect((await authorized(other.redirectUri)).status).toBe(400);
  });

  it("R1: a loopback address is matched like any other: no port, host or path of one's own", async () => {
    const local = await service.createApp({ redirectUris: ["http://127.0.0.1:8080/cb"] });
    for (const redirectUri of ["http://127.0.0.1:8081/cb", "http://127.0.0.1/cb", "http://localhost:8080/cb"])
      expect((await call(service, "POST", "/auth/initiate", local.headers, { redirectUri })).status).toBe(400);
    expect((await initiate(service, local)).sessionId).toMatch(/^sis_/u);
  });

  describe("when they are registered", () => {
    const patch = async (mine: TestApp, redirectUris: string[]) =>
      await call(service, "PATCH", `/applications/${mine.id}`, mine.headers, { redirectUris });
    const kept = async (mine: TestApp) =>
      (await call(service, "GET", `/applications/${mine.id}`, mine.headers)).body["redirectUris"];

    it.each(fitToRegister)("R3: %s is fit, and kept to the letter", async (uri) => {
      const mine = await service.createApp();
      expect((await patch(mine, [uri])).status).toBe(200);
      expect(await kept(mine)).toEqual([uri]);
    });

    it.each(unfitToRegister)(
      "R3, GHSA-86j7-9j95-vpqj, Hanko-2734: %j is not, and the list stays as it was",
      async (uri) => {
        const mine = await service.createApp();
        const before = await kept(mine);
        for (const list of [[uri], ["https://app.example/fine", uri]]) {
          const { status, body } = await patch(mine, list);
          expect([status, body.error?.code]).toEqual([400, "INVALID_REQUEST"]);
          expect(body.error?.details).toContain("redirectUris");
        }
        expect(await kept(mine)).toEqual(before);
        const { ctx } = service.server.app;
        const created = applications.createWithKey(
          ctx,
          { name: "Acme", redirectUris: [uri] },
          {},
          { kind: "cli", name: "t" },
        );
        await expect(created).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      },
    );

    it("R3: they may be 50, not 51", async () => {
      const mine = await service.createApp();
      const uris = Array.from({ length: 51 }, (_, n) => `https://app.example/${n}`);
      expect((await patch(mine, uris.slice(1))).status).toBe(200);
      expect((await patch(mine, uris)).status).toBe(400);
      expect(await kept(mine)).toHaveLength(50);
    });
  });
});

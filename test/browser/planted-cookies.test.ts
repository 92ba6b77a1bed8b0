import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuth } from "../../packages/sdk/src/node.ts";
import { cookieSecret } from "../sdk/app-server.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { newUser } from "../support/mail-flows.ts";
import { goodPassword, initiate, Visitor } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, field, fillAccount } from "./support/steps.ts";

/** Two hosts of one site, and a third with an application: `site.localhost` is their domain. */
const securePort = await freePort();
const plainPort = await freePort();
const innerPort = await freePort();
const service = `https://auth.site.localhost:${securePort}`;
const application = `https://app.site.localhost:${securePort}`;
const overTls = { "x-forwarded-proto": "https" };

/** What a browser does not take for the prefix, and careless servers do. */
const disguises = ["", "\u00a0", "\u0085", "\u0085\u00a0", " ", "\t", "=", "= ", "\u00ef\u00bb\u00bf"];

describeInBrowser(
  "cookies that another host of the site plants",
  (stage) => {
    const folder = mkdtempSync(join(tmpdir(), "authsvc-planted-"));
    let planted: string[] = [];
    let auth: Awaited<ReturnType<typeof createAuth>> | undefined;
    const plain = createServer(plant);
    let secure: ReturnType<typeof createTlsServer>;

    function plant(_request: IncomingMessage, response: ServerResponse): void {
      const title = '<!doctype html><html lang="en"><title>Evil</title><link rel="icon" href="data:,">';
      response.writeHead(200, { "content-type": "text/html", "set-cookie": planted }).end(title);
    }

    /** Like the proxy before a service. */
    function passOn(request: IncomingMessage, response: ServerResponse): void {
      const { method = "", url = "", headers } = request;
      const options = { method, path: url, port: new URL(stage.service.url).port, host: "127.0.0.1" };
      const inner = httpRequest({ ...options, headers: { ...headers, ...overTls } }, (answer) => {
        answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
      });
      inner.on("error", () => response.destroy());
      request.pipe(inner);
    }

    /** The same application without TLS, for those who are no browser. */
    const inner = createServer((request, response) => void openApplication(request, response));
    const appInside = `http://127.0.0.1:${innerPort}`;

    async function openApplication(request: IncomingMessage, response: ServerResponse): Promise<void> {
      try {
        if (await auth?.handle(request, response)) return;
        response.end(JSON.stringify((await auth?.getUser(request, response)) ?? "nobody"));
      } catch {
        response.destroy();
      }
    }

    beforeAll(async () => {
      await writeCertificate(folder);
      const [cert, key] = ["cert.pem", "key.pem"].map((name) => readFileSync(join(folder, name)));
      secure = createTlsServer({ cert, key }, (request, response) => {
        const host = request.headers.host?.split(".")[0];
        if (host === "auth") passOn(request, response);
        else if (host === "app") void openApplication(request, response);
        else plant(request, response);
      });
      await Promise.all([
        once(secure.listen(securePort, "127.0.0.1"), "listening"),
        once(inner.listen(innerPort, "127.0.0.1"), "listening"),
        once(plain.listen(plainPort, "127.0.0.1"), "listening"),
      ]);
    });
    afterAll(() => {
      for (const server of [plain, inner, secure]) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(folder, { recursive: true, force: true });
    });

    /** The address of a page of the service behind its proxy. */
    const inside = (url: string): string => url.replace(service, stage.service.url);

    async function newApp(): Promise<TestApp> {
      const app = await stage.service.createApp({ redirectUris: [`${application}/callback`] });
      return { ...app, headers: { ...app.headers, ...overTls } };
    }

    /** The victim's browser, after a visit to the attacker's page. */
    async function lured(scheme: "http" | "https", visitor: Pick<Visitor, "cookies">): Promise<Page> {
      planted = [...visitor.cookies].flatMap(([name, value]) =>
        [...disguises.map((before) => before + name), name.toLowerCase(), `${name} `, `${name}\u00a0`].map(
          (each) => `${each}=${value}; Domain=site.localhost; Path=/${scheme === "https" ? "; Secure" : ""}`,
        ),
      );
      for (const origin of [service, application]) stage.allowOrigin(origin);
      const evil = `${scheme}://evil.site.localhost:${scheme === "https" ? securePort : plainPort}`;
      stage.allowOrigin(evil);
      const page = await stage.newPage({ ignoreHTTPSErrors: true });
      await page.goto(evil);
      expect((await page.context().cookies()).length).toBeGreaterThan(0);
      return page;
    }

    const own = { origin: service };

    /** Where the browser is sent by a password on the page of a sign-in session. */
    async function proven(visitor: Visitor, address: string, email: string): Promise<URL> {
      const page = await visitor.get(inside(address));
      return (await visitor.submit(page, "/password", { email, password: goodPassword }, own)).location;
    }

    describe.each(["https", "http"] as const)("over %s", (scheme) => {
      it("H10: let nobody finish the sign-in of the person who types the password", async () => {
        const app = await newApp();
        const session = await initiate(stage.service, app);
        const attacker = new Visitor(overTls);
        await attacker.get(inside(session.authUrl));
        const page = await lured(scheme, attacker);
        await addVirtualAuthenticator(page);
        const { email } = await newUser(stage.service, app, { password: goodPassword });
        await page.goto(session.authUrl);
        await fillAccount(page, { email, password: goodPassword }, "Sign in");
        await button(page, "Not now").waitFor();
        const seen = await attacker.get(inside(session.authUrl));
        const token = /name="token" value="([^"]+)"/u.exec(seen.text)?.[1] ?? "";
        const stolen = await attacker.post(`${inside(session.authUrl)}/step/skip`, { token }, own);
        expect([seen.status, stolen.status, stolen.headers.get("location")]).toEqual([403, 403, null]);
        await button(page, "Not now").click();
        await page.waitForURL(`${application}/callback?*`);
      });

      it("H10: open no account page of the person who planted them", async () => {
        const app = await newApp();
        const { email } = await newUser(stage.service, app, { password: goodPassword });
        const attacker = new Visitor(overTls);
        const address = `${service}/account?app_id=${app.id}`;
        const begun = await attacker.get(inside(address));
        await proven(attacker, begun.location.href, email);
        expect((await attacker.get(inside(address))).text).toContain(email);
        const page = await lured(scheme, attacker);
        await page.goto(address);
        await field(page, "Password").waitFor();
        expect(page.url()).toMatch(/\/sign-in\//u);
        expect(await page.content()).not.toContain(email);
      });

      it("H10: are no session of an application with the package", async () => {
        const app = await newApp();
        const { email } = await newUser(stage.service, app, { password: goodPassword });
        auth = await createAuth({
          issuer: service,
          appId: app.id,
          apiKey: app.apiKey,
          cookieSecret,
          feed: "on-demand",
          fetch: async (url, init) =>
            await fetch(inside(url), { ...init, headers: { ...(init.headers as Record<string, string>), ...overTls } }),
        });
        const attacker = new Visitor();
        const asAttacker = new Visitor(overTls);
        const begun = await attacker.get(`${appInside}/sign-in`);
        const back = await proven(asAttacker, begun.location.href, email);
        await attacker.get(back.href.replace(application, appInside));
        expect((await attacker.get(appInside)).text).toContain(email);
        const page = await lured(scheme, attacker);
        await page.goto(application);
        expect(await page.textContent("body")).toBe('"nobody"');
        auth.authsvc.close();
      });
    });
  },
  { overrides: { baseUrl: service, trustedProxies: ["127.0.0.1"] }, overHttps: true },
);

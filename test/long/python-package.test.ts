import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../docs/pages.ts";
import { sessionCookie } from "../sdk/app-server.ts";
import { freePort } from "../support/free-port.ts";
import { newProver, prove } from "../support/dpop.ts";
import { codeFor, newParty, tokensFor } from "../support/openid-tokens.ts";
import { expectToStayUp } from "../support/odd-requests.ts";
import { call, goodPassword, newEmail, Visitor, type Page } from "../support/person.ts";
import { until, untilListening } from "../support/receiver.ts";
import { createResource } from "../support/resources.ts";
import { describeOnSqlite, type TestApp } from "../support/service.ts";
import { killed } from "./example-apps.ts";

const scratch = mkdtempSync(join(tmpdir(), "authsvc-python-"));
const python = join(scratch, "venv/bin/python");
const packageFolder = join(root, "packages/python");
let isHere = false;

beforeAll(() => {
  cpSync(packageFolder, join(scratch, "package"), { recursive: true });
  const commands = [
    ["python3", "-m", "venv", "venv"],
    ["venv/bin/pip", "install", "-q", "./package", "flask==3.1.3", "fastapi==0.128.0", "uvicorn==0.40.0"],
  ];
  isHere = commands.every(
    ([file = "", ...args]) => spawnSync(file, args, { cwd: scratch, stdio: "ignore", timeout: 300_000 }).status === 0,
  );
}, 600_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Its server closes the connection without an answer if the address is no URL. */
const flask = { framework: 0 };
const missing = "Python or a package of it cannot be installed here";
const servers = {
  flask_app: ["-m", "flask", "--app", "flask_app", "run", "--port"],
  fastapi_app: ["-m", "uvicorn", "fastapi_app:app", "--port"],
};

for (const [name, args] of Object.entries(servers))
  describeOnSqlite(`packages/python/examples/${name}.py`, (service) => {
    let child: ChildProcess | undefined;
    let url = "";
    let app: TestApp;
    let cookieName = "";

    function environment(): NodeJS.ProcessEnv {
      return {
        ...process.env,
        AUTHSVC_ISSUER: service.url,
        AUTHSVC_APP_ID: app.id,
        AUTHSVC_API_KEY: app.apiKey,
        AUTHSVC_COOKIE_SECRET: "a secret of the tests, 32 characters or more",
      };
    }

    beforeAll(async () => {
      if (!isHere) return;
      const port = String(await freePort());
      url = `http://localhost:${port}`;
      app = await service.createApp({ redirectUris: [`${url}/callback`] });
      cookieName = sessionCookie(app.id, url);
      const text = readFileSync(join(packageFolder, "examples", `${name}.py`), "utf8");
      writeFileSync(join(scratch, `${name}.py`), text.replaceAll("localhost:3000", `localhost:${port}`));
      child = spawn(python, [...args, port], { cwd: scratch, env: environment(), stdio: "ignore" });
      await untilListening(url);
    }, 120_000);
    afterAll(async () => await killed(child));

    async function visit(visitor: Visitor): Promise<string> {
      return (await visitor.get(`${url}/`)).text;
    }

    /** Begins at the program. Returns the address to which the browser is sent with the code. */
    async function createAccount(visitor: Visitor, login: string, email: string): Promise<string> {
      const started = await visitor.get(login);
      const form = await visitor.get(`${started.location.href}/create-account`);
      const fields = { email, name: "Ada", password: goodPassword };
      return (await visitor.submit(form, "/create-account", fields)).location.href;
    }

    async function signUp(visitor: Visitor, email: string): Promise<Page> {
      return await visitor.get(await createAccount(visitor, `${url}/login`, email));
    }

    it("signs in, says who it is, and signs out here and there", async ({ skip }) => {
      skip(!isHere, missing);
      const visitor = new Visitor();
      const email = newEmail();
      expect(await visit(visitor)).toContain("Sign in");
      expect((await signUp(visitor, email)).location.href).toBe(`${url}/`);
      expect(await visit(visitor)).toContain(email);
      const cookie = visitor.cookies.get(cookieName) ?? "";
      const copy = new Visitor();
      copy.cookies.set(cookieName, cookie);
      expect(await visit(copy)).toContain(email);
      expect((await visitor.post(`${url}/logout`, {})).status).toBe(303);
      expect(await visit(visitor)).toContain("Sign in");
      await until(async () => (await visit(copy)).includes("Sign in"), "the copied cookie is refused");
    });

    it("stays up whatever is sent to it", async ({ skip }) => {
      skip(!isHere, missing);
      await expectToStayUp(url, flask);
    });

    it("signs out by a form of a page that hides its address (Referrer-Policy: no-referrer)", async ({ skip }) => {
      skip(!isHere, missing);
      const visitor = new Visitor();
      await signUp(visitor, newEmail());
      const hidden = { origin: "null", "sec-fetch-site": "same-origin" };
      expect((await visitor.post(`${url}/logout`, {}, hidden)).status).toBe(303);
      expect(await visit(visitor)).toContain("Sign in");
    });

    it("refreshes an expired token silently", async ({ skip }) => {
      skip(!isHere, missing);
      const visitor = new Visitor();
      const email = newEmail();
      await signUp(visitor, email);
      const before = visitor.cookies.get(cookieName);
      service.clock.advance(16 * 60_000);
      await until(async () => {
        const text = await visit(visitor);
        expect(text).toContain(email);
        return visitor.cookies.get(cookieName) !== before;
      }, "the cookie changes");
    });

    it("S: refuses another site's form, another browser's code, and a return address elsewhere", async ({ skip }) => {
      skip(!isHere, missing);
      const visitor = new Visitor();
      const email = newEmail();
      await signUp(visitor, email);
      const foreign = [
        { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
        // The frame of a sandbox, and an old browser.
        { origin: "null", "sec-fetch-site": "cross-site" },
        { origin: "null", "sec-fetch-site": "" },
      ];
      for (const headers of foreign) expect((await visitor.post(`${url}/logout`, {}, headers)).status).toBe(403);
      expect(await visit(visitor)).toContain(email);

      const attacker = new Visitor();
      const back = await createAccount(attacker, `${url}/login?to=//evil.example`, newEmail());
      const victim = new Visitor();
      expect((await victim.get(back)).status).toBe(400);
      expect(await visit(victim)).toContain("Sign in");
      expect((await attacker.get(back)).location.href).toBe(`${url}/`);
    });

    it("treats a changed cookie like none", async ({ skip }) => {
      skip(!isHere, missing);
      const visitor = new Visitor();
      await signUp(visitor, newEmail());
      const cookie = visitor.cookies.get(cookieName) ?? "";
      const changed = `${cookie.slice(0, 40)}${cookie[40] === "A" ? "B" : "A"}${cookie.slice(41)}`;
      for (const value of [changed, "A", "", cookie.slice(0, 60)]) {
        visitor.cookies.set(cookieName, value);
        expect(await visit(visitor)).toContain("Sign in");
      }
    });

    it("names the variable and the fix when the application starts", async ({ skip }) => {
      skip(!isHere, missing);
      const run = async (changes: NodeJS.ProcessEnv): Promise<string> =>
        await new Promise((resolve) => {
          const env = { ...environment(), ...changes };
          execFile(python, ["-c", `import ${name}`], { cwd: scratch, env }, (_error, _stdout, stderr) =>
            resolve(stderr),
          );
        });
      const wrong: [NodeJS.ProcessEnv, RegExp][] = [
        [{ AUTHSVC_ISSUER: "" }, /AUTHSVC_ISSUER: not set; `authsvc serve --dev` prints/u],
        [{ AUTHSVC_ISSUER: "http://auth.example.com" }, /AUTHSVC_ISSUER: must begin with https/u],
        [{ AUTHSVC_APP_ID: "app_unknown" }, /AUTHSVC_APP_ID: .*authsvc app list/u],
        [{ AUTHSVC_API_KEY: "ak_wrong" }, /AUTHSVC_API_KEY: .*authsvc key create --app/u],
        [{ AUTHSVC_COOKIE_SECRET: "short" }, /AUTHSVC_COOKIE_SECRET: .*openssl rand/u],
      ];
      for (const [changes, message] of wrong) expect(await run(changes)).toMatch(message);
      await call(service, "PATCH", `/applications/${app.id}`, app.headers, {
        redirectUris: ["https://elsewhere.example/callback"],
      });
      expect(await run({})).toMatch(/is not registered; add it: authsvc app update app_\S+ --add-redirect-uri/u);
      await call(service, "PATCH", `/applications/${app.id}`, app.headers, { redirectUris: [`${url}/callback`] });
    });
  });

const apis = {
  flask_api: ["-m", "flask", "--app", "flask_api", "run", "--port"],
  fastapi_api: ["-m", "uvicorn", "fastapi_api:app", "--port"],
};

for (const [name, args] of Object.entries(apis))
  describeOnSqlite(`packages/python/examples/${name}.py`, (service) => {
    it("admits who has a token for it, by DPoP too, and tells the others what they need", async ({ skip }) => {
      skip(!isHere, missing);
      const [app, port] = [await service.createApp(), String(await freePort())];
      const url = `http://localhost:${port}/orders`;
      const scopes = ["read", "write"].map((scope) => ({ name: `orders:${scope}`, sentence: scope }));
      const resource = await createResource(service, app, { identifier: url, scopes });
      const party = await newParty(service, { resources: [resource] }, app);
      const text = readFileSync(join(packageFolder, "examples", `${name}.py`), "utf8");
      writeFileSync(join(scratch, `${name}.py`), text.replaceAll("localhost:3000", `localhost:${port}`));
      const settings = { AUTHSVC_ISSUER: service.url, AUTHSVC_APP_ID: app.id, AUTHSVC_API_KEY: app.apiKey };
      const env = { ...process.env, ...settings };
      const child = spawn(python, [...args, port], { cwd: scratch, env, stdio: "ignore" });
      try {
        const metadata = `http://localhost:${port}/.well-known/oauth-protected-resource`;
        await untilListening(metadata);
        await expectToStayUp(url, { ...flask, probe: metadata });
        const refused = await fetch(url);
        expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
          401,
          `Bearer scope="orders:read", resource_metadata="${metadata}/orders"`,
        ]);
        const described = (await (await fetch(`${metadata}/orders`)).json()) as { resource: string };
        const form = { resource: described.resource, scope: "openid orders:read" };
        const { access_token: token } = await tokensFor(service, party, form);
        const headers = { authorization: `Bearer ${token}` };
        const admitted = await fetch(url, { headers });
        expect([admitted.status, await admitted.json()]).toEqual([
          200,
          { user: expect.stringMatching(/^usr_/u) as string, program: party.client.id },
        ]);
        const lacking = await fetch(url, { method: "POST", headers });
        expect([lacking.status, lacking.headers.get("www-authenticate")]).toEqual([
          403,
          expect.stringContaining('error="insufficient_scope"') as string,
        ]);
        // Whatever changes something is no reading, also where there is no route for it yet.
        for (const method of ["PUT", "PATCH", "DELETE", "PURGE"])
          expect([method, (await fetch(url, { method, headers })).status]).toEqual([
            method,
            name === "flask_api" ? 403 : 405,
          ]);
        const key = await newProver(service);
        const redeemed = await codeFor(service, party, form);
        const { body } = await prove(service, party, redeemed, await key.proof("POST", "/oauth2/token"));
        const bound = String(body["access_token"]);
        const claims = { htu: url, iat: Math.floor(Date.now() / 1000) };
        const asked = async (host: string, ...proofs: string[]): Promise<number | undefined> => {
          const sent = { host, authorization: `DPoP ${bound}`, dpop: proofs };
          const [answer] = (await once(request(url, { headers: sent }).end(), "response")) as [IncomingMessage];
          answer.resume();
          return answer.statusCode;
        };
        const newProof = async () => await key.proof("GET", "/", { accessToken: bound, claims });
        expect(await asked("localhost", await newProof(), await newProof())).toBe(401);
        for (const host of ["elsewhere.example", "localhost/other?", "["])
          expect([host, await asked(host, await newProof())]).toEqual([host, 200]);
        const dpop = await newProof();
        const proven = async () => await fetch(url, { headers: { authorization: `DPoP ${bound}`, dpop } });
        expect([(await proven()).status, (await proven()).status]).toEqual([200, 401]);
      } finally {
        await killed(child);
      }
    });
  });

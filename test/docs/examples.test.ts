import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as logins from "../../src/sessions/login-administration.ts";
import { freePort } from "../support/free-port.ts";
import { leftOut, noProgram } from "../support/left-out.ts";
import { expectToStayUp } from "../support/odd-requests.ts";
import { goodPassword, newEmail, Visitor, type Page } from "../support/person.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../support/service.ts";

const folder = join(import.meta.dirname, "../../docs/examples");
const scratch = mkdtempSync(join(tmpdir(), "authsvc-examples-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Command = [file: string, ...args: string[]];
type Example = {
  /** Says whether the language is here. */
  probe: Command;
  /** What must be done before the first start. */
  build?: Command;
  start(port: number): Command;
};

const goProgram = join(scratch, "example");
const examples: Record<string, Example> = {
  typescript: {
    probe: [process.execPath, "--version"],
    start: () => [process.execPath, join(folder, "typescript/server.ts")],
  },
  python: { probe: ["python3", "--version"], start: () => ["python3", join(folder, "python/server.py")] },
  go: {
    probe: ["go", "version"],
    build: ["go", "build", "-o", goProgram, join(folder, "go/main.go")],
    start: () => [goProgram],
  },
  php: {
    probe: ["php", "--version"],
    start: (port) => ["php", "-q", "-S", `localhost:${port}`, join(folder, "php/server.php")],
  },
};

test("every example is tried", () => {
  // The page is tried in a browser: test/browser/public-clients.test.ts.
  expect([...Object.keys(examples), "browser"].toSorted()).toEqual(readdirSync(folder).toSorted());
});

const cases = Object.entries(examples).map(([language, example]) => ({ language, ...example }));

// Node is what runs this; Python, Go and PHP are not among what npm test brings. Where one is
// missing, its example stays untried here.
for (const {
  language,
  probe: [file, ...args],
  build,
  start,
} of cases) {
  const missing = noProgram(file, ...args);

  describeOnSqlite(`the example in ${language}${leftOut(missing)}`, (service) => {
    let child: ChildProcess | undefined;
    let url = "";
    let app: TestApp;

    beforeAll(async () => {
      if (missing !== undefined) return;
      if (build) run(build);
      const port = await freePort();
      url = `http://localhost:${port}`;
      app = await service.createApp({ redirectUris: [`${url}/callback`] });
      const [program, ...words] = start(port);
      const settings = {
        AUTHSVC_ISSUER: service.url,
        AUTHSVC_APP_ID: app.id,
        AUTHSVC_API_KEY: app.apiKey,
        APP_URL: url,
      };
      child = spawn(program, words, { env: { ...process.env, ...settings }, stdio: ["ignore", "ignore", "inherit"] });
      await answering(url);
      // Compiling Go's standard library for the first time takes a minute on a busy machine.
    }, 300_000);
    afterAll(() => void child?.kill());

    test.skipIf(missing !== undefined)("signs in, knows its user, refreshes and signs out", async () => {
      const { clock } = service;
      const visitor = new Visitor();
      expect((await visitor.get(`${url}/me`)).status).toBe(401);

      // A sign-in of twenty minutes ago: its access token is over, for the service as for whoever
      // reads `exp`.
      clock.now = Date.now() - 20 * 60_000;
      const email = newEmail();
      const returned = await signUp(visitor, url, email);
      expect(returned.location.href).toBe(`${url}/me`);
      clock.now = Date.now();
      expect((await visitor.get(`${url}/me`)).json()).toMatchObject({ email });
      const { id } = (await visitor.get(`${url}/me`)).json() as { id: string };
      expect(await refreshesOf(service, id)).toEqual([1]);

      expect((await visitor.post(`${url}/logout`, {})).status).toBe(303);
      expect((await visitor.get(`${url}/me`)).status).toBe(401);
      expect(await refreshesOf(service, id)).toEqual([]);
    });

    test.skipIf(missing !== undefined)(
      "H10: knows nobody by a cookie whose name only looks like its own, or comes twice",
      async () => {
        const visitor = new Visitor();
        await signUp(visitor, url, newEmail());
        const cookie = `session=${visitor.cookies.get("session")}`;
        const status = async (header: string) => (await new Visitor().get(`${url}/me`, { cookie: header })).status;
        expect(await status(`a=1; ${cookie}; b=2`)).toBe(200);
        for (const before of ["\u00a0", "\u0085", "x"]) expect(await status(`a=1; ${before}${cookie}`)).toBe(401);
        // PHP itself takes the first.
        if (language !== "php") expect(await status(`${cookie}; ${cookie}`)).toBe(401);
      },
    );

    test.skipIf(missing !== undefined)("stays up whatever is sent to it", async () => {
      await expectToStayUp(url);
    });

    test.skipIf(missing !== undefined)(
      "takes no answer that its browser did not ask for, and none that was cancelled",
      async () => {
        const attacker = new Visitor();
        const { authUrl } = await begin(attacker, url);
        const foreign = await signUpAt(attacker, authUrl, newEmail());
        const victim = new Visitor();
        expect((await victim.get(foreign.href)).status).toBe(400);
        await begin(victim, url);
        expect((await victim.get(foreign.href)).status).toBe(400);
        expect((await victim.get(`${url}/me`)).status).toBe(401);

        const own = await begin(victim, url);
        const cancelled = await victim.get(`${own.authUrl}/cancel`);
        expect(cancelled.location.searchParams.get("error")).toBe("access_denied");
        expect((await victim.get(cancelled.location.href)).location.href).toBe(`${url}/`);
        expect((await victim.get(`${url}/me`)).status).toBe(401);
      },
    );

    test.skipIf(missing !== undefined)(
      "notices that somebody was signed out elsewhere at the next refresh at the latest",
      async () => {
        const visitor = new Visitor();
        const { clock, server } = service;
        clock.now = Date.now() - 20 * 60_000;
        await signUp(visitor, url, newEmail());
        clock.now = Date.now();
        const { id } = (await visitor.get(`${url}/me`)).json() as { id: string };
        const [login] = await logins.list(server.app.ctx, id, { all: false });
        await logins.end(server.app.ctx, login?.id ?? "", { dryRun: false }, { kind: "cli", name: "test" });
        clock.now = Date.now();
        const answer = await visitor.get(`${url}/me`);
        // TypeScript verifies by itself, and so believes a token until it expires.
        expect(answer.status).toBe(language === "typescript" ? 200 : 401);
      },
    );
  });
}

async function begin(visitor: Visitor, url: string): Promise<{ authUrl: string }> {
  const started = await visitor.get(`${url}/login`);
  expect(started.status).toBe(303);
  return { authUrl: started.location.href };
}

/** Creates an account on the hosted page; where the browser is sent then. */
async function signUpAt(visitor: Visitor, authUrl: string, email: string): Promise<URL> {
  const page = await visitor.get(`${authUrl}/create-account`);
  const done = await visitor.submit(page, "/create-account", { email, password: goodPassword });
  return done.location;
}

/** A whole sign-in; the answer of the example's own callback. */
async function signUp(visitor: Visitor, url: string, email: string): Promise<Page> {
  const { authUrl } = await begin(visitor, url);
  return await visitor.get((await signUpAt(visitor, authUrl, email)).href);
}

/** How often each live login of a user was refreshed. */
async function refreshesOf({ server }: TestService, userId: string): Promise<number[]> {
  const { reader } = server.app.ctx.storage;
  const { logins } = reader.tables;
  const rows = await reader.db.select().from(logins);
  return rows.filter((row) => row.userId === userId && row.endedAt === null).map(({ generation }) => generation);
}

function run([file, ...args]: Command): void {
  const { status, stderr } = spawnSync(file, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`);
}

/** Resolves once somebody answers there. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(100);
  }
}

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { createAuthsvc } from "../../packages/sdk/src/index.ts";
import { cookieSecret, sessionCookie, signIn, userOf } from "../sdk/app-server.ts";
import { freePort } from "../support/free-port.ts";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { killed } from "./example-apps.ts";

type Runtime = {
  program: string;
  /** Where the program is, if it is not on PATH. */
  variable: string;
  version?: RegExp;
  app: keyof typeof apps;
  /** Arguments that run `app.mjs` of the folder. */
  run(port: number, settings: Record<string, string>): string[];
};

const folder = mkdtempSync(join(tmpdir(), "authsvc-runtimes-"));
const file = join(folder, "app.mjs");
const sources = join(import.meta.dirname, "../../packages/sdk/src");
const service = useService();
/** Workers read the feed when they need to: after five seconds. */
const patience = { timeout: 60_000, interval: 100 };
let child: ChildProcess | undefined;
afterEach(async () => await killed(child));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An application: `/me` for signed-in users, `/app` by a call of the client. */
const apps = {
  fetch: `import { createHandler } from ${JSON.stringify(join(sources, "handler.ts"))};
    let auth;
    export default {
      async fetch(request, env) {
        // Workers get their settings with each request.
        const { AUTHSVC_ISSUER: issuer, AUTHSVC_APP_ID: appId, AUTHSVC_API_KEY: apiKey } = env ?? {};
        auth ??= createHandler(issuer ? { issuer, appId, apiKey, cookieSecret: env.AUTHSVC_COOKIE_SECRET } : {});
        const response = await auth.handle(request);
        if (response) return response;
        if (request.url.endsWith("/app")) return Response.json(await auth.authsvc.application.get());
        const user = await auth.requireUser(request);
        return await auth.finish(request, user instanceof Response ? user : Response.json(user));
      },
    };`,
  node: `import { createServer } from "node:http";
    import { createAuth } from ${JSON.stringify(join(sources, "node.ts"))};
    const auth = await createAuth();
    createServer(async (request, response) => {
      if (await auth.handle(request, response)) return;
      if (request.url === "/app") return response.end(JSON.stringify(await auth.authsvc.application.get()));
      const user = await auth.requireUser(request, response);
      if (user) response.end(JSON.stringify(user));
    }).listen(process.env.PORT);`,
};

/** Its own process has no environment, and calls no private address unless told. */
function workerdConfig(port: number, settings: Record<string, string>): string {
  const bindings = Object.entries(settings).map(([name, text]) => `(name = "${name}", text = "${text}")`);
  const config = join(folder, "config.capnp");
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "app", worker = .app), (name = "internet", network = (allow = ["private"]))],
      sockets = [(name = "http", address = "*:${port}", http = (), service = "app")],
    );
    const app :Workerd.Worker = (
      modules = [(name = "app.mjs", esModule = embed "app.mjs")],
      compatibilityDate = "2025-11-01",
      bindings = [${bindings.join(", ")}],
    );`,
  );
  return config;
}

const runtimes: Record<string, Runtime> = {
  "Node 20": { program: "node", variable: "TEST_NODE_20", version: /^v20\./u, app: "node", run: () => [file] },
  Bun: { program: "bun", variable: "TEST_BUN", app: "fetch", run: () => [file] },
  Deno: {
    program: "deno",
    variable: "TEST_DENO",
    app: "fetch",
    run: (port) => ["serve", "--allow-net", "--allow-env", "--port", String(port), file],
  },
  "Workers (workerd)": {
    program: "workerd",
    variable: "TEST_WORKERD",
    app: "fetch",
    run: (port, settings) => ["serve", workerdConfig(port, settings)],
  },
};

function find({ program, variable, version = /./u }: Runtime): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((each) => join(each, program));
  const candidates = [process.env[variable] ?? "", ...onPath].filter((each) => each !== "" && existsSync(each));
  return candidates.find((each) => version.test(execFileSync(each, ["--version"], { encoding: "utf8" })));
}

async function start(runtime: Runtime, command: string): Promise<{ url: string; app: TestApp }> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const app = await service.createApp({ redirectUris: [`${url}/callback`] });
  const entry = join(folder, "entry.mjs");
  writeFileSync(entry, apps[runtime.app]);
  const bundle = await rolldown({ input: entry, tsconfig: false, external: /^node:/u });
  await bundle.write({ format: "esm", file });
  const settings = {
    AUTHSVC_ISSUER: service.url,
    AUTHSVC_APP_ID: app.id,
    AUTHSVC_API_KEY: app.apiKey,
    AUTHSVC_COOKIE_SECRET: cookieSecret,
  };
  const env = { PATH: process.env["PATH"], HOME: folder, PORT: String(port), ...settings };
  child = spawn(command, runtime.run(port, settings), { cwd: folder, env, stdio: "inherit" });
  await vi.waitFor(async () => expect((await fetch(`${url}/app`)).status).toBe(200), { timeout: 60_000 });
  return { url, app };
}

test.for(Object.entries(runtimes))(
  "the package on %s signs in, calls, and sees a logout",
  async ([name, runtime], { skip }) => {
    const command = find(runtime);
    if (command === undefined) return skip(`${name} is not installed here; ${runtime.variable} may say where it is`);
    const { url, app } = await start(runtime, command);
    const cookie = sessionCookie(app.id, url);
    const me = async (visitor: Visitor) => await visitor.get(`${url}/me`);
    const leaver = new Visitor();
    expect((await me(leaver)).status).toBe(401);
    const { visitor, email } = await signIn({ url });
    expect(userOf(await me(visitor))).toMatchObject({ email, name: "Ada" });
    expect(JSON.parse((await visitor.get(`${url}/app`)).text)).toMatchObject({ id: app.id });

    await signIn({ url }, leaver);
    const copied = leaver.cookies.get(cookie) ?? "";
    expect((await leaver.post(`${url}/sign-out`, {})).status).toBe(303);
    expect(leaver.cookies.has(cookie)).toBe(false);
    leaver.cookies.set(cookie, copied);
    await vi.waitFor(async () => expect((await me(leaver)).status).toBe(401), patience);

    const client = createAuthsvc({ issuer: service.url, appId: app.id, apiKey: app.apiKey });
    const id = userOf(await me(visitor))?.id ?? "";
    expect(await client.users.logout(id)).toEqual({ ended: 1 });
    await vi.waitFor(async () => expect((await me(visitor)).status).toBe(401), patience);
    expect(visitor.cookies.has(cookie)).toBe(false);
  },
);

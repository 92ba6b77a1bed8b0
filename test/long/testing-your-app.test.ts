import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { delimiter, join } from "node:path";
import { runInThisContext } from "node:vm";
import type { APIRequestContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuth } from "../../packages/sdk/src/node.ts";
import * as applications from "../../src/applications/service.ts";
import { emptyFolder, finish } from "../cli/command.ts";
import { blocksOf, root } from "../docs/pages.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { barestEnvironment, shellProgram } from "../support/program.ts";
import { startTestService } from "../support/service.ts";

const recipes = blocksOf("docs/testing-your-app.md").filter(({ language }) => language === "js");
const recipe = (marker: string): string => {
  const [found, ...others] = recipes.filter(({ text }) => text.includes(marker));
  if (!found || others.length > 0) throw new Error(`one recipe must contain ${marker}`);
  return found.text;
};

test("the recipe for vitest runs as it is written", async () => {
  const cwd = emptyFolder();
  for (const folder of ["test", "bin"]) mkdirSync(join(cwd, folder));
  symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
  const put = (name: string, text: string): void => writeFileSync(join(cwd, name), text, { mode: 0o755 });
  put("package.json", '{ "type": "module" }');
  put("vitest.config.js", recipe("globalSetup"));
  put("test/service.js", recipe("spawn("));
  put("app.js", recipe("export async function me("));
  put("test/me.test.js", recipe('from "../app.js"'));
  put("bin/authsvc", `#!/bin/sh\nexec ${shellProgram} "$@"\n`);
  const vitest = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd,
    env: {
      ...barestEnvironment(cwd),
      PATH: [join(cwd, "bin"), process.env["PATH"]].join(delimiter),
      AUTHSVC_LOG__LEVEL: "error",
    },
  });
  const { code, stdout, stderr } = await finish(vitest);
  expect([code, stderr.replaceAll(/^npm warn .*\n/gmu, "")]).toEqual([0, ""]);
  // eslint-disable-next-line no-control-regex
  expect(stdout.replaceAll(/\u001b\[\d+m/gu, "")).toMatch(/Tests +2 passed/u);
});

/** What the recipe uses of @playwright/test. */
type Fixtures = { page: Page; request: APIRequestContext };
type Body = (fixtures: Fixtures) => Promise<void>;
type Recipe = (
  test: (title: string, body: Body) => void,
  expects: ((locator: Locator) => { toBeVisible(): Promise<void> }) & { poll: typeof expect.poll },
) => void;

const optionOf: Record<string, string> = {
  AUTHSVC_ISSUER: "issuer",
  AUTHSVC_APP_ID: "appId",
  AUTHSVC_API_KEY: "apiKey",
  AUTHSVC_COOKIE_SECRET: "cookieSecret",
};

let running: Awaited<ReturnType<typeof startTestService>>;
let server: Server;
let auth: Awaited<ReturnType<typeof createAuth>>;
let url = "";

beforeAll(async () => {
  const port = await freePort();
  url = `http://localhost:${port}`;
  running = await startTestService("sqlite", { dev: true });
  const { ctx } = running.service.server.app;
  const actor = { kind: "cli", name: "test" } as const;
  await applications.update(ctx, "app_demo", { addedRedirectUris: [`${url}/callback`] }, actor);
  const env: Record<string, string> = running.service.server.dev?.env ?? {};
  const settings = Object.entries(env).map(([name, value]) => [optionOf[name], value]);
  auth = await createAuth({ ...Object.fromEntries(settings), redirectUri: `${url}/callback` });
  server = createServer((request, response) => {
    void (async () => {
      if (await auth.handle(request, response)) return;
      const user = await auth.getUser(request, response);
      response
        .setHeader("content-type", "text/html")
        .end(
          user
            ? `<p>Hello ${user.email}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`
            : `<a href="/sign-in">Sign in</a>`,
        );
    })();
  });
  await once(server.listen(port), "listening");
});

afterAll(async () => {
  auth.authsvc.close();
  server.closeAllConnections();
  server.close();
  await running.stop();
});

test("the recipe for Playwright runs as it is written", async () => {
  const source = recipe('from "@playwright/test";\n\nconst issuer')
    .replace('import { expect, test } from "@playwright/test";', "")
    .replace("http://localhost:8080", running.service.url);
  const bodies: Body[] = [];
  const toBeVisible = (locator: Locator) => ({ toBeVisible: async () => await locator.waitFor() });
  const run = runInThisContext(`(test, expect) => {${source}}`) as Recipe;
  run((_title, body) => void bodies.push(body), Object.assign(toBeVisible, { poll: expect.poll }));
  expect(bodies).toHaveLength(1);
  const context = await (await sharedBrowser()).newContext({ baseURL: url });
  try {
    for (const body of bodies) await body({ page: await context.newPage(), request: context.request });
  } finally {
    await context.close();
  }
});

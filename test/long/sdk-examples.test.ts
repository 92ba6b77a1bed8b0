import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fillAccount } from "../browser/support/steps.ts";
import { blocksOf, pages } from "../docs/pages.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { hello, installExamples, killed, packedSdk, signInLink, signUp, startDevService } from "./example-apps.ts";
import { freePort } from "../support/free-port.ts";
import { expectToStayUp } from "../support/odd-requests.ts";
import { goodPassword, newEmail } from "../support/person.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "authsvc-sdk-examples-"));
const clockFile = join(folder, "clock");
/** Lets the examples' clocks be set, in a file. */
const movedClock = `import { readFileSync } from "node:fs";
const real = Date.now;
Date.now = () => real() + Number(readFileSync(process.env.TEST_CLOCK, "utf8"));`;

type Example = { build?: string[]; run(port: number): string[] };
const bin = (name: string): string => join(folder, "node_modules/.bin", name);
const examples: Record<string, Example> = {
  express: { run: () => ["server.js"] },
  fastify: { run: () => ["server.js"] },
  hono: { run: () => ["server.js"] },
  node: { run: () => ["server.js"] },
  next: { build: [bin("next"), "build"], run: (port) => [bin("next"), "start", "-p", String(port)] },
  sveltekit: { build: [bin("vite"), "build"], run: () => ["build/index.js"] },
};
/** Pages without a server: their sessions are another matter. */
const spa: Example = { run: () => ["server.js"] };
const ports = Object.fromEntries(
  await Promise.all([...Object.keys(examples), "spa"].map(async (name) => [name, await freePort()] as const)),
);

const children: ChildProcess[] = [];
const contexts: BrowserContext[] = [];
let issuer = "";
let servicePort = 0;
let settings: Record<string, string> = {};
let service: ChildProcess | undefined;
let movedSeconds = 0;

async function startService(): Promise<void> {
  const uris = Object.values(ports).map((port) => `http://localhost:${port}/callback`);
  ({ child: service, settings, issuer } = await startDevService(folder, servicePort, uris));
}

async function moveClocks(seconds: number): Promise<void> {
  const body = JSON.stringify({ advanceSeconds: seconds });
  const headers = { "content-type": "application/json" };
  expect((await fetch(`${issuer}/dev/clock`, { method: "POST", headers, body })).status).toBe(200);
  movedSeconds += seconds;
  writeFileSync(clockFile, String(movedSeconds * 1000));
}

beforeAll(async () => {
  installExamples(folder);
  writeFileSync(clockFile, "0");
  writeFileSync(join(folder, "clock.mjs"), movedClock);
  servicePort = await freePort();
  await startService();
}, 900_000);

afterAll(async () => {
  for (const context of contexts) await context.close();
  for (const child of [...children, ...(service ? [service] : [])]) await killed(child);
  rmSync(folder, { recursive: true, force: true });
});

async function startExample(name: string): Promise<string> {
  const { build, run } = examples[name] ?? spa;
  const port = ports[name] ?? 0;
  const url = `http://localhost:${port}`;
  const cwd = join(folder, name);
  const env = { ...process.env, ...settings, PORT: String(port), ORIGIN: url, NEXT_TELEMETRY_DISABLED: "1" };
  if (build) execFileSync(process.execPath, build, { cwd, env: { ...env, NODE_ENV: "production" }, stdio: "pipe" });
  const clock = { NODE_OPTIONS: `--import ${join(folder, "clock.mjs")}`, TEST_CLOCK: clockFile };
  const child = spawn(process.execPath, run(port), { cwd, env: { ...env, ...clock }, stdio: "inherit" });
  children.push(child);
  await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout: 120_000 });
  return url;
}

async function newPage(): Promise<Page> {
  const context = await (await sharedBrowser()).newContext();
  contexts.push(context);
  return await context.newPage();
}

/** A host's ports share their cookies: the service has some of its own. */
async function sessionCookies(page: Page): Promise<string[]> {
  const cookies = await page.context().cookies();
  return cookies.filter(({ name }) => /^authsvc-[\w-]{8}-session$/u.test(name)).map(({ value }) => value);
}

async function logOutEverywhere(email: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const asked = await fetch(`${issuer}/dev/token`, { method: "POST", headers, body: JSON.stringify({ email }) });
  const { accessToken } = (await asked.json()) as { accessToken: string };
  const authorization = `Bearer ${accessToken}`;
  const body = JSON.stringify({ allSessions: true });
  await fetch(`${issuer}/auth/logout`, { method: "POST", headers: { ...headers, authorization }, body });
}

test("every example is tried", () => {
  const folders = globSync("*/", { cwd: join(root, "packages/examples"), exclude: ["node_modules"] });
  // These have tests of their own: mcp-example.test.ts and example-cli.test.ts.
  expect(folders.toSorted()).toEqual([...Object.keys(ports), "cli", "mcp"].toSorted());
});

test.each([
  ["publint", ["--strict"]],
  ["attw", ["--profile", "esm-only"]],
])("the packed package is as %s expects", (tool, options) => {
  execFileSync(process.execPath, [bin(tool), packedSdk(), ...options], { stdio: "pipe" });
});

/** What snippets leave to the reader. */
const given = `export {};
declare global {
  const issuer: string, appId: string, apiKey: string, redirectUri: string;
  const button: HTMLButtonElement;
  function show(user: unknown): void;
}`;

test("every TypeScript snippet of the documents compiles against the packed package", () => {
  const snippets = [...pages, "packages/sdk/README.md"]
    .flatMap(blocksOf)
    .filter(({ language }) => language === "ts")
    .map(({ text }, nth) => [`snippet-${nth}.ts`, text] as const);
  expect(snippets.length).toBeGreaterThan(4);
  const cwd = join(folder, "snippets");
  mkdirSync(cwd, { recursive: true });
  for (const [name, text] of [["given.ts", given], ...snippets] as const) writeFileSync(join(cwd, name), text);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ type: "module" }));
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const files = globSync("*.ts", { cwd });
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), [...options, ...files], {
    cwd,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, ""]);
});

describe.each(Object.keys(examples))("the example %s", (name) => {
  let url = "";
  beforeAll(async () => {
    url = await startExample(name);
  }, 900_000);

  test("signs in, stays signed in over a reload, and outlives its access tokens in two tabs at once", async () => {
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email });
    await page.reload();
    expect(await hello(page)).toBe(`Hello ${email}`);

    const second = await page.context().newPage();
    const before = await sessionCookies(page);
    await moveClocks(16 * 60);
    await Promise.all([page.reload(), second.goto(url)]);
    expect([await hello(page), await hello(second)]).toEqual([`Hello ${email}`, `Hello ${email}`]);
    expect(await sessionCookies(page)).not.toEqual(before);
    // Past the grace of thirty seconds: a token that was lost would now end the login.
    await moveClocks(60);
    await Promise.all([page.reload(), second.reload()]);
    expect([await hello(page), await hello(second)]).toEqual([`Hello ${email}`, `Hello ${email}`]);
  });

  test("stays up whatever is sent to it", async () => {
    // Next.js itself refuses TRACE, and the path "*".
    await expectToStayUp(url, name === "next" ? { framework: 500 } : {});
  });

  test("shows nothing after a sign-out, not even to the back button", async () => {
    const page = await newPage();
    await signUp(page, { url, issuer, email: newEmail() });
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInLink(page).waitFor();
    await page.goBack();
    await signInLink(page).waitFor();
    expect(await sessionCookies(page)).toEqual([]);
  });

  test("sees a logout in another place with the next request", async () => {
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email });
    await logOutEverywhere(email);
    await vi.waitFor(
      async () => {
        await page.reload();
        expect(await signInLink(page).count()).toBe(1);
      },
      { timeout: 60_000 },
    );
  });

  test("leads to its own page after the sign-in that this page required, and refuses a browser without cookies", async () => {
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email });
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInLink(page).waitFor();
    await page.goto(`${url}/me`);
    await page.waitForURL(`${issuer}/**`);
    await page.context().clearCookies({ domain: "localhost", name: /^authsvc-[\w-]{8}-sign-in-/u });
    await fillAccount(page, { email, password: goodPassword });
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("blocks cookies").waitFor();
    await page.goto(`${url}/me`);
    await page.waitForURL(`${issuer}/**`);
    // The sign-in itself had succeeded.
    await page.getByRole("button", { name: /^Continue as / }).click();
    await page.waitForURL(`${url}/me`);
    expect(await page.textContent("body")).toContain(email);
  });

  test("asks again before something important, and leads back to it", async ({ skip }) => {
    skip(name !== "fastify", "they are about the example for Fastify");
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email });
    await page.goto(`${url}/payout`);
    expect(await page.textContent("body")).toContain(email);
    await moveClocks(301);
    await page.goto(`${url}/payout`);
    await page.waitForURL(`${issuer}/**`);
    expect(await page.getByRole("button", { name: /^Continue as / }).count()).toBe(0);
    await fillAccount(page, { email, password: goodPassword });
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(`${url}/payout`);
    expect(await page.textContent("body")).toContain(email);
  });
});

describe("the example spa", () => {
  let url = "";
  beforeAll(async () => {
    url = await startExample("spa");
  }, 900_000);

  test("stays up whatever is sent to it", async () => {
    await expectToStayUp(url);
  });

  const signInButton = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true });
  const nobody = (page: Page) => page.getByText("Nobody", { exact: true });
  const accessToken = async (page: Page) => await page.evaluate("globalThis.accessToken()");

  async function passSixteenMinutes(page: Page): Promise<void> {
    await moveClocks(16 * 60);
    await page.evaluate("performance.now = ((real) => () => real() + 960_000)(performance.now.bind(performance))");
  }

  test("signs in, renews its tokens silently, and stays signed in over a reload", async () => {
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email }, signInButton(page));
    const before = await accessToken(page);
    await passSixteenMinutes(page);
    const after = await accessToken(page);
    expect([typeof after, after === before]).toEqual(["string", false]);
    expect(await hello(page)).toBe(`Hello ${email}`);
    await page.goto(`${url}/deep?tab=1#part`);
    expect(await hello(page)).toBe(`Hello ${email}`);
    expect(page.url()).toBe(`${url}/deep?tab=1#part`);
    expect(typeof (await accessToken(page))).toBe("string");
  });

  test("signs out, also for the next load", async () => {
    const page = await newPage();
    await signUp(page, { url, issuer, email: newEmail() }, signInButton(page));
    await page.getByRole("button", { name: "Sign out" }).click();
    await nobody(page).waitFor();
    expect(await accessToken(page)).toBeUndefined();
    await page.reload();
    await nobody(page).waitFor();
  });

  test("sees a logout in another place when it renews its tokens", async () => {
    const page = await newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email }, signInButton(page));
    await logOutEverywhere(email);
    await passSixteenMinutes(page);
    expect(await accessToken(page)).toBeUndefined();
    await nobody(page).waitFor();
  });
});

test("nobody is signed out by a service that is down for ten seconds", async () => {
  // A second try may find it killed.
  if (service?.exitCode !== null || service.signalCode !== null) await startService();
  // A service that starts again has the real time.
  await fetch(`${issuer}/dev/reset`, { method: "POST" });
  movedSeconds = 0;
  writeFileSync(clockFile, "0");
  const url = `http://localhost:${ports["express"]}`;
  const page = await newPage();
  const email = newEmail();
  await signUp(page, { url, issuer, email });
  if (service) await killed(service);
  const downSince = Date.now();
  await vi.waitFor(async () => expect((await page.goto(url))?.status()).toBe(503), { timeout: 120_000, interval: 500 });
  await vi.waitFor(() => expect(Date.now() - downSince).toBeGreaterThan(10_000), { timeout: 120_000, interval: 500 });
  expect(await sessionCookies(page)).toHaveLength(1);
  await startService();
  await vi.waitFor(async () => expect((await page.goto(url))?.status()).toBe(200), { timeout: 120_000, interval: 500 });
  expect(await hello(page)).toBe(`Hello ${email}`);
});

import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { sharedBrowser } from "../support/chromium.ts";
import { leftOut } from "../support/left-out.ts";
import { freePort } from "../support/free-port.ts";
import { newEmail } from "../support/person.ts";
import { hello, killed, packedSdk, patience, signInLink, signUp, startDevService } from "./example-apps.ts";

/**
 * The quick start of each stack, in what its generator makes today. `files`: of packages/examples,
 * which test/docs/quick-start.test.ts holds against the document.
 */
type Stack = {
  generate: string[];
  files: [from: string, to: string][];
  /** What the quick start says to delete. */
  deletes?: string;
  build?: string[];
  run(port: number): string[];
};
const same = (...names: string[]): [string, string][] => names.map((name) => [name, name]);
const installed = (...packages: string[]): string[] => ["npm", "install", "--no-audit", "--no-fund", ...packages];
const stacks: Record<string, Stack> = {
  express: { generate: installed("express"), files: [["server.js", "server.mjs"]], run: () => ["server.mjs"] },
  hono: {
    generate: installed("hono", "@hono/node-server"),
    files: [["server.js", "server.mjs"]],
    run: () => ["server.mjs"],
  },
  next: {
    generate: ["npx", "--yes", "create-next-app@latest", ".", "--yes"],
    files: same("auth.js", "proxy.js", "instrumentation.js", "app/page.jsx", "app/loading.jsx"),
    deletes: "app/page.tsx",
    build: ["node_modules/next/dist/bin/next", "build"],
    run: (port) => ["node_modules/next/dist/bin/next", "start", "-p", String(port)],
  },
  sveltekit: {
    generate: [
      "npx",
      "--yes",
      "sv@latest",
      "create",
      ".",
      "--template=minimal",
      "--no-types",
      "--no-add-ons",
      "--install=npm",
    ],
    files: same("src/auth.js", "src/hooks.server.js", "src/routes/+page.server.js", "src/routes/+page.svelte"),
    build: ["node_modules/vite/bin/vite.js", "build"],
    run: (port) => ["node_modules/vite/bin/vite.js", "dev", "--port", String(port)],
  },
};

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "authsvc-quick-starts-"));
const ports = Object.fromEntries(
  await Promise.all(Object.keys(stacks).map(async (name) => [name, await freePort()] as const)),
);
let service: ChildProcess | undefined;
let settings: Record<string, string> = {};
let issuer = "";
const isReachable = spawnSync("npm", ["view", "express", "version"], { timeout: 60_000 }).status === 0;

beforeAll(async () => {
  const uris = Object.values(ports).map((port) => `http://localhost:${port}/callback`);
  const started = await startDevService(folder, await freePort(), uris);
  service = started.child;
  ({ settings, issuer } = started);
}, 120_000);

afterAll(async () => {
  if (service) await killed(service);
  rmSync(folder, { recursive: true, force: true });
});

// Their generators come from the npm registry.
test.runIf(isReachable).each(Object.entries(stacks))(
  `the quick start of %s leads to a signed-in user${leftOut(isReachable ? undefined : "npm's registry cannot be reached")}`,
  async (name, stack) => {
    const { generate, files, deletes, build, run } = stack;
    // Another folder for a second try: generators want an empty one, whose name is a package's.
    const cwd = join(mkdtempSync(join(folder, "try-")), name);
    mkdirSync(cwd);
    const [program = "", ...args] = generate;
    execFileSync(program, args, { cwd, stdio: "pipe", timeout: patience });
    execFileSync("npm", ["install", "--no-audit", "--no-fund", packedSdk()], {
      cwd,
      stdio: "pipe",
      timeout: patience,
    });
    for (const [from, to] of files) {
      mkdirSync(dirname(join(cwd, to)), { recursive: true });
      cpSync(join(root, "packages/examples", name, from), join(cwd, to));
    }
    if (deletes !== undefined) rmSync(join(cwd, deletes));
    withoutFonts(cwd);
    const port = ports[name] ?? 0;
    const url = `http://localhost:${port}`;
    const env = { ...process.env, ...settings, PORT: String(port), NEXT_TELEMETRY_DISABLED: "1" };
    if (build) execFileSync(process.execPath, build, { cwd, env: { ...env, NODE_ENV: "production" }, stdio: "pipe" });
    const child = spawn(process.execPath, run(port), { cwd, env, stdio: "inherit" });
    onTestFinished(() => killed(child));
    await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout: 120_000 });
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const email = newEmail();
    await signUp(page, { url, issuer, email });
    await page.reload();
    expect(await hello(page)).toBe(`Hello ${email}`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInLink(page).waitFor();
  },
);

/** create-next-app's layout loads fonts from Google, which no test may need. */
function withoutFonts(cwd: string): void {
  for (const layout of globSync("app/layout.tsx", { cwd }).map((file) => join(cwd, file))) {
    const text = readFileSync(layout, "utf8");
    const plain = text
      .replace(/^import \{[^}]*\} from "next\/font\/google";\n/mu, "")
      .replaceAll(/^const \w+ = Geist\w*\(\{[^}]*\}\);\n/gmu, "")
      .replaceAll(/\$\{geist\w+\.variable\} ?/giu, "");
    writeFileSync(layout, plain);
  }
}

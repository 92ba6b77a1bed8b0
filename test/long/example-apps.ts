import { execFileSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, vi } from "vitest";
import { outputOf, start } from "../cli/command.ts";
import { fillAccount } from "../browser/support/steps.ts";
import { goodPassword } from "../support/person.ts";
import { packedSdkVariable } from "../support/sdk-global-setup.ts";

/** Milliseconds that an installation may take: a registry that hangs must not hang the run. */
export const patience = 600_000;

type Dependent = { dependencies: Record<string, string>; devDependencies: object };

/** The examples with what they need, or only with these packages, and the packed package. */
export function installExamples(folder: string, only?: string[]): void {
  const packages = join(import.meta.dirname, "../../packages");
  cpSync(join(packages, "examples"), folder, {
    recursive: true,
    filter: (file) => !/\/(node_modules|\.next|\.svelte-kit|build)$/u.test(file),
  });
  const npm = (args: string[], cwd: string): unknown =>
    execFileSync("npm", args, { cwd, stdio: "pipe", timeout: patience });
  // Not `npm ci`: it refuses a lock file without the packages of other platforms.
  if (only) keepDependencies(join(folder, "package.json"), only);
  npm(["install", "--no-save", "--ignore-scripts", "--legacy-peer-deps"], folder);
  const installed = join(folder, "node_modules/@authsvc/sdk");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", packedSdk(), "-C", installed, "--strip-components=1"]);
}

/** The file of `npm pack`. */
export const packedSdk = (): string => process.env[packedSdkVariable] ?? "";

function keepDependencies(file: string, names: string[]): void {
  const { dependencies, devDependencies: _, ...rest } = JSON.parse(readFileSync(file, "utf8")) as Dependent;
  const kept = Object.entries(dependencies).filter(([name]) => names.includes(name));
  writeFileSync(file, JSON.stringify({ ...rest, dependencies: Object.fromEntries(kept) }));
}

/** The service in development mode, with the `.env` that it prints. */
export async function startDevService(
  folder: string,
  port: number,
  redirectUris: string[],
): Promise<{ child: ChildProcess; settings: Record<string, string>; issuer: string }> {
  const uris = redirectUris.flatMap((uri) => ["--redirect-uri", uri]);
  const args = ["serve", "--dev", "--port", String(port), "--data", join(folder, "data"), ...uris];
  const child = start(args, { cwd: folder, built: true });
  const said = await outputOf(child, /^AUTHSVC_COOKIE_SECRET=.+$/mu);
  const settings = Object.fromEntries(
    [...said.matchAll(/^(AUTHSVC_\w+)=(.+)$/gmu)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
  const issuer = settings["AUTHSVC_ISSUER"] ?? "";
  await vi.waitFor(async () => expect((await fetch(`${issuer}/readyz`)).status).toBe(200), { timeout: 120_000 });
  return { child, settings, issuer };
}

/** Ends a process that a test started, if it did, and waits until it is gone. */
export async function killed(child: ChildProcess | undefined, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

/** The greeting of somebody who is signed in. A failure shows what the browser shows instead. */
export async function hello(page: Page): Promise<string | null> {
  try {
    return await page.getByText(/^Hello /u).textContent({ timeout: 60_000 });
  } catch (cause) {
    throw new Error(`no greeting at ${page.url()}:\n${await page.locator("body").innerText()}`, { cause });
  }
}

export const signInLink = (page: Page): Locator => page.getByRole("link", { name: "Sign in", exact: true });

/** Creates an account from an application's page, and comes back signed in. */
export async function signUp(
  page: Page,
  { url, issuer, email }: { url: string; issuer: string; email: string },
  begin = signInLink(page),
): Promise<void> {
  await page.goto(url);
  await begin.click();
  await page.getByRole("link", { name: "Create account" }).click();
  await fillAccount(page, { email, name: "Ada", password: goodPassword });
  await page.getByRole("button", { name: "Create account", exact: true }).click();
  await page.waitForURL(/\/confirm/u);
  const code = await vi.waitFor(async () => {
    const { mails } = (await (await fetch(`${issuer}/dev/mail.json`)).json()) as {
      mails: { to: string; text: string }[];
    };
    const mail = mails.find(({ to }) => to === email);
    return /^\d{4} \d{4}$/mu.exec(mail?.text ?? "")?.[0] ?? Promise.reject(new Error("no mail yet"));
  }, 120_000);
  // The page sends a whole code by itself.
  await page.getByLabel("Code", { exact: true }).fill(code);
  expect(await hello(page)).toBe(`Hello ${email}`);
}

import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, vi } from "vitest";
import { outputOf, start } from "../cli/command.ts";
import { fillAccount } from "../browser/support/steps.ts";
import { goodPassword } from "../support/person.ts";

/** The service in development mode, with the `.env` that it prints. */
export async function startDevService(
  folder: string,
  port: number,
  redirectUris: string[],
): Promise<{ child: ChildProcess; settings: Record<string, string>; issuer: string }> {
  const uris = redirectUris.flatMap((uri) => ["--redirect-uri", uri]);
  const args = ["serve", "--dev", "--port", String(port), "--data", join(folder, "data"), ...uris];
  const child = start(args, { cwd: folder });
  const said = await outputOf(child, /^AUTHSVC_COOKIE_SECRET=.+$/mu);
  const settings = Object.fromEntries(
    [...said.matchAll(/^(AUTHSVC_\w+)=(.+)$/gmu)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
  const issuer = settings["AUTHSVC_ISSUER"] ?? "";
  await vi.waitFor(async () => expect((await fetch(`${issuer}/readyz`)).status).toBe(200), { timeout: 30_000 });
  return { child, settings, issuer };
}

/** Ends a process that a test started, and waits until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

export const hello = (page: Page): Promise<string | null> =>
  page.getByText(/^Hello /u).textContent({ timeout: 20_000 });

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
  }, 30_000);
  // The page sends a whole code by itself.
  await page.getByLabel("Code", { exact: true }).fill(code);
  expect(await hello(page)).toBe(`Hello ${email}`);
}

// Walks through the demo page, takes the pictures demo.*.png, and checks each state with axe, for
// policy violations and sideways scrolling. Usage: node scripts/screenshots-demo.ts [folder]
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "playwright-core";
import { loadConfig } from "../src/config/load.ts";
import { startServer } from "../src/server.ts";
import { proveAddress } from "../test/browser/demo-walk.ts";
import { addVirtualAuthenticator, launchBrowser } from "../test/support/chromium.ts";
import { usualFolder } from "./screenshots/kept.ts";

const contexts: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
  narrow: { colorScheme: "dark", viewport: { width: 320, height: 600 } },
  contrast: { colorScheme: "dark", forcedColors: "active", viewport: { width: 1100, height: 800 } },
};

/** The others are only checked. */
const kept = new Set(["light", "dark", "phone"]);

const [folder = ""] = process.argv.slice(2);
const dataDir = mkdtempSync(path.join(tmpdir(), "authsvc-demo-"));
const flags = { dev: true, port: "0", data: dataDir };
const { config } = loadConfig({ flags, env: {}, cwd: dataDir });
const server = await startServer(config);
const browser = await launchBrowser();
const complaints: string[] = [];
try {
  for (const [variant, options] of Object.entries(contexts)) {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.on("console", (message) => {
      // Refused calls are part of the walk.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) complaints.push(`${variant}: console: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`${variant}: ${String(error)}`));
    await addVirtualAuthenticator(page);
    await walkThrough(page, async (moment) => await take(page, moment, variant));
    await context.close();
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
}
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function walkThrough(page: Page, take: (moment: string) => Promise<void>): Promise<void> {
  const press = async (name: string) => await page.getByRole("button", { name, exact: true }).click();
  const toHosted = async () => await page.getByRole("link", { name: "Continue to the hosted page" }).click();
  await page.goto(`${server.url}/dev/demo`);
  await take("start");
  await page.getByLabel("Use PKCE").check();
  await press("Start sign-in");
  await toHosted();
  await page.getByRole("link", { name: "Cancel" }).click();
  await take("cancelled");
  await toHosted();
  await page.getByRole("link", { name: "Create account" }).click();
  const email = `ada.${Date.now()}@example.com`;
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Name").fill("Ada Lovelace");
  await press("Create a passkey");
  await proveAddress(page, email);
  await page.waitForURL("**/dev/demo/callback?**");
  await take("returned");
  await press("Exchange the code");
  await page.locator("#callback .decoded").waitFor();
  for (const name of ["Validate", "Refresh", "Use the old one again", "Sign out", "Try the access token now"]) {
    await press(name);
    await page.waitForTimeout(100);
  }
  await page.evaluate("document.querySelector('#validate').scrollIntoView()");
  await take("done");
}

async function take(page: Page, moment: string, variant: string): Promise<void> {
  const label = `demo.${moment}.${variant}`;
  // Full-page pictures are large, so only for the start and the end; otherwise the visible part.
  const fullPage = moment === "start" || (moment === "done" && variant === "light");
  if (fullPage) await page.evaluate("scrollTo(0, 0)");
  const place = folder === "" ? usualFolder(label) : folder;
  mkdirSync(place, { recursive: true });
  const file = path.join(place, `${label}.png`);
  if (kept.has(variant)) await page.screenshot({ path: file, fullPage, animations: "disabled" });
  const { violations } = await new AxeBuilder({ page }).analyze();
  for (const { id, nodes } of violations) {
    const where = nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ");
    complaints.push(`${label}: axe: ${id}: ${where}`);
  }
  const sideways = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  if (Number(sideways) > 0) complaints.push(`${label}: scrolls sideways by ${String(sideways)} px`);
}

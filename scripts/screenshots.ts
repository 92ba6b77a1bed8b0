// Takes and checks pictures of all pages, in docs/pages (for documents) or build/pages. Arguments:
// [folder, or ""] [part of a name, or "kept"] [language]
import { mkdirSync } from "node:fs";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../test/support/chromium.ts";
import { isKept, usualFolder } from "./screenshots/kept.ts";
import type { Sample, Variant } from "./screenshots/sample.ts";
import { samples } from "./screenshots/samples.ts";
import { startSampleServer } from "./screenshots/server.ts";

const contexts: Readonly<Record<Variant, BrowserContextOptions>> = {
  light: { colorScheme: "light", viewport: { width: 560, height: 640 } },
  dark: { colorScheme: "dark", viewport: { width: 560, height: 640 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 667 }, isMobile: true, hasTouch: true },
  desktop: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  // 320 CSS pixels, which also is a 640 pixel window at 200 % zoom.
  narrow: { colorScheme: "dark", viewport: { width: 320, height: 600 } },
  contrast: { colorScheme: "dark", forcedColors: "active", viewport: { width: 560, height: 640 } },
};

const [folder = "", wanted = ""] = process.argv.slice(2);
const { origin, server } = await startSampleServer();
const browser = await launchBrowser();
const complaints: string[] = [];
try {
  for (const sample of samples) {
    for (const variant of sample.variants) {
      const label = `${sample.name}.${variant}`;
      if (wanted === "kept" ? isKept(label) : sample.name.includes(wanted)) await take(browser, sample, variant);
    }
  }
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function take(browser: Browser, sample: Sample, variant: Variant): Promise<void> {
  const label = `${sample.name}.${variant}`;
  const context = await browser.newContext({
    ...contexts[variant],
    // High resolution for the first pages that people see; small files for the rest.
    deviceScaleFactor: ["sign-in", "create-account"].includes(sample.name) ? 2 : 1,
    reducedMotion: "reduce",
    javaScriptEnabled: sample.prepare !== "no-script",
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    // Some samples are about failed requests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(`${label}: console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`${label}: ${String(error)}`));
  if (sample.prepare === "no-passkeys") await page.addInitScript("delete globalThis.PublicKeyCredential");
  await addEmptyAuthenticator(page);
  await page.goto(`${origin}/${sample.name}`);
  await sample.act?.(page);
  const place = folder === "" ? usualFolder(label) : folder;
  mkdirSync(place, { recursive: true });
  await page.screenshot({ path: path.join(place, `${label}.png`), fullPage: true, animations: "disabled" });
  if (sample.prepare !== "no-script") await check(page, label);
  await context.close();
}

/**
 * A device with a screen lock but no passkey: requests end as if the person had closed the dialog.
 */
async function addEmptyAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

async function check(page: Page, label: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  for (const { id, nodes } of violations) {
    complaints.push(
      `${label}: axe: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ")}`,
    );
  }
  const sideways = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  if (Number(sideways) > 0) complaints.push(`${label}: scrolls sideways by ${String(sideways)} px`);
}

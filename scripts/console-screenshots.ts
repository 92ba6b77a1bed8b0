// Takes and checks pictures of all pages of the console, as scripts/screenshots.ts does of the
// hosted ones. Arguments: [folder, or ""] [part of a name, or "kept"]
import { mkdirSync } from "node:fs";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startConsole } from "../src/console/local-console.ts";
import { pathOf } from "../src/console/route.ts";
import { consoleRoutes } from "../src/console/routes.ts";
import { launchBrowser } from "../test/support/chromium.ts";
import { shownAt, startConsoleService } from "./screenshots/console-service.ts";
import { isKept, usualFolder } from "./screenshots/kept.ts";

const wide = { width: 1200, height: 800 };
const variants: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light", viewport: wide },
  dark: { colorScheme: "dark", viewport: wide },
  phone: { colorScheme: "light", viewport: { width: 360, height: 720 }, isMobile: true, hasTouch: true },
  // With every form and table open.
  open: { colorScheme: "light", viewport: wide },
};

/** Of the pages whose path does not say it well. */
const names: Readonly<Record<string, string>> = {
  "/console/people/:userId": "person",
  "/console/applications/:appId": "application",
  "/console/applications/:appId/branding": "branding",
  "/console/applications/:appId/organizations": "organizations",
  "/console/applications/:appId/organizations/:orgId": "organization",
  "/console/webhooks/:id": "webhook",
  "/console/webhooks/:id/deliveries/:event": "delivery",
  "/console/keys/:kid": "key",
  "/console/operators/:id": "operator",
};

const [folder = "", wanted = ""] = process.argv.slice(2);
const service = await startConsoleService();
const operator = { actor: { kind: "cli", name: "grace" }, role: "owner", name: "grace", appId: undefined } as const;
const local = await startConsole(service.ctx, { host: "127.0.0.1", port: 0, hosts: [], operator });
const localUrl = new URL(local.link).origin;
const browser = await launchBrowser();
const complaints: string[] = [];
try {
  const entering = await browser.newContext();
  const first = await entering.newPage();
  await first.goto(local.link);
  await first.goto(`${localUrl}/console/keys`);
  const kid = await first.locator('main a[href^="/console/keys/"]').first().getAttribute("href");
  const team = await service.signIn();
  const cookies = [
    ...(await entering.cookies()),
    ...[...team.cookies].map(([name, value]) => ({ name, value, url: service.teamUrl })),
  ];
  for (const { method, path: route } of consoleRoutes) {
    // Previews are within other pages, and nobody comes back from a sign-in.
    if (method !== "GET" || /\/(?:preview|back)$/u.test(route)) continue;
    const name = `console-${names[route] ?? route.replace(/^\/console\//u, "").replaceAll(/[/:]+/gu, "-")}`;
    const isTeam = route.startsWith("/console/operators");
    const parameters = { ...service.parameters, kid: kid?.split("/").at(-1) ?? "" };
    const address = pathOf({ path: route }, isTeam ? { id: service.operatorId } : parameters);
    const url = (isTeam ? service.teamUrl : localUrl) + address;
    for (const [variant, options] of Object.entries(variants)) {
      const label = `${name}.${variant}`;
      if (wanted === "kept" ? !isKept(label) : !name.includes(wanted)) continue;
      const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
      await context.addCookies(cookies);
      await context.clock.setFixedTime(shownAt);
      const page = await context.newPage();
      await take(page, url, label);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await local.close();
  await service.close();
}
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function take(page: Page, url: string, label: string): Promise<void> {
  const response = await page.goto(url);
  if (response?.status() !== 200) complaints.push(`${label}: answered ${response?.status()}`);
  if (label.endsWith(".open"))
    await page.evaluate("document.querySelectorAll('main details').forEach((each) => (each.open = true))");
  const place = folder === "" ? usualFolder(label) : folder;
  mkdirSync(place, { recursive: true });
  // Documents show the beginning of a page.
  const fullPage = folder !== "" || !isKept(label);
  await page.screenshot({ path: path.join(place, `${label}.png`), fullPage, animations: "disabled" });
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  for (const { id, nodes } of violations)
    complaints.push(`${label}: axe: ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  const sideways = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
  if (sideways > 0) complaints.push(`${label}: scrolls sideways by ${sideways} px`);
}

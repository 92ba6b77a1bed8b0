import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { openConsole } from "../support/console.ts";
import { redeem, signedUp, signIn } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { inPage, pageFor } from "./support/steps.ts";

const longName = "Rhabarberbarbarabarbarbarenbartbarbierbier".repeat(2);

/** The console in a browser, with an application in which somebody has signed up. */
async function openOverview(
  stage: Stage,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; url: string; app: TestApp; email: string }> {
  const { service } = stage;
  const app = await service.createApp({ name: longName });
  const { email } = await signedUp(service, app);
  await expect(signIn(service, app, { email, password: "not the password" })).rejects.toThrow();
  const console = await openConsole(service);
  return { page: await pageFor(stage, console, options), url: `${console.url}/console/overview`, app, email };
}

const signIns = "() => document.querySelector('.numbers dd').firstChild.textContent.trim()";

describeInBrowser("the console's overview", (stage) => {
  it("gives axe nothing to find, with every table open, in light and in dark, and fits a phone", async () => {
    const { page, url } = await openOverview(stage, { viewport: narrow });
    for (const range of ["day", "year"]) {
      await page.goto(`${url}?range=${range}`);
      expect(await sidewaysPixels(page), range).toBe(0);
      await inPage(page, "() => document.querySelectorAll('details').forEach((each) => (each.open = true))");
      expect(await sidewaysPixels(page), `${range} with open tables`).toBe(0);
      expect(await violations(page), `${range} in light`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"]), `${range} in dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
  });

  it("is live: a sign-in appears by itself, and an open table stays open", async () => {
    const { page, url, app, email } = await openOverview(stage);
    await page.goto(url);
    const before = Number(await inPage<string>(page, signIns));
    await inPage(page, "() => (document.querySelector('.chart details').open = true)");
    await redeem(stage.service, app, await signIn(stage.service, app, { email }));
    await vi.waitFor(async () => expect(Number(await inPage<string>(page, signIns))).toBe(before + 1), {
      timeout: 30_000,
      interval: 200,
    });
    const isOpen = "() => document.querySelector('.chart details').open";
    expect(await inPage<boolean>(page, isOpen)).toBe(true);
    expect(await page.locator("#sign-ins-summary").textContent()).toContain(`${before + 1} sign-ins`);
  });

  it("J5: shows nothing more once the session is over", async () => {
    const { page, url } = await openOverview(stage);
    await page.goto(url);
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor({ timeout: 30_000 });
    expect(await page.locator(".numbers").count()).toBe(0);
  });

  it("narrows by a bar down to an hour, with the times of the browser's zone in its fields", async () => {
    const { page, url } = await openOverview(stage, { timezoneId: "Asia/Tokyo" });
    await page.goto(`${url}?zone=Asia/Seoul`);
    expect(await page.locator('main a[href*="/console"]:not([href*="zone=Asia"])').count()).toBe(0);
    await page.goto(url);
    await page.locator(".chart .hover a").last().click();
    await page.getByRole("heading", { name: "Audit entries" }).waitFor();
    const from = new URL(page.url()).searchParams.get("from") ?? "";
    const inTokyo = new Date(Date.parse(`${from}Z`) + 9 * 3_600_000).toISOString().slice(0, 16);
    expect(await page.getByLabel("From").inputValue()).toBe(inTokyo);
    expect(await page.locator(".tabs [data-hour]").first().textContent()).toContain(inTokyo.slice(11));
    // The next hour is beside it: what is typed is Tokyo's, what is sent is UTC.
    const earlier = new Date(Date.parse(`${inTokyo}Z`) - 3_600_000).toISOString().slice(0, 16);
    await page.getByLabel("From").fill(earlier);
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL((address) => address.searchParams.get("from") !== from);
    const sent = new Date(Date.parse(`${from}Z`) - 3_600_000).toISOString().slice(0, 16);
    expect(new URL(page.url()).searchParams.get("from")).toBe(sent);
    expect(await page.locator("[data-live=sign-ins-table] a").count()).toBe(2);
  });

  it("needs no script: times are links, the application is a form", async () => {
    const { page, url, app } = await openOverview(stage, { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole("link", { name: "Year" }).click();
    expect(await page.getByRole("link", { name: "Year" }).getAttribute("aria-current")).toBe("page");
    await page.getByLabel("Application").selectOption(app.id);
    await page.getByRole("button", { name: "Show" }).click();
    expect(new URL(page.url()).search).toBe(`?range=year&app=${app.id}&from=&until=`);
    expect(await page.locator("#sign-ins-summary").textContent()).toMatch(/^1 sign-in, /u);
    expect(await page.getByRole("img", { name: "Sign-ins", exact: true }).count()).toBe(1);
  });
});

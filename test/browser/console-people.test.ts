import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import * as userAdministration from "../../src/people/administration.ts";
import { newSomebody, type Somebody } from "../console/somebody.ts";
import { openConsole } from "../support/console.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { inPage, pageFor } from "./support/steps.ts";

/** The console in a browser, and somebody with everything. */
async function openPeople(
  stage: Stage,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; url: string; somebody: Somebody }> {
  const { service } = stage;
  const app = await service.createApp({ name: "Acme" });
  const somebody = await newSomebody(service, app);
  const console = await openConsole(service, { appId: app.id });
  return { page: await pageFor(stage, console, options), url: `${console.url}/console`, somebody };
}

async function tabTo(page: Page, name: string): Promise<void> {
  const here = "() => (document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()";
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if ((await inPage<string>(page, here)).startsWith(name)) return;
  }
  throw new Error(`Tab never reached "${name}"`);
}

describeInBrowser("the console's people", (stage) => {
  it("give axe nothing to find, with every form open, in light and in dark, and fit a phone", async () => {
    const { page, url, somebody } = await openPeople(stage, { viewport: narrow });
    for (const path of ["/people", `/people/${somebody.id}`]) {
      await page.goto(url + path);
      expect(await sidewaysPixels(page), path).toBe(0);
      await inPage(page, "() => document.querySelectorAll('details').forEach((each) => (each.open = true))");
      expect(await sidewaysPixels(page), `${path} with open forms`).toBe(0);
      expect(await violations(page), `${path} in light`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"]), `${path} in dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
  });

  it("a person is found, read about and disabled by keyboard alone", async () => {
    const { page, url, somebody } = await openPeople(stage);
    await page.goto(`${url}/people`);
    await tabTo(page, "Part of an address or name, or an ID");
    await page.keyboard.type(somebody.email);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/people/${somebody.id}`);
    await tabTo(page, "More actions");
    await page.keyboard.press("Enter");
    await tabTo(page, "Disable");
    await page.keyboard.press("Enter");
    await tabTo(page, "Disable");
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    expect(await page.getByRole("status").textContent()).toContain("Disabled");
    const { disabledAt } = await userAdministration.get(stage.service.server.app.ctx, somebody.id);
    expect(disabledAt).not.toBeNull();
  });

  it("everything works without script", async () => {
    const { page, url, somebody } = await openPeople(stage, { javaScriptEnabled: false });
    await page.goto(`${url}/people/${somebody.id}`);
    const metadata = page.getByRole("heading", { name: "Metadata", exact: true });
    await page.locator(".part", { has: metadata }).locator("summary").click();
    await page.getByRole("button", { name: "Change public metadata" }).click();
    const form = page.locator('form[action$="/metadata/public"]');
    await form.getByLabel(/^Changes/u).fill('{"plan": pro}');
    await form.getByRole("button", { name: "Change public metadata" }).click();
    const refused = page.locator('form[action$="/metadata/public"]');
    expect(await refused.getByRole("alert").textContent()).toBe("Changes: JSON");
    expect(await refused.getByLabel(/^Changes/u).inputValue()).toBe('{"plan": pro}');
    await refused.getByLabel(/^Changes/u).fill('{"plan": "free"}');
    await refused.getByRole("button", { name: "Change public metadata" }).click();
    expect(await page.getByRole("status").textContent()).toContain("changed");
    const { publicMetadata } = await userAdministration.get(stage.service.server.app.ctx, somebody.id);
    expect(publicMetadata).toEqual({ plan: "free" });
  });

  it("all on a page are ticked at once, shown, and disabled; another page drops the choice", async () => {
    const { page, url, somebody } = await openPeople(stage);
    await page.goto(`${url}/people`);
    await page.getByLabel("Choose all on this page").check();
    expect(await page.getByLabel("Choose Ann").isChecked()).toBe(true);
    await page.goto(`${url}/people?factor=none`);
    await page.goto(`${url}/people`);
    const chosen = page.getByRole("form", { name: "With those chosen" });
    expect(await page.getByLabel("Choose Ann").isChecked()).toBe(false);
    await page.getByLabel("Choose Ann").check();
    await chosen.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Disable 1 person" }).click();
    await page.getByRole("heading", { name: "1 person disabled" }).waitFor();
    const { disabledAt } = await userAdministration.get(stage.service.server.app.ctx, somebody.id);
    expect(disabledAt).not.toBeNull();
  });

  it.each([true, false])("an export is downloaded twice from the same page (script: %s)", async (javaScriptEnabled) => {
    const { page, url, somebody } = await openPeople(stage, { javaScriptEnabled });
    await page.goto(`${url}/people`);
    for (let time = 0; time < 2; time += 1) {
      await page.locator("details.more > summary").click();
      await page.getByRole("button", { name: "Export as CSV" }).click();
      const downloading = page.waitForEvent("download");
      await page.locator('form[action$="/people/export"] button.button').first().click();
      const file = await (await downloading).path();
      expect(readFileSync(file, "utf8")).toContain(`${somebody.id},Acme,`);
      if (!javaScriptEnabled) await page.reload();
    }
  });
});

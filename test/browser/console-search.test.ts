import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openConsole } from "../support/console.ts";
import { violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { inPage, pageFor } from "./support/steps.ts";

async function openOverview(stage: Stage): Promise<Page> {
  const console = await openConsole(stage.service);
  const page = await pageFor(stage, console);
  await page.goto(`${console.url}/console/mail`);
  return page;
}

const isInSearch = async (page: Page): Promise<boolean> =>
  await inPage<boolean>(page, "() => document.activeElement.matches('[data-search]')");

describeInBrowser("searching everything", (stage) => {
  it("`/` and Ctrl-K go to the search, Enter finds, and a field keeps its `/`", async () => {
    await stage.service.createApp({ id: "app_corner", name: "Corner" });
    const page = await openOverview(stage);
    await page.keyboard.press("/");
    expect(await isInSearch(page)).toBe(true);
    await page.keyboard.type("a/corn");
    expect(await page.locator("[data-search]").inputValue()).toBe("a/corn");
    await page.locator("[data-search]").blur();
    await page.keyboard.press("Control+k");
    expect(await isInSearch(page)).toBe(true);
    await page.keyboard.type("corn");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/search?q=corn");
    await page.getByRole("link", { name: "Corner" }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(page.url().replace("corn", "password"));
    expect(await violations(page)).toEqual([]);
  });

  it("`/` is one switch away from off, also on the next page", async () => {
    const page = await openOverview(stage);
    const toggle = page.locator("[data-slash]");
    await toggle.click();
    expect(await toggle.textContent()).toBe("Search key /: off");
    await page.reload();
    await page.keyboard.press("/");
    expect(await isInSearch(page)).toBe(false);
    await page.keyboard.press("Control+k");
    expect(await isInSearch(page)).toBe(true);
    await page.locator("[data-search]").blur();
    await toggle.click();
    await page.keyboard.press("Tab");
    await page.keyboard.press("/");
    expect(await isInSearch(page)).toBe(true);
  });
});

import { expect, it } from "vitest";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";

describeInBrowser("pages for developers", (stage) => {
  it("gives axe nothing to find in the description of the HTTP API, in light and in dark", async () => {
    const page = await stage.newPage({ viewport: narrow });
    await page.goto(`${stage.service.url}/docs`);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect(await sidewaysPixels(page)).toBe(0);
    // All calls have one form: axe would take a minute for all of them.
    await page.evaluate("for (const each of document.querySelectorAll('details + details')) each.open = false");
    await page.evaluate("document.querySelector('#authentication ~ details + details').open = true");
    expect(await violations(page), "in light").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page, ["color-contrast"]), "in dark").toEqual([]);
  });
});

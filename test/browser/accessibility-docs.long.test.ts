import { describe, expect, it } from "vitest";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";

describeInBrowser("pages for developers", (stage) => {
  describe.each([narrow, { width: 1280, height: 800 }])("at a width of $width", (viewport) => {
    it.each(["", "?show=initiate", "?show=schema-User", "?show=headers", "?show=schemas"])(
      "gives axe nothing to find in the description of the HTTP API, in light and in dark: /docs%s",
      async (query) => {
        const page = await stage.newPage({ viewport });
        await page.goto(`${stage.service.url}/docs${query}`);
        expect(await sidewaysPixels(page)).toBe(0);
        expect(await violations(page), "in light").toEqual([]);
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await violations(page, ["color-contrast"]), "in dark").toEqual([]);
      },
    );
  });
});

import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";

import type { ProfileField } from "../../src/storage/column-types.ts";
import { pageLanguages, textsFor } from "../../src/look/texts/texts.ts";
import { goodPassword, signedUp } from "../support/person.ts";
import { sampled } from "../support/long-run.ts";
import { someTerms } from "../support/waiting-steps.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { changeApp } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, heading, startSignIn } from "./support/steps.ts";

const common = { askAt: "nextSignIn", required: true, editableBy: "user" } as const;
const label = (en: string) => ({ en });
const profileFields: ProfileField[] = [
  { ...common, name: "team", type: "text", maxLength: 50, label: label("Your team") },
  { ...common, name: "born", type: "date", label: label("Date of birth") },
  { ...common, name: "size", type: "choice", label: label("Size"), options: [{ value: "s", label: label("Small") }] },
  { ...common, name: "adult", type: "checkbox", label: label("I am an adult") },
];

describeInBrowser("terms and profile fields in a browser", (stage) => {
  async function waiting(browser: BrowserContextOptions): Promise<{ page: Page }> {
    const app = await createApp(stage, { name: "Acme" });
    const { email } = await signedUp(stage.service, app);
    await changeApp(stage.service, app, { settings: { ...someTerms, profileFields } });
    const page = await stage.newPage({ reducedMotion: "reduce", ...browser });
    await startSignIn(stage, page, app);
    await page.locator("#email").fill(email);
    await page.locator("#password").fill(goodPassword);
    await page.locator("#password").press("Enter");
    await page.locator("form[action$='/step/terms']").first().waitFor();
    return { page };
  }

  it.each([true, false])("are answered, a mistake beside its field (JavaScript: %s)", async (javaScriptEnabled) => {
    const { page } = await waiting({ javaScriptEnabled });
    await button(page, "Accept and continue").click();
    await page.getByLabel("Your team").fill("Blue");
    await page.getByLabel("Size").selectOption("s");
    await button(page, "Continue").click();
    await page.getByText("Tick this box to continue.").waitFor();
    expect(await page.getByLabel("Your team").inputValue()).toBe("Blue");
    expect(await page.getByLabel("Size").inputValue()).toBe("s");
    await page.locator("#profile-born:focus").waitFor();
    await page.getByLabel("Date of birth").fill("1990-12-31");
    await page.getByLabel("I am an adult").check();
    await button(page, "Continue").click();
    await page.waitForURL("**/callback?*code=*");
  });

  it.each(sampled([...pageLanguages.keys()], 4))(
    "in %s, axe finds nothing on their pages, and the smallest phone scrolls in one direction",
    async (lang) => {
      const { texts } = textsFor(lang, undefined);
      const { page } = await waiting({ viewport: narrow, locale: lang });
      const sound = async (title: string): Promise<void> => {
        await heading(page).filter({ hasText: title }).waitFor();
        expect(await sidewaysPixels(page), title).toBe(0);
        expect(await violations(page), title).toEqual([]);
      };
      await sound(texts.termsTitle("Acme"));
      await button(page, texts.termsAccept).click();
      await sound(texts.profileTitle);
      await button(page, texts.continue).click();
      await page.getByText(texts.fieldUnticked).waitFor();
      await sound(texts.profileTitle);
    },
  );
});

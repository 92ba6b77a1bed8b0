import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Texts } from "../../src/look/texts/en.ts";
import { textsFor } from "../../src/look/texts/texts.ts";
import { sampled } from "../support/long-run.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { said } from "./support/passkey-steps.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createApp,
  heading,
  inPage,
  link,
  newSignIn,
  openSignIn,
} from "./support/steps.ts";

/** From right to left, without spaces between words, and with the longest words. */
const languages = ["ar", "ja", "de"].map((lang) => [lang, textsFor(lang, undefined)] as const);

describeInBrowser("pages in other languages", (stage) => {
  /** Looks at a page as the smallest phone shows it. */
  async function expectSound(page: Page, title: string): Promise<void> {
    expect(await heading(page).textContent()).toBe(title);
    expect(await sidewaysPixels(page), title).toBe(0);
    expect(await violations(page), title).toEqual([]);
  }

  async function fill(page: Page, texts: Texts, password: string): Promise<void> {
    await page.getByLabel(texts.email, { exact: true }).fill(newEmail());
    await page.getByLabel(texts.password, { exact: true }).fill(password);
    await button(page, texts.createAccount).click();
  }

  describe.each(sampled(languages, 3))("%s", (lang, { texts, dir }) => {
    it("gives axe nothing to find and needs no sideways scrolling, from the sign-in to the account", async () => {
      const { app, page } = await newSignIn(stage, {
        app: { name: "Acme" },
        browser: { viewport: narrow, reducedMotion: "reduce", locale: lang },
      });
      expect(await page.locator("html").getAttribute("dir")).toBe(dir);
      await expectSound(page, texts.signInTo("Acme"));
      await link(page, texts.forgotPassword).click();
      await page.waitForURL("**/forgot-password");
      await expectSound(page, texts.resetPassword);
      await page.goBack();
      await link(page, texts.createAccount).click();
      await page.waitForURL("**/create-account");
      await fill(page, texts, "short");
      await beside(page).waitFor();
      await expectSound(page, texts.createAccountAt("Acme"));
      await fill(page, texts, goodPassword);
      await backAtTheApp(stage, page);
      await page.goto(`${stage.service.url}/account?app_id=${app.id}`);
      await expectSound(page, texts.accountTitle("Acme"));
    });
  });

  async function openInArabic(app: TestApp): Promise<{ page: Page; texts: Texts }> {
    const page = await stage.newPage({ viewport: narrow });
    await openSignIn(stage, page, app, { locale: "ar" });
    return { page, texts: textsFor("ar", undefined).texts };
  }

  it("says in the page's language what only the browser knows, numbers and their plurals included", async () => {
    const { page, texts } = await openInArabic(await createApp(stage));
    await page.route("**/passkey/options", async (route) => {
      await route.fulfill({ status: 429, headers: { "retry-after": "120" }, json: { error: {} } });
    });
    await button(page, texts.signInWithPasskey).click();
    expect(await said(page)).toBe(texts.tooManyTries("دقيقتان"));
  });

  it("keeps addresses and passwords from left to right where all else runs the other way, with what belongs to them at the end of the line", async () => {
    const { page, texts } = await openInArabic(await createApp(stage));
    const field = page.getByLabel(texts.password, { exact: true });
    const show = button(page, texts.showCharacters);
    const [fieldBox, showBox, labelBox] = await Promise.all([
      field.boundingBox(),
      show.boundingBox(),
      page.getByText(texts.password, { exact: true }).boundingBox(),
    ]);
    expect(showBox?.x).toBeLessThan(fieldBox?.x ?? 0);
    expect((labelBox?.x ?? 0) + (labelBox?.width ?? 0)).toBeGreaterThan(narrow.width / 2);
    for (const name of ["email", "password"]) {
      const look = await inPage(
        page,
        `(id) => { const { direction, textAlign } = getComputedStyle(document.getElementById(id)); return { direction, textAlign }; }`,
        name,
      );
      expect(look, name).toEqual({ direction: "ltr", textAlign: "right" });
    }
    await show.click();
    expect(await button(page, texts.hideCharacters).textContent()).toContain(texts.hide);
    expect(await inPage(page, "() => getComputedStyle(document.getElementById('password')).direction")).toBe("ltr");
  });
});

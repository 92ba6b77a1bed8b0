import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import { switchOffAutofill } from "./support/passkey-steps.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createApp,
  field,
  inPage,
  link,
  newSignIn,
  openSignIn,
  summary,
} from "./support/steps.ts";

describeInBrowser("by keyboard alone", (stage) => {
  /**
   * Presses Tab until the focus is on the control of this name, as somebody would who listens to a
   * screen reader.
   */
  async function tabTo(page: Page, name: string): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < 15; presses += 1) {
      await page.keyboard.press("Tab");
      const here = await nameOfFocus(page);
      if (here === name) return;
      passed.push(here);
    }
    throw new Error(`Tab never reached "${name}", only: ${passed.join(", ")}`);
  }

  async function nameOfFocus(page: Page): Promise<string> {
    return await inPage<string>(
      page,
      `() => {
        const { labels, ariaLabel, textContent } = document.activeElement;
        return (labels?.[0]?.textContent ?? ariaLabel ?? textContent).trim();
      }`,
    );
  }

  it("a person creates an account with a password, and signs in with it", async () => {
    const { app, page } = await newSignIn(stage);
    const email = newEmail();
    await tabTo(page, "Create account");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/create-account");
    await tabTo(page, "Email");
    await page.keyboard.type(email);
    await tabTo(page, "Name");
    await page.keyboard.type("Ada");
    await tabTo(page, "Password");
    await page.keyboard.type(goodPassword);
    await tabTo(page, "Create account");
    await page.keyboard.press("Space");
    await backAtTheApp(stage, page);
    await openSignIn(stage, page, app);
    await tabTo(page, "Email");
    await page.keyboard.type(email);
    await tabTo(page, "Password");
    await page.keyboard.type(goodPassword);
    await tabTo(page, "Sign in");
    await page.keyboard.press("Enter");
    await backAtTheApp(stage, page);
  });

  it("a person creates a passkey and signs in with it", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    await addVirtualAuthenticator(page);
    await switchOffAutofill(page);
    await openSignIn(stage, page, app);
    await link(page, "Create account").press("Enter");
    await page.waitForURL("**/create-account");
    await tabTo(page, "Email");
    await page.keyboard.type(newEmail());
    await tabTo(page, "Create a passkey");
    await page.keyboard.press("Enter");
    await backAtTheApp(stage, page);
    await openSignIn(stage, page, app);
    await tabTo(page, "Sign in with a passkey");
    await page.keyboard.press("Enter");
    await backAtTheApp(stage, page);
  });

  it("Enter in the email field sends the password form, not the passkey's", async () => {
    const { page } = await newSignIn(stage);
    await field(page, "Password").fill("something else entirely");
    await field(page, "Email").fill(newEmail());
    await field(page, "Email").press("Enter");
    await summary(page).waitFor();
    expect(page.url()).toMatch(/\/password$/u);
    await link(page, "Create account").click();
    await field(page, "Password").fill("passwordpassword");
    await field(page, "Name").press("Enter");
    await beside(page).waitFor();
    expect(page.url()).toMatch(/\/create-account$/u);
  });

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    it("every stop of Tab can be seen, and comes in the order of reading", async () => {
      const { page } = await newSignIn(stage, { browser: { colorScheme } });
      for (const path of ["", "/create-account"]) {
        if (path !== "") await link(page, "Create account").click();
        await page.waitForURL(`**${path}`);
        const order: string[] = [];
        // From the beginning, wherever the page has put the focus.
        await inPage(
          page,
          `() => {
            document.body.tabIndex = -1;
            document.body.focus();
            document.body.removeAttribute("tabindex");
          }`,
        );
        for (;;) {
          await page.keyboard.press("Tab");
          const { tag, ...seen } = await inPage<{ tag: string; outlined: boolean; inView: boolean }>(
            page,
            `async () => {
              // The browser scrolls to the focus with its next frame.
              await new Promise(requestAnimationFrame);
              // The ring of a field is around all of it.
              const field = document.activeElement.localName === "input" && document.activeElement.closest(".control");
              const { outlineStyle, outlineWidth } = getComputedStyle(field || document.activeElement);
              const { top, bottom } = document.activeElement.getBoundingClientRect();
              const outlined = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
              return { tag: document.activeElement.localName, outlined, inView: top >= -1 && bottom <= innerHeight + 1 };
            }`,
          );
          if (tag === "body") break;
          order.push(await nameOfFocus(page));
          expect(seen, order.at(-1)).toEqual({ outlined: true, inView: true });
        }
        expect(order).toEqual(
          path === ""
            ? [
                "Create account",
                "Sign in with a passkey",
                "Email",
                "Password",
                "Show characters",
                "Forgot password?",
                "Sign in",
                "Cancel",
              ]
            : [
                "Sign in",
                "Email",
                "Name",
                "Create a passkey",
                "Password",
                "Show characters",
                "Create account",
                "Cancel",
              ],
        );
      }
      expect(await button(page, "Create account").isVisible()).toBe(true);
    });
  });
});

import { describe, expect, it } from "vitest";
import { sampled } from "../support/long-run.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { pageStates } from "./support/states.ts";
import { stepStates } from "./support/step-states.ts";
import { createApp, field, heading, inPage, newSignIn } from "./support/steps.ts";

const longName = "Rhabarberbarbarabarbarbarenbartbarbierbier".repeat(4);

describeInBrowser("pages for everybody", (stage) => {
  describe.each(sampled([...pageStates, ...stepStates], 6))("%s", (_, expectedHeading, reach) => {
    it("gives axe nothing to find, in light and in dark, and needs no sideways scrolling on the smallest phone", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const page = await stage.newPage({ viewport: narrow, reducedMotion: "reduce" });
      await reach({ stage, page, app });
      expect(await heading(page).textContent()).toMatch(expectedHeading);
      expect(await sidewaysPixels(page)).toBe(0);
      expect(await violations(page), "in light").toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"]), "in dark").toEqual([]);
    });
  });

  it("would hear of what axe finds, so that nothing found means something", async () => {
    const { page } = await newSignIn(stage);
    await page.evaluate("document.querySelector('label').remove(); document.querySelector('h1').style.color = '#ccc'");
    const rules = (await violations(page)).map((found) => found.split(":")[0]);
    expect(rules).toEqual(expect.arrayContaining(["color-contrast", "label"]));
  });

  it.each(sampled(pageStates.slice(0, 3), 3))(
    "wraps the longest words of an app and a person: %s",
    async (_, __, reach) => {
      const app = await createApp(stage, { name: longName });
      const page = await stage.newPage({ viewport: narrow });
      await reach({ stage, page, app });
      expect(await heading(page).textContent()).toContain(longName);
      expect(await sidewaysPixels(page)).toBe(0);
    },
  );

  it("keeps what one presses large enough for a thumb, and what one types large enough that phones don't zoom", async () => {
    const { page } = await newSignIn(stage, { browser: { viewport: narrow } });
    for (const name of ["Email", "Password"] as const) {
      expect((await field(page, name).boundingBox())?.height).toBeGreaterThanOrEqual(44);
      const size = `(id) => parseFloat(getComputedStyle(document.getElementById(id)).fontSize)`;
      expect(await inPage<number>(page, size, name.toLowerCase())).toBeGreaterThanOrEqual(16);
    }
    for (const box of await page.getByRole("button").all()) {
      expect((await box.boundingBox())?.height, (await box.textContent()) ?? "").toBeGreaterThanOrEqual(44);
    }
  });

  it.each([
    [
      "",
      [
        "button Sign in with a passkey",
        "textbox Email",
        "textbox Password",
        "link Forgot password?",
        "button Sign in",
        "link Create account",
        "link Cancel",
      ],
    ],
    [
      "/create-account",
      [
        "textbox Email",
        "textbox Name",
        "button Create a passkey",
        "textbox Password",
        "button Create account",
        "link Sign in",
        "link Cancel",
      ],
    ],
  ] as const)("names its controls as others look for them: /sign-in/…%s", async (path, controls) => {
    const { page, session } = await newSignIn(stage);
    await page.goto(session.authUrl + path);
    for (const control of controls) {
      const [role = "", ...name] = control.split(" ");
      const found = page.getByRole(role as "link", { name: name.join(" "), exact: true });
      expect(await found.count(), control).toBe(1);
      expect(await found.isVisible(), control).toBe(true);
    }
  });

  it("says its language and direction, and one heading that names the act and the app", async () => {
    const { page } = await newSignIn(stage, { app: { name: "Acme" }, browser: { locale: "it-IT" } });
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await page.locator("html").getAttribute("dir")).toBe("ltr");
    expect(await page.locator("h1").allTextContents()).toEqual(["Sign in to Acme"]);
    expect(await page.title()).toBe("Sign in to Acme");
  });
});

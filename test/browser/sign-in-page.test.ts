import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import { contrastOf } from "../../src/look/colours.ts";
import { goodPassword, initiate, newEmail, signUp, signedUp } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  fillAccount,
  focused,
  heading,
  inPage,
  link,
  openSignIn,
  summary,
} from "./support/steps.ts";

const operator = { kind: "cli", name: "test" } as const;
const phone = { width: 390, height: 667 };
const sevenProviders = ["one", "two", "three", "four", "five", "six", "seven"];

/** The colours of an element as they are painted, as `#rrggbb`. */
async function paint(page: Page, name: string): Promise<{ fill: string; edge: string; card: string }> {
  const source = `async (name) => {
    await Promise.all(document.getAnimations().map((animation) => animation.finished));
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const hex = (colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const channels = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      return "#" + channels.map((channel) => channel.toString(16).padStart(2, "0")).join("");
    };
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === name);
    const { backgroundColor, borderTopColor } = getComputedStyle(button);
    const card = getComputedStyle(document.querySelector(".card")).backgroundColor;
    return { fill: hex(backgroundColor), edge: hex(borderTopColor), card: hex(card) };
  }`;
  return await inPage(page, source, name);
}

describeInBrowser("the sign-in page", (stage) => {
  async function signInByPassword(page: Page, app: TestApp, email: string): Promise<void> {
    await openSignIn(stage, page, app);
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    await backAtTheApp(stage, page);
  }

  /** Which of the two buttons is filled; the other one must be seen to be a button. */
  async function primary(page: Page): Promise<string[]> {
    const filled: string[] = [];
    for (const name of ["Sign in with a passkey", "Sign in"]) {
      const { fill, edge, card } = await paint(page, name);
      expect(contrastOf(edge, card), `the edge of "${name}"`).toBeGreaterThanOrEqual(3);
      if (contrastOf(fill, card) >= 3) filled.push(name);
    }
    return filled;
  }

  it.each(["light", "dark"] as const)("has one filled button, and an outline that is seen: %s", async (colorScheme) => {
    const app = await createApp(stage, { name: "Acme" });
    const { email } = await signedUp(stage.service, app);
    const context = await stage.newProfile({ colorScheme });
    const page = await context.newPage();
    await openSignIn(stage, page, app);
    expect(await primary(page)).toEqual(["Sign in with a passkey"]);
    await signInByPassword(page, app, email);
    // Signed out of the account page, the browser still knows which way was used last.
    const cookies = await context.cookies();
    await context.clearCookies();
    await context.addCookies(cookies.filter(({ value }) => value === "password"));
    await openSignIn(stage, page, app);
    expect(await primary(page)).toEqual(["Sign in"]);
  });

  it("has its filled button on the password where there are no passkeys", async () => {
    const page = await stage.newPage();
    await page.addInitScript("delete globalThis.PublicKeyCredential");
    await openSignIn(stage, page, await createApp(stage));
    const { fill, card } = await paint(page, "Sign in");
    expect(contrastOf(fill, card)).toBeGreaterThanOrEqual(3);
    expect(await button(page, "Sign in with a passkey").isVisible()).toBe(false);
  });

  it('has one "or", however many ways it offers, and four providers or more as named marks in a row', async () => {
    const app = await createApp(stage, { name: "Acme", methods: ["passkey", "password", "oauth"] });
    const page = await stage.newPage({ viewport: phone });
    const withoutPasskeys = await stage.newPage();
    await withoutPasskeys.addInitScript("delete globalThis.PublicKeyCredential");
    const names = ["google", "github", "microsoft", "discord"];
    // Forms may lead to these providers.
    stage.expectComplaint(/lacks protection: .*form-action/u);
    for (const name of names) {
      const settings = { name, clientId: "client", secret: "a secret of the client" };
      await providers.set(stage.service.server.app.ctx, app.id, settings, operator);
      for (const each of [page, withoutPasskeys]) {
        await openSignIn(stage, each, app);
        expect(await each.locator(".divider:visible").count()).toBe(1);
      }
    }
    const tops = new Set<number>();
    for (const name of ["Google", "GitHub", "Microsoft", "Discord"]) {
      const mark = button(page, `Continue with ${name}`);
      const box = await mark.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      expect(await mark.getAttribute("title")).toBe(name);
      tops.add(box?.y ?? 0);
    }
    expect(tops.size).toBe(1);
    expect(await violations(page)).toEqual([]);
  });

  it("has its focus ring around the whole field of the password, with its button", async () => {
    const page = await stage.newPage();
    await openSignIn(stage, page, await createApp(stage));
    await page.getByLabel("Password", { exact: true }).focus();
    const rings = `() => [...document.querySelectorAll("form *")]
      .filter((each) => getComputedStyle(each).outlineStyle !== "none")
      .map((each) => [each.className, each.querySelector(".show") !== null])`;
    expect(await inPage(page, rings)).toEqual([["control", true]]);
  });

  describe.each([
    ["a phone", phone],
    ["a low window", { width: 1280, height: 800 }],
  ])("on %s", (_, viewport) => {
    async function isInSight(page: Page): Promise<boolean> {
      const box = await link(page, "Create account").boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= viewport.height;
    }

    it("shows the way to create an account without scrolling, with seven providers, also after a mistake", async () => {
      const app = await createApp(stage, { name: "Acme", methods: ["passkey", "password", "oauth"] });
      const { ctx } = stage.service.server.app;
      for (const name of sevenProviders) {
        const settings = { name, clientId: "client", secret: "a secret of the client", issuer: stage.site.origin };
        await providers.set(ctx, app.id, settings, operator);
      }
      const page = await stage.newPage({ viewport });
      await openSignIn(stage, page, app);
      expect(await page.locator(".providers button").count()).toBe(7);
      expect(await isInSight(page)).toBe(true);
      await fillAccount(page, { email: newEmail(), password: goodPassword }, "Sign in");
      await summary(page).waitFor();
      expect(await isInSight(page)).toBe(true);
    });
  });

  describe("for somebody who is signed in", () => {
    const longEmail = () => `augusta.ada.king.countess.of.lovelace.${newEmail()}`;

    async function returning(email: string, options: Parameters<typeof stage.newProfile>[0] = {}) {
      const app = await createApp(stage, { name: "Acme" });
      await signUp(stage.service, app, { email, name: "Ada Lovelace" });
      const page = await stage.newPage(options);
      await signInByPassword(page, app, email);
      stage.site.forget();
      await page.goto((await initiate(stage.service, app)).authUrl);
      return { page, card: page.getByRole("button", { name: `Continue as Ada Lovelace ${email}`, exact: true }) };
    }

    it.each([true, false])(
      "is one card that has the focus, all else folded (JavaScript: %s)",
      async (javaScriptEnabled) => {
        const { page, card } = await returning(longEmail(), { javaScriptEnabled, viewport: phone });
        await card.waitFor();
        expect(await page.locator(":focus").getAttribute("class")).toContain("who");
        expect(await button(page, "Sign in").count()).toBe(0);
        expect(await link(page, "Create account").count()).toBe(0);
        const height = (await card.locator("small").boundingBox())?.height ?? 0;
        expect(height, "one line for the address").toBeLessThan(24);
        await page.getByText("Use another account", { exact: true }).click();
        await button(page, "Sign in").waitFor();
        expect(await link(page, "Create account").isVisible()).toBe(true);
        await card.click();
        expect((await backAtTheApp(stage, page)).has("code")).toBe(true);
      },
    );

    it("stays open for somebody else who made a mistake", async () => {
      const { page } = await returning(newEmail());
      await page.getByText("Use another account", { exact: true }).click();
      await fillAccount(page, { email: newEmail(), password: goodPassword }, "Sign in");
      await summary(page).waitFor();
      expect(await button(page, "Sign in").isVisible()).toBe(true);
      await expect.poll(() => focused(page)).toMatchObject({ role: "alert" });
    });

    it("is shown by two initials, or by one in scripts whose letters would form a word", async () => {
      const initials = async (name: string): Promise<string> => {
        const app = await createApp(stage, { name: "Acme" });
        const email = newEmail();
        await signUp(stage.service, app, { email, name });
        const page = await stage.newPage();
        await signInByPassword(page, app, email);
        await page.goto(`${stage.service.url}/account?app_id=${app.id}`);
        expect(await heading(page).textContent()).toBe("Your Acme account");
        return await inPage(page, `() => document.querySelector(".face text").textContent.trim()`);
      };
      expect(await initials("Ada King Lovelace")).toBe("AL");
      expect(await initials("منى أحمد")).toBe("م");
    });
  });
});

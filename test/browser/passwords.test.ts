import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampled } from "../support/long-run.ts";
import { goodPassword, newEmail, signedUp } from "../support/person.ts";
import { auditOf, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createAccount,
  createApp,
  field,
  fillAccount,
  focused,
  link,
  newSignIn,
  openSignIn,
  summary,
} from "./support/steps.ts";

describeInBrowser("passwords in a browser", (stage) => {
  async function problem(page: Page): Promise<string> {
    return ((await summary(page).textContent()) ?? "").trim();
  }

  const browsers = [
    ["with JavaScript", true],
    ["without JavaScript", false],
  ] as const;
  describe.each(sampled(browsers, 2))("%s", (_, javaScriptEnabled) => {
    it("says that email and password don't match, keeps the address, and takes the right password after it", async () => {
      const app = await createApp(stage);
      const { email } = await signedUp(stage.service, app);
      const page = await stage.newPage({ javaScriptEnabled });
      await openSignIn(stage, page, app);
      await fillAccount(page, { email, password: "not the password at all" }, "Sign in");
      await page.waitForURL("**/password");
      expect(await problem(page)).toBe(
        "That email and password don't match. Try again, reset your password, or wait a few minutes.",
      );
      expect(await page.title()).toMatch(/^Error: Sign in to Acme/u);
      expect(await field(page, "Email").inputValue()).toBe(email);
      expect(await field(page, "Password").inputValue()).toBe("");
      expect(stage.site.callbacks).toEqual([]);
      expect(await auditOf(stage.service, app)).toContain("sign-in failure");
      await field(page, "Password").fill(goodPassword);
      await button(page, "Sign in").click();
      expect((await backAtTheApp(stage, page)).get("code")).toMatch(/^[\w-]{43}$/u);
    });

    it("refuses a password that is too short, beside the field, and keeps what was typed", async () => {
      const { app, page } = await newSignIn(stage, { browser: { javaScriptEnabled } });
      await link(page, "Create account").click();
      await page.getByText("At least 15 characters.").waitFor();
      const email = newEmail();
      await fillAccount(page, { email, password: "fourteen chars", name: "Ada" }, "Create account");
      await beside(page).waitFor();
      expect(await page.getByText("Too short. Use at least 15 characters.").isVisible()).toBe(true);
      expect(await field(page, "Password").getAttribute("aria-invalid")).toBe("true");
      expect(await field(page, "Email").inputValue()).toBe(email);
      expect(await field(page, "Name").inputValue()).toBe("Ada");
      expect(await usersOf(stage.service, app)).toEqual([]);
      await field(page, "Password").fill("fifteen chars!!");
      await button(page, "Create account").click();
      await backAtTheApp(stage, page);
      expect(await usersOf(stage.service, app)).toMatchObject([{ email, name: "Ada" }]);
    });

    it.each([
      ["is none", "ada at example.org", "Enter an address like name@example.com."],
      [
        "is one that nobody can have here",
        "jürgen@example.org",
        "Characters such as ü and % can't be used before the @ here. Use another address.",
      ],
      ["is missing", " ", "Enter your email address."],
    ])("asks for an email address where what was typed %s", async (_what, typed, words) => {
      const { app, page } = await newSignIn(stage, { browser: { javaScriptEnabled } });
      for (const name of ["Sign in", "Create account"]) {
        await fillAccount(page, { email: typed, password: goodPassword }, name);
        await beside(page).waitFor();
        expect(await beside(page).textContent()).toBe(words);
        expect(await summary(page).count()).toBe(0);
        expect(await field(page, "Email").getAttribute("aria-invalid")).toBe("true");
        if (name === "Sign in") await link(page, "Create account").click();
      }
      expect(await usersOf(stage.service, app)).toEqual([]);
    });

    it("moves the focus to the field that is wrong", async () => {
      const { page } = await newSignIn(stage, { browser: { javaScriptEnabled } });
      await fillAccount(page, { email: "nobody", password: goodPassword }, "Sign in");
      await beside(page).waitFor();
      await expect.poll(() => focused(page)).toMatchObject({ id: "email" });
    });

    it("explains a forgotten password and leads back", async () => {
      const { page, session } = await newSignIn(stage, { browser: { javaScriptEnabled } });
      await link(page, "Forgot password?").click();
      await page.getByRole("heading", { name: "Reset your password" }).waitFor();
      await link(page, "Back to sign in").click();
      await page.waitForURL(session.authUrl);
    });
  });

  it("tells a stranger nothing about an address that has an account", async () => {
    const app = await createApp(stage);
    const { email } = await signedUp(stage.service, app);
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    await createAccount(page, { email, password: goodPassword });
    expect(await problem(page)).toBe(
      "We couldn't create an account with these details. If you already have one, sign in instead.",
    );
    expect(await usersOf(stage.service, app)).toHaveLength(1);
  });

  it("shows and hides the characters of a password, and sends it hidden", async () => {
    const { page } = await newSignIn(stage);
    await field(page, "Password").fill("visible");
    await button(page, "Show characters").click();
    expect(await field(page, "Password").getAttribute("type")).toBe("text");
    await button(page, "Hide characters").click();
    expect(await field(page, "Password").getAttribute("type")).toBe("password");
  });

  it("keeps the typed address between signing in and creating an account, and out of every address", async () => {
    const { page } = await newSignIn(stage);
    await field(page, "Email").fill("typed@example.org");
    await link(page, "Create account").click();
    expect(await field(page, "Email").inputValue()).toBe("typed@example.org");
    await link(page, "Sign in").click();
    expect(await field(page, "Email").inputValue()).toBe("typed@example.org");
    expect(page.url()).not.toContain("typed");
  });

  it("fills in the address that the app expects, in fields that password managers understand", async () => {
    const { page } = await newSignIn(stage, { ask: { loginHint: "hinted@example.org" } });
    expect(await field(page, "Email").inputValue()).toBe("hinted@example.org");
    expect(await field(page, "Email").getAttribute("autocomplete")).toBe("username webauthn");
    expect(await field(page, "Password").getAttribute("autocomplete")).toBe("current-password");
    await link(page, "Create account").click();
    expect(await field(page, "Email").inputValue()).toBe("hinted@example.org");
    expect(await field(page, "Password").getAttribute("autocomplete")).toBe("new-password");
  });
});

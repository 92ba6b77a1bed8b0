import type { Page } from "playwright-core";
import { beforeEach, expect, it } from "vitest";
import { goodPassword, newEmail } from "../support/person.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, confirmAddress, field, link, createAccount } from "./support/steps.ts";

describeInBrowser(
  "the demo page",
  (stage) => {
    // The stand-ins are other origins, which the forms of the sign-in page lead to.
    beforeEach(() => stage.expectComplaint(/\/sign-in\/sis_\S+ lacks protection: \/\^form-action/u));

    const saysThat = async (page: Page, words: string | RegExp): Promise<void> =>
      await page.getByRole("status").getByText(words).waitFor();

    /** The answer to the newest call of this title. */
    async function answerOf(page: Page, title: string): Promise<Record<string, unknown>> {
      const call = page.locator("details", { has: page.getByText(title, { exact: true }) }).first();
      const text = (await call.locator("pre").textContent()) ?? "";
      return JSON.parse(text.slice(text.lastIndexOf("\n{\n")));
    }

    async function claimsIn(page: Page, token: "access-token" | "id-token"): Promise<unknown> {
      return JSON.parse((await page.locator(`#${token}`).textContent()) ?? "");
    }

    /** From the demo page, by a new account, back to it. */
    async function signIn(page: Page): Promise<string> {
      const email = newEmail();
      await page.goto(`${stage.service.url}/dev/demo`);
      await button(page, "Sign in").click();
      await createAccount(page, { email, password: goodPassword, name: "Ada Lovelace" });
      await page.waitForURL(/\/confirm$/u);
      await confirmAddress(page, email);
      await saysThat(page, `You are signed in as ${email}.`);
      return email;
    }

    it("signs a new person in, and shows the tokens, which a reload keeps", async () => {
      const page = await stage.newPage();
      const email = await signIn(page);
      expect(page.url()).toBe(`${stage.service.url}/dev/demo`);
      expect(await claimsIn(page, "access-token")).toMatchObject({ aud: "app_demo", email });
      const { refreshToken, user } = await answerOf(page, "POST /auth/callback: 200 OK");
      expect(user).toMatchObject({ email });
      expect(await page.locator("#refresh-token").textContent()).toBe(refreshToken);
      await page.reload();
      await saysThat(page, `You are signed in as ${email}.`);
      expect(await page.locator("#refresh-token").textContent()).toBe(refreshToken);
    });

    it("validates, refreshes and signs out", async () => {
      const page = await stage.newPage();
      const email = await signIn(page);
      await button(page, "Validate").click();
      await saysThat(page, "The access token is valid.");
      expect(await answerOf(page, "GET /auth/validate: 200 OK")).toMatchObject({ valid: true, user: { email } });
      const first = await page.locator("#refresh-token").textContent();
      await button(page, "Refresh").click();
      await saysThat(page, "You have new tokens.");
      expect(await page.locator("#refresh-token").textContent()).not.toBe(first);
      await button(page, "Validate").click();
      await saysThat(page, "The access token is valid.");
      await button(page, "Sign out").click();
      await saysThat(page, "You are signed out");
      await button(page, "Validate").click();
      await saysThat(page, "The service refused: ");
      expect(await answerOf(page, "GET /auth/validate: 401 Unauthorized")).toHaveProperty("error.code");
    });

    it("signs in to a second program without a form, which ends with the sign-in, and reads well in light and dark on a phone", async () => {
      const page = await stage.newPage();
      const email = await signIn(page);
      await button(page, "Sign in to Acme Wiki").click();
      await saysThat(page, `You are signed in to Acme Wiki as ${email}.`);
      expect(await claimsIn(page, "id-token")).toMatchObject({ email, nonce: expect.any(String) });
      const { access_token: token } = await answerOf(page, "POST /oauth2/token: 200 OK");
      const userinfo = async (): Promise<number> =>
        (await fetch(`${stage.service.url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${String(token)}` } }))
          .status;
      expect(await userinfo()).toBe(200);
      await page.setViewportSize(narrow);
      expect(await sidewaysPixels(page)).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect(await violations(page)).toEqual([]);
      }
      await button(page, "Sign out").click();
      await saysThat(page, "You are signed out, from Acme Wiki too.");
      expect(await userinfo()).toBe(401);
      expect(await page.locator("#id-token").isVisible()).toBe(false);
    });

    it("works by keyboard alone, and says what came back from a cancelled sign-in", async () => {
      const page = await stage.newPage();
      await page.goto(`${stage.service.url}/dev/demo`);
      for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
      await field(page, "Email").waitFor();
      await link(page, "Cancel").click();
      await saysThat(page, "You are not signed in: the sign-in ended with access_denied.");
    });

    it("shows the code of a sign-in that it did not start, for pasting, and does not use it", async () => {
      const page = await stage.newPage();
      await page.goto(`${stage.service.url}/dev/demo`);
      await button(page, "Sign in").click();
      await field(page, "Email").waitFor();
      await page.goto(`${stage.service.url}/dev/demo/callback?code=code-to-paste&state=strange&sessionId=sis_strange`);
      await saysThat(page, "This page did not start this sign-in.");
      expect(await page.locator("#result").textContent()).toBe("code-to-paste");
      expect(await page.getByText("POST /auth/callback").count()).toBe(0);
      await page.goto(`${stage.service.url}/dev/demo`);
      await saysThat(page, "You are not signed in.");
    });

    it("stands beside the page whose lines for the .env file one button copies", async () => {
      const page = await stage.newPage();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${stage.service.url}/dev`);
      await button(page, "Copy").first().click();
      await button(page, "Copied").waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied).toBe(stage.service.server.dev?.envText);
    });

    it("moves to the service's own address, where the browser will come back to", async () => {
      const page = await stage.newPage();
      const { href } = new URL("/dev/demo", stage.service.url);
      const elsewhere = href.replace("localhost", "127.0.0.1");
      stage.allowOrigin(new URL(elsewhere).origin);
      await page.goto(elsewhere);
      await page.waitForURL(href);
    });
  },
  { overrides: { dev: true } },
);

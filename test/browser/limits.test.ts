import { expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import { testConfig } from "../support/service.ts";
import { said } from "./support/passkey-steps.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  heading,
  link,
  openSignIn,
  summary,
} from "./support/steps.ts";

describeInBrowser(
  "too many passwords from one address",
  (stage) => {
    it("are answered with how long to wait and what works meanwhile, and with the typed address", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page);
      await openSignIn(stage, page, app);
      const email = newEmail();
      for (const words of [
        "That email and password don't match. Try again, reset your password, or wait a few minutes.",
        /^Too many attempts\. You can try again in (?:1 minute|\d+ seconds?), or sign in with a passkey\.$/u,
      ]) {
        await fillAccount(page, { email, password: goodPassword });
        const [answer] = await Promise.all([page.waitForResponse("**/password"), button(page, "Sign in").click()]);
        await summary(page).waitFor();
        expect(((await summary(page).textContent()) ?? "").trim()).toMatch(words);
        if (typeof words !== "string") {
          expect(answer.status()).toBe(429);
          expect(Number((await answer.allHeaders())["retry-after"])).toBeGreaterThan(0);
        }
      }
      expect(await field(page, "Email").inputValue()).toBe(email);
      await link(page, "Create account").click();
      await field(page, "Email").fill(email);
      await button(page, "Create a passkey").click();
      await backAtTheApp(stage, page);
    });
  },
  { overrides: { passwords: { ...testConfig.passwords, attemptsPerMinute: 1 } } },
);

describeInBrowser(
  "too many requests from one address",
  (stage) => {
    it("are answered in words, by the passkey button and by every form", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      // The page itself asks for a challenge once, for autofill: that is all that this service
      // allows in a minute.
      const autofill = page.waitForResponse("**/passkey/options");
      const { authUrl } = await openSignIn(stage, page, app);
      await autofill;
      await button(page, "Sign in with a passkey").click();
      expect(await said(page)).toMatch(/^Too many attempts\. You can try again in (?:1 minute|\d+ seconds?)\.$/u);
      await fillAccount(page, { email: newEmail(), password: goodPassword }, "Sign in");
      await page.getByText(/^You can try again in/u).waitFor();
      expect(await heading(page).textContent()).toBe("Too many attempts");
      expect((await page.goto(authUrl))?.status()).toBe(200);
    });
  },
  { overrides: { rateLimits: { ...testConfig.rateLimits, authentication: 1 } } },
);

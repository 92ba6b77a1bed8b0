import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { recordFactorTries } from "../../src/factors/store.ts";
import { maxFailures } from "../../src/rate-limits/failures.ts";
import { codeAt, signedUpWithTotp } from "../support/factors.ts";
import { goodPassword, newEmail, signUp } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, violations } from "./support/everybody.ts";
import { changeApp, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createApp,
  fillAccount,
  heading,
  inPage,
  link,
  openSignIn,
} from "./support/steps.ts";

const optional = { name: "Acme", settings: { secondFactor: "optional" } } as const;

describeInBrowser("a second factor in a browser", (stage) => {
  const code = (page: Page, label = "Code") => page.getByLabel(label, { exact: true });
  /** Codes are of the service's clock, which moves on so that each is of a step of its own. */
  const nextCode = (key: string): string => {
    stage.service.clock.advance(60_000);
    return codeAt(key, stage.service.clock.now);
  };

  async function named(page: Page, text: string): Promise<void> {
    await heading(page).filter({ hasText: text }).waitFor();
  }

  async function givePassword(page: Page, email: string): Promise<void> {
    await fillAccount(page, { email, password: goodPassword });
    await button(page, "Sign in").click();
  }

  /** On the account page of somebody with a password. */
  async function openAccount(page: Page): Promise<{ app: TestApp; email: string }> {
    const app = await createApp(stage, optional);
    const email = newEmail();
    await signUp(stage.service, app, { email });
    const accountUrl = `${stage.service.url}/account?app_id=${app.id}`;
    await page.goto(accountUrl);
    await givePassword(page, email);
    await named(page, "Your Acme account");
    return { app, email };
  }

  it("is set up on the account page, asked for in a sign-in, and replaced once by a recovery code", async () => {
    const page = await stage.newPage();
    const { app, email } = await openAccount(page);
    await link(page, "Set up an authenticator app").click();
    await named(page, "Set up an authenticator app");
    expect(await page.getByRole("img", { name: "QR code with the key below" }).isVisible()).toBe(true);
    const key = (await page.locator(".key").textContent()) ?? "";
    await code(page, "Code that the app shows").fill(nextCode(key));
    await code(page, "Code that the app shows").press("Enter");
    await named(page, "Keep your recovery codes");
    const codes = await page.locator(".codes li").allTextContents();
    expect(codes).toHaveLength(10);

    const [file] = await Promise.all([page.waitForEvent("download"), link(page, "Download").click()]);
    expect(file.suggestedFilename()).toBe("recovery-codes.txt");
    expect(await readFile(await file.path(), "utf8")).toBe(`Acme – Recovery codes\n\n${codes.join("\n")}\n`);
    await page.evaluate("globalThis.print = () => void (globalThis.printed = true)");
    await button(page, "Print").click();
    expect(await inPage(page, "() => globalThis.printed")).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await button(page, "Print").isVisible()).toBe(false);
    expect(await page.getByText(codes[9] ?? "").isVisible()).toBe(true);
    await page.emulateMedia({ media: "screen" });

    await link(page, "I have kept them").click();
    await page.getByText("Your authenticator app is set up.").waitFor();
    await button(page, "Sign out").first().click();
    await named(page, "signed out");

    await openSignIn(stage, page, app);
    await givePassword(page, email);
    await named(page, "Enter your code");
    expect(await code(page).getAttribute("inputmode")).toBe("numeric");
    await code(page).fill(nextCode(key));
    await button(page, "Continue").click();
    await backAtTheApp(stage, page);

    const elsewhere = await stage.newPage();
    await openSignIn(stage, elsewhere, app);
    await givePassword(elsewhere, email);
    await named(elsewhere, "Enter your code");
    await link(elsewhere, "Use a recovery code").click();
    await code(elsewhere, "Recovery code").fill("ABCD");
    await button(elsewhere, "Continue").click();
    await beside(elsewhere).waitFor();
    const [recoveryCode = ""] = codes;
    await code(elsewhere, "Recovery code").fill(recoveryCode.toLowerCase().replaceAll("-", " "));
    await button(elsewhere, "Continue").click();
    await named(elsewhere, "You used a recovery code");
    expect(await elsewhere.getByText("You have 9 codes left.").isVisible()).toBe(true);
    await button(elsewhere, "Continue").click();
    await backAtTheApp(stage, elsewhere);
  });

  it("asks for no code once codes are blocked, but for the passkey first, then names who helps", async () => {
    const app = await createApp(stage, { name: "Acme", settings: { secondFactor: "required" } });
    await changeApp(stage.service, app, { branding: { supportUrl: "https://acme.example/help" } });
    const { email } = await signedUpWithTotp(stage.service, app);
    const [user] = await usersOf(stage.service, app);
    await stage.service.server.app.ctx.storage.write(
      async (tx) => await recordFactorTries(tx, { userId: user?.id ?? "", failures: maxFailures, blockedUntil: 0 }),
    );
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    await givePassword(page, email);
    await named(page, "Codes don't work right now");
    expect(await page.locator("#code").count()).toBe(0);
    expect(await link(page, "Use a recovery code").count()).toBe(0);
    const help = link(page, "Ask Acme's support to help you back in.");
    expect(await help.getAttribute("href")).toBe("https://acme.example/help");
    expect(await violations(page)).toEqual([]);
  });

  it("offers the key to the phone that shows it, and to nobody who could scan it", async () => {
    const phone = await stage.newPage({ viewport: narrow, isMobile: true, hasTouch: true });
    const desk = await stage.newPage();
    for (const [page, isShown] of [
      [phone, true],
      [desk, false],
    ] as const) {
      await openAccount(page);
      await link(page, "Set up an authenticator app").click();
      await named(page, "Set up an authenticator app");
      const here = link(page, "Open it in an app on this phone");
      expect(await here.isVisible()).toBe(isShown);
      if (isShown) expect(await here.getAttribute("href")).toMatch(/^otpauth:\/\/totp\/Acme:/u);
    }
  });
});

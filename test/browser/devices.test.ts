import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { beginOnDevice, newDeviceParty, poll, type DeviceCodes } from "../support/devices.ts";
import { goodPassword } from "../support/person.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { beside, button, createApp, fillAccount, focused, heading, link } from "./support/steps.ts";

describeInBrowser("a device", (stage) => {
  async function begun() {
    const app = await createApp(stage, { name: "Acme", branding: { companyName: "Acme" } });
    const party = await newDeviceParty(stage.service, {}, app);
    return { party, codes: await beginOnDevice(stage.service, party) };
  }

  const code = (page: Page) => page.getByLabel("Code", { exact: true });
  const status = async (party: Awaited<ReturnType<typeof begun>>["party"], codes: DeviceCodes) => {
    stage.service.clock.advance(30_000);
    const { status, body } = await poll(stage.service, party, codes);
    return status === 200 ? "tokens" : body["error"];
  };

  async function decide(page: Page, answer: "Allow" | "Deny", told: string): Promise<void> {
    expect(await heading(page).textContent()).toBe("Let Acme TV sign in?");
    await button(page, answer).click();
    await page.getByRole("heading", { name: told }).waitFor();
  }

  it.each<[string, BrowserContextOptions]>([
    ["with JavaScript", {}],
    ["without JavaScript", { javaScriptEnabled: false }],
  ])("is let in by a code that is typed, a sign-in and a yes, %s", async (_, options) => {
    const { party, codes } = await begun();
    const page = await stage.newPage(options);
    await page.goto(codes.verification_uri);
    await code(page).fill(codes.user_code.toLowerCase().replace("-", " "));
    await button(page, "Continue").click();
    await page.waitForURL("**/sign-in/sis_*");
    await fillAccount(page, { email: party.email, password: goodPassword }, "Sign in");
    await button(page, "Allow").waitFor();
    await decide(page, "Allow", "You can go back to your device");
    await page.goBack();
    await page.getByRole("heading", { name: "You can go back to your device" }).waitFor();
    expect(await status(party, codes)).toBe("tokens");
  });

  it("is asked about again by the link with the code, for somebody who is signed in; the person refuses", async () => {
    const { party, codes } = await begun();
    const page = await stage.newPage();
    await page.goto(codes.verification_uri_complete);
    await button(page, "Continue").click();
    await page.waitForURL("**/sign-in/sis_*");
    await fillAccount(page, { email: party.email, password: goodPassword }, "Sign in");
    await button(page, "Allow").waitFor();
    await decide(page, "Allow", "You can go back to your device");
    const more = await beginOnDevice(stage.service, party);
    await page.goto(more.verification_uri_complete);
    expect(await code(page).inputValue()).toBe(more.user_code);
    await button(page, "Continue").click();
    await page.getByRole("button", { name: "Continue as" }).click();
    await button(page, "Allow").waitFor();
    await decide(page, "Deny", "Nothing was allowed");
    expect(await status(party, more)).toBe("access_denied");
  });

  it("is let in by keyboard alone, after a mistake that is explained where it was made", async () => {
    const { party, codes } = await begun();
    const page = await stage.newPage();
    await page.goto(codes.verification_uri);
    await page.keyboard.press("Tab");
    expect((await focused(page)).id).toBe("code");
    await page.keyboard.press("Enter");
    expect(await beside(page).textContent()).toBe("Enter all eight letters.");
    await code(page).press("B");
    await page.keyboard.press("Enter");
    await page.waitForLoadState();
    await page.getByText("Enter all eight letters.").waitFor();
    await code(page).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(codes.user_code);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sign-in/sis_*");
    await page.getByLabel("Email", { exact: true }).focus();
    await page.keyboard.type(party.email);
    await page.getByLabel("Password", { exact: true }).focus();
    await page.keyboard.type(goodPassword);
    await page.keyboard.press("Enter");
    await button(page, "Allow").waitFor();
    await page.keyboard.press("Tab");
    expect((await focused(page)).text).toBe("Allow");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You can go back to your device" }).waitFor();
    expect(await status(party, codes)).toBe("tokens");
    stage.expectComplaint(/422/u);
  });

  it("has pages for everybody: axe finds nothing, in light and dark, and the smallest phone needs no scrolling", async () => {
    const { party, codes } = await begun();
    const page = await stage.newPage({ viewport: narrow, reducedMotion: "reduce" });
    const check = async () => {
      expect(await sidewaysPixels(page)).toBe(0);
      await page.emulateMedia({ colorScheme: "light" });
      expect(await violations(page), "in light").toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"]), "in dark").toEqual([]);
    };
    await page.goto(codes.verification_uri);
    await check();
    await code(page).fill("BCDF-GHJK");
    await button(page, "Continue").click();
    await page.getByText("This code doesn't work, or no longer works.").waitFor();
    await check();
    await code(page).fill(codes.user_code);
    await button(page, "Continue").click();
    await page.waitForURL("**/sign-in/sis_*");
    await fillAccount(page, { email: party.email, password: goodPassword }, "Sign in");
    await button(page, "Allow").waitFor();
    await check();
    stage.service.clock.advance(600_000);
    await button(page, "Allow").click();
    await page.getByRole("heading", { name: "This code no longer works" }).waitFor();
    await check();
    await link(page, "Enter a code").click();
    await page.waitForURL("**/device");
    stage.expectComplaint(/422|410/u);
  });
});

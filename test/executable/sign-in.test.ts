import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DemoWalk } from "../browser/demo-walk.ts";
import { emptyFolder, finish, outputOf, start } from "../cli/command.ts";
import { addVirtualAuthenticator, launchBrowser } from "../support/chromium.ts";

describe("a sign-in in a browser, from the one file in an empty folder", () => {
  let service: ReturnType<typeof start>;
  let browser: Browser;
  let walk: DemoWalk;
  let url = "";

  beforeAll(async () => {
    service = start(["serve", "--dev", "--port", "0"], { cwd: emptyFolder() });
    url = /listening on (\S+)/u.exec(await outputOf(service, /Demo page/u))?.[1] ?? "";
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    const ended = finish(service);
    service.kill("SIGTERM");
    const { code, stderr } = await ended;
    if (code !== 0) throw new Error(`serve ended with ${code}: ${stderr}`);
  });

  beforeEach(async () => {
    walk = await DemoWalk.open(browser, url);
  });

  afterEach(async () => {
    await walk.page.context().close();
    if (walk.complaints.length > 0) throw new Error(`the console holds errors: ${walk.complaints.join("; ")}`);
  });

  async function useTheCode(): Promise<void> {
    await walk.press("Exchange the code", "callback");
    await walk.press("Validate", "validate");
    expect(await walk.answerOf("validate")).toMatchObject({ valid: true, user: { name: "Ada Lovelace" } });
    await walk.press("Refresh", "refresh");
    await walk.press("Sign out", "logout");
    await walk.press("Validate", "validate", "401 Unauthorized");
  }

  it("is made by password", async () => {
    await walk.start("Password");
    await walk.signUpByPassword();
    await useTheCode();
  });

  it("is made by passkey", async () => {
    await addVirtualAuthenticator(walk.page);
    await walk.start("Passkey");
    await walk.goToCreateAccount();
    await walk.page.getByRole("button", { name: "Create a passkey" }).click();
    await walk.proveAddress();
    await useTheCode();
    await walk.button("Start again").click();
    await walk.start("Passkey");
    await walk.toHostedPage.click();
    await walk.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await walk.comeBack();
    await useTheCode();
  });
});

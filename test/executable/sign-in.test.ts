import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { button, confirmAddress, field, fillAccount, link } from "../browser/support/steps.ts";
import { emptyFolder, finish, outputOf, start } from "../cli/command.ts";
import { addVirtualAuthenticator, launchBrowser } from "../support/chromium.ts";
import { call, goodPassword, initiate, newEmail, redeem, refresh, type Session, validate } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

describe("a sign-in in a browser, from the one file in an empty folder", () => {
  let executable: ReturnType<typeof start>;
  let browser: Browser;
  let service: TestService;
  let app: TestApp;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    executable = start(["serve", "--dev", "--port", "0", "--json"], { cwd: emptyFolder() });
    const served = JSON.parse(await outputOf(executable, /\}/u)) as Record<string, string>;
    const { url, appId = "", apiKey, demoUrl } = served;
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId };
    service = { url } as TestService;
    app = { id: appId, apiKey, redirectUri: `${demoUrl}/callback`, headers } as TestApp;
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    const ended = finish(executable);
    executable.kill("SIGTERM");
    const { code, stderr } = await ended;
    if (code !== 0) throw new Error(`serve ended with ${code}: ${stderr}`);
  });

  beforeEach(async () => {
    page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
  });

  afterEach(async () => {
    await page.context().close();
    const left = complaints.splice(0);
    if (left.length > 0) throw new Error(`the console holds errors: ${left.join("; ")}`);
  });

  async function openPage(): Promise<Session> {
    const session = await initiate(service, app);
    await page.goto(session.authUrl);
    return session;
  }

  /** The demo page, where the browser returns to, shows the code of a sign-in not its own. */
  async function useTheCode(session: Session): Promise<void> {
    await page.getByText("This page did not start this sign-in.").waitFor();
    const code = (await page.locator("#result").textContent()) ?? "";
    const { accessToken, refreshToken } = await redeem(service, app, { session, code });
    const valid = await validate(service, app, accessToken);
    expect(valid.body).toMatchObject({ valid: true, user: { name: "Ada Lovelace" } });
    const next = (await refresh(service, app, refreshToken)).body as Record<string, string>;
    const headers = { authorization: `Bearer ${next["accessToken"]}` };
    const ended = await call(service, "POST", "/auth/logout", headers, { refreshToken: next["refreshToken"] });
    expect(ended.status).toBe(200);
    expect((await validate(service, app, String(next["accessToken"]))).status).toBe(401);
  }

  it("is made by password", async () => {
    const email = newEmail();
    const session = await openPage();
    await link(page, "Create account").click();
    await fillAccount(page, { email, password: goodPassword, name: "Ada Lovelace" });
    await button(page, "Create account").click();
    await page.waitForURL(/\/confirm$/u);
    await confirmAddress(page, email);
    await useTheCode(session);
  });

  it("is made by passkey", async () => {
    const email = newEmail();
    await addVirtualAuthenticator(page);
    const session = await openPage();
    await link(page, "Create account").click();
    await field(page, "Email").fill(email);
    await field(page, "Name").fill("Ada Lovelace");
    await button(page, "Create a passkey").click();
    await page.waitForURL(/\/confirm$/u);
    await confirmAddress(page, email);
    await useTheCode(session);
    const again = await openPage();
    await useTheCode(again);
  });
});

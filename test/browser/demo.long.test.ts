import { execFile, spawnSync } from "node:child_process";
import { get } from "node:http";
import { promisify } from "node:util";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addVirtualAuthenticator, sharedBrowser } from "../support/chromium.ts";
import { startTestService } from "../support/service.ts";
import { DemoWalk } from "./demo-walk.ts";

const run = promisify(execFile);
const bash = async (command: string): Promise<unknown> => JSON.parse((await run("bash", ["-c", command])).stdout);
/** A machine needs no more than Node to run the tests. */
const hasCurl = spawnSync("bash", ["-c", "command -v curl"]).status === 0;

let running: Awaited<ReturnType<typeof startTestService>>;
let browser: Browser;

beforeAll(async () => {
  running = await startTestService("sqlite", { dev: true });
  browser = await sharedBrowser();
});

afterAll(async () => {
  await running.stop();
});

describe("the demo page", () => {
  let walk: DemoWalk;

  beforeEach(async () => {
    walk = await DemoWalk.open(browser, running.service.url);
  });

  afterEach(async () => {
    await walk.page.context().close();
    if (walk.complaints.length > 0) throw new Error(`the console holds errors: ${walk.complaints.join("; ")}`);
  });

  /** From the code in the address bar to the token that is refused after signing out. */
  async function goOnToTheEnd(): Promise<void> {
    expect(await walk.page.locator("#return").textContent()).toContain(
      "The state is the one that Acme sent in step 1.",
    );
    await walk.press("Exchange the code", "callback");
    expect(walk.page.url()).not.toContain("code=");
    await walk.press("Validate", "validate");
    expect(await walk.answerOf("validate")).toMatchObject({ valid: true, user: { name: "Ada Lovelace" } });
    await walk.press("Read the profile", "profile");
    expect(await walk.answerOf("profile")).toMatchObject({
      name: "Ada Lovelace",
      metadata: { loginCount: expect.any(Number) },
    });
    await walk.button("List the methods").click();
    await walk.page.locator("#profile .answer pre", { hasText: '"methods"' }).waitFor();
    await walk.press("Refresh", "refresh");
    const [first, second] = [await walk.answerOf("callback"), await walk.answerOf("refresh")];
    expect(second["refreshToken"]).not.toBe(first["refreshToken"]);
    await walk.press("Sign out", "logout");
    await walk.press("Validate", "validate", "401 Unauthorized");
    await walk.press("Try the access token now", "logout", "401 Unauthorized");
  }

  it("walks the whole sign-in with a new account by password", async () => {
    await walk.start("Password");
    await walk.signUpByPassword();
    await goOnToTheEnd();
    expect(await walk.page.locator("#callback .claims").textContent()).toContain("pwd");
  });

  it("walks it with a passkey and PKCE: once to create the account, once to sign in", async () => {
    const { page } = walk;
    await addVirtualAuthenticator(page);
    await page.getByLabel("Use PKCE").check();
    await walk.start("Passkey");
    await walk.goToCreateAccount();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await walk.proveAddress();
    await goOnToTheEnd();

    await walk.button("Start again").click();
    expect(page.url()).toBe(`${running.service.url}/dev/demo`);
    await walk.start("Passkey");
    await walk.toHostedPage.click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await walk.comeBack();
    await goOnToTheEnd();
    expect(await walk.curlOf("callback")).toContain('"codeVerifier"');
  });

  it("goes on after the sign-in: the profile, a new method, the application, webhooks arriving live, the query-style calls", async () => {
    const { page } = walk;
    const delivery = (kind: string) => page.locator("#endpoint .delivery", { hasText: kind });
    await addVirtualAuthenticator(page);
    await walk.press("Register the webhook", "endpoint", "201 Created");
    await walk.press("Send a sample", "endpoint", "200 OK");
    expect(await walk.answerOf("endpoint")).toMatchObject({ delivered: true, status: 200 });
    await delivery("evt_test_").getByText("The signature is right").waitFor();
    await walk.start("Password");
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
    await delivery("user.created").getByText("The signature is right").waitFor();
    await delivery(walk.email).filter({ hasText: "user.login" }).waitFor();

    await page.getByLabel("New name").fill("Countess of Lovelace");
    await walk.press("Change the name", "rename");
    expect(await walk.answerOf("rename")).toMatchObject({ name: "Countess of Lovelace" });
    await delivery("user.updated").waitFor();

    await walk.press("Ask for the page", "add-method");
    await page.getByRole("link", { name: "Continue to add it" }).click();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.waitForURL(/\/dev\/demo\/callback\?/u);
    await page.getByText("The browser came back with added: mth_").waitFor();
    await delivery("method.added").waitFor();
    await walk.press("Remove it again", "add-method");
    await delivery("method.removed").waitFor();

    await walk.press("Read the application", "application");
    expect(await walk.answerOf("application")).toMatchObject({ id: "app_demo", name: "Acme" });
    await page.getByLabel("Name on the sign-in page").fill("Acme Shop");
    await walk.button("Change the application").click();
    await walk.statuses("application", "200 OK").nth(1).waitFor();
    expect(await walk.answerOf("application")).toMatchObject({ name: "Acme Shop" });
    await page.getByLabel("Name on the sign-in page").fill("Acme");
    await walk.button("Change the application").click();
    await page.locator("#application .answer pre").last().getByText('"name": "Acme",').waitFor();

    await walk.press("Read the public settings", "config");
    await walk.button("Verify the token").click();
    await page.locator("#config .remark", { hasText: "The token holds." }).waitFor();
    await walk.button("Read the user").click();
    await walk.statuses("config", "200 OK").nth(2).waitFor();
    expect(await walk.answerOf("config")).toMatchObject({ name: "Countess of Lovelace" });

    await walk.button("Start again").click();
    await delivery("method.removed").waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await walk.button("Remove the webhook").click();
    await page.getByText("Removed, with everything that still waited for it.").waitFor();
    expect(await walk.button("Send a sample").isDisabled()).toBe(true);
  });

  it("signs in to a second program without a form, and signs out of both", async () => {
    const { page } = walk;
    await walk.start();
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
    await page.getByRole("link", { name: "Open the wiki" }).click();
    await page.waitForURL(/\/dev\/demo\/callback\?code=/u);
    await walk.press("Get its tokens", "wiki");
    expect(page.url()).not.toContain("code=");
    expect(await walk.answerOf("wiki")).toMatchObject({ token_type: "Bearer", id_token: expect.any(String) });
    expect(await page.locator("#wiki .claims").textContent()).toContain("Ada Lovelace");
    await walk.button("Read userinfo").click();
    await walk.statuses("wiki", "200 OK").nth(1).waitFor();
    expect(await walk.answerOf("wiki")).toMatchObject({ email: walk.email });
    await walk.press("Validate", "validate");
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);

    await page.getByRole("link", { name: "Sign out of both" }).click();
    await page.getByText("Both are signed out.").waitFor();
    expect(page.url()).toContain("/dev/demo/callback?state=");
    await walk.press("Validate", "validate", "401 Unauthorized");
    await walk.button("Read userinfo").click();
    await walk.statuses("wiki", "401 Unauthorized").waitFor();
    await page.locator("#wiki .remark", { hasText: "the person has signed out of the wiki" }).waitFor();
  });

  it("says what a person who cancels means to the app, and goes on from there", async () => {
    await walk.start();
    await walk.toHostedPage.click();
    await walk.page.getByRole("link", { name: "Cancel" }).click();
    await walk.page.waitForURL(/error=access_denied/u);
    expect(await walk.page.locator("#return").textContent()).toContain("the person cancelled");
    expect(await walk.button("Exchange the code").isDisabled()).toBe(true);
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
  });

  it("refuses to go on with a state that is not its own", async () => {
    await walk.start();
    await walk.page.goto(`${running.service.url}/dev/demo/callback?code=strange&state=strange&sessionId=sis_strange`);
    await walk.page.getByText("This state is not the one that Acme sent").waitFor();
    expect(await walk.button("Exchange the code").isDisabled()).toBe(true);
  });

  it("shows the code of a sign-in that a program started, for pasting, and calls nobody a stranger", async () => {
    const { page } = walk;
    await page.goto(`${running.service.url}/dev/demo/callback?code=code-to-paste&state=random&sessionId=sis_elsewhere`);
    await page.getByText("This sign-in was not started on this page.").waitFor();
    expect(await page.locator("#return").textContent()).not.toContain("stranger");
    await walk.button("Copy the code to paste").click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("code-to-paste");
    expect(await walk.button("Exchange the code").isDisabled()).toBe(true);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  });

  it("moves to the service's own address, where the browser will come back to", async () => {
    const { href } = new URL("/dev/demo", running.service.url);
    await walk.page.goto(href.replace("localhost", "127.0.0.1"));
    await walk.page.waitForURL(href);
  });

  it("keeps where it is over a reload", async () => {
    await walk.start();
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
    await walk.page.reload();
    await walk.press("Validate", "validate");
    expect(await walk.answerOf("callback")).toHaveProperty("accessToken");
  });

  it("shows that a spent refresh token works for ten seconds more and then ends the sign-in", async () => {
    await walk.start();
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
    await walk.press("Refresh", "refresh");
    const successor = await walk.answerOf("refresh");
    await walk.button("Use the old one again").click();
    await walk.statuses("refresh", "200 OK").nth(1).waitFor();
    expect((await walk.answerOf("refresh"))["refreshToken"]).toBe(successor["refreshToken"]);
    running.service.clock.advance(11_000);
    await walk.press("Use the old one again", "refresh", "401 Unauthorized");
    await walk.press("Validate", "validate", "401 Unauthorized");
  });

  it("shows curl commands that work as they stand, and copies them", async ({ skip }) => {
    skip(!hasCurl, "there is no curl here");
    await walk.page.getByLabel("Use PKCE").check();
    expect(await bash(await walk.curlOf("initiate"))).toMatchObject({ sessionId: expect.stringMatching(/^sis_/u) });
    await walk.start();
    await walk.signUpByPassword();
    expect(await bash(await walk.curlOf("callback"))).toHaveProperty("accessToken");

    await walk.button("Start again").click();
    await walk.start();
    await walk.signUpByPassword();
    await walk.press("Exchange the code", "callback");
    await walk.button("Copy the command of step 5").click();
    const copied = String(await walk.page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toBe(await walk.curlOf("validate"));
    expect(await bash(copied)).toMatchObject({ valid: true });
    await walk.page.evaluate("getSelection().selectAllChildren(document.querySelectorAll('#validate pre')[1])");
    expect(await walk.page.evaluate("getSelection().toString().trim()"), "also when selected by hand").toBe(copied);
    expect(await bash(await walk.curlOf("refresh"))).toHaveProperty("refreshToken");
    expect(await bash(await walk.curlOf("logout"))).toMatchObject({ success: true });
  });

  it("can be walked with the keyboard alone", async () => {
    const { keyboard } = walk.page;
    await walk.button("Start sign-in").focus();
    await keyboard.press("Enter");
    await walk.statuses("initiate", "200 OK").waitFor();
    // The button has done its work, and still holds the focus: next come the command beside it and
    // the link of step 2.
    expect(await walk.page.evaluate("document.activeElement.textContent")).toBe("Start sign-in");
    for (const key of ["Tab", "Tab", "Enter"]) await keyboard.press(key);
    await walk.page.waitForURL(/\/sign-in\/sis_/u);
  });

  it("gives axe nothing to find in light and dark, and fits a phone", async () => {
    const { page } = walk;
    const check = async (colorScheme: "light" | "dark"): Promise<void> => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    };
    await check("light");
    await walk.start();
    await walk.signUpByPassword();
    await goOnToTheEnd();
    await check("dark");
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await check("light");
  });
});

describe("pages under /dev", () => {
  it("answer only when the Host header names this machine", async () => {
    const { port } = new URL(running.service.url);
    const statusFor = (path: string, host: string) =>
      new Promise<number>((resolve, reject) => {
        const options = { host: "127.0.0.1", port, path, headers: { host } };
        get(options, (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
      });
    const ours = [
      "localhost",
      `localhost:${port}`,
      "LOCALHOST:1",
      "127.0.0.1",
      `127.0.0.1:${port}`,
      "[::1]",
      "[::1]:80",
    ];
    const strange = [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "evil-localhost",
      "10.0.0.1",
      "127.0.0.1.nip.io",
      "[::2]",
      "localhost,evil.example",
    ];
    const garbled = ["localhost:x", "a@localhost", "localhost:1:1"];
    for (const path of ["/dev", "/dev/demo", "/dev/demo/callback?code=c", "/dev/webhooks", "/dev/webhooks.json"]) {
      for (const host of ours) expect([host, await statusFor(path, host)]).toEqual([host, 200]);
      for (const host of strange) expect([host, await statusFor(path, host)]).toEqual([host, 404]);
      // What is no host at all does not even get here.
      for (const host of garbled) expect([host, await statusFor(path, host)]).toEqual([host, 400]);
    }
    expect(await statusFor("/healthz", "evil.example")).toBe(200);
  });
});

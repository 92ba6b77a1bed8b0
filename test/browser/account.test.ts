import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow } from "./support/everybody.ts";
import { switchOffAutofill } from "./support/passkey-steps.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  focused,
  heading,
  inPage,
  link,
  openSignIn,
  createAccount,
} from "./support/steps.ts";

describeInBrowser("the account page in a browser", (stage) => {
  /** Creates an account by password, and opens its page in the same browser. */
  async function openAccount(page: Page, app: TestApp, email = newEmail()): Promise<string> {
    await openSignIn(stage, page, app);
    await createAccount(page, { email, password: goodPassword, name: "Ada" });
    await backAtTheApp(stage, page);
    await page.goto(`${stage.service.url}/account?app_id=${app.id}`);
    expect(await heading(page).textContent()).toBe("Your Acme account");
    return email;
  }

  /** What the page says that it has just done. */
  async function done(page: Page): Promise<string> {
    const status = page.getByRole("status");
    await status.waitFor();
    return ((await status.textContent()) ?? "").trim();
  }

  it("adds, renames and removes a passkey, and says each time what it did", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    await switchOffAutofill(page);
    await openAccount(page, app);

    await button(page, "Add a passkey").click();
    await heading(page).filter({ hasText: "Add a passkey" }).waitFor();
    await button(page, "Create a passkey").click();
    expect(await done(page)).toMatch(/^You can sign in with .* from now on\.$/u);
    expect(await authenticator.credentials()).toHaveLength(1);
    await expect.poll(() => focused(page)).toMatchObject({ role: "status" });

    await page.getByRole("link", { name: /^Rename / }).click();
    await field(page, "Name").fill("My laptop");
    await button(page, "Save").click();
    expect(await done(page)).toBe("The new name is saved.");

    await link(page, "Remove My laptop").click();
    await heading(page).filter({ hasText: "Remove My laptop?" }).waitFor();
    await button(page, "Remove").click();
    expect(await done(page)).toContain("Removed.");
    expect(await page.getByText("My laptop").count()).toBe(0);
  });

  it("tells the browser which passkeys still work", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    await page.addInitScript(`
      for (const name of ["signalAllAcceptedCredentials", "signalCurrentUserDetails"])
        PublicKeyCredential[name] = async (options) => void (globalThis.signals ??= []).push([name, options]);
    `);
    const email = await openAccount(page, app);
    await button(page, "Add a passkey").click();
    await button(page, "Create a passkey").click();
    await done(page);
    const [credential] = await authenticator.credentials();
    const url = (base64 = "") => Buffer.from(base64, "base64").toString("base64url");
    const userId = url(credential?.userHandle);
    await expect
      .poll(() => inPage(page, "() => globalThis.signals"))
      .toEqual([
        [
          "signalAllAcceptedCredentials",
          { rpId: "localhost", userId, allAcceptedCredentialIds: [url(credential?.credentialId)] },
        ],
        ["signalCurrentUserDetails", { rpId: "localhost", userId, name: email, displayName: "Ada" }],
      ]);
  });

  it("changes the profile, and goes back to the app", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage();
    await openAccount(page, app);
    await link(page, "Edit your profile").click();
    await field(page, "Name").fill("Ada Lovelace");
    await page.getByLabel("Link to a picture", { exact: true }).fill("https://example.com/ada.png");
    await field(page, "Name").press("Enter");
    expect(await done(page)).toBe("Your profile is saved.");
    expect(await page.getByText("Ada Lovelace").isVisible()).toBe(true);
    await link(page, "Back to Acme").click();
    await page.waitForURL(`${stage.site.origin}/`);
  });

  it("gives the data as a file, and stays where it is", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage();
    await openAccount(page, app);
    await link(page, "Download your data").click();
    await heading(page).filter({ hasText: "Download your data" }).waitFor();
    // It is no page: nobody looks at it here.
    stage.expectComplaint(/\/account\/data\?app_id=\S+ lacks protection/u);
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download").click()]);
    expect(file.suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/u);
    expect(await button(page, "Download").isEnabled()).toBe(true);
  });

  it("deletes the account by keyboard alone, after one question", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage();
    const email = await openAccount(page, app);
    await tabTo(page, "Delete your account");
    await page.keyboard.press("Enter");
    await heading(page).filter({ hasText: "Delete your Acme account?" }).waitFor();
    await tabTo(page, "Delete my account for good");
    await page.keyboard.press("Enter");
    await heading(page).filter({ hasText: "Your account is deleted" }).waitFor();
    await openSignIn(stage, page, app);
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    await page.getByRole("alert").waitFor();
  });

  it("takes at most three screens of a phone where nothing special is set up, and leads to each part", async () => {
    const app = await createApp(stage, { name: "Acme", settings: { secondFactor: "optional" } });
    const page = await stage.newPage({ viewport: { width: 390, height: 667 } });
    await openAccount(page, app);
    expect(await inPage(page, "() => document.documentElement.scrollHeight")).toBeLessThanOrEqual(3 * 667);
    const contents = page.getByRole("navigation", { name: "On this page" }).getByRole("link");
    expect(await contents.allTextContents()).toEqual(["Profile", "Sign-in", "Second step", "Devices", "Data"]);
    const titles: string[] = [];
    for (const each of await contents.all()) {
      await each.click();
      titles.push((await page.locator("h2:target").textContent()) ?? "");
    }
    const expected = ["Profile", "How you sign in", "Second step", "Where you're signed in", "Your data"];
    expect(titles).toEqual(expected);
  });

  it("offers all providers that are not connected in one menu, which opens without a script", async () => {
    const app = await createApp(stage, { name: "Acme", methods: ["password", "oauth"] });
    const settings = { clientId: "client", secret: "a secret of the client" };
    // Forms may lead to these providers.
    stage.expectComplaint(/lacks protection: .*form-action/u);
    for (const name of ["google", "github", "discord"])
      await providers.set(stage.service.server.app.ctx, app.id, { ...settings, name }, { kind: "cli", name: "test" });
    const page = await stage.newPage({ javaScriptEnabled: false });
    await openAccount(page, app);
    expect(await button(page, "Connect GitHub").isVisible()).toBe(false);
    await page.getByText("Connect…", { exact: true }).click();
    expect(await page.getByRole("button", { name: /^Connect / }).count()).toBe(3);
    await button(page, "Connect GitHub").click();
    await heading(page).filter({ hasText: "Add GitHub" }).waitFor();
  });

  it("comes in the order of reading, every stop of Tab visible and large enough for a thumb", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const page = await stage.newPage({ viewport: narrow });
    await openAccount(page, app);
    const order: string[] = [];
    for (;;) {
      await page.keyboard.press("Tab");
      const stop = await inPage<{ name: string; outlined: boolean; tall: boolean }>(
        page,
        `() => {
          const { localName, ariaLabel, textContent } = document.activeElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
          const { height } = document.activeElement.getBoundingClientRect();
          return {
            name: localName === "body" ? "" : (ariaLabel ?? textContent).trim(),
            outlined: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
            tall: height >= 44 || localName === "a",
          };
        }`,
      );
      if (stop.name === "") break;
      order.push(stop.name);
      expect(stop).toMatchObject({ outlined: true, tall: true });
    }
    expect(order).toEqual([
      "Profile",
      "Sign-in",
      "Devices",
      "Data",
      "Edit your profile",
      "Change your picture",
      "Change password",
      "Add a passkey",
      "Sign out everywhere",
      "Download your data",
      "Delete your account",
      "Back to Acme",
      "Sign out",
    ]);
  });

  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press("Tab");
      if ((await focused(page)).text === name) return;
    }
    throw new Error(`Tab never reached "${name}"`);
  }
});

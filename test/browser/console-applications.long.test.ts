import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/console.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { button, createApp, fillAccount, link, pageFor } from "./support/steps.ts";

/** A browser that is let in to the console. `go` opens a page of an application. */
async function inConsole(stage: Stage, app: TestApp, options: BrowserContextOptions = {}) {
  const console = await openConsole(stage.service);
  const page = await pageFor(stage, console, options);
  const go = async (path = ""): Promise<void> =>
    void (await page.goto(`${console.url}/console/applications/${app.id}${path}`));
  return { console, page, go };
}

/** What the preview shows: its background, and its language. */
async function inPreview(page: Page): Promise<{ ground: string; lang: string; title: string }> {
  const [, preview] = page.frames();
  if (!preview) throw new Error("there is no preview");
  return await preview.evaluate(
    `({ ground: getComputedStyle(document.body).backgroundColor, lang: document.documentElement.lang, title: document.querySelector("h1").textContent })`,
  );
}

describeInBrowser("the console's pages of an application", (stage) => {
  const paths = ["", "/branding", "/keys", "/providers", "/clients", "/clients/wiki-axe", "/groups", "/try"];

  it("give axe nothing to find, in light and in dark, and fit the smallest phone, with every form open", async () => {
    // axe tries to look into the preview.
    stage.expectComplaint(/sandboxed/u);
    const app = await createApp(stage, { name: "Acme" });
    const { console, page, go } = await inConsole(stage, app, { viewport: narrow, reducedMotion: "reduce" });
    const clients = await console.get(`/applications/${app.id}/clients`);
    await console.submit(clients, "/clients", { name: "Wiki", id: "wiki-axe", "was.kind": "web", kind: "web" });
    await console.submit(await console.get(`/applications/${app.id}/groups`), "/groups", { name: "staff" });
    for (const path of paths) {
      await go(path);
      await page.evaluate(`document.querySelectorAll("details").forEach((each) => (each.open = true))`);
      expect([path, await sidewaysPixels(page)]).toEqual([path, 0]);
      expect([path, await violations(page)]).toEqual([path, []]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect([path, await violations(page, ["color-contrast"])]).toEqual([path, []]);
      await page.emulateMedia({ colorScheme: "light" });
    }
  });

  it("say beside a field why it was refused, and read it with the field", async () => {
    const app = await createApp(stage);
    const { page, go } = await inConsole(stage, app);
    await go();
    await button(page, "Change").first().click();
    await page.getByLabel("Redirect URIs").fill("https://a.example/\nnowhere");
    await page.getByRole("dialog").getByRole("button", { name: "Check" }).click();
    const field = page.getByLabel("Redirect URIs");
    expect(await field.inputValue()).toBe("https://a.example/\nnowhere");
    const described = (await field.getAttribute("aria-describedby")) ?? "";
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe("Redirect URIs 2: an absolute URL");
    expect(await violations(page)).toEqual([]);
  });

  it("create a key by keyboard alone", async () => {
    const app = await createApp(stage);
    const { page, go } = await inConsole(stage, app);
    await go("/keys");
    await button(page, "Create a key").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The key was created" }).waitFor();
    expect(await page.locator(".command code").first().textContent()).toMatch(/^ak_/u);
    await link(page, "I have stored it").press("Enter");
    expect(await page.getByText("by keyboard").count()).toBe(1);
  });

  describe("the preview", () => {
    const dark = "rgb(";

    it("shows what is typed, in dark and in Arabic, before it is saved", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const { page, go } = await inConsole(stage, app, { colorScheme: null });
      await go("/branding");
      const before = await inPreview(page);
      await page.getByLabel("Company name").fill("Typed Company");
      await page.getByLabel("Language").selectOption("ar");
      await page.getByLabel("Colours").selectOption("dark");
      await expect.poll(async () => (await inPreview(page)).lang).toBe("ar");
      const preview = page.frameLocator("iframe.preview");
      await preview.getByText("Typed Company").waitFor();
      const after = await inPreview(page);
      expect(after.ground.startsWith(dark) && after.ground !== before.ground).toBe(true);
      expect(await preview.locator("[data-passkeys]").isVisible()).toBe(true);
    });

    it("shows another page in the colour that was picked, and says how readable it is", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const { page, go } = await inConsole(stage, app);
      await go("/branding");
      await page.locator('select[name="shows"]').selectOption("create-account");
      await page.getByLabel("Choose the colour").fill("#ffee00");
      expect(await page.locator('input[name="primaryColor"]').inputValue()).toBe("#ffee00");
      await page.frameLocator("iframe.preview").getByText("Create your Acme account").first().waitFor();
      await page.getByText(/^Dark text on its buttons .* links on light pages are #/u).waitFor();
    });

    it("is shown by a button without script, and saved", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const { page, go } = await inConsole(stage, app, { javaScriptEnabled: false });
      await go("/branding");
      await page.getByLabel("Company name").fill("Shown Company");
      await page.getByLabel("Size").selectOption("wide");
      await button(page, "Show").click();
      await page.frameLocator("iframe.preview").getByText("Shown Company").waitFor();
      await button(page, "Save").click();
      await page.getByText("The branding was saved.").waitFor();
    });

    it("H1: leads nowhere: its forms are not sent, and its links stay on it", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const { page, go } = await inConsole(stage, app);
      stage.expectComplaint(/sandboxed|form-action/u);
      await go("/branding");
      const posted: string[] = [];
      page.on("request", (request) => request.method() === "POST" && posted.push(request.url()));
      const preview = page.frameLocator("iframe.preview");
      const address = page.frames()[1]?.url() ?? "";
      await preview.getByLabel("Email").fill("a@example.com");
      await preview.getByLabel("Password", { exact: true }).fill("a password");
      await preview.getByRole("button", { name: "Sign in", exact: true }).click();
      await preview.getByRole("link", { name: "Create account" }).click();
      await preview.getByRole("heading", { name: "Sign in to Acme" }).waitFor();
      expect(page.frames()[1]?.url().split("#")[0]).toBe(address);
      expect(posted).toEqual([]);
    });
  });

  it("try a sign-in from start to end, and show no token", async () => {
    const app = await createApp(stage, { methods: ["password"] });
    const { console, page, go } = await inConsole(stage, app);
    const responses: string[] = [];
    page.on("response", (response) => {
      if (response.url().startsWith(console.url) && response.status() === 200)
        void response.text().then(
          (text) => responses.push(text),
          () => {},
        );
    });
    await go("/try");
    await button(page, "Add it to the application").click();
    await button(page, "Start a sign-in").click();
    await link(page, "Create account").click();
    const email = newEmail();
    await fillAccount(page, { email, password: goodPassword }, "Create account");
    await page.getByRole("heading", { name: "4. Validate the access token" }).waitFor();
    expect(page.url()).toBe(`${console.url}/console/applications/${app.id}/try`);
    expect(await page.getByLabel("Answer 3").textContent()).toContain('"sub": "usr_');
    expect(await page.getByLabel("Answer 4").textContent()).toContain('"valid": true');
    expect(await violations(page)).toEqual([]);
    await button(page, "Refresh").click();
    await page.getByRole("heading", { name: "5. Refresh the tokens" }).waitFor();
    await button(page, "Log out").click();
    await page.getByRole("heading", { name: "7. Validate the access token" }).waitFor();
    expect(await page.getByLabel("Answer 7").textContent()).toContain("INVALID_TOKEN");
    expect(await button(page, "Refresh").count()).toBe(0);
    // JWTs, refresh tokens, codes and session ids.
    expect(responses.join("")).not.toMatch(/eyJ[\w-]{20}|rt_[\w-]{20}|sis_[\w-]{20}|code=/u);
    await button(page, "Remove it from the application").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove it from the application" }).click();
    await page.getByText("The address was removed.").waitFor();
  });
});

import type { BrowserContext, Page } from "playwright-core";
import { expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { freePort } from "../support/free-port.ts";
import { makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { Visitor } from "../support/person.ts";
import { webhookSecret } from "../support/webhooks.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { button, inPage } from "./support/steps.ts";

const minute = 60_000;
const port = await freePort();
const consoleUrl = `http://127.0.0.1:${port}`;
const by = { kind: "cli", name: "test" } as const;

/** As if the operator had signed in in another tab. */
async function signIn({ service }: Stage, profile: BrowserContext, owner: TestOperator): Promise<void> {
  const visitor = new Visitor();
  await signInTo(service, await visitor.get(`${consoleUrl}/console/sign-in`), owner, visitor);
  await profile.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: consoleUrl })));
}

async function openForm(
  stage: Stage,
): Promise<{ page: Page; profile: BrowserContext; owner: TestOperator; id: string }> {
  stage.allowOrigin(consoleUrl);
  const { id } = await stage.service.createApp({ name: "Acme" });
  const owner = await makeOperator(stage.service, "owner");
  const profile = await stage.newProfile({ reducedMotion: "reduce", viewport: narrow });
  await signIn(stage, profile, owner);
  const page = await profile.newPage();
  await page.goto(`${consoleUrl}/console/applications/${id}`);
  await page.locator('[popovertarget*="settings%2Fnames"]').first().click();
  return { page, profile, owner, id };
}

const form = (page: Page) => page.locator('form[action$="/settings/names"]');

async function fits(page: Page): Promise<void> {
  expect(await sidewaysPixels(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, ["color-contrast"])).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

describeInBrowser(
  "a form of the console",
  (stage) => {
    const stored = async (id: string) => {
      const { ctx } = stage.service.server.app;
      return await applications.find(ctx, ctx.storage.reader, id);
    };

    it("is not lost when the session ends while it is filled", async () => {
      const { page, profile, owner, id } = await openForm(stage);
      await form(page).getByLabel("Name", { exact: false }).first().fill("Typed before");
      await form(page).getByLabel("Redirect URIs").fill("https://one.example/\nhttps://two.example/");
      stage.service.clock.advance(61 * minute);
      await form(page).getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
      await fits(page);
      const [tab] = await Promise.all([
        profile.waitForEvent("page"),
        page.getByRole("link", { name: "Sign in in a new tab" }).click(),
      ]);
      await tab.waitForURL(`${stage.service.url}/**`);
      // Too early: it comes back again.
      await button(page, "Send again").click();
      await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
      await signIn(stage, profile, owner);
      await button(page, "Send again").click();
      await page.getByRole("heading", { name: "Send it now?" }).waitFor();
      await fits(page);
      expect(await stored(id)).toMatchObject({ name: "Acme" });
      await button(page, "Send").click();
      await page.getByText("The settings were saved.").waitFor();
      expect(await stored(id)).toMatchObject({
        name: "Typed before",
        redirectUris: ["https://one.example/", "https://two.example/"],
      });
    });

    it("shows both values where two operators changed the same", async () => {
      const { page, id } = await openForm(stage);
      await form(page).getByLabel("Redirect URIs").fill("https://mine.example/");
      await applications.update(stage.service.server.app.ctx, id, { redirectUris: ["https://theirs.example/"] }, by);
      await form(page).getByRole("button", { name: "Save" }).click();
      await page.getByText("Redirect URIs now:").waitFor();
      await fits(page);
      expect(await form(page).getByLabel("Redirect URIs").inputValue()).toBe("https://mine.example/");
      expect(await form(page).textContent()).toContain("https://theirs.example/");
      await form(page).getByRole("button", { name: "Save" }).click();
      await page.getByText("The settings were saved.").waitFor();
      expect(await stored(id)).toMatchObject({ redirectUris: ["https://mine.example/"] });
    });

    it("stays on a live page whose session ends while it is filled", async () => {
      const { page, id } = await openForm(stage);
      const { ctx } = stage.service.server.app;
      const input = { url: "https://hooks.example/", events: ["user.created"], secret: webhookSecret };
      const endpoint = await webhooks.create(ctx, id, input, { actor: by });
      await page.clock.install();
      await page.goto(`${consoleUrl}/console/webhooks/${endpoint.id}`);
      await page.locator(".more summary").first().click();
      await button(page, "Change settings").click();
      const url = page.locator('form[action$="/change"] input[name="url"]');
      await url.fill("https://typed.example/");
      stage.service.clock.advance(61 * minute);
      // The second one was asked for after the first was read.
      for (const _ of [1, 2]) {
        const over = page.waitForResponse((response) => response.status() === 401);
        await page.clock.runFor(5000);
        await over;
      }
      expect(await url.inputValue()).toBe("https://typed.example/");
      await page.locator('form[action$="/change"]').getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
      expect(await page.locator('main input[name="url"]').inputValue()).toBe("https://typed.example/");
    });

    it("is not sent by the Enter that ends a composition", async () => {
      const { page } = await openForm(stage);
      const press = async (init: string) =>
        await inPage<boolean>(
          page,
          `() => document.querySelector('form[action$="/settings/names"] input[name=name]').dispatchEvent(
            new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...${init} }))`,
        );
      expect(await press("{ isComposing: true }")).toBe(false);
      expect(await press("{ keyCode: 229 }")).toBe(false);
      expect(await press("{}")).toBe(true);
    });

    it.each(["without TLS", "where it is refused"])("its command is copied %s", async (where) => {
      const { page } = await openForm(stage);
      const refuses = "{ writeText: () => Promise.reject(new Error('no')) }";
      await inPage(
        page,
        `() => {
          Object.defineProperty(navigator, "clipboard", { value: ${where === "without TLS" ? "undefined" : refuses} });
          document.addEventListener("copy", () => (window.copied = String(getSelection())));
        }`,
      );
      await page.keyboard.press("Escape");
      const [id, copy] = [page.locator(".command.value code").first(), page.locator("[data-copy]").first()];
      await copy.click();
      await copy.getByText("Copied").waitFor();
      expect(await inPage(page, "() => window.copied")).toBe(await id.textContent());
    });
  },
  { overrides: { console: { host: "127.0.0.1", port, baseUrl: consoleUrl } } },
);

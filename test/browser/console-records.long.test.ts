import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { insertAuditEvent } from "../../src/records/audit/store.ts";
import { openConsole } from "../support/console.ts";
import { createEndpoint, happen, localWebhooks } from "../support/webhooks.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { inPage, pageFor } from "./support/steps.ts";

async function open(stage: Stage, options: BrowserContextOptions = {}): Promise<{ page: Page; url: string }> {
  const console = await openConsole(stage.service);
  return { page: await pageFor(stage, console, options), url: `${console.url}/console` };
}

async function log(stage: Stage, action: string): Promise<void> {
  const usual = { actor: "cli:root", result: "success", appId: null, userId: null, ipAddress: null } as const;
  const event = { id: `aud_${action}`, at: Date.now(), action, requestId: null, details: {}, ...usual };
  await stage.service.server.app.ctx.storage.write((tx) => insertAuditEvent(tx, event));
}

describeInBrowser(
  "the console's records",
  (stage) => {
    it("the audit log renews itself, and leaves what somebody types, and where, alone", async () => {
      const { page, url } = await open(stage);
      await log(stage, "test.first");
      await page.goto(`${url}/audit`);
      const field = page.getByLabel("To whom", { exact: true });
      await field.fill("usr_half");
      await log(stage, "test.second");
      await page.locator("[data-live=entries]").getByText("test.second").waitFor();
      expect(await field.inputValue()).toBe("usr_half");
      expect(await inPage<string>(page, "() => document.activeElement.name")).toBe("target");
      await page.keyboard.type("_more");
      expect(await field.inputValue()).toBe("usr_half_more");
    });

    it("nothing is replaced while the focus is in it", async () => {
      const { page, url } = await open(stage);
      await page.clock.install();
      await page.goto(`${url}/audit`);
      let renewals = 0;
      page.on("request", () => (renewals += 1));
      await page.getByRole("link", { name: "Details" }).first().focus();
      await log(stage, "test.third");
      await page.clock.runFor(11_000);
      expect(renewals).toBe(0);
      await page.getByLabel("To whom", { exact: true }).focus();
      await page.clock.runFor(6000);
      await page.locator("[data-live=entries]").getByText("test.third").waitFor();
    });

    it("a row opens without a reload, and its address opens it again, with a script or without", async () => {
      const { page, url } = await open(stage);
      await log(stage, "test.opened");
      await page.goto(`${url}/audit?action=test.opened`);
      await inPage(page, "() => (document.title = 'not reloaded')");
      await page.getByRole("link", { name: "Details" }).click();
      const details = page.getByRole("row").filter({ hasText: "cli:root" });
      await details.waitFor();
      expect(await page.title()).toBe("not reloaded");
      expect(new URL(page.url()).searchParams.get("open")).toBe("aud_test.opened");
      const toggle = page.getByRole("link", { name: "Details" });
      expect(await toggle.getAttribute("aria-expanded")).toBe("true");
      await page.reload();
      expect(await details.count()).toBe(1);
      await toggle.click();
      await details.waitFor({ state: "detached" });
      const plain = await open(stage, { javaScriptEnabled: false });
      await plain.page.goto(`${plain.url}/audit?action=test.opened`);
      await plain.page.getByRole("link", { name: "Details" }).click();
      await plain.page.getByRole("row").filter({ hasText: "cli:root" }).waitFor();
    });

    it.each(["aborted", "refused"])("a row whose fetch is %s opens with a reload", async (how) => {
      stage.expectComplaint(/ERR_FAILED|status of 503/u);
      const { page, url } = await open(stage);
      const action = `test.${how}`;
      await log(stage, action);
      await page.goto(`${url}/audit?action=${action}`);
      await page.route(
        (address) => address.searchParams.has("open"),
        async (route) => await (how === "aborted" ? route.abort() : route.fulfill({ status: 503 })),
        { times: 1 },
      );
      await page.getByRole("link", { name: "Details" }).click();
      await page.getByRole("row").filter({ hasText: "cli:root" }).waitFor();
      expect(new URL(page.url()).searchParams.get("open")).toBe(`aud_${action}`);
    });

    it("a filter applies when it is changed, and the address says only what was chosen", async () => {
      const { page, url } = await open(stage);
      await page.goto(`${url}/audit`);
      await page.getByLabel("Result").selectOption("failure");
      await page.waitForURL(/\?/u);
      expect(new URL(page.url()).search).toBe("?result=failure");
    });

    it("times are told in the zone of the browser, or of the address", async () => {
      const { page, url } = await open(stage, { timezoneId: "Asia/Kolkata" });
      await log(stage, "test.timed");
      await page.goto(`${url}/audit?action=test.timed`);
      const time = page.locator("tbody time").first();
      expect(await time.getAttribute("title")).toMatch(/GMT\+5:30$/u);
      expect(await page.getByText("Times are in Asia/").count()).toBe(1);
      await page.goto(`${url}/audit?action=test.timed&zone=America/St_Johns`);
      expect(await time.getAttribute("title")).toMatch(/GMT-[23]:30$/u);
      // Filters and links keep it.
      await page.getByLabel("Result").selectOption("success");
      await page.waitForURL(/result=success/u);
      expect(new URL(page.url()).searchParams.get("zone")).toBe("America/St_Johns");
      await page.getByRole("link", { name: "People" }).first().click();
      await page.waitForURL(/\/people/u);
      expect(new URL(page.url()).searchParams.get("zone")).toBe("America/St_Johns");
    });

    it("a mail is shown in a frame without script", async () => {
      const { page, url } = await open(stage);
      await page.goto(`${url}/mail/texts?kind=reset&language=ar`);
      const frame = page.frameLocator("iframe");
      await frame.getByRole("link").first().waitFor();
      expect(await frame.locator("html").getAttribute("dir")).toBe("rtl");
    });

    it("give axe nothing to find, in light and in dark, and fit a phone", async () => {
      const app = await stage.service.createApp();
      const id = await createEndpoint(stage.service, app, { url: "http://127.0.0.1:9/hooks" });
      await happen(stage.service, app);
      await fetch(`${stage.service.url}/.well-known/jwks.json`);
      const { page, url } = await open(stage, { viewport: narrow });
      for (const path of [
        "/audit",
        "/webhooks",
        "/webhooks/new",
        `/webhooks/${id}`,
        "/keys",
        "/mail",
        "/capacity",
        "/agents",
      ]) {
        await page.goto(url + path);
        expect(await sidewaysPixels(page), path).toBe(0);
        await inPage(page, "() => document.querySelectorAll('details').forEach((each) => (each.open = true))");
        expect(await sidewaysPixels(page), `${path} with open forms`).toBe(0);
        expect(await violations(page), `${path} in light`).toEqual([]);
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await violations(page, ["color-contrast"]), `${path} in dark`).toEqual([]);
        await page.emulateMedia({ colorScheme: "light" });
      }
    });
  },
  { overrides: localWebhooks },
);

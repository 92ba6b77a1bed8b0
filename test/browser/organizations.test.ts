import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { pageLanguages, textsFor } from "../../src/look/texts/texts.ts";
import { useMailServer } from "../support/mail.ts";
import { call, goodPassword, newEmail } from "../support/person.ts";
import { until } from "../support/receiver.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { changeApp } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, field, focused, heading } from "./support/steps.ts";

const mailServer = await useMailServer();

describeInBrowser(
  "organizations in a browser",
  (stage) => {
    async function having(): Promise<{ app: TestApp; email: string }> {
      const app = await createApp(stage, { name: "Acme" });
      await changeApp(stage.service, app, { settings: { organizations: "on", organizationCreation: "people" } });
      const email = newEmail();
      const person = { email, emailVerified: true, password: goodPassword };
      await call(stage.service, "POST", `/applications/${app.id}/users`, app.headers, person);
      return { app, email };
    }

    /** Signs in to the list of the person's organizations. */
    async function openList(app: TestApp, email: string, browser: BrowserContextOptions = {}): Promise<Page> {
      const page = await stage.newPage({ reducedMotion: "reduce", ...browser });
      await page.goto(`${stage.service.url}/organization?app_id=${app.id}`);
      await page.locator("#email").fill(email);
      await page.locator("#password").fill(goodPassword);
      await page.locator("#password").press("Enter");
      await page.waitForURL("**/organization?*");
      return page;
    }

    async function invitationOf(email: string): Promise<string> {
      await until(() => mailServer.to(email).length > 0);
      return /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(mailServer.to(email).at(-1)?.text ?? "")?.[0] ?? "";
    }

    it.each([true, false])(
      "a stranger sets up a company, a domain and three members (JavaScript: %s)",
      async (javaScriptEnabled) => {
        const { app, email } = await having();
        const page = await openList(app, email, { javaScriptEnabled });
        await page.getByLabel("Name of the organization").fill("contoso.com");
        await button(page, "Create an organization").click();
        await page.getByText("that isn't a web address").waitFor();
        await page.getByLabel("Name of the organization").fill("Contoso");
        await button(page, "Create an organization").click();
        await heading(page).filter({ hasText: "Contoso" }).waitFor();
        await page.getByLabel("Domain", { exact: true }).fill("contoso.example");
        await button(page, "Add the domain").click();
        await page.getByText("_authsvc-challenge.contoso.example").waitFor();
        const people = [newEmail(), newEmail(), newEmail()];
        await page.getByLabel("Email addresses, one a line").fill(people.join("\n"));
        await button(page, "Send invitations").click();
        for (const person of people) {
          await page.getByText(person).first().waitFor();
          const invited = await stage.newPage({ javaScriptEnabled });
          await invited.goto(await invitationOf(person));
          await button(invited, "Join").click();
          await button(invited, "Choose a password").click();
          await field(invited, "Password").or(invited.getByLabel("New password")).fill(goodPassword);
          await button(invited, "Save password").click();
          await heading(invited).filter({ hasText: "ready" }).waitFor();
          await invited.context().close();
        }
        await page.reload();
        const members = page.getByRole("region", { name: "Members" });
        for (const person of people) await members.getByText(person).first().waitFor();
        await page.getByRole("region", { name: "Activity" }).getByText("Member added").first().waitFor();
      },
    );

    it("is managed by keyboard: a role is given without a pointer", async () => {
      const { app, email } = await having();
      const page = await openList(app, email);
      await page.getByLabel("Name of the organization").focus();
      await page.keyboard.type("Contoso");
      await page.keyboard.press("Enter");
      await heading(page).filter({ hasText: "Contoso" }).waitFor();
      await page.getByLabel(`Roles of ${email}`).first().focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      expect(await page.getByRole("checkbox", { name: "Administrator" }).first().isChecked()).toBe(true);
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toMatchObject({ role: "status", text: "Saved." });
      await page.getByText("Administrator, Owner").first().waitFor();
    });

    it.each([...pageLanguages.keys()])(
      "in %s, axe finds nothing on its pages, and the smallest phone scrolls in one direction",
      async (lang) => {
        const { texts } = textsFor(lang, undefined);
        const { app, email } = await having();
        const sound = async (page: Page, title: string): Promise<void> => {
          await heading(page).filter({ hasText: title }).waitFor();
          expect(await sidewaysPixels(page), title).toBe(0);
          expect(await violations(page), title).toEqual([]);
        };
        const page = await openList(app, email, { viewport: narrow, locale: lang });
        await sound(page, texts.organizations);
        await page.getByLabel(texts.organizationName).fill("Contoso");
        await button(page, texts.organizationCreate).click();
        await heading(page).filter({ hasText: "Contoso" }).waitFor();
        await page.getByLabel(texts.organizationDomain, { exact: true }).fill("contoso.example");
        await button(page, texts.organizationDomainAdd).click();
        await page.getByText(texts.organizationSaved).waitFor();
        await sound(page, "Contoso");
        await page.goto(`${stage.service.url}/account/delete?app_id=${app.id}`);
        await page.getByText(texts.organizationOwnerless).waitFor();
        await sound(page, texts.deleteTitle("Acme"));
      },
    );
  },
  { overrides: { mail: mailServer.mail } },
);

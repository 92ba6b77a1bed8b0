import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as relinks from "../../src/companies/relinks.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { companyConfig, employee, useCompanyProvider } from "../support/company-provider.ts";
import { withCompanySignIn } from "../support/company-sign-in.ts";
import { codeInMailbox, goodPassword } from "../support/person.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, heading } from "./support/steps.ts";

const company = await useCompanyProvider();

describeInBrowser(
  "a company's own sign-in in a browser",
  (stage) => {
    type Acme = Awaited<ReturnType<typeof withCompanySignIn>>;
    type Client = Awaited<ReturnType<Acme["openIdClient"]>>;

    /** In both themes, and on the smallest phone. */
    async function isWellShown(page: Page): Promise<void> {
      const size = page.viewportSize();
      await page.setViewportSize(narrow);
      expect(await sidewaysPixels(page)).toBe(0);
      expect(await violations(page), "in light").toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"]), "in dark").toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      if (size) await page.setViewportSize(size);
    }

    async function open(): Promise<Page> {
      stage.allowOrigin(company.issuer);
      return await stage.newPage({ reducedMotion: "reduce" });
    }

    const programOf = async (acme: Acme): Promise<Client> =>
      await acme.openIdClient({ redirectUris: [`${stage.site.origin}/callback`] });

    async function toCompany(page: Page, { url }: Client, email: string, parameters = {}): Promise<void> {
      await page.goto(url(parameters));
      await page.getByRole("link", { name: "Sign in with your company" }).click();
      await page.getByLabel("Email").fill(email);
      await button(page, "Continue").click();
    }

    async function arrived(page: Page): Promise<void> {
      expect((await backAtTheApp(stage, page)).get("code")).toEqual(expect.any(String));
      stage.site.forget();
    }

    const continueButton = (page: Page) => page.getByRole("button", { name: /^Continue to / });

    it("a first sign-in names the company, and then the person", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await programOf(acme);
      const email = acme.at("ada");
      await acme.invite(email);
      const page = await open();
      await page.goto(client.url());
      await isWellShown(page);
      await toCompany(page, client, email);
      await page.getByText(acme.domain).first().waitFor();
      await isWellShown(page);
      company.person = employee("a", email);
      await continueButton(page).click();
      await heading(page).filter({ hasText: "Continue to Initech?" }).waitFor();
      await isWellShown(page);
      await button(page, "Continue").click();
      await arrived(page);
      // Again, without a page.
      await page.goto(client.url());
      await arrived(page);
    });

    it("a person with a password switches between a company by its provider and another by their own", async () => {
      const acme = await withCompanySignIn(stage.service, company, { requiredSince: 1 });
      const globex = await acme.newOrganization({ name: "Globex" });
      const client = await programOf(acme);
      const email = acme.at("dee");
      const id = await acme.account(email);
      await acme.send("PUT", `${globex.path}/members/${id}`, { roles: ["member"] });
      const page = await open();
      await page.goto(client.url({ organization: globex.id }));
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password").fill(goodPassword);
      await page.getByLabel("Password").press("Enter");
      await page.getByRole("link", { name: "Sign in another way" }).click();
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password").fill(goodPassword);
      await page.getByLabel("Password").press("Enter");
      await arrived(page);
      await page.goto(client.url({ organization: acme.organization.id }));
      await page.getByText("asks its members to sign in by its own provider").waitFor();
      await isWellShown(page);
      company.person = employee("d", email);
      await continueButton(page).click();
      await button(page, "Continue").click();
      await arrived(page);
      for (const organization of [globex.id, acme.organization.id]) {
        await page.goto(client.url({ organization }));
        await arrived(page);
      }
    });

    it("somebody disabled at the provider is out when the proof ends", async () => {
      const acme = await withCompanySignIn(stage.service, company, { sessionSeconds: 300 });
      const client = await programOf(acme);
      const email = acme.at("bob");
      await acme.invite(email);
      const page = await open();
      await toCompany(page, client, email);
      company.person = employee("b", email);
      await continueButton(page).click();
      await button(page, "Continue").click();
      await arrived(page);
      company.person = undefined;
      stage.service.clock.advance(400_000);
      await page.goto(client.url());
      await heading(page).filter({ hasText: "Sign in to Initech" }).waitFor();
      await isWellShown(page);
      await continueButton(page).click();
      await page.getByText("without signing in").waitFor();
      await isWellShown(page);
    });

    it("after a new registration a member connects the new subject by their mailbox", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await programOf(acme);
      const { email } = await acme.newcomer("eli");
      stage.service.clock.advance(1000);
      const { ctx } = stage.service.server.app;
      const organization = await findOrganization(ctx.storage.reader, acme.organization.id);
      const user = await acme.userOf(email);
      if (!organization) throw new Error("no organization");
      const acting = { actor: { kind: "cli", name: "test" } } as const;
      const page = await open();
      company.person = employee("new", email);
      await toCompany(page, client, email);
      await continueButton(page).click();
      await page.getByText("belongs to another sign-in").waitFor();
      await isWellShown(page);
      await relinks.openRelink(ctx, organization, { userIds: [String(user?.["id"])] }, acting);
      stage.service.clock.advance(1000);
      await toCompany(page, client, email);
      await continueButton(page).click();
      await page.getByText("has a new sign-in").waitFor();
      await isWellShown(page);
      await button(page, "Email me a code").click();
      await page.getByLabel("Code").fill(await codeInMailbox(stage.service.url, email));
      await heading(page).filter({ hasText: "Continue to Initech?" }).waitFor();
      await isWellShown(page);
      await button(page, "Continue").click();
      await arrived(page);
    });

    it("an expired secret says so, and leaves own methods open", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await programOf(acme);
      const email = acme.at("gus");
      await acme.account(email);
      company.secret = "changed there";
      company.person = employee("g", email);
      const page = await open();
      await toCompany(page, client, email);
      await continueButton(page).click();
      await page.getByText("didn't answer as expected").waitFor();
      await isWellShown(page);
      await page.getByRole("link", { name: "Sign in another way" }).click();
      await isWellShown(page);
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password").fill(goodPassword);
      await page.getByLabel("Password").press("Enter");
      await arrived(page);
    });
  },
  { overrides: { ...companyConfig, dev: true } },
);

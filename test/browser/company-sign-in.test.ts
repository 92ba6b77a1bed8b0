import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as relinks from "../../src/companies/relinks.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { companyConfig, employee, useCompanyProvider } from "../support/company-provider.ts";
import { withCompanySignIn } from "../support/company-sign-in.ts";
import { codeInMailbox, goodPassword } from "../support/person.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, heading } from "./support/steps.ts";

const company = await useCompanyProvider();
const folder = "build/pages/company";
mkdirSync(folder, { recursive: true });

describeInBrowser(
  "a company's own sign-in in a browser",
  (stage) => {
    type Acme = Awaited<ReturnType<typeof withCompanySignIn>>;
    type Client = Awaited<ReturnType<Acme["openIdClient"]>>;

    async function looked(page: Page, name: string): Promise<void> {
      await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
      expect(await violations(page)).toEqual([]);
    }

    /** The client's address is nobody's: the browser stops there. */
    async function open(extra = {}): Promise<Page> {
      stage.allowOrigin(company.issuer);
      const page = await stage.newPage({ reducedMotion: "reduce", ...extra });
      await page.route(/^https:\/\/client\d+\.example/u, (route) => route.fulfill({ body: "back at the program" }));
      return page;
    }

    async function toCompany(page: Page, { url }: Client, email: string, parameters = {}): Promise<void> {
      await page.goto(url(parameters));
      await page.getByRole("link", { name: "Sign in with your company" }).click();
      await page.getByLabel("Email").fill(email);
      await button(page, "Continue").click();
    }

    async function arrived(page: Page): Promise<void> {
      await page.getByText("back at the program").waitFor();
      expect(page.url()).toContain("code=");
    }

    const continueButton = (page: Page) => page.getByRole("button", { name: /^Continue to / });

    it("a first sign-in names the company, and then the person", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await acme.openIdClient();
      const email = acme.at("ada");
      await acme.invite(email);
      const page = await open();
      await page.goto(client.url());
      await looked(page, "sign-in");
      await toCompany(page, client, email);
      await page.getByText(acme.domain).first().waitFor();
      await looked(page, "before");
      company.person = employee("a", email);
      await continueButton(page).click();
      await heading(page).filter({ hasText: "Continue to Initech?" }).waitFor();
      await looked(page, "after");
      await page.setViewportSize(narrow);
      expect(await sidewaysPixels(page)).toBe(0);
      await page.screenshot({ path: `${folder}/after.phone.png`, fullPage: true });
      await button(page, "Continue").click();
      await arrived(page);
      // Again, without a page.
      await page.goto(client.url());
      await arrived(page);
    });

    it("a person with a password switches between a company by its provider and another by their own", async () => {
      const acme = await withCompanySignIn(stage.service, company, { requiredSince: 1 });
      const globex = await acme.newOrganization({ name: "Globex" });
      const client = await acme.openIdClient();
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
      await looked(page, "required");
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
      const client = await acme.openIdClient();
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
      await looked(page, "disabled-before");
      await continueButton(page).click();
      await page.getByText("without signing in").waitFor();
      await looked(page, "disabled");
    });

    it("after a new registration a member connects the new subject by their mailbox", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await acme.openIdClient();
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
      await looked(page, "refused");
      await relinks.openRelink(ctx, organization, { userIds: [String(user?.["id"])] }, acting);
      stage.service.clock.advance(1000);
      await toCompany(page, client, email);
      await continueButton(page).click();
      await page.getByText("has a new sign-in").waitFor();
      await looked(page, "relink");
      await button(page, "Email me a code").click();
      await page.getByLabel("Code").fill(await codeInMailbox(stage.service.url, email));
      await button(page, "Confirm").click();
      await heading(page).filter({ hasText: "Continue to Initech?" }).waitFor();
      await looked(page, "relinked");
      await button(page, "Continue").click();
      await arrived(page);
    });

    it("an expired secret says so, and leaves own methods open", async () => {
      const acme = await withCompanySignIn(stage.service, company);
      const client = await acme.openIdClient();
      const email = acme.at("gus");
      await acme.account(email);
      company.secret = "changed there";
      company.person = employee("g", email);
      const page = await open();
      await toCompany(page, client, email);
      await continueButton(page).click();
      await page.getByText("didn't answer as expected").waitFor();
      await looked(page, "failing");
      await page.getByRole("link", { name: "Sign in another way" }).click();
      await looked(page, "own-ways");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password").fill(goodPassword);
      await page.getByLabel("Password").press("Enter");
      await arrived(page);
    });
  },
  { overrides: { ...companyConfig, dev: true } },
);

import { expect, test } from "vitest";
import * as provider from "../../src/companies/service.ts";
import { isoTime } from "../../src/lib/clock.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../support/company-provider.ts";
import { openConsole } from "../support/console.ts";
import { withOrganizations } from "../support/organizations.ts";
import { decoded, goodPassword, newEmail } from "../support/person.ts";
import { describeSqliteFirst } from "../support/service.ts";
import { mailAway } from "./somebody.ts";
import { filled } from "./support-forms.ts";

const company = await useCompanyProvider();
const by = { actor: { kind: "cli", name: "test" } } as const;

describeSqliteFirst("an organization's provider in the console", { ...mailAway, ...companyConfig }, (service) => {
  async function opened() {
    const shop = await withOrganizations(service(), { companySignIn: "on" });
    const organization = await shop.newOrganization();
    const { ctx } = service().server.app;
    const console = await openConsole(service());
    const page = async () => await console.get(`/applications/${shop.app.id}/organizations/${organization.id}`);
    async function send(action: string, values: Record<string, string> = {}) {
      const shown = await page();
      return await console.submit(shown, action, { ...filled(shown, action), ...values });
    }
    async function now() {
      const row = await findOrganization(ctx.storage.reader, organization.id);
      if (!row) throw new Error("no organization");
      return await provider.show(ctx, row, by);
    }
    return { shop, organization, page, send, now };
  }

  test("an operator sees one that waits, lets it work, asks it, and removes it", async () => {
    const { organization, page, send, now } = await opened();
    expect((await page()).text).toContain("It has no provider.");
    await storeProvider(service(), organization, company, { state: "waiting", triedAt: null });
    expect((await page()).text).toContain("waits");
    await send("/provider/confirm", { issuer: "https://another.example" });
    expect((await now()).provider).toBeNull();
    await send("/provider/confirm");
    expect(await now()).toMatchObject({ provider: { issuer: company.issuer }, waiting: null });
    expect(decoded((await send("/provider/test")).text)).toContain(`${company.issuer} answers.`);
    await send("/provider/remove");
    expect(await now()).toMatchObject({ provider: null, waiting: null });
  });

  test("the page says what fails, and since when", async () => {
    const { organization, page } = await opened();
    const since = service().clock.now - 3_600_000;
    const failing = { failingSince: since, failedAt: since + 700_000, failure: "invalid_client" };
    await storeProvider(service(), organization, company, failing);
    const { text } = await page();
    expect(text).toContain("invalid_client");
    expect(text).toContain(`datetime="${isoTime(since)}"`);
  });

  test("an operator opens a new identity for a member, and agrees where an owner has to", async () => {
    const { shop, organization, page, send } = await opened();
    await storeProvider(service(), organization, company);
    const email = newEmail();
    const { body } = await shop.send("POST", "/users", { email, emailVerified: true, password: goodPassword });
    await shop.send("PUT", `${organization.path}/members/${String(body["id"])}`, { roles: ["owner"] });
    await send("/provider/relinks", { who: email });
    expect((await page()).text).toContain("an owner has to agree");
    await send(`/provider/relinks/${String(body["id"])}/agree`);
    expect((await page()).text).not.toContain("an owner has to agree");
  });

  test("an operator mails a set-up link, and ends it", async () => {
    const { page, send } = await opened();
    const email = newEmail();
    await send("/setup-links", { email });
    const { text } = await page();
    expect(text).toContain(email);
    const [, path = ""] = /(\/setup-links\/\w+\/end)"/u.exec(text) ?? [];
    await send(path);
    expect((await page()).text).not.toContain(email);
  });
});

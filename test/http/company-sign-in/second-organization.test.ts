import { expect, it } from "vitest";
import { setUpAt } from "../../support/account-factors.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const mailServer = await useMailServer();
const warning = "The people who run your email can reset your password.";

describeSqliteFirst("who joins a second organization", { mail: mailServer.mail }, (current) => {
  async function invited(settings: Parameters<typeof withOrganizationPages>[1]) {
    const all = await withOrganizationPages(current(), settings);
    const { visitor, email, userId } = await all.newVisitor();
    async function invite(): Promise<string> {
      const organization = await all.newOrganization();
      const invitations = [{ email, roles: ["member"] }];
      const { body } = await all.send("POST", `${organization.path}/invitations`, { invitations });
      const [made] = body["results"] as { invitation: { id: string } }[];
      return `/organization/invitations/${made?.invitation.id ?? ""}?app_id=${all.app.id}`;
    }
    const page = async (path: string) => (await visitor.get(current().url + path)).text;
    return { ...all, visitor, email, userId, invite, page };
  }

  it("is told that people who run the mailbox can reset a password, with the offer of a second factor", async () => {
    const { send, newOrganization, userId, invite, page } = await invited({
      companySignIn: "on",
      secondFactor: "optional",
    });
    const path = await invite();
    expect(await page(path)).not.toContain(warning);
    await send("PUT", `${(await newOrganization()).path}/members/${userId}`, { roles: ["member"] });
    const shown = await page(path);
    expect(shown).toContain(warning);
    expect(shown).toContain("/account/factor?");
  });

  it("is told nothing with a second factor", async () => {
    const all = await invited({ companySignIn: "on", secondFactor: "optional" });
    await all.send("PUT", `${(await all.newOrganization()).path}/members/${all.userId}`, { roles: ["member"] });
    await setUpAt(current(), all.app, all);
    expect(await all.page(await all.invite())).not.toContain(warning);
  });

  it("is told nothing where no company has a sign-in of its own", async () => {
    const { send, newOrganization, userId, invite, page } = await invited({ secondFactor: "optional" });
    await send("PUT", `${(await newOrganization()).path}/members/${userId}`, { roles: ["member"] });
    expect(await page(await invite())).not.toContain(warning);
  });
});

import { expect, it } from "vitest";
import { useMailServer } from "../../support/mail.ts";
import { acceptNewest, withOrganizationPages } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const mailServer = await useMailServer();
const words = "May do without the company sign-in";

describeSqliteFirst("a helper from outside", { mail: mailServer.mail }, (current) => {
  async function owned(companySignIn: "on" | "off") {
    const all = await withOrganizationPages(current(), { companySignIn });
    const { visitor, userId: owner } = await all.newVisitor();
    const organization = await all.newOrganization({ owner });
    async function exempt(): Promise<unknown[]> {
      const { body } = await all.send("GET", `${organization.path}/members?limit=100`);
      return (body["members"] as { id: string; providerExempt?: true }[]).filter((one) => one.providerExempt);
    }
    return { ...all, visitor, owner, organization, exempt };
  }

  it("is invited by an owner as somebody who does without the company's provider", async () => {
    const { app, act, visitor, organization, newVisitor, exempt } = await owned("on");
    const { email, userId } = await newVisitor();
    await act(visitor, organization.id, { act: "invite", addresses: email, "role.member": "on", exempt: "on" });
    await acceptNewest(current(), app, userId);
    expect(await exempt()).toMatchObject([{ id: userId }]);
  });

  it("is exempted, and no more, by the box beside the roles", async () => {
    const { act, send, visitor, organization, newVisitor, exempt, url } = await owned("on");
    const { userId } = await newVisitor();
    await send("PUT", `${organization.path}/members/${userId}`, { roles: ["member"] });
    const fields = { act: "roles", user: userId, was: "member", "role.member": "on" };
    await act(visitor, organization.id, { ...fields, wasExempt: "", exempt: "on" });
    expect(await exempt()).toMatchObject([{ id: userId, roles: ["member"] }]);
    // A form from before leaves it.
    await act(visitor, organization.id, { ...fields, wasExempt: "" });
    expect(await exempt()).toHaveLength(1);
    expect((await visitor.get(url(organization.id))).text).toContain(words);
    await act(visitor, organization.id, { ...fields, wasExempt: "on" });
    expect(await exempt()).toEqual([]);
  });

  it("is not exempted by an admin", async () => {
    const { act, send, organization, newVisitor, exempt, url } = await owned("on");
    const { userId, visitor } = await newVisitor();
    await send("PUT", `${organization.path}/members/${userId}`, { roles: ["admin"] });
    expect((await visitor.get(url(organization.id))).text).not.toContain(words);
    const addresses = newEmail();
    const invited = { act: "invite", addresses, "role.member": "on", exempt: "on" };
    expect((await act(visitor, organization.id, invited)).text).toContain(addresses);
    const own = { act: "roles", user: userId, was: "admin", "role.admin": "on", wasExempt: "", exempt: "on" };
    expect((await act(visitor, organization.id, own)).status).toBe(422);
    expect(await exempt()).toEqual([]);
  });

  it("has no such box where no company has a sign-in of its own", async () => {
    const { visitor, organization, url } = await owned("off");
    expect((await visitor.get(url(organization.id))).text).not.toContain(words);
  });
});

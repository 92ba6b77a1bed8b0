import { expect, it } from "vitest";
import { openAccount, proveAt } from "../../support/account.ts";
import { offered, toChoice, withMemberships } from "../../support/memberships.ts";
import { call, redeem, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

async function having(service: TestService, settings = {}) {
  const person = await withMemberships(service, settings);
  const { app, email, found } = person;
  /** Into an organization of somebody else; the id of both. */
  async function invited(name: string): Promise<{ organization: string; invitation: string }> {
    const organization = await found(name, null);
    const path = `/applications/${app.id}/organizations/${organization}/invitations`;
    const body = { invitations: [{ email, roles: ["member"] }] };
    const sent = (await call(service, "POST", path, app.headers, body)).body["results"];
    const [result] = sent as { invitation: { id: string } }[];
    return { organization, invitation: result?.invitation.id ?? "" };
  }
  /** Signs in to the page of the choice, whose form posts any fields. */
  async function choice(extra = {}) {
    const { page, visitor, session } = await toChoice(service, { app, email }, extra);
    async function post(fields: Record<string, string>): Promise<Page> {
      const { action, fields: hidden } = page.form("/step/organization");
      const { token = "" } = hidden;
      return await visitor.post(new URL(action, page.url).href, { token, ...fields });
    }
    /** The tokens of an act that ends the sign-in. */
    const ending = async (fields: Record<string, string>) =>
      await redeem(service, app, { session, code: (await post(fields)).location.searchParams.get("code") ?? "" });
    return { page, visitor, post, ending };
  }
  return { ...person, invited, choice };
}

/** The organizations whose invitations a page shows. */
function inviting({ text }: Page): string[] {
  return [...text.matchAll(/aria-label="Decline the invitation to ([^"]+)"/gu)].map(([, name]) => name ?? "");
}

describeSqliteFirst("an invitation after a sign-in", { dev: true }, (current) => {
  it("is offered once, three on a page, and then in the chooser and on the account page", async () => {
    const person = await having(current());
    const own = await person.found("Own");
    const all = ["One", "Two", "Three", "Four"];
    for (const name of all) await person.invited(name);
    const first = await person.choice();
    expect(first.page.text).toContain("You&#39;re invited");
    const shown = inviting(first.page);
    expect([shown.length, offered(first.page)]).toEqual([3, []]);
    expect(await first.ending({ organization: "later" })).toMatchObject({ organization: { id: own } });
    current().clock.advance(1000);
    const second = await person.choice();
    expect(new Set([...shown, inviting(second.page)[0]])).toEqual(new Set(all));
    await second.ending({ organization: "later" });
    // All were offered, so nothing is asked, until there is something to choose.
    expect((await person.tokens()).organization).toMatchObject({ id: own });
    await person.found("Another");
    const third = await person.choice();
    expect([inviting(third.page).length, offered(third.page).length]).toEqual([3, 2]);
    const visitor = new Visitor();
    const landed = await proveAt(visitor, await openAccount(current(), person.app, visitor), person.email);
    const account = await visitor.get(landed.location.href);
    for (const name of all) expect(account.text).toContain(name);
  });

  it("makes a member, and the sign-in takes that organization", async () => {
    const person = await having(current());
    await person.found("Own");
    const { organization, invitation } = await person.invited("Acme");
    const { ending } = await person.choice();
    expect(await ending({ invitation })).toMatchObject({ organization: { id: organization } });
  });

  it("ends with a no, and the sign-in continues by itself", async () => {
    const person = await having(current());
    const own = await person.found("Own");
    const { organization, invitation } = await person.invited("Acme");
    const { ending, post } = await person.choice();
    expect(await ending({ invitation, answer: "no" })).toMatchObject({ organization: { id: own } });
    expect((await post({ invitation })).location.searchParams.get("code")).toBeNull();
    expect((await person.tokens()).organization).toMatchObject({ id: own });
    const path = `/applications/${person.app.id}/organizations/${organization}/invitations`;
    expect((await call(current(), "GET", path, person.app.headers)).body["invitations"]).toEqual([]);
  });

  it("is for nobody else, also in the session of somebody who has one of their own", async () => {
    const person = await having(current());
    const other = await having(current());
    const foreign = await other.invited("Foreign");
    await person.invited("Acme");
    const { post } = await person.choice();
    for (const answer of ["yes", "no"])
      expect((await post({ invitation: foreign.invitation, answer })).location.search).not.toContain("code=");
    expect((await other.choice()).page.text).toContain("Foreign");
  });

  it("Q7: into a demanded organization shows only that one, and no answer takes another (79)", async () => {
    const person = await having(current());
    const own = await person.found("Own");
    const { invitation: elsewhere } = await person.invited("Acme");
    const { organization, invitation } = await person.invited("Best");
    for (const chosen of [own, "none", "later"]) {
      const { page, post } = await person.choice({ organization });
      expect([inviting(page), offered(page)]).toEqual([["Best"], []]);
      const left = await post({ organization: chosen });
      expect([chosen, left.status, left.location.searchParams.get("code")]).toEqual([chosen, 303, null]);
    }
    const { post, page, visitor } = await person.choice({ organization });
    expect((await post({ invitation: elsewhere })).location.searchParams.get("code")).toBeNull();
    // Changing the account does not lose the demand.
    const again = await proveAt(visitor, await visitor.submit(page, "/step/other-account", {}), person.email);
    expect(inviting(await visitor.get(again.location.href))).toEqual(["Best"]);
    const { ending } = await person.choice({ organization });
    expect(await ending({ invitation })).toMatchObject({ organization: { id: organization } });
  });

  it("is told that an organization is full, and may continue without it", async () => {
    const person = await having(current());
    const { organization, invitation } = await person.invited("Acme");
    const { post, ending } = await person.choice();
    await person.change(organization, { maxMembers: 1 });
    const full = await post({ invitation });
    expect([full.status, full.text]).toEqual([422, expect.stringContaining("reached its limit of members")]);
    expect(await ending({ organization: "none" })).not.toHaveProperty("organization");
  });

  it("stands beside creating one where the application requires an organization, and there is no way around", async () => {
    const person = await having(current(), { organizations: "required", organizationCreation: "people" });
    await person.invited("Acme");
    const { page, post, ending } = await person.choice();
    expect(page.text).toContain("You need an organization");
    expect(inviting(page)).toEqual(["Acme"]);
    const wrong = await post({ act: "create", name: "acme.com" });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("web address")]);
    for (const organization of ["none", "later"]) {
      const around = await (await person.choice()).post({ organization });
      expect([around.status, around.location.searchParams.get("code")]).toEqual([303, null]);
    }
    expect(await ending({ act: "create", name: "Mine" })).toMatchObject({
      organization: { slug: "mine", roles: ["owner"] },
    });
  });
});

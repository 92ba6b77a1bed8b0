import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as domains from "../../../src/organizations/domains/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { offered, toChoice, withMemberships, type ActiveTokens } from "../../support/memberships.ts";
import { call, goodPassword, redeem, signedUp, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";
import type { DomainJoin } from "../../../src/storage/column-types.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

/** The domain of everybody's address in these tests. */
const domain = "example.org";

/** Somebody whose address is verified, in none of the organizations. */
async function newcomer(current: TestService, settings: Parameters<typeof withMemberships>[1] = {}) {
  const person = await withMemberships(current, settings);
  const { ctx } = current.server.app;
  const verified = await call(
    current,
    "PATCH",
    `/applications/${person.app.id}/users/${person.userId}`,
    person.app.headers,
    {
      emailVerified: true,
    },
  );
  expect(verified.status).toBe(200);

  /** An organization that holds the domain; `before`: since before the account was made. */
  async function holding(name: string, join: DomainJoin, isEarlier = true): Promise<string> {
    const id = await person.found(name, null);
    const row = await findOrganization(ctx.storage.reader, id);
    if (!row) throw new Error("no organization");
    const { now } = current.clock;
    if (isEarlier) current.clock.now = now - 86_400_000;
    await domains.add(ctx, row, { domain, join, isProved: true }, by);
    current.clock.now = now;
    return id;
  }
  return { ...person, holding };
}

describeSqliteFirst("a sign-in by somebody whose address is at a proved domain", (current) => {
  it("joins by itself where that is on, for accounts made after the proof", async () => {
    const person = await newcomer(current());
    const acme = await person.holding("Acme", "on");
    const tokens = await person.tokens();
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ org_id: acme, org_roles: ["member"] });
    // Once: a member stays one, and who was removed stays out.
    expect((await person.tokens()).organization).toMatchObject({ id: acme });
    await person.leave(acme);
    expect((await person.tokens()).organization).toBeUndefined();
  });

  it("joins the demanded organization, and no other than the demanded one", async () => {
    const person = await newcomer(current());
    const acme = await person.holding("Acme", "on");
    const best = await person.found("Best");
    expect((await person.tokens({ organization: best })).organization).toMatchObject({ id: best });
    expect((await person.tokens({ organization: "none" })).organization).toBeUndefined();
    expect((await person.tokens({ organization: acme })).organization).toMatchObject({ id: acme });
  });

  it("asks those who were there before, and remembers a no for this browser", async () => {
    const person = await newcomer(current());
    const acme = await person.holding("Acme", "on", false);
    const { page, visitor, session } = await toChoice(current(), person);
    expect(offered(page)).toEqual([acme]);
    expect(page.text).toContain(domain);
    const done = await visitor.submit(page, "/step/organization", { organization: "none" });
    const code = done.location.searchParams.get("code") ?? "";
    const without: ActiveTokens = await redeem(current(), person.app, { session, code });
    expect(without.organization).toBeUndefined();
    expect((await person.tokens({}, visitor)).organization).toBeUndefined();
    const again = await toChoice(current(), person, {}, new Visitor());
    const pressed = await again.visitor.submit(again.page, "/step/organization", { organization: acme });
    const tokens: ActiveTokens = await redeem(current(), person.app, {
      session: again.session,
      code: pressed.location.searchParams.get("code") ?? "",
    });
    expect(tokens.organization).toMatchObject({ id: acme, roles: ["member"] });
  });

  it.each([
    ["a member of another one", "Best"],
    ["a member of none", null],
  ])("Q7: shows %s only the demanded one, which they may join (79)", async (_title, other) => {
    const person = await newcomer(current());
    const acme = await person.holding("Acme", "ask");
    const best = other === null ? await person.found("Best", null) : await person.found(other);
    const demanded = { organization: "acme" };
    const begun = await toChoice(current(), person, demanded);
    expect([offered(begun.page), begun.page.text.includes('value="none"')]).toEqual([[acme], false]);
    const { visitor } = begun;
    // Whatever a page of before, or somebody's own form, sends.
    for (const organization of [best, "none", "", "choose ", `choose ${best}`, `+${best}`]) {
      const { location } = await visitor.submit(begun.page, "/step/organization", { organization });
      expect(location.searchParams.get("code")).toBeNull();
    }
    // After "another account", the next person is asked for the same, and may lack it.
    const prove = async (email: string) => {
      const form = await visitor.get(begun.session.authUrl);
      return await visitor.submit(form, "/password", { email, password: goodPassword });
    };
    await visitor.submit(begun.page, "/step/other-account", {});
    const stranger = await signedUp(current(), person.app);
    expect((await prove(stranger.email)).location.searchParams.get("error")).toBe("access_denied");
    const page = await visitor.get((await prove(person.email)).location.href);
    expect(offered(page)).toEqual([acme]);
    const pressed = await visitor.submit(page, "/step/organization", { organization: acme });
    const code = pressed.location.searchParams.get("code") ?? "";
    const tokens: ActiveTokens = await redeem(current(), person.app, { session: begun.session, code });
    expect(tokens.organization).toMatchObject({ id: acme, roles: ["member"] });
    // A demand is not remembered: the next sign-in of this browser chooses, if there is a choice.
    const next = await toChoice(current(), person, {}, visitor);
    expect(offered(next.page).toSorted()).toEqual(other === null ? [] : [acme, best].toSorted());
  });

  it("takes nothing from the page that was not offered", async () => {
    const person = await newcomer(current());
    await person.holding("Acme", "ask");
    const foreign = await person.found("Foreign", null);
    const refusals: unknown[] = [];
    for (const organization of [foreign, "org_unknown", "unknown", ""]) {
      const { page, visitor } = await toChoice(current(), person);
      const { status, location } = await visitor.submit(page, "/step/organization", { organization });
      refusals.push([status, location.searchParams.get("code"), location.pathname.replace(/sis_[\w-]+/u, "…")]);
    }
    // Alike, whether there is such an organization or not.
    expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(refusals[0]).toEqual([303, null, expect.any(String)]);
  });

  it("has no way around an organization where the application requires one", async () => {
    const person = await newcomer(current(), { organizations: "required" });
    const acme = await person.holding("Acme", "ask");
    const { page, visitor } = await toChoice(current(), person);
    expect([offered(page), page.text.includes('value="none"')]).toEqual([[acme], false]);
    const refused = await visitor.submit(page, "/step/organization", { organization: "none" });
    expect(refused.location.searchParams.get("code")).toBeNull();
  });
});

import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { offered, toChoice, withMemberships } from "../../support/memberships.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { call, goodPassword, redeem, signedUp, signIn, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, updateApp } from "../../support/service.ts";

describeSqliteFirst("the organization of a sign-in", (current) => {
  it("is the only one of the person, without a page; without any, none", async () => {
    const person = await withMemberships(current());
    expect(decodeJwt((await person.tokens()).accessToken)).not.toHaveProperty("org_id");
    const acme = await person.found("Acme", ["billing", "member"]);
    const tokens = await person.tokens();
    expect(tokens.organization).toEqual({ id: acme, slug: "acme", name: "Acme", roles: ["billing", "member"] });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ org_id: acme, org_roles: ["billing", "member"] });
  });

  it("is chosen once for a browser session by a person with several", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const { page, visitor, session } = await toChoice(current(), person);
    expect(offered(page)).toEqual([acme, best]);
    const done = await visitor.submit(page, "/step/organization", { organization: best });
    const code = done.location.searchParams.get("code") ?? "";
    const tokens = await redeem(current(), person.app, { session, code });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ org_id: best });
    // The same browser is not asked again, and another one is: the last used first.
    expect((await person.tokens({}, visitor)).organization).toMatchObject({ id: best });
    expect(offered((await toChoice(current(), person)).page)).toEqual([best, acme]);
  });

  it("is told why once, when the last one can no longer be used", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const { page, visitor } = await toChoice(current(), person);
    await visitor.submit(page, "/step/organization", { organization: acme });
    await person.leave(acme);
    const again = await toChoice(current(), person, {}, visitor);
    expect(again.page.text).toContain("You can no longer use the organization that you used last.");
    expect(offered(again.page)).toEqual([best]);
    await visitor.submit(again.page, "/step/organization", { organization: best });
    expect((await person.tokens({}, visitor)).organization).toMatchObject({ id: best });
  });

  it("has a filter, and shows slugs beside the names", async () => {
    const person = await withMemberships(current());
    for (let number = 1; number <= 9; number += 1) await person.found(`Shop ${number}`);
    const { page, visitor } = await toChoice(current(), person);
    expect(offered(page)).toHaveLength(9);
    expect(page.text).toContain("shop-7");
    const found = await visitor.get(`${page.url}?filter=SHOP-7`);
    expect(offered(found)).toHaveLength(1);
    expect(offered(await visitor.get(`${page.url}?filter=nobody`))).toEqual([]);
  });

  it("is the demanded one, by id or slug, or none by the word for it", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    expect((await person.tokens({ organization: acme })).organization).toMatchObject({ id: acme });
    expect((await person.tokens({ organization: "best" })).organization).toMatchObject({ id: best });
    expect((await person.tokens({ organization: "none" })).organization).toBeUndefined();
    // Empty and null are absent, so the person chooses.
    for (const organization of ["", null]) {
      const { page } = await toChoice(current(), person, { organization });
      expect(offered(page)).toHaveLength(2);
    }
  });

  it("Q7: is never another than the demanded one (79)", async () => {
    const person = await withMemberships(current());
    await person.found("Acme");
    const foreign = await person.found("Foreign", null);
    const disabled = await person.found("Disabled", ["member"], {});
    await person.change(disabled, { disabled: true });
    for (const organization of [foreign, "foreign", disabled]) {
      const { page } = await toChoice(current(), person, { organization });
      expect(page.location.searchParams.get("error")).toBe("access_denied");
      expect(page.location.searchParams.get("code")).toBeNull();
    }
    // The server may know which ones there are.
    const initiated = await call(current(), "POST", "/auth/initiate", person.app.headers, {
      redirectUri: person.app.redirectUri,
      organization: "org_unknown",
    });
    expect(initiated).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
  });

  it("Q10: without an API key, unknown, foreign and disabled ones look alike", async () => {
    const person = await withMemberships(current(), { publicClients: true });
    const foreign = await person.found("Foreign", null);
    const disabled = await person.found("Disabled");
    await person.change(disabled, { disabled: true });
    const answers = await Promise.all(
      ["org_unknown", "unknown-slug", foreign, disabled].map(async (organization) => {
        const body = { redirectUri: person.app.redirectUri, codeChallenge: "c".repeat(43), organization };
        const { status } = await call(current(), "POST", "/auth/initiate", { "x-service-app-id": person.app.id }, body);
        return status;
      }),
    );
    expect(answers).toEqual([200, 200, 200, 200]);
  });

  it("needs one page where the application requires one, and the person has none", async () => {
    const person = await withMemberships(current(), { organizations: "required" });
    const { page, visitor } = await toChoice(current(), person);
    expect(page.text).toContain("You need an organization");
    const left = await visitor.submit(page, "/step/other-account", {});
    expect((await visitor.get(left.location.href)).text).toContain("/password");
    const acme = await person.found("Acme");
    expect((await person.tokens()).organization).toMatchObject({ id: acme });
    const { page: refused } = await toChoice(current(), person, { organization: "none" });
    expect(refused.location.searchParams.get("error")).toBe("access_denied");
  });

  it("Q9: a choice of one person holds for nobody else who continues the session", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    await person.found("Best");
    // Asked for a second factor after the choice: the first person does not finish.
    await person.change(acme, { secondFactor: "required" });
    const { page, visitor, session } = await toChoice(current(), person);
    const chosen = await visitor.submit(page, "/step/organization", { organization: acme });
    const { fields } = (await visitor.get(chosen.location.href)).form("/step/set-up");
    // Somebody else signs in in the same session, and has no organization.
    const { email } = await signedUp(current(), person.app);
    const { token = "" } = fields;
    const done = await visitor.post(`${session.authUrl}/password`, { token, email, password: goodPassword });
    const code = done.location.searchParams.get("code") ?? "";
    const tokens = await redeem(current(), person.app, { session, code });
    expect(decodeJwt(tokens.accessToken)).not.toHaveProperty("org_id");
  });

  it("lets another account continue the session", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    await person.found("Best");
    const { page, visitor, session } = await toChoice(current(), person);
    const left = await visitor.submit(page, "/step/other-account", {});
    expect((await visitor.get(left.location.href)).text).toContain("/password");
    // What the first one was offered cannot be chosen any more.
    const late = await visitor.submit(page, "/step/organization", { organization: acme });
    expect(late.location.href).toBe(session.authUrl);
  });

  it("Q9: takes only an organization of the person from the page", async () => {
    const person = await withMemberships(current());
    await person.found("Acme");
    await person.found("Best");
    const foreign = await person.found("Foreign", null);
    for (const organization of [foreign, "", "none", "choose", "acme"]) {
      const { page, visitor } = await toChoice(current(), person);
      const done = await visitor.submit(page, "/step/organization", { organization });
      expect(done.location.searchParams.get("code")).toBeNull();
    }
  });

  it("is unknown to an application without organizations", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    await updateApp(current(), person.app, { settings: { organizations: "off" } });
    const body = { redirectUri: person.app.redirectUri, organization: acme };
    const answer = await call(current(), "POST", "/auth/initiate", person.app.headers, body);
    expect(answer.body.error?.details).toBe('body: unknown key "organization"');
    const client = await createTestClient(current(), person.app);
    const page = await new Visitor().get(authorizeUrl(current(), client, { organization: acme }));
    expect(page.location.pathname).toMatch(/^\/sign-in\//u);
    expect((await person.tokens()).organization).toBeUndefined();
  });

  it("Q8: is checked when the code is redeemed (74)", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const signedIn = await signIn(current(), person.app, person);
    await person.leave(acme);
    const { code, session } = signedIn;
    const { status } = await call(current(), "POST", "/auth/callback", person.app.headers, {
      code,
      sessionId: session.sessionId,
    });
    expect(status).toBe(400);
  });
});

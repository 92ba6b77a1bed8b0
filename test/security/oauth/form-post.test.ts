import { describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail, redeem, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, crossSitePost, startRound } from "../../support/providers/round.ts";
import type { TestService } from "../../support/service.ts";

const [apple] = await useProviders("apple");

const service = useService();

describe("an answer that a provider posts", () => {
  const person = () => ({ subject: "001234.ab.1234", email: newEmail(), verified: true, name: "Ada Lovelace" });

  async function posted(service: TestService) {
    const app = await appWith(service, [apple]);
    const round = await startRound(service, app, apple);
    const { url, fields = {} } = await atProvider(round.address, apple, person());
    return { app, round, url, fields };
  }

  it("O13: an answer posted from the provider's own site, without our cookie, gets a page that sends it on, and changes nothing", async () => {
    const { app, round, url, fields } = await posted(service);
    for (let n = 0; n < 3; n += 1) {
      const page = await crossSitePost(url, fields);
      expect(page.status).toBe(200);
      expect(page.headers.getSetCookie()).toEqual([]);
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(page.form("/callback").action).toBe("/oauth/apple/callback");
      expect(page.form("/callback").fields).toMatchObject({
        state: fields["state"],
        code: fields["code"],
        continued: "1",
      });
      // Nothing of the session but the app's name.
      expect(page.text).not.toContain(round.session.sessionId);
    }
    expect(apple.received.filter(({ path }) => path === "/token")).toEqual([]);
    expect(await usersOf(service, app)).toEqual([]);
  });

  it("O13: a posted answer continues from our own site, with the cookie, and signs in with the name that came beside the code", async () => {
    const { app, round, url, fields } = await posted(service);
    const done = await comeBack(round.visitor, { url, fields });
    const tokens = await redeem(service, app, { session: round.session, code: codeOf(done) });
    expect(tokens.user).toMatchObject({ name: "Ada Lovelace", emailVerified: true, authMethods: { oauth: ["apple"] } });
    expect(apple.complaints).toEqual([]);
  });

  it("O13: a posted answer works in an old browser that says nothing of where a form comes from", async () => {
    const { round, url, fields } = await posted(service);
    const bare = new Visitor();
    const first = await bare.post(url, fields, { "sec-fetch-site": "", origin: "null" });
    const again = first.form("/callback");
    expect(again.fields["continued"]).toBe("1");
    const withCookie = [...round.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: withCookie },
      body: new URLSearchParams({ ...fields, continued: "1" }),
    });
    expect(response.status).toBe(303);
    expect(new URL(response.headers.get("location") ?? "").searchParams.has("code")).toBe(true);
  });

  it("O13, S7: a posted answer signs in no browser that did not begin the round, and nobody twice", async () => {
    const { app, round, url, fields } = await posted(service);
    const victim = new Visitor();
    expect((await comeBack(victim, { url, fields })).status).toBe(403);
    expect((await comeBack(round.visitor, { url, fields })).status).toBe(404);
    expect(await usersOf(service, app)).toEqual([]);
    const second = await posted(service);
    codeOf(await comeBack(second.round.visitor, second));
    const again = await comeBack(second.round.visitor, second);
    expect([200, 404]).toContain(again.status);
    expect(again.headers.get("location")).toBeNull();
  });

  it("O13, H4: a posted answer changes nothing when it says of itself that it was continued, as long as it comes from another site", async () => {
    const { round, url, fields } = await posted(service);
    await crossSitePost(url, { ...fields, continued: "1" });
    codeOf(await comeBack(round.visitor, { url, fields }));
  });

  describe("that is none", () => {
    it.each([
      ["no state", { state: "" }],
      ["an unknown state", { state: "A".repeat(43) }],
      ["a hostile state", { state: '"><script>alert(1)</script>' }],
    ])("O13: a posted answer with %s gets a page that tells nothing", async (_title, change) => {
      const { url, fields } = await posted(service);
      const page = await crossSitePost(url, { ...fields, ...change });
      expect(page.status).toBe(404);
      expect(page.text).not.toContain("<script>alert");
      expect(page.text).not.toContain("Acme");
    });

    it("O13, H6: a posted answer shows what it brings as text only, and none of what is not the protocol's", async () => {
      const { url, fields } = await posted(service);
      const hostile = '"><img src=x onerror=alert(1)>';
      const page = await crossSitePost(url, { ...fields, code: hostile, user: hostile, id_token: "x", other: "y" });
      expect(page.text).not.toContain("<img");
      expect(Object.keys(page.form("/callback").fields).toSorted()).toEqual(["code", "continued", "state", "user"]);
    });

    it.each([
      ["larger than 16 KiB", { user: "x".repeat(17_000) }, 413],
      ["with a NUL", { user: "a\0b" }, 400],
    ])("O13: a posted answer that is none, %s, is refused", async (_title, change, status) => {
      const { url, fields } = await posted(service);
      expect((await crossSitePost(url, { ...fields, ...change })).status).toBe(status);
    });

    it("O13: a posted answer of another type, or with a field twice, is refused", async () => {
      const { url, fields } = await posted(service);
      const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(fields) };
      expect((await fetch(url, json)).status).toBe(415);
      const twice = new URLSearchParams([...Object.entries(fields), ["state", "x"]]);
      expect((await fetch(url, { method: "POST", body: twice })).status).toBe(400);
    });
  });

  it.each([
    "not JSON",
    "null",
    "[]",
    "{}",
    '{"name":null}',
    '{"name":"Ada"}',
    '{"name":{"firstName":{"a":1},"lastName":7}}',
    JSON.stringify({ name: { firstName: "a\u0007b" } }),
    JSON.stringify({ email: "victim@example.org", email_verified: true, sub: "other" }),
  ])("O13: a posted answer signs in without a name when the field `user` is %s", async (user) => {
    const { app, round, url, fields } = await posted(service);
    codeOf(await comeBack(round.visitor, { url, fields: { ...fields, user } }));
    const [created] = await usersOf(service, app);
    expect(created).toMatchObject({ name: null });
    expect(created?.email).not.toBe("victim@example.org");
  });

  it("O13: a posted answer signs in with a cut name when the field `user` has a long one", async () => {
    const { app, round, url, fields } = await posted(service);
    const user = JSON.stringify({ name: { firstName: "x".repeat(300) } });
    codeOf(await comeBack(round.visitor, { url, fields: { ...fields, user } }));
    expect(await usersOf(service, app)).toMatchObject([{ name: "x".repeat(200) }]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import { createLog } from "../../../src/lib/log.ts";
import { newEmail, type Page } from "../../support/person.ts";
import { newIssuerKey, signedWithSecret, unsigned, type Claims } from "../../support/providers/id-tokens.ts";
import type { Person } from "../../support/providers/kinds.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeUser, closeSignUp, usersOf } from "../../support/providers/records.ts";
import { appWith, codeOf, signInAt } from "../../support/providers/round.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";

const [corp, github, microsoft] = await useProviders("openid", "github", "microsoft");
const actor = { kind: "cli", name: "test" } as const;
const lines: string[] = [];
const log = createLog({ level: "debug", format: "json" }, { write: (line: string) => void lines.push(line) });

let subjects = 70_000;
const somebody = () => ({ subject: String((subjects += 1)), email: newEmail(), verified: true });

/** What the ID token leaves out. */
function withoutInToken(...names: string[]): void {
  corp.makeIdToken = async (claims) =>
    await corp.key.sign(Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name))));
}

describeOnSqlite("what a provider says of a person", { surroundings: { log } }, (current) => {
  beforeEach(() => {
    lines.length = 0;
  });

  async function signedUpBy(person: Person, change: Partial<ProviderInput> = {}, provider = corp) {
    const service = current();
    const app = await appWith(service, [provider]);
    if (Object.keys(change).length > 0)
      await providers.set(service.server.app.ctx, app.id, { ...provider.settings(), ...change }, actor);
    const { done } = await signInAt(service, app, provider, person);
    return { service, app, done, users: await usersOf(service, app) };
  }

  function logged(msg: string): Record<string, unknown>[] {
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["msg"] === msg);
  }

  describe("the name", () => {
    it("is read at userinfo where only that has it", async () => {
      withoutInToken("name", "picture");
      const raw = { picture: "https://pictures.example/ada.png" };
      const { users } = await signedUpBy({ ...somebody(), name: "Ada Lovelace", raw });
      expect(users).toMatchObject([{ name: "Ada Lovelace", picture: "https://pictures.example/ada.png" }]);
    });

    it.each<[string, Claims, string | null]>([
      ["given and family name", { given_name: "Ada", family_name: "Lovelace" }, "Ada Lovelace"],
      ["all three", { given_name: "Ada", middle_name: "King", family_name: "Lovelace" }, "Ada King Lovelace"],
      ["an empty name and its parts", { name: " ", given_name: "Ada", family_name: "Lovelace" }, "Ada Lovelace"],
      ["parts that are no texts", { given_name: ["Ada"], family_name: "Lovelace" }, "Lovelace"],
      ["300 characters", { name: "x".repeat(300) }, "x".repeat(200)],
      ["a picture in the middle of the cut", { name: `${"x".repeat(199)}😀y` }, "x".repeat(199)],
      ["a list for a name", { name: ["Ada"] }, null],
      ["a line break", { name: "Ada\nLovelace" }, null],
    ])("is made of %s", async (_title, raw, name) => {
      const { done, users } = await signedUpBy({ ...somebody(), raw });
      codeOf(done);
      expect(users.map((user) => user.name)).toEqual([name]);
    });

    it.each(["userinfo-500", "hangs", "another subject", "no JSON"])(
      "is left out if userinfo fails (%s), and the person is signed in",
      async (how) => {
        withoutInToken("name");
        corp.instead.set("/userinfo", () => {
          if (how === "hangs") return undefined;
          if (how === "another subject") return { body: { sub: "mallory", name: "Mallory" } };
          return how === "no JSON" ? { body: "<h1>" } : { status: 500 };
        });
        const { done, users } = await signedUpBy({ ...somebody(), name: "Ada" });
        codeOf(done);
        expect(users.map((user) => user.name)).toEqual([null]);
        expect(logged("a provider gave no name")[0]?.["reason"]).toMatch(/^userinfo: /u);
      },
    );

    it.each([
      ["a picture that is no https address", { picture: "http://x.example/a.png" }],
      ["a picture that is a list", { picture: ["https://x.example/a.png"] }],
      ["a locale that is a number", { locale: 7 }],
      ["a zone that is an object", { zoneinfo: {} }],
    ])("O12: %s keeps nobody out", async (_title, raw) => {
      const { done, users } = await signedUpBy({ ...somebody(), name: "Ada", raw });
      codeOf(done);
      expect(users).toMatchObject([{ name: "Ada", picture: null }]);
    });
  });

  describe("a signed userinfo", () => {
    const jwt = (body: string) => ({ headers: { "content-type": "application/jwt; charset=utf-8" }, body });

    async function answered(make: (claims: Claims) => Promise<string> | string): Promise<Page> {
      const person = somebody();
      const { subject: sub, email } = person;
      withoutInToken("email", "email_verified");
      const claims = { iss: corp.issuerOf(), aud: "client-1", sub, email, email_verified: true };
      corp.instead.set("/userinfo", async () => jwt(await make(claims)));
      const { done, users } = await signedUpBy(person);
      if (done.status === 303) expect(users).toMatchObject([{ email, emailVerified: true }]);
      else expect(users).toEqual([]);
      return done;
    }

    it.each<[string, (claims: Claims) => Claims]>([
      ["with its issuer and audience", (claims) => claims],
      ["without them", (claims) => ({ ...claims, iss: undefined, aud: undefined })],
      ["with several audiences", (claims) => ({ ...claims, aud: ["other", "client-1"] })],
    ])("is taken %s", async (_title, change) => {
      codeOf(await answered(async (claims) => await corp.key.sign(change(claims))));
    });

    it.each<[string, (claims: Claims) => Promise<string> | string, RegExp]>([
      ["signed by another key", async (claims) => await (await newIssuerKey()).sign(claims), /signature is wrong/u],
      ["not signed", (claims) => unsigned(claims), /not valid/u],
      ["signed with the client secret", async (claims) => await signedWithSecret(claims, corp.secret), /algorithm/u],
      ["for another client", async (claims) => await corp.key.sign({ ...claims, aud: "client-2" }), /\(aud\)/u],
      ["of another issuer", async (claims) => await corp.key.sign({ ...claims, iss: "https://x.example" }), /\(iss\)/u],
      ["about another subject", async (claims) => await corp.key.sign({ ...claims, sub: "x" }), /another subject/u],
      ["that has expired", async (claims) => await corp.key.sign({ ...claims, exp: 1 }), /\(exp\)/u],
      ["encrypted", () => "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA", /encrypted/u],
      ["that is no JWT", () => "hello", /userinfo/u],
    ])("O7: is refused %s, and the log says which call and rule", async (_title, make, reason) => {
      const done = await answered(make);
      expect(done.status).toBe(400);
      const [line] = logged("a provider failed");
      expect(line).toMatchObject({ provider: "corp", reason: expect.stringMatching(reason) });
      expect(line?.["reason"]).toMatch(/^userinfo: /u);
    });
  });

  describe("the claim of the address", () => {
    it("O4: is the one that the operator names, and proves nothing", async () => {
      const email = newEmail();
      const raw = { preferred_username: email, email: newEmail(), email_verified: true };
      const { users } = await signedUpBy({ ...somebody(), raw }, { emailClaim: "preferred_username" });
      expect(users).toMatchObject([{ email, emailVerified: false }]);
    });

    it("works with Microsoft, and with userinfo alone", async () => {
      const email = newEmail();
      const person = { ...somebody(), email: undefined, raw: { preferred_username: email } };
      expect((await signedUpBy(person, { emailClaim: "preferred_username" }, microsoft)).users).toMatchObject([
        { email },
      ]);
      withoutInToken("upn");
      const other = { ...somebody(), email: undefined, raw: { upn: newEmail() } };
      expect((await signedUpBy(other, { emailClaim: "upn" })).users).toMatchObject([{ email: other.raw.upn }]);
    });

    it("O2: never links to an account with that address", async () => {
      const email = newEmail();
      const { service, app } = await signedUpBy({ ...somebody(), email });
      await changeUser(service, email, { emailVerified: true });
      await providers.set(service.server.app.ctx, app.id, { ...corp.settings(), emailClaim: "upn" }, actor);
      const { done } = await signInAt(service, app, corp, { ...somebody(), raw: { upn: email, email_verified: true } });
      expect(done.status).toBe(400);
      expect(done.text).toContain("already");
    });
  });

  describe("every refusal by a rule of ours is logged with the provider, the rule and the remedy", () => {
    const refusals: [rule: string, person: () => Person, prepare?: (app: TestApp, person: Person) => Promise<void>][] =
      [
        ["no-email", () => ({ ...somebody(), email: undefined })],
        ["unverified-email", () => ({ ...somebody(), verified: false })],
        ["sign-up-closed", somebody, async (app) => await closeSignUp(current(), app)],
        [
          "existing-method-first",
          () => ({ ...somebody(), verified: undefined }),
          async (app, person) => {
            await signInAt(current(), app, corp, { ...person, subject: "first", verified: true });
          },
        ],
        [
          "refused",
          somebody,
          async (app, person) => {
            await signInAt(current(), app, corp, person);
            await changeUser(current(), person.email ?? "", { disabledAt: 1 });
          },
        ],
      ];

    it.each(refusals)("%s", async (rule, makePerson, prepare) => {
      const service = current();
      const app = await appWith(service, [corp]);
      const person = makePerson();
      await prepare?.(app, person);
      lines.length = 0;
      const { done } = await signInAt(service, app, corp, person);
      expect(done.status).toBe(400);
      expect(done.text).not.toContain("as expected");
      const [line] = logged("a rule refused a provider's identity");
      expect(line).toMatchObject({ level: "warn", provider: "corp", appId: app.id, rule });
      expect(String(line?.["remedy"])).not.toBe("");
      expect(line?.["requestId"]).toMatch(/./u);
      expect(JSON.stringify(line)).not.toContain(person.email ?? "nobody's");
    });
  });

  it.each([
    ["/user/emails", 403, "GitHub's /user/emails: status 403"],
    ["/user", 401, "userinfo: status 401"],
    ["/token", 500, "token endpoint: status 500"],
  ])("a failure of %s with %i names the call", async (path, status, reason) => {
    github.instead.set(path, () => ({ status, body: {} }));
    await signedUpBy(somebody(), {}, github);
    expect(logged("a provider failed")).toMatchObject([{ reason }]);
  });

  it.each([
    ["invalid_scope", "it came back with the error invalid_scope"],
    ["canary", "it came back with the error code of its own"],
  ])("the error %s that the browser brings back is named, if it is registered", async (refusal, reason) => {
    corp.refusal = refusal;
    await signedUpBy(somebody());
    expect(logged("a provider failed")).toMatchObject([{ reason }]);
  });

  it("an id_token that breaks a rule of ours is logged with the claim", async () => {
    corp.makeIdToken = async (claims) => await corp.key.sign({ ...claims, aud: ["client-1", "x"] });
    await signedUpBy(somebody());
    expect(String(logged("a provider failed")[0]?.["reason"])).toContain("(azp)");
  });
});

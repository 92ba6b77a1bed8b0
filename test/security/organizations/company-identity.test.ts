import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { authorizationAddress, identify, identityOf } from "../../../src/companies/identify.ts";
import type { OrganizationProvider } from "../../../src/organizations/provider/provider.ts";
import {
  companyConfig,
  employee,
  proveDomain,
  storeProvider,
  useCompanyProvider,
} from "../../support/company-provider.ts";
import { withOrganizations } from "../../support/organizations.ts";
import {
  newIssuerKey,
  signedWithSecret,
  unsigned,
  type Claims,
  type IdTokenMaker,
} from "../../support/providers/id-tokens.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
let made = 0;

/** An organization with a proved domain and this provider, and a sign-in there. */
async function withCompany(service: TestService, fields: Partial<OrganizationProvider> = {}) {
  const all = await withOrganizations(service);
  const organization = await all.newOrganization();
  const domain = `acme${(made += 1)}.example`;
  await proveDomain(service, organization, domain);
  const provider = await storeProvider(service, organization, company, fields);
  const { ctx } = service.server.app;
  async function signIn(given: { loginHint?: string; asksLogin?: boolean; silent?: boolean } = {}) {
    const state = randomBytes(32).toString("base64url");
    const wanted = { state, silent: false, loginHint: null, asksLogin: false, ...given };
    const back = await company.visit(await authorizationAddress(ctx, provider, wanted));
    const [code, iss] = [back.searchParams.get("code") ?? "", back.searchParams.get("iss") ?? undefined];
    return { state, back, code, iss, identified: async () => await identify(ctx, provider, { state, code, iss }) };
  }
  /** Whom the provider names, if it is this person. */
  async function come(person: Claims) {
    company.person = person;
    return await (await signIn()).identified();
  }
  return { ...all, organization, domain, provider, signIn, come };
}

describeOnSqlite("whom a company's provider names", companyConfig, (service) => {
  it("Q21: is the subject, with a verified address of the organization's domain", async () => {
    const { domain, organization, come } = await withCompany(service);
    const { identity, emailProblem } = await come(employee("e-1", `Emma@${domain.toUpperCase()}`));
    expect(emailProblem).toBeUndefined();
    expect(identity).toEqual({
      organizationId: organization.id,
      issuer: company.issuer,
      subject: "e-1",
      email: `emma@${domain}`,
      emailVerified: true,
      name: "Emma",
      elsewhereAt: 0,
      twoFactors: false,
    });
    expect(company.complaints).toEqual([]);
  });

  it("gets their address from userinfo if the ID token has none, with what is said about it there", async () => {
    const { domain, come } = await withCompany(service);
    company.claims = { email: undefined, email_verified: true };
    const email = `emma@${domain}`;
    expect(await come({ ...employee("e-2", email), email_verified: false })).toMatchObject({
      emailProblem: "unverified",
      identity: { email: null },
    });
    expect(await come(employee("e-2", email))).toMatchObject({ identity: { email, emailVerified: true } });
    company.userinfo = { sub: "somebody else" };
    await expect(come(employee("e-2", email))).rejects.toThrow("another subject");
  });

  it("is asked for silently, with a new sign-in, or with an address, as the sign-in wants it", async () => {
    const { signIn } = await withCompany(service);
    const asked = async (given: Parameters<typeof signIn>[0]) => {
      await signIn(given);
      const { query } = company.received.findLast(({ path }) => path === "/authorize") ?? {};
      return Object.fromEntries(["prompt", "max_age", "login_hint"].map((name) => [name, query?.get(name) ?? null]));
    };
    expect(await asked({})).toEqual({ prompt: null, max_age: null, login_hint: null });
    const loginHint = "emma@acme.example";
    expect(await asked({ silent: true, loginHint })).toEqual({ prompt: "none", max_age: null, login_hint: loginHint });
    expect(await asked({ asksLogin: true })).toEqual({ prompt: "login", max_age: "0", login_hint: null });
  });

  it("has two factors only by the claim that the server named", async () => {
    const { domain, come } = await withCompany(service, { trustsSecondFactor: "amr=mfa" });
    const emma = employee("e-3", `emma@${domain}`);
    expect((await come({ ...emma, amr: ["pwd"], acr: "mfa" })).identity.twoFactors).toBe(false);
    expect((await come({ ...emma, amr: ["pwd", "mfa"] })).identity.twoFactors).toBe(true);
    const other = await withCompany(service);
    expect((await other.come({ ...emma, amr: ["mfa"] })).identity.twoFactors).toBe(false);
  });

  it("was signed in there when auth_time says so, and never in the future", async () => {
    const { domain, come } = await withCompany(service);
    const emma = employee("e-4", `emma@${domain}`);
    const now = Math.floor(service.clock.now / 1000);
    company.clock = () => service.clock.now;
    const at = (await come({ ...emma, auth_time: now - 600 })).identity.elsewhereAt;
    expect(Math.abs(at - (now - 600) * 1000)).toBeLessThan(5000);
    for (const wrong of [now + 3600, "soon", -1, {}])
      expect((await come({ ...emma, auth_time: wrong })).identity.elsewhereAt, JSON.stringify(wrong)).toBe(0);
  });
});

describeOnSqlite("an attacker's provider", companyConfig, (service) => {
  it("Q21: speaks only for addresses of domains that its own organization proved (49, 55)", async () => {
    const { domain, come } = await withCompany(service);
    const other = await withCompany(service);
    const foreign = [
      `owner@${other.domain}`,
      "emma@gmail.com",
      `emma@sub.${domain}`,
      `emma@evil-${domain}`,
      `emma@${domain}.evil.example`,
    ];
    for (const email of foreign)
      expect(await come(employee("e-1", email)), email).toMatchObject({
        emailProblem: "other-domain",
        identity: { email: null },
      });
  });

  it("Q21: speaks for no domain that is not proved any more, moved a day ago, or waits for a confirmation", async () => {
    const { domain, come } = await withCompany(service);
    const { ctx } = service.server.app;
    const change = async (fields: object) =>
      await ctx.storage.write(async (tx) => void (await tx.db.update(tx.tables.organizationDomains).set(fields)));
    const emma = employee("e-1", `emma@${domain}`);
    for (const [broken, mended] of [
      [{ state: "lapsed" }, { state: "proved" }],
      [{ worksAt: service.clock.now + 60_000 }, { worksAt: null }],
      [{ setupLinkId: "osl_1" }, { setupLinkId: null }],
    ] as const) {
      await change(broken);
      expect(await come(emma), JSON.stringify(broken)).toMatchObject({ emailProblem: "other-domain" });
      await change(mended);
      expect((await come(emma)).emailProblem).toBeUndefined();
    }
  });

  it("Q21: proves no address without email_verified, unless the owners said that people cannot choose it (52)", async () => {
    const fixed = await withCompany(service, { fixedAddresses: true });
    const said = async (at: typeof fixed, email_verified: unknown) => {
      const { identity, emailProblem } = await at.come({
        ...employee("e-1", `emma@${at.domain}`),
        email_verified,
      });
      return emailProblem ?? identity.emailVerified;
    };
    const own = await withCompany(service);
    for (const absent of [undefined, null]) {
      expect(await said(own, absent)).toBeUndefined();
      expect(await said(fixed, absent)).toBe(true);
    }
    for (const no of [false, "false", 0, 1, "yes", "", [], [true], {}]) {
      expect(await said(own, no), JSON.stringify(no)).toBe("unverified");
      expect(await said(fixed, no), JSON.stringify(no)).toBe("unverified");
    }
    for (const yes of [true, "true"]) expect(await said(own, yes)).toBe(true);
  });

  it("names no address that is none, several, or another program's", async () => {
    const { domain, come } = await withCompany(service);
    const named = async (email: unknown) => (await come({ ...employee("e-1", ""), email })).emailProblem;
    for (const none of [undefined, null, "", 42, [`emma@${domain}`], { address: `emma@${domain}` }])
      expect(await named(none), JSON.stringify(none)).toBe("none");
    for (const broken of [`em ma@${domain}`, `"emma"@${domain}`, `ëmma@${domain}`, `a@b@${domain}`, "emma"])
      expect(await named(broken), broken).toBe("unsupported");
  });

  const wrong: Record<string, () => IdTokenMaker> = {
    "another issuer": changed({ iss: "https://idp.example" }),
    "the issuer with a slash": changed(() => ({ iss: `${company.issuer}/` })),
    "no issuer": changed({ iss: undefined }),
    "another audience": changed({ aud: "client-2" }),
    "several audiences, issued to another": changed({ aud: ["client-1", "client-2"], azp: "client-2" }),
    "another nonce": changed({ nonce: "A".repeat(43) }),
    "no nonce": changed({ nonce: undefined }),
    "no subject": changed({ sub: undefined }),
    "a number for a subject": changed({ sub: 42 }),
    "an empty subject": changed({ sub: "" }),
    "a subject of 256 characters": changed({ sub: "x".repeat(256) }),
    "a subject with a NUL": changed({ sub: "e\u0000-1" }),
    "an expiry in the past": changed(() => ({ exp: Math.floor(service.clock.now / 1000) - 120 })),
    "no expiry": changed({ exp: undefined }),
    "a time of issue in the future": changed(() => ({ iat: Math.floor(service.clock.now / 1000) + 3600 })),
    "a beginning in the future": changed(() => ({ nbf: Math.floor(service.clock.now / 1000) + 3600 })),
    "a key that nobody published": () => async (claims) => await (await newIssuerKey("ES256", "key-9")).sign(claims),
    "the name of a published key": () => async (claims) => await (await newIssuerKey()).sign(claims),
    "a key that it brings itself": () => async (claims) => {
      const key = await newIssuerKey();
      return await key.sign(claims, { jwk: key.publicJwk, jku: `${company.issuer}/evil` });
    },
    "no signature": () => (claims) => unsigned(claims),
    "a signature by the client secret": () => async (claims) => await signedWithSecret(claims, company.secret),
    "no JWT": () => () => "not.a.jwt",
  };

  function changed(change: Claims | (() => Claims)) {
    return (): IdTokenMaker => async (claims) =>
      await company.key.sign({ ...claims, ...(typeof change === "function" ? change() : change) });
  }

  it.each(Object.entries(wrong))("names nobody by an ID token with %s", async (_name, make) => {
    const { domain, come } = await withCompany(service);
    company.makeIdToken = make();
    await expect(come(employee("e-1", `emma@${domain}`))).rejects.toMatchObject({ name: "ProviderFailure" });
    company.makeIdToken = undefined;
    expect((await come(employee("e-1", `emma@${domain}`))).identity.subject).toBe("e-1");
  });

  it("gets an ID token of another visit, or of another organization's, refused", async () => {
    const own = await withCompany(service);
    const other = await withCompany(service);
    company.person = employee("e-1", `emma@${own.domain}`);
    const [first, second] = [await own.signIn(), await own.signIn()];
    const { ctx } = service.server.app;
    const { code, iss } = first;
    await expect(identify(ctx, own.provider, { state: second.state, code, iss })).rejects.toThrow("invalid_grant");
    const third = await own.signIn();
    const { state } = third;
    await expect(identify(ctx, other.provider, { state, code: third.code, iss })).rejects.toThrow("invalid_grant");
    const kept = await own.signIn();
    let stolen = "";
    company.makeIdToken = async (claims) => (stolen = await company.key.sign(claims));
    await kept.identified();
    company.makeIdToken = () => stolen;
    await expect((await own.signIn()).identified()).rejects.toThrow("nonce");
  });

  it("is not believed when the answer names another issuer, or none where it always names itself (RFC 9207)", async () => {
    const { domain, come, signIn, provider } = await withCompany(service);
    const emma = employee("e-1", `emma@${domain}`);
    company.answer = { iss: "https://idp.example" };
    await expect(come(emma)).rejects.toThrow("from another issuer");
    company.answer = {};
    const { state, code } = await signIn();
    await expect(identify(service.server.app.ctx, provider, { state, code, iss: undefined })).rejects.toThrow(
      "contains no issuer",
    );
  });
});

describeOnSqlite("Google, which serves every company,", companyConfig, (service) => {
  it("Q21: counts only with the `hd` of the address's domain, no matter who the subject is (45)", async () => {
    const { domain, provider } = await withCompany(service);
    const google = { ...provider, issuer: "https://accounts.google.com" };
    const said = async (hd: unknown, email = `emma@${domain}`) => {
      const claims = { sub: "g-1", email, email_verified: true, ...(hd !== undefined && { hd }) };
      const shown = { name: undefined, picture: undefined };
      return (await identityOf(service.server.app.ctx, google, { claims, source: claims, shown })).emailProblem;
    };
    expect(await said(domain)).toBeUndefined();
    expect(await said(domain.toUpperCase())).toBeUndefined();
    for (const hd of [undefined, null, "", "evil.example", [domain], true, `evil.${domain}`])
      expect(await said(hd), JSON.stringify(hd)).toBe("hosted");
    expect(await said("evil.example", "emma@evil.example")).toBe("other-domain");
    expect(await said(undefined, "")).toBe("hosted");
  });
});

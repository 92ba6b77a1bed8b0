import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { fetchFor, ProviderBusy, ProviderDown } from "../../../src/companies/connections.ts";
import { recordFailure, recordSuccess } from "../../../src/companies/failing.ts";
import { authorizationAddress } from "../../../src/companies/identify.ts";
import { discover, issuerProblem, tryIssuer } from "../../../src/companies/issuer.ts";
import { findProvider } from "../../../src/organizations/provider/provider-store.ts";
import { isFailing } from "../../../src/organizations/provider/provider.ts";
import { companyConfig, CompanyProvider, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { asHost, internal, otherSpellings } from "../../support/internal-addresses.ts";
import { allSent, mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { startNameServer, type NameServer } from "../../support/name-server.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { newIssuerKey } from "../../support/providers/id-tokens.ts";
import { describeSqliteFirst, describeOnSqlite, demoApp } from "../../support/service.ts";

const company = await useCompanyProvider();
const mails = await useMailServer();
const servers: string[] = [];
let names: NameServer;
let connected = 0;
const inside = createServer((socket) => {
  connected += 1;
  socket.destroy();
});
const insidePort = () => (inside.address() as AddressInfo).port;
beforeAll(async () => {
  names = await startNameServer();
  servers.push(names.address);
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => void (connected = 0));
afterAll(async () => {
  await names.close();
  inside.close();
});

const nowhere = /no server on the internet answers there$/u;
let made = 0;
/** Another organization for each test: what was read is kept. */
const at = (issuer: string) => ({ organizationId: `org_${(made += 1)}`, issuer });

describeOnSqlite("the issuer of a company", companyConfig, (service) => {
  const problem = (issuer: string) => issuerProblem(service.server.app.ctx, issuer);

  it("is its own: none at which others have accounts", () => {
    const tenant = "0a1b2c3d-0000-4000-8000-000000000000";
    for (const shared of [
      "https://login.microsoftonline.com/common/v2.0",
      "https://login.microsoftonline.com/organizations/v2.0",
      "https://login.microsoftonline.com/consumers/v2.0",
      "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
      "https://login.microsoftonline.com/{tenantid}/v2.0",
      "https://LOGIN.microsoftonline.com/common/v2.0",
      "https://sts.windows.net/common/",
      "https://appleid.apple.com",
      "https://www.facebook.com",
      "https://gitlab.com",
      service.server.app.ctx.baseUrl,
    ])
      expect(problem(shared), shared).toBeDefined();
    for (const own of [
      `https://login.microsoftonline.com/${tenant}/v2.0`,
      `https://sts.windows.net/${tenant}/`,
      "https://accounts.google.com",
      "https://acme.okta.com",
      "https://acme.eu.auth0.com/",
      "https://sso.acme.example:8443/realms/main",
    ])
      expect(problem(own), own).toBeUndefined();
  });

  it("is an https URL on the internet, exactly as it names itself", () => {
    for (const odd of [
      "http://sso.acme.example",
      "https://sso.acme.example?x=1",
      "https://sso.acme.example#x",
      "https://emma@sso.acme.example",
      "https://sso.acme.example/*",
      "https://sso.acme.example/.well-known/openid-configuration",
      "https://sso.acme.example:22",
      "https://sso",
      "sso.acme.example",
      `https://sso.acme.example/${"x".repeat(255)}`,
      "https://sso.acme.example/\u0000",
    ])
      expect(problem(odd), odd).toBeDefined();
    for (const host of [...Object.values(internal).map(asHost), ...Object.values(otherSpellings)])
      expect(problem(`https://${host}`), host).toBeDefined();
    expect(problem(company.issuer)).toBeUndefined();
    expect(problem(`${company.issuer}/other`)).toBeDefined();
  });

  it("names itself exactly in its document", async () => {
    const { ctx } = service.server.app;
    for (const issuer of [`${company.issuer}/`, "https://idp.example", undefined, [company.issuer]]) {
      company.discovery = { issuer };
      await expect(discover(ctx, at(company.issuer)), String(issuer)).rejects.toThrow("another issuer");
    }
  });

  it("Q28: names no address in its document that is not on the internet", async () => {
    const { ctx } = service.server.app;
    const bad = ["https://10.0.0.1/x", "https://metadata.google.internal/", "http://idp.example/x", "https://[::1]/"];
    for (const name of ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])
      for (const address of [
        ...bad,
        `http://127.0.0.1:${insidePort()}/`,
        "file:///etc/passwd",
        "https://a@idp.example",
      ]) {
        company.discovery = { [name]: address };
        await expect(discover(ctx, at(company.issuer)), `${name} ${address}`).rejects.toBeInstanceOf(ProviderDown);
      }
    expect(connected).toBe(0);
  });

  it("is read once an hour, and its new keys at once", async () => {
    const { ctx } = service.server.app;
    const place = at(company.issuer);
    const documents = () => company.received.filter(({ path }) => path.includes("well-known")).length;
    await Promise.all([discover(ctx, place), discover(ctx, place)]);
    expect(documents()).toBe(1);
    await discover(ctx, { ...place, organizationId: "org_other" });
    expect(documents()).toBe(2);
    service.clock.advance(3_601_000);
    await discover(ctx, place);
    expect(documents()).toBe(3);
    await tryIssuer(ctx, place);
    expect(documents()).toBe(4);
  });

  it("has keys that verify signatures", async () => {
    company.instead.set("/keys", () => ({ body: { keys: [{ kty: "oct", k: "AAAA" }] } }));
    await expect(tryIssuer(service.server.app.ctx, at(company.issuer))).rejects.toThrow("none that verifies");
  });
});

describeOnSqlite("an attacker's server", { ...companyConfig, dns: { servers } }, (service) => {
  const read = async (url: string, patience?: number) => {
    const issuer = new URL(url).origin;
    return await fetchFor(service.server.app.ctx, at(issuer))("discovery", url, {}, patience);
  };

  it("Q28: gets no connection to a private address by a name, and one sentence tells nothing of it", async () => {
    const port = insidePort();
    names.zones.set("private.example", { addresses: ["127.0.0.1"] });
    names.zones.set("both.example", { addresses: ["8.8.8.8", "127.0.0.1"] });
    names.zones.set("metadata.example", { addresses: ["169.254.169.254"] });
    names.zones.set("broken.example", "SERVFAIL");
    for (const host of ["private", "both", "metadata", "broken", "missing"])
      await expect(read(`https://${host}.example:${port}/`), host).rejects.toThrow(nowhere);
    await expect(read(`https://127.0.0.1:${port}/`)).rejects.toThrow(nowhere);
    await expect(read(`https://localhost:${port}/`)).rejects.toThrow(nowhere);
    expect(connected).toBe(0);
    expect(names.asked).toContain("private.example");
  });

  it("Q28: gets none by a name that is public at the first question and private at the second", async () => {
    const port = insidePort();
    const url = `https://rebinds.example:${port}/`;
    names.zones.set("rebinds.example", { addresses: ["8.8.8.8"] });
    await expect(read(url, 300)).rejects.toBeInstanceOf(ProviderDown);
    names.zones.set("rebinds.example", { addresses: ["127.0.0.1"] });
    await expect(read(url)).rejects.toThrow(nowhere);
    expect(connected).toBe(0);
  });

  it("holds nothing up for longer than the name servers' two seconds", async () => {
    names.zones.set("silent.example", "silence");
    const began = performance.now();
    await expect(read("https://silent.example/")).rejects.toThrow(nowhere);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it("Q28: sends neither a redirect that is followed, nor more than 1 MiB, nor another kind of answer", async () => {
    const { ctx } = service.server.app;
    const document = "/.well-known/openid-configuration";
    const answers = {
      "status 302": { status: 302, headers: { location: `http://127.0.0.1:${insidePort()}/` } },
      "status 500": { status: 500 },
      "larger than 1 MiB": { body: "x".repeat(1024 * 1024 + 1) },
      "not JSON": { body: "<html>" },
      "not a JSON object": { body: [1] as object },
    };
    for (const [reason, reply] of Object.entries(answers)) {
      company.instead.set(document, () => reply);
      await expect(discover(ctx, at(company.issuer)), reason).rejects.toThrow(reason);
    }
    expect(connected).toBe(0);
  });

  it("is waited for only so long, also when it never stops sending", async () => {
    company.instead.set("/slow", (_received, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
      return undefined;
    });
    const { ctx } = service.server.app;
    const reading = fetchFor(ctx, at(company.issuer))("keys", `${company.issuer}/slow`, {}, 300);
    await expect(reading).rejects.toThrow("no answer within 0.3 s");
  });

  it("Q28: keeps at most two requests of its organization, and four of all that are not quick", async () => {
    const { ctx } = service.server.app;
    let open = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    company.instead.set("/held", async () => {
      most = Math.max(most, (open += 1));
      await release.promise;
      open -= 1;
      return { body: {} };
    });
    const get = (place: ReturnType<typeof at>, path: string, patience?: number) =>
      fetchFor(ctx, place)("keys", `${company.issuer}${path}`, {}, patience);
    const [own, quick] = [at(company.issuer), at(company.issuer)];
    await get(quick, "/keys");
    const held = [own, own, own, at(company.issuer), at(company.issuer)].map((place) => get(place, "/held"));
    await expect(get(own, "/keys", 200)).rejects.toBeInstanceOf(ProviderBusy);
    expect(most).toBe(4);
    // One that others hold up does not count as a failure, and a quick one is held up by nobody.
    await expect(get(at(company.issuer), "/keys", 200)).rejects.toBeInstanceOf(ProviderBusy);
    await expect(get(quick, "/keys", 5000)).resolves.toMatchObject({ status: 200 });
    release.resolve();
    await Promise.all(held);
    await expect(get(own, "/keys")).resolves.toMatchObject({ status: 200 });
  });
});

describeOnSqlite("in development mode,", { dev: true, baseUrl: undefined }, (service) => {
  it("an issuer of this machine needs no list", async () => {
    const other = await new CompanyProvider(await newIssuerKey()).start();
    try {
      expect(issuerProblem(service.server.app.ctx, other.issuer)).toBeUndefined();
      expect((await discover(service.server.app.ctx, at(other.issuer))).endpoints.issuer).toBe(other.issuer);
      expect(issuerProblem(service.server.app.ctx, "https://10.0.0.1")).toBeDefined();
      expect(demoApp(service).id).not.toBe("");
    } finally {
      await other.close();
    }
  });
});

describeSqliteFirst("a provider that fails", { ...companyConfig, mail: mails.mail }, (service) => {
  const [minute, hour] = [60_000, 3_600_000];

  async function withProvider() {
    const all = await withOrganizations(service());
    const email = newEmail();
    const organization = await all.newOrganization({ owner: await all.newPerson(email) });
    await storeProvider(service(), organization, company);
    const { ctx } = service().server.app;
    const now = async () => {
      const found = await findProvider(ctx.storage.reader, organization.id);
      if (!found) throw new Error("no provider");
      return found;
    };
    /** Somebody's visit begins. */
    async function visit(): Promise<void> {
      const provider = await now();
      const wanted = { state: "A".repeat(43), silent: false, loginHint: null, asksLogin: false };
      await authorizationAddress(ctx, provider, wanted).then(
        async () => await recordSuccess(ctx, provider),
        async (error: unknown) => await recordFailure(ctx, provider, error),
      );
    }
    return { email, now, visit };
  }

  it("counts as failing after two failures ten minutes apart, and its owners are mailed once a day", async () => {
    const { email, now, visit } = await withProvider();
    company.instead.set("/.well-known/openid-configuration", () => ({ status: 500 }));
    const began = service.clock.now;
    await visit();
    expect(isFailing(await now())).toBe(false);
    service.clock.advance(9 * minute);
    await visit();
    expect(isFailing(await now())).toBe(false);
    service.clock.advance(minute);
    await visit();
    const row = await now();
    expect(isFailing(row)).toBe(true);
    expect(row).toMatchObject({ failingSince: began, failure: "discovery: status 500" });
    const mail = await mailTo(mails, email, 1, /fails/u);
    expect(mail.text).toContain("discovery: status 500");
    // Its row, too: a clock that jumps while it is written would put it off.
    await allSent(service());
    service.clock.advance(2 * hour);
    await visit();
    await allSent(service());
    expect(mails.to(email).filter(({ subject }) => /fails/u.test(subject))).toHaveLength(1);
    company.instead.clear();
    await visit();
    expect(await now()).toMatchObject({ failingSince: null, failedAt: null, failure: null });
  });

  it("fails by nothing that a visitor can cause", async () => {
    const { now } = await withProvider();
    const { ctx } = service.server.app;
    const provider = await now();
    const { ProviderFailure } = await import("../../../src/credentials/identities/provider-fetch.ts");
    for (const error of [
      new ProviderBusy(),
      new ProviderFailure("token endpoint: status 400 invalid_grant"),
      new Error(),
    ])
      await recordFailure(ctx, provider, error);
    expect((await now()).failingSince).toBeNull();
    await recordFailure(ctx, { ...provider, clientId: "of before" }, new ProviderDown("keys: status 500"));
    expect((await now()).failingSince).toBeNull();
  });
});

import { readFileSync } from "node:fs";
import { decodeJwt } from "jose";
import { search } from "jmespath";
import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import { describedParts } from "../../../src/upkeep/desired-state/current.ts";
import { allowDevice, beginOnDevice, newDeviceParty, openDecision, poll } from "../../support/devices.ts";
import { exchange, exchanged, introspected } from "../../support/exchange.ts";
import { offered, withMemberships, type WithMemberships } from "../../support/memberships.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { basic, newParty, post, refreshWith, tokensFor, userInfo, type Party } from "../../support/openid-tokens.ts";
import { goodPassword, Visitor } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const scopes = ["openid", "profile", "email", "offline_access", "organization"];
const withScope = { scope: "openid offline_access organization" };

/** A client of the person's application, with which the person signs in. */
async function partyOf(
  service: TestService,
  { app, email }: WithMemberships,
  changes: Parameters<typeof newParty>[1] = {},
): Promise<Party> {
  return { ...(await newParty(service, { scopes, ...changes }, app)), email };
}

const orgOf = (token: unknown): unknown => decodeJwt(String(token))["org_id"];

describeSqliteFirst("organizations and OpenID Connect clients", (current) => {
  it("name the organization in access token, ID token, userinfo and introspection", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme", ["billing", "member"]);
    const party = await partyOf(current(), person);
    const tokens = await tokensFor(current(), party, { scope: "openid offline_access" });
    const short = { org_id: acme, org_roles: ["billing", "member"] };
    const long = { ...short, org_slug: "acme", org_name: "Acme" };
    expect(decodeJwt(tokens.access_token)).toMatchObject(short);
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty("org_name");
    expect(decodeJwt(tokens.id_token)).toMatchObject(long);
    expect((await userInfo(current(), tokens.access_token)).body).toMatchObject(long);
    expect(await introspected(current(), party, tokens.access_token)).toMatchObject(short);
    const best = await person.found("Best");
    const switched = await refreshWith(current(), party, tokens.refresh_token, { organization: "best" });
    expect(decodeJwt(String(switched.body["id_token"]))).toMatchObject({ org_id: best, org_slug: "best" });
    const foreign = await person.found("Foreign", null);
    const refused = await refreshWith(current(), party, String(switched.body["refresh_token"]), {
      organization: foreign,
    });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    const kept = await refreshWith(current(), party, String(switched.body["refresh_token"]));
    expect(orgOf(kept.body["access_token"])).toBe(best);
  });

  it("are read by programs that know only groups: Grafana's expression, and oauth2-proxy's claim of groups", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme", ["member"]);
    const best = await person.found("Best", ["admin", "billing"]);
    const party = await partyOf(current(), person);
    const has = (role: string) => `contains(not_null(org_roles, \`[]\`), '${role}')`;
    const expression = `${has("admin")} && 'Admin' || ${has("member")} && 'Viewer'`;
    expect(readFileSync("docs/organizations.md", "utf8")).toContain(expression);
    const read = async (organization: string) => {
      const tokens = await tokensFor(current(), party, { scope: "openid", organization });
      const { body } = await userInfo(current(), tokens.access_token);
      // `oidc_groups_claim = "org_roles"` reads a list of strings in the ID token.
      return [search(body, expression), decodeJwt(tokens.id_token)["org_roles"]];
    };
    expect(await read(acme)).toEqual(["Viewer", ["member"]]);
    expect(await read(best)).toEqual(["Admin", ["admin", "billing"]]);
    // Without an organization nothing is granted.
    expect(await read("none")).toEqual([false, undefined]);
  });

  it("answer prompt=none with interaction_required where a choice is enough, with access_denied where nothing is", async () => {
    const person = await withMemberships(current());
    const [acme] = [await person.found("Acme"), await person.found("Best")];
    const foreign = await person.found("Foreign", null);
    const strict = await person.found("Strict", ["member"], { secondFactor: "required" });
    const party = await partyOf(current(), person);
    const visitor = new Visitor();
    const silent = async (parameters: Record<string, string>) => {
      const page = await visitor.get(authorizeUrl(current(), party.client, { prompt: "none", ...parameters }));
      return page.location.searchParams.get("error") ?? (page.location.searchParams.has("code") ? "code" : "page");
    };
    expect(await silent({})).toBe("login_required");
    await authorize(current(), party.client, person, { organization: acme }, visitor);
    expect(await silent({})).toBe("interaction_required");
    expect(await silent({ organization: acme })).toBe("code");
    expect(await silent({ organization: foreign })).toBe("access_denied");
    expect(await silent({ organization: "org_unknown" })).toBe("access_denied");
    expect(await silent({ organization: strict })).toBe("login_required");
    // Chosen once, for all clients in this browser.
    const asked = await visitor.get(authorizeUrl(current(), party.client));
    const page = await visitor.get(asked.location.href);
    expect(offered(page)).toContain(acme);
    const done = await visitor.submit(page, "/step/organization", { organization: acme });
    expect(done.location.searchParams.has("code")).toBe(true);
    expect(await silent({})).toBe("code");
    await person.leave(acme);
    expect(await silent({})).toBe("interaction_required");
  });

  it("with a demand for an organization of another person lead to the sign-in page, not to an error", async () => {
    const person = await withMemberships(current());
    await person.found("Acme");
    const foreign = await person.found("Foreign", null);
    const party = await partyOf(current(), person);
    const visitor = new Visitor();
    await authorize(current(), party.client, person, {}, visitor);
    const page = await visitor.get(authorizeUrl(current(), party.client, { organization: foreign }));
    expect(page.location.pathname).toMatch(/^\/sign-in\//u);
  });

  it("take the parameter from a pushed request and a device, and refuse what is malformed (76)", async () => {
    const person = await withMemberships(current());
    const [acme] = [await person.found("Acme"), await person.found("Best")];
    const party = await partyOf(current(), person);
    const request = {
      response_type: "code",
      redirect_uri: party.client.redirectUris[0] ?? "",
      scope: "openid",
      organization: "acme",
    };
    const pushed = await post(current(), "/oauth2/par", request, basic(party));
    const query = new URLSearchParams({ client_id: party.client.id, request_uri: String(pushed.body["request_uri"]) });
    const visitor = new Visitor();
    const start = await visitor.get(`${current().url}/oauth2/authorize?${query.toString()}`);
    const form = await visitor.get(start.location.href);
    const done = await visitor.submit(form, "/password", { email: person.email, password: goodPassword });
    const code = done.location.searchParams.get("code") ?? "";
    const grant = { grant_type: "authorization_code", code, redirect_uri: request.redirect_uri };
    expect(orgOf((await post(current(), "/oauth2/token", grant, basic(party))).body["access_token"])).toBe(acme);

    const errorOf = async (parameters: [string, string][]): Promise<string | null> => {
      const address = `${authorizeUrl(current(), party.client)}&${new URLSearchParams(parameters).toString()}`;
      return (await new Visitor().get(address)).location.searchParams.get("error");
    };
    expect(await errorOf([["organization", "x".repeat(65)]])).toBe("invalid_request");
    const twice: [string, string][] = [
      ["organization", "acme"],
      ["organization", "best"],
    ];
    expect(await errorOf(twice)).toBe("invalid_request");
    await updateApp(current(), person.app, { settings: { organizations: "off" } });
    expect(await errorOf(twice)).toBeNull();
    await updateApp(current(), person.app, { settings: { organizations: "on" } });

    const device = { ...(await newDeviceParty(current(), {}, person.app)), email: person.email };
    const named = await beginOnDevice(current(), device, { organization: acme });
    await allowDevice(current(), device, named);
    expect(orgOf((await poll(current(), device, named)).body["access_token"])).toBe(acme);
    const open = await beginOnDevice(current(), device);
    const browser = new Visitor();
    const choice = await openDecision(current(), device, open, browser);
    const next = await browser.submit(choice, "/step/organization", { organization: acme });
    await browser.submit(await browser.get(next.location.href), "/step/consent", {});
    expect(orgOf((await poll(current(), device, open)).body["access_token"])).toBe(acme);
  });

  it("Q8: of other people get it by the scope, after a consent for each organization", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const party = await partyOf(current(), person, { consent: "ask" });
    const visitor = new Visitor();
    // Without the scope it learns nothing, and may not demand one.
    const plain = await authorize(current(), party.client, person, { scope: "openid" }, visitor);
    const asked = await visitor.get(plain.location.href);
    expect(asked.text).toContain("/step/consent");
    const demanded = await new Visitor().get(
      authorizeUrl(current(), party.client, { scope: "openid", organization: acme }),
    );
    expect(demanded.location.searchParams.get("error")).toBe("invalid_scope");
    // The consent names the organization.
    const proven = await authorize(current(), party.client, person, { ...withScope, organization: acme }, visitor);
    const page = await visitor.get(proven.location.href);
    expect(page.text).toContain("Your organization Acme, and your roles in it");
    const done = await visitor.submit(page, "/step/consent", {});
    const grant = {
      grant_type: "authorization_code",
      code: done.location.searchParams.get("code") ?? "",
      redirect_uri: party.client.redirectUris[0] ?? "",
    };
    const { body } = await post(current(), "/oauth2/token", grant, basic(party));
    expect(orgOf(body["access_token"])).toBe(acme);
    // Not for the other one: neither by a switch, nor without a page.
    const refused = await refreshWith(current(), party, String(body["refresh_token"]), { organization: best });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(String(refused.body["error_description"])).toContain("has not agreed");
    const silent = { prompt: "none", ...withScope };
    const answers = await Promise.all(
      [acme, best].map(async (organization) => {
        const answer = await visitor.get(authorizeUrl(current(), party.client, { ...silent, organization }));
        return answer.location.searchParams.get("error");
      }),
    );
    expect(answers).toEqual([null, "consent_required"]);
    expect((await refreshWith(current(), party, String(body["refresh_token"]))).status).toBe(200);
  });

  /** A code for a client that asks for consent, with the person's consent. */
  async function agreed(party: Party, parameters: Record<string, string>): Promise<Record<string, string>> {
    const visitor = new Visitor();
    const proven = await authorize(current(), party.client, { email: party.email }, parameters, visitor);
    const done = await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    const code = done.location.searchParams.get("code") ?? "";
    return { grant_type: "authorization_code", code, redirect_uri: party.client.redirectUris[0] ?? "" };
  }

  it("Q8: of other people get no token without one once each token must name one", async () => {
    const person = await withMemberships(current());
    await person.found("Acme");
    const party = await partyOf(current(), person, { consent: "ask" });
    const redeem = async (form: Record<string, string>) => await post(current(), "/oauth2/token", form, basic(party));
    const { body } = await redeem(await agreed(party, { scope: "openid offline_access" }));
    expect(orgOf(body["access_token"])).toBeUndefined();
    const refresh = async (more: Record<string, string> = {}) =>
      await refreshWith(current(), party, String(body["refresh_token"]), more);
    const code = await agreed(party, { scope: "openid email offline_access" });
    await updateApp(current(), person.app, { settings: { organizations: "required" } });
    for (const more of [undefined, { organization: "none" }, { organization: "acme" }])
      expect(await refresh(more)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await updateApp(current(), person.app, { settings: { organizations: "on" } });
    expect((await refresh()).status).toBe(200);
  });

  it("Q8: of other people lose it with the scope", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const party = await partyOf(current(), person, { consent: "ask" });
    const { body } = await post(current(), "/oauth2/token", await agreed(party, withScope), basic(party));
    expect(orgOf(body["access_token"])).toBe(acme);
    let token = String(body["refresh_token"]);
    const refresh = async (more: Record<string, string> = {}) => {
      const answer = await refreshWith(current(), party, token, more);
      const { refresh_token: next } = answer.body;
      if (typeof next === "string") token = next;
      return answer;
    };
    // Never none by itself, also where the client asks for less.
    expect(await refresh({ scope: "openid" })).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await refresh()).toMatchObject({ status: 200, body: { organization: acme } });
    await clients.update(current().server.app.ctx, party.client.id, { scopes: ["openid", "offline_access"] }, by);
    for (const more of [undefined, { organization: acme }])
      expect(await refresh(more)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    const without = await refresh({ organization: "none" });
    expect(without.status).toBe(200);
    expect(without.body).not.toHaveProperty("organization");
    expect(orgOf(without.body["access_token"])).toBeUndefined();
  });

  it("require the scope of clients that ask, where every token names an organization", async () => {
    const person = await withMemberships(current(), { organizations: "required" });
    await person.found("Acme");
    const { client } = await partyOf(current(), person, { consent: "ask" });
    const errors = await Promise.all(
      ["openid", "openid organization"].map(async (scope) => {
        const page = await new Visitor().get(authorizeUrl(current(), client, { scope }));
        return page.location.searchParams.get("error");
      }),
    );
    expect(errors).toEqual(["invalid_scope", null]);
  });

  it("Q12: a machine's tokens name its organization, and end with it (7, 9, 71)", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const machine = await newMachine(current(), { organizationId: acme }, person.app);
    const ask = async (form: Record<string, string> = {}) => {
      const fields = { grant_type: "client_credentials", resource: machine.resource, ...form };
      return await post(current(), "/oauth2/token", fields, basic(machine));
    };
    // Whatever it sends (9).
    const { body } = await ask({ organization: await person.found("Best") });
    expect(orgOf(body["access_token"])).toBe(acme);
    expect(decodeJwt(String(body["access_token"]))).not.toHaveProperty("org_roles");
    const token = String(body["access_token"]);
    expect(await introspected(current(), machine, token)).toMatchObject({ active: true, org_id: acme });
    await person.change(acme, { disabled: true });
    expect(await introspected(current(), machine, token)).toEqual({ active: false });
    expect(await ask()).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
    await person.change(acme, { disabled: false });
    expect((await ask()).status).toBe(200);
    // Never of another application, of a person's program, or to manage the application.
    const { ctx } = current().server.app;
    const { baseUrl } = ctx;
    const other = await withMemberships(current());
    await expect(newMachine(current(), { organizationId: acme }, other.app)).rejects.toThrow();
    await expect(createTestClient(current(), person.app, { organizationId: acme })).rejects.toThrow();
    await expect(newMachine(current(), { organizationId: acme, resources: [baseUrl] }, person.app)).rejects.toThrow();
    // No state file describes it, so that it is never made again without its organization.
    const { clients } = await describedParts(ctx, person.app.id);
    expect(clients.map(({ id }) => id)).not.toContain(machine.client.id);
    await person.remove(acme);
    expect((await ask()).status).toBe(401);
  });

  it("Q12: an exchange keeps the organization and asks for the membership (77)", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const orders = await createResource(current(), person.app);
    const archive = await createResource(current(), person.app);
    const party = await partyOf(current(), person, { resources: [orders] });
    const agent = { exchangeTo: [archive], audienceOf: [orders] };
    const own = await newMachine(current(), agent, person.app);
    const ofAcme = await newMachine(current(), { ...agent, organizationId: acme }, person.app);
    const subjectIn = async (organization: string): Promise<string> => {
      const scope = "openid offline_access read";
      return (await tokensFor(current(), party, { resource: orders, scope, organization })).access_token;
    };
    const [subject, foreign] = [await subjectIn(acme), await subjectIn(best)];
    expect(orgOf(subject)).toBe(acme);
    const token = await exchanged(current(), own, { subject_token: subject, resource: archive });
    expect(decodeJwt(token)).toMatchObject({ org_id: acme, org_roles: ["member"] });
    const [event] = await audit.list(current().server.app.ctx, { action: "token.exchange", limit: 1 });
    expect(event).toMatchObject({ organizationId: acme });
    expect(orgOf(await exchanged(current(), ofAcme, { subject_token: subject, resource: archive }))).toBe(acme);
    expect((await exchange(current(), ofAcme, { subject_token: foreign, resource: archive })).status).toBe(400);
    expect(await introspected(current(), own, token)).toMatchObject({ active: true, org_id: acme });
    // One from before every token had to name one.
    const without = await subjectIn("none");
    await updateApp(current(), person.app, { settings: { organizations: "required" } });
    expect((await exchange(current(), own, { subject_token: without, resource: archive })).status).toBe(400);
    expect((await exchange(current(), own, { subject_token: subject, resource: archive })).status).toBe(200);
    await person.leave(acme);
    expect(await introspected(current(), own, token)).toEqual({ active: false });
    expect(await introspected(current(), own, subject)).toEqual({ active: false });
    expect((await exchange(current(), own, { subject_token: subject, resource: archive })).status).toBe(400);
  });

  it("are in the metadata only while an application has them", async () => {
    const metadata = async (): Promise<string> =>
      await (await fetch(`${current().url}/.well-known/openid-configuration`)).text();
    const { ctx } = current().server.app;
    for (const { id } of await applications.list(ctx))
      await applications.update(ctx, id, { settings: { organizations: "off" } }, by.actor);
    current().clock.advance(1000);
    expect(await metadata()).not.toContain("org");
    await withMemberships(current());
    current().clock.advance(1000);
    const { scopes_supported: offeredScopes, claims_supported: claims } = JSON.parse(await metadata()) as {
      scopes_supported: string[];
      claims_supported: string[];
    };
    expect(offeredScopes).toContain("organization");
    expect(claims).toEqual(expect.arrayContaining(["org_id", "org_roles", "org_slug", "org_name"]));
  });
});

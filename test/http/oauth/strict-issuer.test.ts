import { beforeEach, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { initiate, newEmail, redeem, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { withProviders, codeOf, signInAt, tokensFrom } from "../../support/providers/round.ts";
import { startStrictIssuer, type StrictIssuer } from "../../support/providers/strict-issuer.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const [corp] = await useProviders("openid");

const actor = { kind: "cli", name: "test" } as const;

describeOnSqlite("a strict OpenID issuer that others rely on (oidc-provider)", (current) => {
  async function round(service: TestService, issuer: StrictIssuer, email: string) {
    const app = await service.createApp({ methods: ["oauth"] });
    await providers.set(service.server.app.ctx, app.id, issuer.settings(), actor);
    const session = await initiate(service, app, { authMethod: "oauth", provider: "strict" });
    const visitor = new Visitor();
    const start = await visitor.get(session.authUrl);
    expect(start.status).toBe(303);
    const person = { sub: `sub-${email}`, email, email_verified: true, name: "Ada" };
    const back = new URL(await issuer.signIn(start.location, person));
    expect(issuer.errors).toEqual([]);
    return { app, session, back, done: await visitor.get(back.href) };
  }

  it.each(["id-token", "userinfo"] as const)("signs a person in whose claims are in the %s", async (claims) => {
    const service = current();
    const issuer = await startStrictIssuer(claims, `${service.server.app.ctx.baseUrl}/oauth/strict/callback`);
    const email = newEmail();
    const { app, session, back, done } = await round(service, issuer, email);
    await issuer.close();
    // It names itself, as RFC 9207 says.
    expect(back.searchParams.get("iss")).toBe(issuer.origin);
    expect(issuer.errors).toEqual([]);
    const { user } = await redeem(service, app, { session, code: codeOf(done) });
    expect(user).toMatchObject({ email, emailVerified: true, name: "Ada", authMethods: { oauth: ["strict"] } });
  });
});

describeOnSqlite("an issuer that tells little in its id_token", (current) => {
  beforeEach(() => {
    corp.makeIdToken = async ({ email: _email, email_verified: _verified, name: _name, ...claims }) =>
      await corp.key.sign(claims);
  });

  const person = () => ({ subject: "ada", email: newEmail(), verified: true, name: "Ada" });

  it("is asked for the rest at its userinfo endpoint (OpenID Connect Core §5.3)", async () => {
    const { service, app } = await withProviders(current(), [corp]);
    const ada = person();
    const { user } = await tokensFrom(service, app, corp, ada);
    expect(user).toMatchObject({ email: ada.email, emailVerified: true, name: "Ada" });
    expect(corp.complaints).toEqual([]);
  });

  it.each([
    ["another subject", { sub: "somebody-else" }],
    ["no subject", { sub: undefined }],
    ["a subject of another type", { sub: ["ada"] }],
  ])("O7: is not believed when that endpoint speaks of %s", async (_title, changed) => {
    const { service, app } = await withProviders(current(), [corp]);
    const email = newEmail();
    corp.instead.set("/userinfo", () => ({ body: { email, email_verified: true, ...changed } }));
    const { done } = await signInAt(service, app, corp, person());
    expect(done.status).toBe(400);
    expect(await usersOf(service, app)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import type { Client } from "../../../src/applications/clients/client.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { basic, newParty, post, userInfo, type Party } from "../../support/openid-tokens.ts";
import { authorize } from "../../support/openid.ts";
import { call, validate, Visitor } from "../../support/person.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

/** What only the application's own programs may do with a user's token. */
const acts: [method: string, path: string, body?: Record<string, unknown>][] = [
  ["GET", "/users/profile"],
  ["PATCH", "/users/profile", { name: "Mallory" }],
  ["DELETE", "/users/profile"],
  ["GET", "/users/auth-methods"],
  ["POST", "/users/auth-methods", { type: "password", redirectUri: "https://app.example/callback" }],
  ["DELETE", "/users/auth-methods/mth_1"],
  ["GET", "/api/user"],
  ["POST", "/auth/logout", {}],
  ["POST", "/auth/logout", { allSessions: true }],
];

/** A person's token for this client, agreed to if the client asks. */
async function tokenFor(service: TestService, party: Party, scope = "openid profile email"): Promise<string> {
  const visitor = new Visitor();
  const { client, email } = party;
  let page = await authorize(service, client, { email }, { scope }, visitor);
  if (client.consent === "ask") page = await visitor.submit(await visitor.get(page.location.href), "/step/consent", {});
  const form = {
    grant_type: "authorization_code",
    code: page.location.searchParams.get("code") ?? "",
    redirect_uri: client.redirectUris[0] ?? "",
  };
  return String((await post(service, "/oauth2/token", form, basic(party))).body["access_token"]);
}

async function partyWith(service: TestService, changes: Partial<Client>): Promise<Party> {
  return await newParty(service, changes, await service.createApp({ redirectUris: ["https://app.example/callback"] }));
}

describeOnSqlite("a client that asks for consent", (current) => {
  it("gets with its tokens what people agreed to, and power over no account", async () => {
    const service = current();
    const party = await partyWith(service, { consent: "ask" });
    const token = await tokenFor(service, party);
    const headers = { authorization: `Bearer ${token}` };
    for (const [method, path, body] of acts) {
      const { status, body: answer } = await call(service, method, path, headers, body);
      expect([method, path, status, answer["error"]]).toMatchObject([
        method,
        path,
        403,
        { code: "INSUFFICIENT_SCOPE", details: expect.stringContaining("client") },
      ]);
    }
    expect(await userInfo(service, token)).toMatchObject({ status: 200, body: { name: "Ada", email: party.email } });
    const appId = { "x-service-app-id": party.app.id };
    expect((await call(service, "GET", "/auth/validate", { ...headers, ...appId })).status).toBe(200);
  });

  it("learns no name by its tokens that nobody agreed to, of validate and verify-token either", async () => {
    const service = current();
    const party = await partyWith(service, { consent: "ask" });
    const { id } = party.app;
    const namesBy = async (token: string) => {
      const validated = await validate(service, party.app, token);
      const verified = await call(service, "GET", `/auth/verify-token?app_id=${id}&token=${token}`, {});
      return [validated.body, verified.body].map(({ user }) => (user as Record<string, unknown>)["name"]);
    };
    expect(await namesBy(await tokenFor(service, party, "openid"))).toEqual([null, null]);
    expect(await namesBy(await tokenFor(service, party))).toEqual(["Ada", "Ada"]);
  });

  it.each(["ask", "none"] as const)("is named by validate and verify-token (consent: %s)", async (consent) => {
    const service = current();
    const party = await partyWith(service, { consent });
    const token = await tokenFor(service, party);
    const validated = await validate(service, party.app, token);
    expect(validated.body).toEqual({
      valid: true,
      user: { id: expect.any(String), email: party.email, emailVerified: expect.any(Boolean), name: "Ada" },
      scopes: ["openid", "profile", "email"],
      expiresAt: expect.any(String),
      clientId: party.client.id,
    });
    const verified = await call(service, "GET", `/auth/verify-token?app_id=${party.app.id}&token=${token}`, {});
    expect(verified.body).toEqual({ valid: true, user: validated.body["user"], clientId: party.client.id });
  });

  it("has nothing more of its tokens once it is disabled, nor has any other client", async () => {
    const service = current();
    const party = await partyWith(service, {});
    const other = await newParty(service, {}, party.app);
    const token = await tokenFor(service, party);
    const headers = { authorization: `Bearer ${token}` };
    const introspect = async () => (await post(service, "/oauth2/introspect", { token }, basic(other))).body;
    expect((await call(service, "GET", "/users/profile", headers)).status).toBe(200);
    expect((await userInfo(service, token)).status).toBe(200);
    expect(await introspect()).toMatchObject({ active: true });
    const actor = { kind: "cli", name: "test" } as const;
    await clients.update(service.server.app.ctx, party.client.id, { enabled: false }, { actor });
    expect((await call(service, "DELETE", "/users/profile", headers)).status).toBe(403);
    expect((await userInfo(service, token)).status).toBe(401);
    expect(await introspect()).toEqual({ active: false });
  });

  it("leaves that power to the operator's own programs and to the application", async () => {
    const service = current();
    const party = await partyWith(service, {});
    const headers = { authorization: `Bearer ${await tokenFor(service, party)}` };
    expect((await call(service, "PATCH", "/users/profile", headers, { name: "Grace" })).status).toBe(200);
    expect((await call(service, "POST", "/auth/logout", headers, {})).status).toBe(200);
  });
});

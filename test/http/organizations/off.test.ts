import { readFileSync } from "node:fs";
import path from "node:path";
import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { ApplicationClaim } from "../../../src/storage/column-types.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import { introspected } from "../../support/exchange.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { basic, newParty, post, refreshWith, tokensFor, userInfo } from "../../support/openid-tokens.ts";
import { call, signedUp, validate, Visitor } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

/** What version 1.0 answered to the same calls, recorded by `recorded` below. */
const fixture = path.resolve(import.meta.dirname, "../../fixtures/organizations-off.json");

/** Ids, secrets and times differ from run to run. */
function normalised(text: string): string {
  return text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/gu, "JWT")
    .replaceAll(/\b(usr|lgn|req|cli|sis|app)_[\w.-]+/gu, "$1_ID")
    .replaceAll(/"(jti|at_hash|cursor|kid|refresh_?[tT]oken)":"[^"]+"/gu, '"$1":"…"')
    .replaceAll(/"(iat|exp|auth_time|updated_at)":\d+/gu, '"$1":0')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
    .replaceAll(/(localhost|127\.0\.0\.1):\d+/gu, "HOST")
    .replaceAll(/person[\w.]+@/gu, "person@")
    .replaceAll(/(Client|Acme|client) ?\d+/gu, "$1");
}

const payloadOf = (token: unknown): string => Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString();

/** Tokens, answers and metadata of an application without organizations, byte for byte. */
async function recorded(service: TestService): Promise<Record<string, string>> {
  const app = await service.createApp();
  const first = await signedUp(service, app);
  const party = await newParty(service, {}, app);
  const tokens = await tokensFor(service, party, { scope: "openid profile email offline_access" });
  const user = { authorization: `Bearer ${first.accessToken}`, "x-service-app-id": app.id };
  const text = async (path: string, headers: Record<string, string> = {}, body?: Record<string, unknown>) => {
    const sent =
      body === undefined
        ? { headers }
        : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
    const response = await fetch(`${service.url}${path}`, sent);
    return `${response.status} ${await response.text()}`;
  };
  const page = async (more: string): Promise<string> => {
    const { status, location } = await new Visitor().get(authorizeUrl(service, party.client) + more);
    return `${status} ${location.pathname.split("/")[1]} ${location.searchParams.get("error")}`;
  };
  const { accessToken, refreshToken, expiresIn, user: answered } = first;
  const refreshed = await refreshWith(service, party, tokens.refresh_token, { organization: "acme" });
  const parts: Record<string, string> = {
    callback: JSON.stringify({ accessToken, refreshToken, expiresIn, user: answered }),
    access: payloadOf(accessToken),
    validate: await text("/auth/validate", user),
    profile: await text("/users/profile", user),
    refresh: await text("/auth/refresh", app.headers, { refreshToken: first.refreshToken }),
    "refresh, with organization": await text("/auth/refresh", app.headers, { refreshToken, organization: "acme" }),
    "initiate, with organization": await text("/auth/initiate", app.headers, {
      redirectUri: app.redirectUri,
      organization: "acme",
    }),
    client: JSON.stringify(tokens),
    "client's access token": payloadOf(tokens["access_token"]),
    "client's ID token": payloadOf(tokens["id_token"]),
    "client's refresh, with organization": JSON.stringify(refreshed.body),
    introspection: JSON.stringify(
      (await post(service, "/oauth2/introspect", { token: tokens.access_token }, basic(party))).body,
    ),
    userinfo: await text("/oauth2/userinfo", { authorization: `Bearer ${tokens.access_token}` }),
    "authorize, with organization": await page("&organization=acme"),
    "authorize, twice": await page(`&organization=acme&organization=${"x".repeat(200)}`),
    discovery: await text("/.well-known/openid-configuration"),
    "server metadata": await text("/.well-known/oauth-authorization-server"),
    config: await text(`/api/config?app_id=${app.id}`),
    feed: await text("/auth/revocations", app.headers),
    "feed, with kinds": await text("/auth/revocations?kinds=organization", app.headers),
  };
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, normalised(part)]));
}

describeSqliteFirst("an application without organizations", (current) => {
  it("answers byte for byte as before there were any (80)", async () => {
    const expected = JSON.parse(readFileSync(fixture, "utf8")) as Record<string, string>;
    expect(await recorded(current())).toEqual(expected);
  });

  it("does not know the field of a call, whatever it holds, and asks for the key first (80)", async () => {
    const app = await current().createApp();
    const bodies = { "/auth/refresh": { refreshToken: "x" }, "/auth/initiate": { redirectUri: app.redirectUri } };
    const answerTo = async (path: string, headers: Record<string, string>, body: Record<string, unknown>) => {
      const { status, body: answered } = await call(current(), "POST", path, headers, body);
      return [status, answered.error?.details];
    };
    for (const [path, body] of Object.entries(bodies))
      for (const organization of [null, "", "acme", "x".repeat(65), 5]) {
        const named = { ...body, organization };
        expect(await answerTo(path, app.headers, named)).toEqual([400, 'body: unknown key "organization"']);
        const two = { ...named, other: 1 };
        expect(await answerTo(path, app.headers, two)).toEqual([400, 'body: unknown key "organization", "other"']);
        expect((await answerTo(path, { "x-service-app-id": app.id }, named))[0]).toBe(401);
      }
  });

  it("may have resources with a scope named organization, and has to remove it first", async () => {
    const app = await current().createApp();
    const scopes = [{ name: "organization", sentence: "Read your organization" }];
    const resource = await createResource(current(), app, { scopes });
    const machine = await newMachine(current(), { resources: [resource], resourceScopes: ["organization"] }, app);
    const form = { grant_type: "client_credentials", resource };
    expect((await post(current(), "/oauth2/token", form, basic(machine))).body["scope"]).toBe("organization");
    const on = { settings: { organizations: "on" } } as const;
    await expect(updateApp(current(), app, on)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const { ctx } = current().server.app;
    await resources.update(ctx, resource, { scopes: [] }, by);
    await updateApp(current(), app, on);
    await expect(resources.update(ctx, resource, { scopes }, by)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(createResource(current(), app, { scopes })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("may have claims of its own that begin with org_, in tokens of people and machines", async () => {
    const app = await current().createApp();
    const claims: ApplicationClaim[] = [
      { claim: "org_id", from: "value", value: "org_of_their_own", in: ["access", "id", "userinfo"] },
      { claim: "org_roles", from: "value", value: ["theirs"], in: ["access"] },
    ];
    await updateApp(current(), app, { claims });
    current().clock.advance(1000);
    const { accessToken, refreshToken } = await signedUp(current(), app);
    expect(decodeJwt(accessToken)).toMatchObject({ org_id: "org_of_their_own", org_roles: ["theirs"] });
    const party = await newParty(current(), {}, app);
    const client = await tokensFor(current(), party, { scope: "openid profile email" });
    const machine = await newMachine(current(), {}, app);
    const form = { grant_type: "client_credentials", resource: machine.resource };
    const ofMachine = String((await post(current(), "/oauth2/token", form, basic(machine))).body["access_token"]);
    const works = async (): Promise<unknown[]> => [
      (await validate(current(), app, accessToken)).status,
      (await call(current(), "GET", "/users/profile", { authorization: `Bearer ${accessToken}` })).status,
      (await userInfo(current(), client.access_token)).status,
      await introspected(current(), machine, ofMachine),
    ];
    const all = [200, 200, 200, expect.objectContaining({ active: true, org_id: "org_of_their_own" })];
    expect(await works()).toEqual(all);
    const refreshed = await call(current(), "POST", "/auth/refresh", app.headers, { refreshToken });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body).not.toHaveProperty("organization");
    // Tokens from before the claim was removed stay valid, too.
    await updateApp(current(), app, { claims: null });
    current().clock.advance(1000);
    expect(await works()).toEqual([200, 200, 200, expect.objectContaining({ active: true })]);
    await updateApp(current(), app, { settings: { organizations: "on" } });
    current().clock.advance(1000);
    expect(await works()).toEqual([401, 401, 401, expect.objectContaining({ active: false })]);
  });
});

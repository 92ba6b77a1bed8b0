import { expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { stateFileText } from "../../../src/upkeep/desired-state/state-file.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import { examineApplications } from "../../../src/upkeep/doctor/applications.ts";
import { fapiClient, newFapiParty } from "../../support/fapi-plan.ts";
import { codeVerifier, createTestClient, authorizeUrl } from "../../support/openid.ts";
import { Visitor } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, useApp } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;

describeSqliteFirst("a client with the profile fapi2", (current) => {
  const app = useApp(current);
  const ctx = () => current().server.app.ctx;

  it("C11: its refresh token keeps working, however many use it at once", async () => {
    const client = fapiClient(current(), await newFapiParty(current(), app));
    const { refresh_token: token } = await client.signIn();
    for (const advanced of [0, 60_000]) {
      current().clock.advance(advanced);
      const answers = await Promise.all(Array.from({ length: 5 }, async () => await client.refresh(token)));
      for (const answer of answers) expect((await client.checked(answer)).refresh_token).toBe(token);
    }
  });

  it("C11: a refusal of its refresh token ends nothing", async () => {
    const client = fapiClient(current(), await newFapiParty(current(), app));
    const { refresh_token: token } = await client.signIn();
    await client.checked(await client.refresh(token));
    const { authMethods } = (await clients.find(ctx(), ctx().storage.reader, app.id))?.application ?? {};
    if (!authMethods) throw new Error("no application");
    await updateApp(current(), app, { authMethods: { password: { enabled: false }, passkey: { enabled: true } } });
    current().clock.advance(60_000);
    expect((await client.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
    await updateApp(current(), app, { authMethods: { password: { enabled: true } } });
    await client.checked(await client.refresh(token));
  });

  it("F2: an older refresh token, from before the profile, is a reuse", async () => {
    const party = await newFapiParty(current(), app);
    const client = fapiClient(current(), party);
    await clients.update(ctx(), party.client.id, { profile: null }, { actor });
    const { refresh_token: oldest } = await client.signIn();
    const { refresh_token: token } = await client.checked(await client.refresh(oldest));
    expect(token).not.toBe(oldest);
    await clients.update(ctx(), party.client.id, { profile: "fapi2" }, { actor });
    expect((await client.checked(await client.refresh(token))).refresh_token).toBe(token);
    current().clock.advance(60_000);
    expect((await client.refresh(oldest)).body).toMatchObject({ error: "invalid_grant" });
    expect((await client.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
  });

  it("C11: it has no secret, neither before nor after", async () => {
    const { client } = await newFapiParty(current(), app);
    await expect(clientSecrets.createSecret(ctx(), { clientId: client.id }, actor)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "A client with the profile fapi2 cannot have a secret: it signs with its keys.",
    });
    const input = { appId: app.id, name: "Bank", profile: "fapi2" } as const;
    await expect(clients.create(ctx(), input, { secret: "s".repeat(40) }, { actor })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect((await clients.create(ctx(), input, {}, { actor })).secret).toBeNull();

    const loose = { assertionAudience: "any", dpop: "off" } as const;
    const before = await clients.create(ctx(), { appId: app.id, name: "Bank", ...loose }, {}, { actor });
    const { id } = before.client;
    for (const dryRun of [true, false])
      await expect(clients.update(ctx(), id, { profile: "fapi2" }, { actor, dryRun })).rejects.toMatchObject({
        code: "CONFLICT",
        details: `To find them: authsvc client secret list ${id}`,
      });
    const [secret] = await clientSecrets.listSecrets(ctx(), id);
    await clientSecrets.revokeSecret(ctx(), secret?.id ?? "", actor);
    const demanded = { requirePkce: true, assertionAudience: "issuer", dpop: "required", idTokenAlg: "ES256" };
    expect(await clients.update(ctx(), id, { profile: "fapi2" }, { actor })).toMatchObject(demanded);
  });

  it("C11: it must push every request", async () => {
    const { client } = await newFapiParty(current(), app);
    const other = await createTestClient(current(), app);
    const pkce = { code_challenge: codeVerifier.slice(0, 43), code_challenge_method: "S256" };
    const queries: Record<string, string>[] = [
      {},
      { prompt: "none" },
      { response_mode: "form_post" },
      { request_uri: "https://client.example/request" },
    ];
    for (const query of queries) {
      const page = await new Visitor().get(authorizeUrl(current(), client, { ...pkce, ...query }));
      expect([page.status, page.text]).toEqual([400, expect.stringContaining("request_uri: required for this client")]);
    }
    expect((await new Visitor().get(authorizeUrl(current(), other, pkce))).status).toBe(303);
  });

  it("is in the exported file, and so in the applied one", async () => {
    const { client } = await newFapiParty(current(), app);
    const exported = stateFileText(await desiredStates.exportState(ctx()));
    expect(exported).toContain("profile: fapi2");
    const state = { version: 1, applications: [{ id: app.id, clients: [{ id: client.id, profile: null }] }] } as const;
    const plan = async () => await desiredStates.plan(ctx(), structuredClone(state) as never, { prune: false, actor });
    expect(await plan()).toMatchObject([{ kind: "client", name: client.id, fields: [{ field: "profile" }] }]);
  });

  it("doctor names one without keys, and one whose application signs by RS256", async () => {
    const own = await current().createApp();
    const { id } = await createTestClient(current(), own, { profile: "fapi2" });
    await updateApp(current(), own, { settings: { signingAlgorithm: "RS256" } });
    const { clients: found = [] } = await examineApplications(ctx(), { isQuick: true });
    expect(found.filter(({ message }) => message.includes(id))).toMatchObject([
      {
        status: "problem",
        message: `${id} cannot authenticate: its profile fapi2 needs keys.`,
        fix: `authsvc client update ${id} --jwks-file FILE`,
      },
      {
        status: "problem",
        message: `${own.id} signs access tokens by RS256, which the profile of ${id} does not allow.`,
        fix: `authsvc app update ${own.id} --signing-algorithm ES256`,
      },
    ]);
  });
});

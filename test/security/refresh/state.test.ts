import { expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import * as applications from "../../../src/applications/service.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import { disableUser } from "../../support/mail-flows.ts";
import { bearer } from "../../support/methods.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, newEmail, redeem, refresh, signedUp, signIn, validate, type Tokens } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { removeProvider, tokensFrom, appWith } from "../../support/providers/round.ts";
import { updateApp, describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

const [google] = await useProviders("google");

const operator = { kind: "cli", name: "test" } as const;

type Change = (service: TestService, app: TestApp, tokens: Tokens) => Promise<unknown>;
const patch =
  (body: unknown): Change =>
  async (service, app) => {
    expect((await call(service, "PATCH", `/applications/${app.id}`, app.headers, body)).status).toBe(200);
  };

/** What a sign-in would be refused for; `alsoEnds`: the access token too, at once. */
const changes: { title: string; change: Change; alsoEnds: boolean }[] = [
  {
    title: "the user was disabled",
    change: async (service, _app, { user }) => await disableUser(service, String(user["id"])),
    alsoEnds: true,
  },
  {
    title: "the user was deleted",
    change: async (service, _app, { accessToken }) =>
      await call(service, "DELETE", "/users/profile", bearer(accessToken)),
    alsoEnds: true,
  },
  {
    title: "an operator ended the user's logins",
    change: async (service, _app, { user }) =>
      await userAdministration.revokeLogins(
        service.server.app.ctx,
        String(user["id"]),
        { dryRun: false },
        { actor: operator },
      ),
    alsoEnds: true,
  },
  {
    title: "the method was switched off",
    change: patch({ authMethods: { password: { enabled: false } } }),
    alsoEnds: false,
  },
  {
    title: "a passkey became required",
    change: patch({ authMethods: { passkey: { required: true } } }),
    alsoEnds: false,
  },
  {
    title: "the app was deleted",
    change: async (service, app) => await applications.remove(service.server.app.ctx, app.id, operator),
    alsoEnds: true,
  },
];

describeEachDatabase("a refresh checks again what a sign-in checks", (service) => {
  it.each(changes)(
    "F5, CVE-2026-43983, GHSA-wv3h-x6c4-r867: after $title it is refused, in the grace of a lost answer too",
    async ({ change, alsoEnds }) => {
      const app = await service.createApp();
      const first = await signedUp(service, app);
      const other = await redeem(service, app, await signIn(service, app, { email: first.email }));
      const successor = (await refresh(service, app, first.refreshToken)).body as Tokens;
      await change(service, app, first);
      for (const token of [first.refreshToken, successor.refreshToken, other.refreshToken])
        expect((await refresh(service, app, token)).status).toBe(401);
      if (!alsoEnds) return;
      for (const { accessToken } of [first, successor, other])
        expect((await validate(service, app, accessToken)).status).toBe(401);
    },
  );

  it("F5: after the provider was taken from the app it is refused to who came by it", async () => {
    const app = await appWith(service, [google]);
    const person = { subject: "1", email: newEmail(), verified: true };
    const tokens = await tokensFrom(service, app, google, person);
    const byPassword = await signedUp(service, app);
    await removeProvider(service, app, google);
    expect(await refresh(service, app, tokens.refreshToken)).toMatchObject(invalidToken);
    expect((await refresh(service, app, byPassword.refreshToken)).status).toBe(200);
  });

  it("F5: with a key that was revoked it is refused, and the token is not used up by it", async () => {
    const app = await service.createApp();
    const { refreshToken } = await signedUp(service, app);
    const second = await apiKeys.createKey(service.server.app.ctx, { appId: app.id }, operator);
    await apiKeys.revokeKey(service.server.app.ctx, second.id, operator);
    const revoked = { ...app.headers, ...bearer(second.apiKey) };
    const answer = await call(service, "POST", "/auth/refresh", revoked, { refreshToken });
    expect(answer).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
    service.clock.advance(60_000);
    expect((await refresh(service, app, refreshToken)).status).toBe(200);
  });

  it("F5: enabling the user again wakes none of the tokens up", async () => {
    const app = await service.createApp();
    const tokens = await signedUp(service, app);
    const id = String(tokens.user["id"]);
    await disableUser(service, id);
    await userAdministration.enable(service.server.app.ctx, id, { dryRun: false }, { actor: operator });
    expect(await refresh(service, app, tokens.refreshToken)).toMatchObject(invalidToken);
    expect(await validate(service, app, tokens.accessToken)).toMatchObject(invalidToken);
    expect((await redeem(service, app, await signIn(service, app, { email: tokens.email }))).expiresIn).toBe(900);
  });

  it("F5: the scopes that the app may still ask for are those that a refresh gives", async () => {
    const app = await service.createApp();
    const { refreshToken } = await signedUp(service, app);
    await updateApp(service, app, { settings: { scopes: ["profile"] } });
    const { body } = await refresh(service, app, refreshToken);
    expect((await validate(service, app, String(body["accessToken"]))).body["scopes"]).toEqual(["profile"]);
  });
});

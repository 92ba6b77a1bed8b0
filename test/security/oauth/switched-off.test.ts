import { describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { signedUpIn } from "../../support/adding.ts";
import { useService } from "../../support/one-service.ts";
import {
  openPage,
  call,
  initiate,
  newEmail,
  redeem,
  refresh,
  Visitor,
  goodPassword,
  type Page,
} from "../../support/person.ts";
import { useProviders, type FakeProvider } from "../../support/providers/provider.ts";
import { changeApplication, usersOf } from "../../support/providers/records.ts";
import {
  appWith,
  atProvider,
  codeOf,
  comeBack,
  removeProvider,
  setProvider,
  signInAt,
  startFromPage,
  startRound,
  tokensFrom,
} from "../../support/providers/round.ts";
import type { TestApp, TestService } from "../../support/service.ts";

const [google, github] = await useProviders("google", "github");

type SwitchOff = (service: TestService, app: TestApp, provider: FakeProvider) => Promise<void>;

const ways: [way: string, switchOff: SwitchOff][] = [
  ["taken off the app's list", (service, app, provider) => setProviders(service, app, provider, true)],
  ["switched off with all of OAuth", (service, app, provider) => setProviders(service, app, provider, false)],
  ["removed with its account", (service, app, provider) => removeProvider(service, app, provider)],
];

/** The other provider stays. */
async function setProviders(service: TestService, app: TestApp, gone: FakeProvider, enabled: boolean): Promise<void> {
  await changeApplication(service, app, ({ authMethods }) => {
    const providers = enabled
      ? authMethods.oauth.providers.filter((name) => name !== gone.name)
      : authMethods.oauth.providers;
    return { authMethods: { ...authMethods, oauth: { enabled, providers } } };
  });
}

const service = useService();

describe("a provider", () => {
  const ada = () => ({ subject: "ada", email: newEmail(), verified: true });

  function expectDisabled(page: Page, app: TestApp): void {
    expect(page.status).toBe(303);
    expect(page.location.href.split("?")[0]).toBe(app.redirectUri);
    const { searchParams } = page.location;
    expect(searchParams.get("error")).toBe("method_disabled");
    expect(searchParams.get("state")).toBe("st");
    expect(searchParams.get("sessionId")).toMatch(/^sis_/u);
    expect(searchParams.has("code")).toBe(false);
  }

  describe.each(ways)("%s", (_way, switchOff) => {
    it("O9, CVE-2025-64717: a disabled provider is refused at initiate and at /oauth/{provider}/authorize", async () => {
      const app = await appWith(service, [google, github]);
      await switchOff(service, app, google);
      const body = { redirectUri: app.redirectUri, authMethod: "oauth", provider: "google" };
      const refusal = { status: 400, body: { error: { code: "INVALID_REQUEST" } } };
      expect(await call(service, "POST", "/auth/initiate", app.headers, body)).toMatchObject(refusal);
      const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri });
      expect(await call(service, "GET", `/oauth/google/authorize?${query.toString()}`, {})).toMatchObject(refusal);
    });

    it("O9: a provider that is disabled after initiate leads back to the app at the start", async () => {
      const app = await appWith(service, [google, github]);
      const session = await initiate(service, app, { authMethod: "oauth", provider: "google", state: "st" });
      await switchOff(service, app, google);
      expectDisabled(await new Visitor().get(session.authUrl), app);
    });

    it("O9, CVE-2025-64717: a provider that is disabled after its button was shown cannot be started by it, and the page shows it no more", async () => {
      const app = await appWith(service, [google, github]);
      const { session, visitor, page } = await openPage(service, app, { state: "st" });
      await switchOff(service, app, google);
      expectDisabled(await visitor.submit(page, "/oauth/google", {}), app);
      expect((await visitor.get(session.authUrl)).text).not.toContain("Continue with Google");
    });

    it("O9, CVE-2025-64717: a provider that is disabled while the person is there signs nobody in, and is asked nothing", async () => {
      const app = await appWith(service, [google, github]);
      const round = await startRound(service, app, google, { state: "st" });
      const back = await atProvider(round.address, google, ada());
      await switchOff(service, app, google);
      expectDisabled(await comeBack(round.visitor, back), app);
      expect(google.received.filter(({ path }) => path === "/token")).toEqual([]);
      expect(await usersOf(service, app)).toEqual([]);
    });

    it("O9: a provider that is disabled while it answers about the person gives no tokens", async () => {
      const app = await appWith(service, [google, github]);
      google.makeIdToken = async (claims) => {
        await switchOff(service, app, google);
        return await google.key.sign(claims);
      };
      const { session, done } = await signInAt(service, app, google, ada());
      if (done.status === 303 && done.location.searchParams.has("code"))
        await expect(redeem(service, app, { session, code: codeOf(done) })).rejects.toThrow("400");
    });

    it("O9: a provider that is disabled before the code is redeemed makes the code worthless, for good", async () => {
      const app = await appWith(service, [google, github]);
      const { session, done } = await signInAt(service, app, google, ada());
      await switchOff(service, app, google);
      await expect(redeem(service, app, { session, code: codeOf(done) })).rejects.toThrow("400");
      await setProvider(service, app, google);
      await expect(redeem(service, app, { session, code: codeOf(done) })).rejects.toThrow("400");
    });

    it("O9: a disabled provider refreshes no login that it made, and leaves the others alone", async () => {
      const app = await appWith(service, [google, github]);
      const mine = await tokensFrom(service, app, google, ada());
      const other = await tokensFrom(service, app, github, { subject: "1", email: newEmail(), verified: true });
      await switchOff(service, app, google);
      expect((await refresh(service, app, mine.refreshToken)).status).toBe(401);
      const othersGoOn = (
        await applications.find(service.server.app.ctx, service.server.app.ctx.storage.reader, app.id)
      )?.authMethods.oauth.enabled;
      expect((await refresh(service, app, other.refreshToken)).status).toBe(othersGoOn ? 200 : 401);
    });

    it("O9: a disabled provider keeps its people: switched on again, they are who they were", async () => {
      const app = await appWith(service, [google, github]);
      const person = ada();
      const before = await tokensFrom(service, app, google, person);
      await switchOff(service, app, google);
      await setProvider(service, app, google);
      expect((await tokensFrom(service, app, google, person)).user["id"]).toBe(before.user["id"]);
    });
  });

  it("O9: a provider that a session did not ask for cannot be started in it by hand", async () => {
    const app = await appWith(service, [google, github]);
    const forPasswords = await initiate(service, app, { authMethod: "password", state: "st" });
    const visitor = new Visitor();
    const page = await visitor.get(forPasswords.authUrl);
    expect(page.text).not.toContain("Continue with");
    const { fields } = page.form("/password");
    for (const name of ["google", "nowhere", "__proto__", "constructor"])
      expectDisabled(await visitor.post(`${forPasswords.authUrl}/oauth/${name}`, fields), app);
  });

  it("O9: a provider that has no account cannot be started, even when the app's list names it", async () => {
    const app = await appWith(service, [github]);
    await changeApplication(service, app, ({ authMethods }) => ({
      authMethods: { ...authMethods, oauth: { enabled: true, providers: ["github", "google"] } },
    }));
    const body = { redirectUri: app.redirectUri, authMethod: "oauth", provider: "google" };
    const answer = await call(service, "POST", "/auth/initiate", app.headers, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: "provider: not configured for this application" } },
    });
    const started = await startFromPage(service, app, github, { state: "st" });
    const page = await new Visitor().get((await initiate(service, app)).authUrl);
    expect(page.text).not.toContain("Google");
    expect(started.address.origin).toBe(github.origin);
  });

  it("O9: a provider that is removed from an app with OAuth switched off leaves it switched off", async () => {
    const app = await appWith(service, [google, github]);
    await setProviders(service, app, google, false);
    await removeProvider(service, app, google);
    const application = await applications.find(service.server.app.ctx, service.server.app.ctx.storage.reader, app.id);
    expect(application?.authMethods.oauth).toEqual({ enabled: false, providers: ["github"] });
  });
});

it("O9, CVE-2026-29193: a hand-made post signs nobody up where sign-up is closed, and nobody in by a method that is off", async () => {
  const own = await appWith(service, [google], { methods: ["password", "passkey", "oauth"] });
  const { email } = await signedUpIn(service, own);
  const session = await initiate(service, own);
  const visitor = new Visitor();
  const signInPage = await visitor.get(session.authUrl);
  const { token = "" } = signInPage.form("/password").fields;
  const attempts = async (): Promise<Page[]> => [
    await visitor.post(`${session.authUrl}/create-account`, {
      token,
      email: newEmail(),
      name: "",
      password: goodPassword,
    }),
    await visitor.post(`${session.authUrl}/password`, { token, email, password: goodPassword }),
    await visitor.post(`${session.authUrl}/create-account/passkey/options`, { token, email: newEmail(), name: "" }),
    await visitor.post(`${session.authUrl}/create-account/passkey`, { token, credential: "{}" }),
    await visitor.post(`${session.authUrl}/passkey/options`, { token }),
    await visitor.post(`${session.authUrl}/oauth/google`, { token }),
    await visitor.post(`${session.authUrl}/oauth/github`, { token }),
  ];
  await changeApplication(service, own, ({ settings, authMethods }) => ({
    settings: { ...settings, signUp: "closed" },
    authMethods: {
      ...authMethods,
      password: { enabled: false },
      passkey: { enabled: false, required: false },
      oauth: { enabled: false, providers: [] },
    },
  }));
  for (const page of await attempts()) {
    const location = page.headers.get("location") ?? "";
    expect(location).not.toContain("code=");
    expect(location).not.toContain(google.origin);
    expect(page.text).not.toContain('"challenge"');
  }
  // Passwords are on again, sign-up is not.
  await changeApplication(service, own, ({ authMethods }) => ({
    authMethods: { ...authMethods, password: { enabled: true } },
  }));
  const again = await initiate(service, own);
  const other = new Visitor();
  const page = await other.get(again.authUrl);
  const made = await other.post(`${again.authUrl}/create-account`, {
    token: page.form("/password").fields["token"] ?? "",
    email: newEmail(),
    name: "",
    password: goodPassword,
  });
  expect(made.headers.get("location") ?? "").not.toContain("code=");
  expect(await usersOf(service, own)).toHaveLength(1);
});

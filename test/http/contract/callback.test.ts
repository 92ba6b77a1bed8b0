import { beforeAll, expect, it } from "vitest";
import * as userAdministration from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import { disableUser } from "../../support/mail-flows.ts";
import { invalidRequest } from "../../support/outcomes.ts";
import { call, isLive, newEmail, redeem, signedUp, signIn, signUp } from "../../support/person.ts";
import { useApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const state = "Some state, ünïcode & all";

const badBodies: [field: string, change: Record<string, unknown>][] = [
  ["code", { code: undefined }],
  ["sessionId", { sessionId: undefined }],
  ...["code", "sessionId", "state"].map((field): [string, Record<string, unknown>] => [field, { [field]: null }]),
];

const byCommand = { actor: { kind: "cli", name: "test" } } as const;
type Change = (service: TestService, app: TestApp, userId: string) => Promise<unknown>;
const passwords =
  (enabled: boolean): Change =>
  async (service, app) =>
    await call(service, "PATCH", `/applications/${app.id}`, app.headers, { authMethods: { password: { enabled } } });
/** What may happen between a sign-in and its callback. `undo` puts it back, where that can be. */
const changes: [title: string, make: Change, undo?: Change][] = [
  ["the sign-in's method was disabled", passwords(false), passwords(true)],
  [
    "the user was disabled",
    async (service, _app, userId) => await disableUser(service, userId),
    async ({ server }, _app, userId) =>
      await userAdministration.enable(server.app.ctx, userId, { dryRun: false }, byCommand),
  ],
  [
    "the user was deleted",
    async ({ server }, _app, userId) => await profiles.remove(server.app.ctx, userId, byCommand),
  ],
];

type Fields = { code: string; sessionId: string; state: string };

describeSqliteFirst("POST /auth/callback", (current) => {
  const app = useApp(current);
  const other = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const send = async (body: unknown, headers = app.headers) =>
    await call(current(), "POST", "/auth/callback", headers, body);
  const signedIn = async (): Promise<Fields> => {
    const { session, code } = await signIn(current(), app, person, { state });
    return { code, sessionId: session.sessionId, state };
  };

  it("answers exactly tokens, their lifetime and the user", async () => {
    const { status, headers, body } = await send(await signedIn());
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/u),
      refreshToken: expect.stringMatching(/^[\w-]{43,}$/u),
      expiresIn: 900,
      user: {
        id: expect.stringMatching(/^usr_/u),
        email: person.email,
        emailVerified: false,
        name: null,
        picture: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
        lastLoginAt: new Date(current().clock.now).toISOString(),
        authMethods: { passkey: false, oauth: [], password: true },
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("gives another app no way to end a login with a code that it saw", async () => {
    const mine = await signedIn();
    const tokens = (await send(mine)).body;
    expect(await send(mine, other.headers)).toMatchObject(invalidRequest);
    expect(await isLive(current(), app, tokens)).toBe(true);
  });

  it("consumes the code before anything else: wrong fields beside it leave it no second try", async () => {
    for (const wrong of [{ state: "another" }, { sessionId: `sis_${"A".repeat(43)}` }]) {
      const mine = await signedIn();
      expect(await send({ ...mine, ...wrong })).toMatchObject(invalidRequest);
      expect(await send(mine)).toMatchObject(invalidRequest);
    }
  });

  it("needs an empty state back where an empty one was given, and none where none was", async () => {
    const empty = await signIn(current(), app, person, { state: "" });
    const none = await signIn(current(), app, person);
    const withoutState = (signed: typeof none) => ({ code: signed.code, sessionId: signed.session.sessionId });
    const unsaid = await signIn(current(), app, person, { state: "" });
    expect(await send(withoutState(unsaid))).toMatchObject({ status: 400 });
    expect(await send(withoutState(await signIn(current(), app, person, { state })))).toMatchObject({ status: 400 });
    expect((await send({ ...withoutState(empty), state: "" })).status).toBe(200);
    expect((await send(withoutState(none))).status).toBe(200);
    expect(await send({ ...withoutState(await signIn(current(), app, person)), state: "s" })).toMatchObject(
      invalidRequest,
    );
  });

  it.each(changes)("O9: after %s refuses the code, and keeps refusing it", async (_title, make, undo) => {
    const own = await current().createApp();
    const { email, user } = await signedUp(current(), own);
    const { session, code } = await signIn(current(), own, { email });
    await make(current(), own, String(user["id"]));
    expect(await send({ code, sessionId: session.sessionId }, own.headers)).toMatchObject(invalidRequest);
    await undo?.(current(), own, String(user["id"]));
    expect(await send({ code, sessionId: session.sessionId }, own.headers)).toMatchObject(invalidRequest);
  });

  it.each(badBodies)("refuses a body with a bad %s and names it: %j", async (field, change) => {
    const details = expect.stringContaining(field);
    const body = { code: "c", sessionId: "s", ...change };
    expect(await send(body)).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST", details } } });
  });
});

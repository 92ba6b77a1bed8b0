import { beforeAll, describe, expect, it } from "vitest";
import { bearer } from "../support/methods.ts";
import { call, goodPassword, newEmail, redeem, signedUp, signIn } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

type Made = { id: string; email: string; [key: string]: unknown };

describeEachDatabase("the users of an application, by its server", (current) => {
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
    other = await current().createApp();
  });

  const send = async (method: string, path: string, body?: unknown, by = app) =>
    await call(current(), method, `/applications/${by.id}/users${path}`, bearer(by.apiKey), body);
  const create = async (body: Record<string, unknown> = {}, by = app): Promise<Made> => {
    const { status, body: made } = await send("POST", "", { email: newEmail(), ...body }, by);
    expect(status).toBe(201);
    return made as Made;
  };
  const audited = async (userId: string) => await current().server.app.services.audit.list({ userId, limit: 100 });

  describe("POST", () => {
    it("creates a user who signs in with the password, and audits the key", async () => {
      const email = newEmail();
      const made = await create({
        email: ` ${email.toUpperCase()}`,
        emailVerified: true,
        name: " Ada ",
        password: goodPassword,
      });
      expect(made).toMatchObject({ appId: app.id, email, emailVerified: true, name: "Ada", disabledAt: null });
      expect(made["authMethods"]).toEqual({ passkey: false, oauth: [], password: true });
      const { user } = await redeem(current(), app, await signIn(current(), app, { email }));
      expect(user["id"]).toBe(made.id);
      const events = await audited(made.id);
      expect(events.find(({ action }) => action === "user.create")).toMatchObject({
        actor: `app:${app.id}`,
        requestId: expect.stringMatching(/^req_/u) as string,
      });
      expect(JSON.stringify(made)).not.toContain(goodPassword);
    });

    it("refuses a taken address with a status of its own; another application may have it too", async () => {
      const { email } = await create();
      const refused = await send("POST", "", { email: email.toUpperCase() });
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.objectContaining({ code: "INVALID_REQUEST", details: "email: taken in this application" }),
      ]);
      await create({ email }, other);
      const race = await Promise.all(
        [1, 2, 3].map(async () => (await send("POST", "", { email: "race@example.com" })).status),
      );
      expect(race.toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    });

    it.each([
      [{}, /^email: required/u],
      [{ email: 5 }, /^email: required, a string$/u],
      [{ email: "nonsense" }, /^email: an address/u],
      [{ email: "a|b@example.com" }, /^email: a new address may not hold/u],
      [{ email: "x@example.com", emailVerified: "yes" }, /^emailVerified: must be a boolean$/u],
      [{ email: "x@example.com", name: "a\u0007" }, /^name: at most 200 characters/u],
      [{ email: "x@example.com", picture: "http://x" }, /^picture: an https address/u],
      [{ email: "x@example.com", password: "short" }, /^password: at least 15 characters$/u],
      [{ email: "x@example.com", id: "usr_mine" }, /^body: unknown key "id"$/u],
      [{ email: "x@example.com", appId: "app_2" }, /^body: unknown key "appId"$/u],
    ])("refuses %j", async (body, details) => {
      const refused = await send("POST", "", body);
      expect([refused.status, refused.body.error?.details]).toEqual([400, expect.stringMatching(details)]);
    });
  });

  it("GET answers the user; one of another application is as unknown as none", async () => {
    const { user } = await signedUp(current(), app);
    const id = String(user["id"]);
    const { body } = await send("GET", `/${id}`);
    expect(body).toMatchObject({ id, lastLoginAt: user["lastLoginAt"], metadata: { loginCount: 1 } });
    const answers = await Promise.all([
      send("GET", `/${id}`, undefined, other),
      send("GET", "/usr_unknown", undefined, other),
    ]);
    for (const { status, body: refused } of answers)
      expect([status, refused.error?.code, refused.error?.message]).toEqual([
        404,
        "USER_NOT_FOUND",
        answers[0]?.body.error?.message,
      ]);
  });
});

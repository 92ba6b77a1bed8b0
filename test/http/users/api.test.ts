import { describe, expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { importLines } from "../../../src/people/import.ts";
import { bearer, givePasskey } from "../../support/methods.ts";
import { call, goodPassword, newEmail, redeem, signedUp, signIn, validate } from "../../support/person.ts";
import { givePersonalToken } from "../../support/personal-tokens.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

type Made = { id: string; email: string; [key: string]: unknown };

describeEachDatabase("the users of an application, by its server", (current) => {
  const app = useApp(current);
  const other = useApp(current);
  const tokenApp = useApp(current, { settings: { personalTokens: true } });

  const send = async (method: string, path: string, body?: unknown, by = app) =>
    await call(current(), method, `/applications/${by.id}/users${path}`, bearer(by.apiKey), body);
  const create = async (body: Record<string, unknown> = {}, by = app): Promise<Made> => {
    const { status, body: made } = await send("POST", "", { email: newEmail(), ...body }, by);
    expect(status).toBe(201);
    return made as Made;
  };
  const audited = async (userId: string) => await audit.list(current().server.app.ctx, { userId, limit: 100 });

  it("shows a second factor without its secret, and removes it, once", async () => {
    const { ctx } = current().server.app;
    const [id, email] = [`usr_factor_${current().dialect}`, newEmail()];
    const totpSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const json = JSON.stringify({ id, email, emailVerified: true, totpSecret, recoveryDigests: ["A".repeat(43)] });
    const by = { kind: "cli", name: "test" } as const;
    expect(await importLines(ctx, app.id, [{ line: 1, json }], { dryRun: false }, by)).toMatchObject([
      { outcome: "created" },
    ]);
    const shown = await send("GET", `/${id}/factors`);
    expect(shown.body).toEqual({
      totp: { setUpAt: expect.any(String), lastUsedAt: expect.any(String) },
      recoveryCodes: 1,
      failures: 0,
      blocked: false,
    });
    for (const method of ["GET", "DELETE"])
      expect((await send(method, `/${id}/factors`, undefined, other)).body.error?.code).toBe("USER_NOT_FOUND");
    expect((await send("GET", `/${id}/factors`)).body).toEqual(shown.body);
    for (const _ of [1, 2]) expect((await send("DELETE", `/${id}/factors`)).status).toBe(200);
    const nothing = { totp: null, recoveryCodes: 0, failures: 0, blocked: false };
    expect((await send("GET", `/${id}/factors`)).body).toEqual(nothing);
    const removals = (await audited(id)).filter(({ action }) => action === "factor.removed");
    expect(removals).toMatchObject([{ actor: `app:${app.id}`, details: { factor: "totp" } }]);
  });

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
        expect.objectContaining({
          code: "INVALID_REQUEST",
          message: expect.stringMatching(/already has this address/u) as string,
        }),
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
      [{ email: "a|b@example.com" }, /^email: an address with ASCII characters before the @/u],
      [{ email: "x@example.com", emailVerified: "yes" }, /^emailVerified: must be a boolean$/u],
      [{ email: "x@example.com", name: "a\u0007" }, /^name: 1 to 200 characters/u],
      [{ email: "x@example.com", name: " " }, /^name: 1 to 200 characters/u],
      [{ email: "x@example.com", picture: "http://x" }, /^picture: an https URL/u],
      [{ email: "x@example.com", password: "short" }, /^password: at least 15 characters$/u],
      [{ email: "x@example.com", id: "usr_mine" }, /^body: unknown key "id"$/u],
      [{ email: "x@example.com", appId: "app_2" }, /^body: unknown key "appId"$/u],
    ])("refuses %j", async (body, details) => {
      const refused = await send("POST", "", body);
      expect([refused.status, refused.body.error?.details]).toEqual([400, expect.stringMatching(details)]);
    });
  });

  it("GET returns the user; a user of another application is not found", async () => {
    const { user } = await signedUp(current(), app);
    const id = String(user["id"]);
    const { body } = await send("GET", `/${id}`);
    expect(body).toMatchObject({ id, lastLoginAt: user["lastLoginAt"], metadata: { loginCount: 1 } });
    expect([body["publicMetadata"], body["privateMetadata"]]).toEqual([undefined, undefined]);
    const metadata = { public: { plan: "pro" }, private: { customer: 4711 } };
    await send("PATCH", `/${id}/metadata`, metadata);
    const known = { publicMetadata: metadata.public, privateMetadata: metadata.private };
    expect((await send("GET", `/${id}`)).body).toMatchObject(known);
    expect((await send("PATCH", `/${id}`, { name: "Ada" })).body).toMatchObject(known);
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

  it("an application reaches no user of another by any call, and changes nothing of theirs", async () => {
    const { user, accessToken } = await signedUp(current(), other);
    const id = String(user["id"]);
    const method = await givePasskey(current(), id);
    await givePersonalToken(current(), id);
    const { body: theirs } = await send("GET", `/${id}/personal-tokens`, undefined, other);
    const [{ id: tokenId } = { id: "" }] = theirs["tokens"] as { id: string }[];
    const calls: [method: string, path: string, body?: unknown][] = [
      ["GET", `/${id}`],
      ["PATCH", `/${id}`, { name: "Mallory", email: "mallory@example.com", disabled: true }],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/logout`],
      ["GET", `/${id}/auth-methods`],
      ["DELETE", `/${id}/auth-methods/${method}`],
      ["GET", `/${id}/personal-tokens`],
      ["DELETE", `/${id}/personal-tokens/${tokenId}`],
    ];
    for (const [verb, path, body] of calls) {
      const refused = await send(verb, path, body);
      expect([verb, path, refused.status, refused.body.error?.code]).toEqual([verb, path, 404, "USER_NOT_FOUND"]);
      const theirs = await call(current(), verb, `/applications/${other.id}/users${path}`, bearer(app.apiKey), body);
      expect([theirs.status, theirs.body.error?.code]).toEqual([401, "INVALID_APP_ID"]);
    }
    expect((await validate(current(), other, accessToken)).status).toBe(200);
    expect((await send("GET", `/${id}/personal-tokens`, undefined, other)).body["tokens"]).toHaveLength(1);
    const { body: unchanged } = await send("GET", `/${id}`, undefined, other);
    expect(unchanged).toMatchObject({ name: user["name"], email: user["email"], disabledAt: null });
  });

  describe("PATCH", () => {
    it("changes what is sent and nothing else, and audits the fields of what differs", async () => {
      const { id } = await create({ name: "Ada", picture: "https://app.example/ada.png", emailVerified: true });
      const { status, body } = await send("PATCH", `/${id}`, { name: "Ada Lovelace" });
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ name: "Ada Lovelace", picture: "https://app.example/ada.png", emailVerified: true }),
      ]);
      expect((await send("PATCH", `/${id}`, { name: null, picture: null })).body).toMatchObject({
        name: null,
        picture: null,
      });
      expect((await send("PATCH", `/${id}`, {})).body).toMatchObject({ name: null });
      expect((await send("PATCH", `/${id}`, { emailVerified: true })).body).toMatchObject({ emailVerified: true });
      const changes = (await audited(id)).filter(({ action }) => action === "user.update");
      // Of one moment, they have no order.
      const texts = changes.map(({ actor, details }) => `${actor} ${String(details["fields"])}`);
      expect(texts.toSorted()).toEqual([`app:${app.id} name`, `app:${app.id} name, picture`]);
    });

    it("another address is unverified unless the server knows better, and in its canonical form", async () => {
      const { id } = await create({ emailVerified: true });
      const email = newEmail();
      expect((await send("PATCH", `/${id}`, { email: ` ${email.toUpperCase()}` })).body).toMatchObject({
        email,
        emailVerified: false,
      });
      expect((await send("PATCH", `/${id}`, { emailVerified: true })).body).toMatchObject({
        email,
        emailVerified: true,
      });
      expect((await send("PATCH", `/${id}`, { email })).body).toMatchObject({ emailVerified: true });
      const next = newEmail();
      expect((await send("PATCH", `/${id}`, { email: next, emailVerified: true })).body).toMatchObject({
        email: next,
        emailVerified: true,
      });
    });

    it("a taken address is refused, and nothing else of that change is kept", async () => {
      const { email } = await create();
      const { id } = await create({ name: "Ada" });
      const refused = await send("PATCH", `/${id}`, { email, name: "Eve", disabled: true });
      expect([refused.status, refused.body.error?.code]).toEqual([409, "INVALID_REQUEST"]);
      expect((await send("GET", `/${id}`)).body).toMatchObject({ name: "Ada", disabledAt: null });
      const both = await create({ email }, other);
      expect(both.email).toBe(email);
    });

    it("of changes at the same moment one gets the address; changes of different fields are both kept", async () => {
      const rivals = await Promise.all([create(), create(), create()]);
      const email = newEmail();
      const statuses = await Promise.all(
        rivals.map(async ({ id }) => (await send("PATCH", `/${id}`, { email })).status),
      );
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
      const id = rivals[0]?.id ?? "";
      const [picture, next] = ["https://app.example/a.png", newEmail()];
      const bodies = [{ name: "Ada" }, { picture }, { email: next }, { disabled: true }];
      for (const { status } of await Promise.all(bodies.map(async (body) => await send("PATCH", `/${id}`, body))))
        expect(status).toBe(200);
      const { body } = await send("GET", `/${id}`);
      expect(body).toMatchObject({ name: "Ada", picture, email: next, disabledAt: expect.any(String) as string });
    });

    it("disabled ends every login, and lets nobody in until it is false again", async () => {
      const email = newEmail();
      const { accessToken, user } = await signedUp(current(), app, email);
      const path = `/${String(user["id"])}`;
      expect((await send("PATCH", path, { disabled: true })).body).toMatchObject({
        disabledAt: expect.any(String) as string,
      });
      expect((await validate(current(), app, accessToken)).status).toBe(401);
      expect((await send("PATCH", path, { disabled: false })).body).toMatchObject({ disabledAt: null });
      expect((await validate(current(), app, accessToken)).status).toBe(401);
      await redeem(current(), app, await signIn(current(), app, { email }));
    });

    it.each([
      [{ email: "nonsense" }, /^email: an address/u],
      [{ email: "a|b@example.com" }, /^email: an address with ASCII characters before the @/u],
      [{ emailVerified: 1 }, /^emailVerified: must be a boolean$/u],
      [{ name: "x".repeat(201) }, /^name: 1 to 200/u],
      [{ name: "" }, /^name: 1 to 200/u],
      [{ picture: "javascript:alert(1)" }, /^picture: an https URL/u],
      [{ disabled: "yes" }, /^disabled: must be a boolean$/u],
      [{ createdAt: "2026-11-20T10:00:00Z" }, /^body: unknown key "createdAt"$/u],
      [[], /^body: must be a JSON object$/u],
    ])("refuses %j", async (body, details) => {
      const { id } = await create();
      const refused = await send("PATCH", `/${id}`, body);
      expect([refused.status, refused.body.error?.details]).toEqual([400, expect.stringMatching(details)]);
    });
  });

  it("DELETE removes the user; logout ends their logins and says how many", async () => {
    const email = newEmail();
    const { user, accessToken } = await signedUp(current(), app, email);
    const path = `/${String(user["id"])}`;
    const second = await redeem(current(), app, await signIn(current(), app, { email }));
    expect((await send("POST", `${path}/logout`)).body).toEqual({ ended: 2 });
    for (const token of [accessToken, second.accessToken])
      expect((await validate(current(), app, token)).status).toBe(401);
    expect((await send("POST", `${path}/logout`)).body).toEqual({ ended: 0 });
    expect((await send("DELETE", path)).status).toBe(200);
    expect((await send("GET", path)).status).toBe(404);
    expect((await send("DELETE", path)).status).toBe(404);
    const actors = new Set((await audited(String(user["id"]))).map(({ actor }) => actor));
    expect(actors).toContain(`app:${app.id}`);
  });

  it("lists a user's methods and removes all but the last that can sign in; unknown ones are not found", async () => {
    const { user } = await signedUp(current(), app);
    const path = `/${String(user["id"])}/auth-methods`;
    const passkey = await givePasskey(current(), String(user["id"]));
    const foreign = await givePasskey(current(), (await create()).id);
    const { body } = await send("GET", path);
    const methods = (body as unknown as { methods: { id: string; type: string }[] }).methods;
    expect(methods.map(({ type }) => type)).toEqual(["password", "passkey"]);
    for (const id of [foreign, "mth_unknown"])
      expect(await send("DELETE", `${path}/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: "METHOD_NOT_FOUND" } },
      });
    expect((await send("DELETE", `${path}/${passkey}`)).status).toBe(200);
    const last = await send("DELETE", `${path}/${methods[0]?.id}`);
    expect([last.status, last.body.error?.details]).toEqual([
      400,
      expect.stringMatching(/^methodId: the last method/u),
    ]);
  });

  it("lists a user's live personal access tokens without secrets, and ends one, for good", async () => {
    const { user } = await signedUp(current(), tokenApp);
    const id = String(user["id"]);
    const path = `/${id}/personal-tokens`;
    const secret = await givePersonalToken(current(), id, { name: "Old" });
    current().clock.advance(1000);
    const other = await givePersonalToken(current(), id, { name: "New" });
    const listed = await send("GET", path, undefined, tokenApp);
    const [newest, oldest] = listed.body["tokens"] as { id: string }[];
    expect([newest, oldest]).toMatchObject([
      { name: "New", lastUsedAt: null },
      { name: "Old", scopes: ["profile"] },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain("pat_");
    expect((await send("DELETE", `${path}/${oldest?.id}`, undefined, tokenApp)).status).toBe(200);
    const statuses = [secret, other].map(async (token) => (await validate(current(), tokenApp, token)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
    for (const tokenId of [oldest?.id, "ptk_unknown"])
      expect(await send("DELETE", `${path}/${tokenId}`, undefined, tokenApp)).toMatchObject({
        status: 404,
        body: { error: { code: "INVALID_REQUEST" } },
      });
    expect((await send("GET", path, undefined, tokenApp)).body["tokens"]).toMatchObject([{ id: newest?.id }]);
    const ends = (await audited(id)).filter(({ action }) => action === "personal-token.end");
    expect(ends).toMatchObject([{ actor: `app:${tokenApp.id}`, target: oldest?.id, details: { reason: "operator" } }]);
  });

  it("counts as user management, all calls of an application together, and no browser may call", async () => {
    const { id } = await create();
    const before = await send("GET", "");
    const after = await send("POST", `/${id}/logout`);
    const left = ({ headers }: { headers: Headers }) => Number(headers.get("x-ratelimit-remaining"));
    expect(left(before) - left(after)).toBe(1);
    const origin = new URL(app.redirectUri).origin;
    const { headers } = await call(current(), "GET", `/applications/${app.id}/users`, {
      ...bearer(app.apiKey),
      origin,
    });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

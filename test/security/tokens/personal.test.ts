import { beforeAll, expect, it } from "vitest";
import { operations, addressOf } from "../../support/routes.ts";
import { ownerOf, type Owner } from "../../support/address-change.ts";
import { exchange, introspected } from "../../support/exchange.ts";
import { bearer } from "../../support/methods.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, refresh, validate, Visitor } from "../../support/person.ts";
import { newPersonalToken } from "../../support/personal-tokens.ts";
import { openAccount, press } from "../../support/account.ts";
import { newMachine } from "../../support/resources.ts";
import { describeOnSqlite, useApp, withApp } from "../../support/service.ts";
import { newCredential } from "../../../src/lib/credentials.ts";

const on = { settings: { personalTokens: true } };

describeOnSqlite("a personal access token", (service) => {
  const app = useApp(service, on);
  let owner: Owner;
  let token: string;
  beforeAll(async () => {
    owner = await ownerOf(service, app);
    token = await newPersonalToken(service, app, owner.visitor, { "scope.email": "on" });
  });

  it("T9: opens validate and the profile, and nothing else of all routes", async () => {
    const unknown = newCredential("pat", (length) => new Uint8Array(length).fill(7));
    const opened: string[] = [];
    for (const { method, path, ...line } of operations) {
      const ids = { appId: app.id, userId: owner.id };
      const ask = async (credential: string) => {
        const address = `${addressOf({ path }, ids)}?token=${credential}&app_id=${app.id}`;
        const headers = { ...bearer(credential), "x-service-app-id": app.id };
        const body = method === "GET" || method === "DELETE" || line.body?.isForm ? undefined : line.body?.example;
        const answer = await call(service, method, address, headers, body);
        return { status: answer.status, code: (answer.body?.["error"] as { code?: string } | undefined)?.code };
      };
      const [good, bad] = [await ask(token), await ask(unknown)];
      if (JSON.stringify(good) !== JSON.stringify(bad)) opened.push(`${method} ${path}`);
    }
    expect(opened.toSorted()).toEqual(["GET /auth/validate", "GET /users/profile"]);
  });

  it("T9: is no refresh token, subject token, query token, client secret, API key or cookie", async () => {
    const machine = await newMachine(service, {}, app);
    expect(await refresh(service, app, token)).toMatchObject(invalidToken);
    const exchanged = await exchange(service, machine, { subject_token: token, audience: "https://api.example" });
    expect(exchanged.status).toBe(400);
    expect((await call(service, "GET", `/auth/verify-token?token=${token}&app_id=${app.id}`, {})).body).toEqual({
      valid: false,
    });
    expect(await call(service, "GET", `/api/user?token=${token}`, {})).toMatchObject(invalidToken);
    const asSecret = await post(service, "/oauth2/introspect", { token }, basic({ ...machine, secret: token }));
    expect(asSecret.status).toBe(401);
    expect(
      (await call(service, "GET", `/applications/${app.id}/users`, { ...app.headers, ...bearer(token) })).status,
    ).toBe(401);
    expect((await post(service, "/oauth2/revoke", { token }, basic(machine))).status).toBe(200);
    const visitor = new Visitor();
    for (const name of owner.visitor.cookies.keys()) visitor.cookies.set(name, token);
    expect((await visitor.get(`${service.url}/account?app_id=${app.id}`)).status).toBe(303);
    expect((await validate(service, app, token)).status).toBe(200);
  });

  it("T9: works as Bearer only, for its own application only", async () => {
    const { app: other } = await withApp(service, on);
    expect(
      await call(service, "GET", "/auth/validate", { authorization: `DPoP ${token}`, "x-service-app-id": app.id }),
    ).toMatchObject(invalidToken);
    expect((await validate(service, other, token)).status).toBe(401);
    const stranger = await newMachine(service, {}, other);
    expect(await introspected(service, stranger, token)).toEqual({ active: false });
  });

  it("T10, A1: only its digest is stored, and a changed character is noticed without the database", async () => {
    expect(service.databaseText()).not.toContain(token);
    const changed = `${token.slice(0, 10)}${token[10] === "x" ? "y" : "x"}${token.slice(11)}`;
    expect(await validate(service, app, changed)).toMatchObject(invalidToken);
  });

  it("T10: takes a fresh proof of its owner, also for a hand-made post", async () => {
    const { visitor } = await ownerOf(service, app);
    const form = await visitor.get(`${service.url}/account/new-token?app_id=${app.id}`);
    service.clock.advance(11 * 60_000);
    const fields = { ...form.form("/account/new-token").fields, name: "x", "scope.profile": "on", until: "2027-01-01" };
    const late = await visitor.post(`${service.url}/account/new-token?app_id=${app.id}`, fields);
    expect([late.status, late.location.pathname.startsWith("/sign-in/")]).toEqual([303, true]);
    expect((await visitor.get(`${service.url}/account/new-token?app_id=${app.id}`)).status).toBe(303);
  });

  it("T10: is ended by its owner alone", async () => {
    const { visitor } = await ownerOf(service, app);
    const other = await ownerOf(service, app);
    const mine = await newPersonalToken(service, app, other.visitor, { name: "Mine" });
    const page = await other.visitor.get(`${service.url}/account?app_id=${app.id}`);
    const [, path = ""] = /(\/account\/tokens\/ptk_[0-9a-z]+\/end)/u.exec(page.text) ?? [];
    const theirs = await visitor.get(`${service.url}/account?app_id=${app.id}`);
    const posted = await visitor.post(`${service.url}${path}?app_id=${app.id}`, theirs.form("/sign-out").fields);
    expect([posted.status, (await validate(service, app, mine)).status]).toEqual([404, 200]);
  });

  it("T11: a changed password and signing out everywhere end it if the form says so", async () => {
    for (const tokens of [undefined, "on"]) {
      const ticked: Record<string, string> = tokens === undefined ? {} : { tokens };
      const changed = await ownerOf(service, app);
      const one = await newPersonalToken(service, app, changed.visitor);
      const started = await press(
        app,
        changed.visitor,
        await openAccount(service, app, changed.visitor),
        "/account/add",
        {
          adds: "password",
        },
      );
      const form = await changed.visitor.get(started.location.href);
      expect(form.text).toMatch(/name="tokens"[^>]*checked/u);
      await changed.visitor.submit(form, "/add/password", { password: "a wholly different phrase", ...ticked });
      const leaving = await ownerOf(service, app);
      const other = await newPersonalToken(service, app, leaving.visitor);
      const page = await openAccount(service, app, leaving.visitor);
      expect(page.text).toMatch(/name="tokens"[^>]*checked/u);
      await press(app, leaving.visitor, page, "/logins/end-all", ticked);
      const status = tokens === undefined ? 200 : 401;
      expect([
        tokens,
        (await validate(service, app, one)).status,
        (await validate(service, app, other)).status,
      ]).toEqual([tokens, status, status]);
    }
  });
});

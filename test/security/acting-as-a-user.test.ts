import { decodeJwt } from "jose";
import { beforeAll, expect, it } from "vitest";
import * as audit from "../../src/records/audit/audit.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import * as operatorTokens from "../../src/sessions/operator-tokens.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { accountUrl, openAccount, press } from "../support/account.ts";
import { signedUpIn } from "../support/adding.ts";
import { bearer, givePasskey } from "../support/methods.ts";
import { withParty, basic, newParty } from "../support/openid-tokens.ts";
import { call, refresh, validate, Visitor, type Tokens } from "../support/person.ts";
import { useApp, describeEachDatabase, type TestService } from "../support/service.ts";
import { outcome } from "../support/outcomes.ts";

const reason = "ticket 4711 <b>";
const name = "Grace (support)";
const act = { sub: name };
const operator = { kind: "cli", name: "test" } as const;

async function actAs(service: TestService, userId: string, seconds = 900): Promise<{ token: string; loginId: string }> {
  const { ctx } = service.server.app;
  const input = { userId, scopes: undefined, seconds, actor: { name, reason } };
  const { accessToken, loginId } = await operatorTokens.mint(ctx, input, { dryRun: false }, operator);
  return { token: accessToken ?? "", loginId };
}

describeEachDatabase("somebody who acts as a user", (service) => {
  const app = useApp(service);
  let person: Tokens & { visitor: Visitor };
  let userId: string;
  beforeAll(async () => {
    person = await signedUpIn(service, app);
    userId = String(person.user["id"]);
  });

  it("is named by the token, by validate and in the audit log, with the reason", async () => {
    const { token, loginId } = await actAs(service, userId);
    expect(decodeJwt(token)).toMatchObject({ sub: userId, act, amr: ["operator"], sid: loginId });
    expect(decodeJwt(token)).not.toHaveProperty("auth_time");
    expect((await validate(service, app, token)).body).toMatchObject({ valid: true, act });
    expect((await validate(service, app, person.accessToken)).body).not.toHaveProperty("act");
    const events = await audit.list(service.server.app.ctx, { userId, limit: 20 });
    expect(events.find(({ action }) => action === "token.mint")).toMatchObject({
      details: { loginId, actor: name, reason },
    });
  });

  it("cannot hide behind the user: a logout is theirs in the audit log", async () => {
    const { token, loginId } = await actAs(service, userId);
    expect((await call(service, "POST", "/auth/logout", bearer(token))).status).toBe(200);
    const [logout] = await audit.list(service.server.app.ctx, { userId, action: "user.logout", limit: 1 });
    expect(logout).toMatchObject({ actor: `cli:${name}`, details: { loginId } });
  });

  it("is named by introspection", async () => {
    const { party } = await withParty(service, {}, app);
    const { token } = await actAs(service, userId);
    const response = await fetch(`${service.url}/oauth2/introspect`, {
      method: "POST",
      headers: basic(party),
      body: new URLSearchParams({ token }),
    });
    expect(await response.json()).toMatchObject({ active: true, act });
  });

  it("reads the account, and changes nothing of it: no profile, no method, no deletion, no logout everywhere", async () => {
    const methodId = await givePasskey(service, userId);
    const { token } = await actAs(service, userId);
    expect((await call(service, "GET", "/users/profile", bearer(token))).status).toBe(200);
    expect((await call(service, "GET", "/users/auth-methods", bearer(token))).status).toBe(200);
    for (const [method, path, body] of [
      ["PATCH", "/users/profile", { name: "Mallory" }],
      ["DELETE", "/users/profile", undefined],
      ["POST", "/users/auth-methods", { type: "passkey", redirectUri: app.redirectUri }],
      ["POST", "/users/auth-methods", { type: "password", redirectUri: app.redirectUri }],
      ["DELETE", `/users/auth-methods/${methodId}`, undefined],
      ["POST", "/auth/logout", { allSessions: true }],
    ] as const) {
      const refused = await call(service, method, path, bearer(token), body);
      expect(refused, `${method} ${path}`).toMatchObject(outcome(403, "INSUFFICIENT_SCOPE"));
    }
    expect((await validate(service, app, person.accessToken)).status).toBe(200);
    expect((await call(service, "PATCH", "/users/profile", bearer(person.accessToken), { name: "Ada" })).status).toBe(
      200,
    );
  });

  it("cannot open the account page, nor change the address there", async () => {
    const { token } = await actAs(service, userId);
    const stranger = new Visitor({ authorization: `Bearer ${token}` });
    for (const page of ["", "/profile", "/email", "/data", "/delete"]) {
      const opened = await openAccount(service, app, stranger, page);
      expect([page, opened.status]).toEqual([page, 303]);
      const posted = await stranger.post(accountUrl(service, app, page === "" ? "/add" : page), {
        email: "m@example.com",
      });
      expect(posted.status).toBeGreaterThanOrEqual(300);
    }
    expect((await openAccount(service, app, stranger)).location.pathname).toMatch(/^\/sign-in\//u);
  });

  it("mints nothing: there is no call for it, no token exchange and no refresh", async () => {
    const { token } = await actAs(service, userId);
    expect((await refresh(service, app, token)).status).toBe(401);
    const party = await newParty(service, {}, app);
    const exchanged = await fetch(`${service.url}/oauth2/token`, {
      method: "POST",
      headers: basic(party),
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      }),
    });
    expect([exchanged.status, await exchanged.json()]).toEqual([
      400,
      expect.objectContaining({ error: "unsupported_grant_type" }),
    ]);
  });

  it("cannot hide: the account page says who and why, until the user ends it there", async () => {
    const { token, loginId } = await actAs(service, userId);
    const page = await openAccount(service, app, person.visitor);
    expect(page.text).toContain(`${name}, for the people who run Acme`);
    expect(page.text).toContain("Why: ticket 4711 &lt;b&gt;");
    const exported = await logins.list(service.server.app.ctx, userId, { all: true });
    expect(exported.find(({ id }) => id === loginId)).toMatchObject({ actor: { name, reason } });
    await press(app, person.visitor, page, `/logins/${loginId}/end`);
    expect((await validate(service, app, token)).status).toBe(401);
    const after = await logins.list(service.server.app.ctx, userId, { all: true });
    expect(after.find(({ id }) => id === loginId)).toMatchObject({ actor: { name, reason }, endReason: "account" });
  });

  it("ends with the token's time, and with the user's logout everywhere", async () => {
    const other = await signedUpIn(service, app);
    const id = String(other.user["id"]);
    const short = await actAs(service, id, 60);
    service.clock.advance(61_000);
    expect((await validate(service, app, short.token)).status).toBe(401);
    const { token } = await actAs(service, id);
    await call(service, "POST", "/auth/logout", bearer(other.accessToken), { allSessions: true });
    expect((await validate(service, app, token)).status).toBe(401);
  });

  it("is for commands alone, which need a name and a reason that people can read", async () => {
    if (service.dialect === "postgres") return;
    const place = placeOf(service);
    const mint = (...more: string[]) => ["token", "mint", "--user", userId, ...more];
    for (const args of [mint("--actor", "Grace"), mint("--reason", "x"), mint("--actor", " ", "--reason", "x")])
      expect(await authsvc(args, place)).toMatchObject({ code: 2, stdout: "" });
    const minted = await answer(mint("--actor", name, "--reason", reason), place);
    expect(minted).toMatchObject({ actor: { name, reason } });
    expect((await authsvc(["user", "logins", userId], place)).stdout).toContain("Grace");
  });
});

import { createHash, randomBytes } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, redeem, refresh, signIn, signUp, newEmail } from "../../support/person.ts";
import { updateApp, describeOnSqlite, type TestApp } from "../../support/service.ts";

const s256 = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");
const verifier = randomBytes(32).toString("base64url");
const limit = 10;

describeOnSqlite(
  "an application that allows public clients",
  { rateLimits: { authentication: limit, userManagement: limit, applicationManagement: limit, webhooks: limit } },
  (current) => {
    let app: TestApp;
    let other: TestApp;
    beforeAll(async () => {
      [app, other] = [
        await current().createApp({ settings: { publicClients: true, rateLimits: { authentication: 2 } } }),
        await current().createApp(),
      ];
    });
    beforeEach(() => current().clock.advance(60_000));
    const publicHeaders = () => ({ "x-service-app-id": app.id });
    const initiate = async (body: Record<string, unknown>, headers: Record<string, string> = publicHeaders()) =>
      await call(current(), "POST", "/auth/initiate", headers, { redirectUri: app.redirectUri, ...body });
    const pkce = { codeChallenge: s256(verifier) };

    it("starts a sign-in with its App ID alone, whose code needs the verifier", async () => {
      const person = { email: newEmail() };
      await redeem(current(), app, await signUp(current(), app, person));
      current().clock.advance(60_000);
      const { session, code } = await signIn(current(), { ...app, headers: publicHeaders() }, person, pkce);
      const body = { code, sessionId: session.sessionId };
      expect((await call(current(), "POST", "/auth/callback", publicHeaders(), body)).status).toBe(401);
      const redeemed = await call(current(), "POST", "/auth/callback", publicHeaders(), {
        ...body,
        codeVerifier: verifier,
      });
      expect(redeemed).toMatchObject({ status: 200, body: { user: { email: person.email } } });
    });

    it.each<[title: string, body: Record<string, unknown>, field: string]>([
      ["no challenge: whoever sees the code could redeem it", {}, "codeChallenge: required without an API key"],
      ["null as challenge", { codeChallenge: null }, "codeChallenge: required without an API key"],
      ["an empty challenge", { codeChallenge: "" }, "codeChallenge"],
      ["a challenge that is not S256", { codeChallenge: verifier.slice(1) }, "codeChallenge"],
      ["somebody else's redirect URI", { ...pkce, redirectUri: "https://evil.example/callback" }, "redirectUri"],
      [
        "a redirect URI with one character more",
        { ...pkce, redirectUri: "https://app.example/callback/" },
        "redirectUri",
      ],
      ["no redirect URI", { ...pkce, redirectUri: undefined }, "redirectUri"],
      ["a method that is off", { ...pkce, authMethod: "oauth", provider: "google" }, "authMethod"],
      ["a field that is not of the contract", { ...pkce, apiKey: "x" }, "apiKey"],
    ])("refuses %s", async (_title, body, field) => {
      const answer = await initiate(body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
      expect(answer.body.error?.details).toContain(field);
    });

    it("still needs no challenge with its API key", async () => {
      expect((await initiate({}, app.headers)).status).toBe(200);
    });

    it("A6: is not opened by another application's key, nor by a header without one", async () => {
      const foreign = { ...publicHeaders(), authorization: other.headers["authorization"] ?? "" };
      expect((await initiate(pkce, foreign)).body.error?.code).toBe("INVALID_APP_ID");
      for (const authorization of ["", "Bearer", "Bearer ", "Bearer x", "Basic eDp5"]) {
        const answer = await initiate(pkce, { ...publicHeaders(), authorization });
        expect([answer.status, answer.body.error?.code]).toEqual([401, "INVALID_API_KEY"]);
      }
    });

    it("A6: refreshes no login that the application's server began with the API key", async () => {
      const { refreshToken } = await redeem(current(), app, await signUp(current(), app, { email: newEmail() }));
      const withoutKey = await refresh(current(), { ...app, headers: publicHeaders() }, refreshToken);
      expect([withoutKey.status, withoutKey.body.error?.code]).toEqual([401, "INVALID_API_KEY"]);
      current().clock.advance(60_000);
      expect((await refresh(current(), app, refreshToken)).status).toBe(200);
    });

    it("A3: is the only kind that starts without a key: switched off and unknown look the same", async () => {
      const answers = [];
      for (const id of [other.id, "app_unknown", ""]) {
        const { status, body } = await initiate(pkce, { "x-service-app-id": id });
        answers.push([status, { ...body.error, requestId: "" }]);
      }
      const { status, body } = await initiate(pkce, {});
      for (const answer of answers) expect(answer).toEqual([status, { ...body.error, requestId: "" }]);
      expect(answers[0]).toMatchObject([401, { code: "INVALID_API_KEY" }]);
    });

    it("is refused from the next call on when it is switched off", async () => {
      const brief = await current().createApp({ settings: { publicClients: true } });
      const headers = { "x-service-app-id": brief.id };
      expect((await initiate(pkce, headers)).status).toBe(200);
      await updateApp(current(), brief, { settings: { publicClients: false } });
      expect((await initiate(pkce, headers)).status).toBe(401);
    });

    describe("is counted by address", () => {
      it("L2: with the service's limit, whichever App ID it names, and never as the application", async () => {
        const second = await current().createApp({ settings: { publicClients: true } });
        const statuses: number[] = [];
        for (let n = 0; n <= limit; n += 1) {
          const headers = { "x-service-app-id": n % 2 === 0 ? app.id : second.id };
          statuses.push((await initiate(n % 3 === 0 ? {} : pkce, headers)).status);
        }
        expect(statuses.at(-1)).toBe(429);
        expect(statuses.slice(0, -1)).not.toContain(429);
        // The application's server is not affected: its own limit is 2.
        expect((await initiate({}, app.headers)).status).toBe(200);
        expect((await initiate({}, app.headers)).status).toBe(200);
        expect((await initiate({}, app.headers)).status).toBe(429);
      });
    });
  },
);

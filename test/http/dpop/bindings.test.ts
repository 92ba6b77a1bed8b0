import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import { newProver, prove, type Prover } from "../../support/dpop.ts";
import { authorizeUrl, codeChallenge, codeVerifier } from "../../support/openid.ts";
import { applicationParty, basic, codeFor, newParty, post, type Party } from "../../support/openid-tokens.ts";
import { call, goodPassword, Visitor } from "../../support/person.ts";
import {
  describeEachDatabase,
  describeOnSqlite,
  describeSqliteFirst,
  updateApp,
  type TestService,
} from "../../support/service.ts";

const tokenPath = "/oauth2/token";
const scope = "openid profile email offline_access";
const publicKind: Partial<NewClient> = { kind: "native", redirectUris: ["http://127.0.0.1/callback"] };

/** A client whose person signs in; its calls of the token endpoint with proofs of a key. */
async function prepared(service: TestService, changes: Partial<NewClient> = publicKind, owner?: Party) {
  const party = owner ?? (await newParty(service, changes));
  const prover = await newProver(service);
  const proof = async (by: Prover | null) => await by?.proof("POST", tokenPath);
  return {
    service,
    party,
    prover,
    /** Redeems a code. */
    async redeem(by: Prover | null, parameters: Record<string, string | null> = {}) {
      const form = await codeFor(service, party, { scope, code_challenge: codeChallenge, ...pkce, ...parameters });
      return await prove(service, party, { ...form, code_verifier: codeVerifier }, await proof(by));
    },
    async refresh(by: Prover | null, token: unknown) {
      const form = { grant_type: "refresh_token", refresh_token: String(token) };
      return await prove(service, party, form, await proof(by));
    },
  };
}

const pkce = { code_challenge_method: "S256" };
const boundTo = ({ thumbprint }: Prover) => ({ status: 200, body: { token_type: "DPoP" }, cnf: { jkt: thumbprint } });
const unbound = { status: 200, body: { token_type: "Bearer" }, cnf: undefined };
const refused = { status: 400, body: { error: "invalid_grant" } };

/** An answer with the `cnf` of its access token. */
const seen = (answer: Awaited<ReturnType<typeof prove>>) => ({
  ...answer,
  cnf: decodeJwt(String(answer.body["access_token"]))["cnf"],
});

describeEachDatabase("the refresh token of a public client (RFC 9449 §5)", (current) => {
  it("works with the key that began the login alone; without it nothing changes for its owner", async () => {
    const { redeem, refresh, prover, service } = await prepared(current());
    const first = await redeem(prover);
    expect(seen(first)).toMatchObject(boundTo(prover));
    const stolen = first.body["refresh_token"];
    const thief = await newProver(service);
    for (const by of [null, thief]) expect(await refresh(by, stolen)).toMatchObject(refused);
    const second = await refresh(prover, stolen);
    expect(seen(second)).toMatchObject(boundTo(prover));
    // Even a used one: whoever lacks the key cannot end the login.
    service.clock.advance(31_000);
    for (const by of [null, thief]) expect(await refresh(by, stolen)).toMatchObject(refused);
    const third = await refresh(prover, second.body["refresh_token"]);
    expect(seen(third)).toMatchObject(boundTo(prover));
    // With the key, it is the reuse that it is for every client.
    service.clock.advance(31_000);
    expect(await refresh(prover, stolen)).toMatchObject(refused);
    expect(await refresh(prover, third.body["refresh_token"])).toMatchObject(refused);
  });

  it("is bound to no key if its login began without one, and its access tokens follow each call", async () => {
    const { redeem, refresh, prover } = await prepared(current());
    const first = await redeem(null);
    expect(seen(first)).toMatchObject(unbound);
    const second = await refresh(prover, first.body["refresh_token"]);
    expect(seen(second)).toMatchObject(boundTo(prover));
    expect(seen(await refresh(null, second.body["refresh_token"]))).toMatchObject(unbound);
  });

  it("is refused at POST /auth/refresh, which takes no proofs", async () => {
    const service = current();
    const app = await service.createApp();
    await updateApp(service, app, { settings: { publicClients: true } });
    const party = { ...(await applicationParty(service, app)), secret: "" };
    const { redeem, refresh, prover } = await prepared(service, {}, party);
    const { body } = await redeem(prover);
    const appId = { "x-service-app-id": app.id };
    for (const headers of [appId, app.headers]) {
      const refreshToken = body["refresh_token"];
      const answer = await call(service, "POST", "/auth/refresh", headers, { refreshToken });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "INVALID_TOKEN" } } });
    }
    expect(seen(await refresh(prover, body["refresh_token"]))).toMatchObject(boundTo(prover));
  });
});

describeSqliteFirst("the refresh token of a client with a secret", (current) => {
  it("is bound to no key: the new access token follows the proof of the refresh", async () => {
    const { redeem, refresh, prover, service } = await prepared(current(), {});
    const first = await redeem(prover);
    expect(seen(first)).toMatchObject(boundTo(prover));
    const other = await newProver(service);
    const second = await refresh(other, first.body["refresh_token"]);
    expect(seen(second)).toMatchObject(boundTo(other));
    expect(seen(await refresh(null, second.body["refresh_token"]))).toMatchObject(unbound);
  });
});

describeOnSqlite("dpop_jkt (RFC 9449 §10)", (current) => {
  it.each(["native", "web"] as const)("binds the code of a client of kind %s to the key", async (kind) => {
    const changes = kind === "web" ? {} : publicKind;
    const { redeem, prover, service } = await prepared(current(), changes);
    const asked = { dpop_jkt: prover.thumbprint };
    const thief = await newProver(service);
    for (const by of [null, thief]) expect(await redeem(by, asked)).toMatchObject(refused);
    expect(seen(await redeem(prover, asked))).toMatchObject(boundTo(prover));
  });

  it("must be a thumbprint", async () => {
    const { party, service } = await prepared(current());
    for (const dpop_jkt of ["x", "x".repeat(42), `${"x".repeat(42)}=`, "x".repeat(44)]) {
      const pkceOnly = { code_challenge: codeChallenge, ...pkce };
      const { location } = await new Visitor().get(authorizeUrl(service, party.client, { dpop_jkt, ...pkceOnly }));
      expect([dpop_jkt, location.searchParams.get("error")]).toEqual([dpop_jkt, "invalid_request"]);
    }
  });

  it("a proof at PAR binds the code too, and both must agree", async () => {
    const { party, prover, service } = await prepared(current(), {});
    const other = await newProver(service);
    const form = { response_type: "code", redirect_uri: party.client.redirectUris[0] ?? "", scope };
    const push = async (by: Prover | null, more: Record<string, string> = {}) => {
      const dpop = await by?.proof("POST", "/oauth2/par");
      const headers = { ...basic(party), ...(dpop === undefined ? {} : { dpop }) };
      return await post(service, "/oauth2/par", { ...form, ...more }, headers);
    };
    expect(await push(other, { dpop_jkt: prover.thumbprint })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    const atToken = await post(service, "/oauth2/par", form, {
      ...basic(party),
      dpop: await prover.proof("POST", tokenPath),
    });
    expect(atToken).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
    const pushes = [push(prover), push(null, { dpop_jkt: prover.thumbprint })];
    for (const pushed of [...pushes, push(prover, { dpop_jkt: prover.thumbprint })]) {
      const { body } = await pushed;
      const code = await codeOf(body["request_uri"]);
      const stolen = { grant_type: "authorization_code", code, redirect_uri: form.redirect_uri };
      expect(await prove(service, party, stolen, await other.proof("POST", tokenPath))).toMatchObject(refused);
    }
    const { body } = await push(prover);
    const code = await codeOf(body["request_uri"]);
    const redeemed = { grant_type: "authorization_code", code, redirect_uri: form.redirect_uri };
    const answer = await prove(service, party, redeemed, await prover.proof("POST", tokenPath));
    expect(seen(answer)).toMatchObject(boundTo(prover));

    async function codeOf(requestUri: unknown): Promise<string> {
      const visitor = new Visitor();
      const query = new URLSearchParams({ client_id: party.client.id, request_uri: String(requestUri) });
      const start = await visitor.get(`${service.url}/oauth2/authorize?${query.toString()}`);
      const page = await visitor.get(start.location.href);
      const done = await visitor.submit(page, "/password", { email: party.email, password: goodPassword });
      return done.location.searchParams.get("code") ?? "";
    }
  });

  it("is ignored for a client with dpop off", async () => {
    const { redeem, prover } = await prepared(current(), { ...publicKind, dpop: "off" });
    expect(seen(await redeem(prover, { dpop_jkt: prover.thumbprint }))).toMatchObject(unbound);
  });
});

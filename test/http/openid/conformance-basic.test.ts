import { decodeJwt, UnsecuredJWT } from "jose";
import { expect, it } from "vitest";
import { authorizeUrl, codeChallenge, codeVerifier } from "../../support/openid.ts";
import { basic, newParty, post, refreshWith, userInfo } from "../../support/openid-tokens.ts";
import { discovered, relyingParty, type ResponseMode } from "../../support/openid-plan.ts";
import { Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const plans: Record<ResponseMode, string> = {
  query: "oidcc-basic-certification-test-plan",
  form_post: "oidcc-formpost-basic-certification-test-plan",
};

// Modules of the OpenID Foundation's suite, by their names (docs/openid-conformance.md).
for (const mode of ["query", "form_post"] as const)
  describeOnSqlite(plans[mode], (current) => {
    const prepared = async () => {
      const party = await newParty(current());
      return { party, rp: relyingParty(current(), party, mode) };
    };

    it("oidcc-server", async () => {
      const { rp } = await prepared();
      const { idToken, wasAsked } = await rp.signIn();
      expect(wasAsked).toBe(true);
      expect(idToken["auth_time"]).toEqual(expect.any(Number));
    });

    it("oidcc-response-type-missing", async () => {
      const { rp } = await prepared();
      const { parameters } = await rp.authorize({ response_type: null });
      expect(parameters).toMatchObject({ error: "invalid_request" });
      expect(parameters["code"]).toBeUndefined();
    });

    const waysToAsk: [module: string, init: (accessToken: string) => RequestInit][] = [
      ["oidcc-userinfo-get", () => ({})],
      ["oidcc-userinfo-post-header", () => ({ method: "POST" })],
      [
        "oidcc-userinfo-post-body",
        (token) => ({ method: "POST", headers: {}, body: new URLSearchParams({ access_token: token }) }),
      ],
    ];
    it.each(waysToAsk)("%s", async (_module, init) => {
      const { rp } = await prepared();
      const { tokens, idToken } = await rp.signIn();
      expect(await rp.userInfoOf(tokens, init(tokens.access_token))).toEqual({ sub: idToken.sub });
    });

    it("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", async () => {
      const { rp } = await prepared();
      expect((await rp.signIn({ nonce: null })).idToken).not.toHaveProperty("nonce");
    });

    it("oidcc-scope-profile", async () => {
      const { rp } = await prepared();
      const { userInfo: info } = await rp.signIn({ scope: "openid profile" });
      expect(info).toMatchObject({ name: "Ada", updated_at: expect.any(Number) as number });
      expect(info).not.toHaveProperty("email");
    });

    it("oidcc-scope-email", async () => {
      const { party, rp } = await prepared();
      const { userInfo: info, idToken } = await rp.signIn({ scope: "openid email" });
      expect(info).toEqual({ sub: idToken.sub, email: party.email, email_verified: expect.any(Boolean) as boolean });
    });

    it.each(["oidcc-scope-address", "oidcc-scope-phone"])("%s", async (module) => {
      const scope = module.slice("oidcc-scope-".length);
      const { rp } = await prepared();
      const { scopes_supported: supported } = await discovered(current());
      expect(supported).not.toContain(scope);
      const { tokens, userInfo: info } = await rp.signIn({ scope: `openid ${scope}` });
      expect(tokens.scope).toBe("openid");
      expect(Object.keys(info)).toEqual(["sub"]);
    });

    it("oidcc-scope-all", async () => {
      const { party, rp } = await prepared();
      const { tokens, userInfo: info } = await rp.signIn({ scope: "openid profile email address phone" });
      expect(info).toMatchObject({ name: "Ada", email: party.email });
      expect(tokens.scope).toBe("openid profile email");
    });

    it("oidcc-alternate-happy-flow", async () => {
      const { party, rp } = await prepared();
      expect((await rp.signIn({ scope: "email openid" })).userInfo["email"]).toBe(party.email);
    });

    it.each<[module: string, parameters: Record<string, string>]>([
      ["oidcc-display-page", { display: "page" }],
      ["oidcc-display-popup", { display: "popup" }],
      ["oidcc-ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
      ["oidcc-claims-locales", { claims_locales: "se" }],
    ])("%s", async (_module, parameters) => {
      const { rp } = await prepared();
      expect((await rp.signIn(parameters)).wasAsked).toBe(true);
    });

    it("oidcc-login-hint", async () => {
      const { party } = await prepared();
      const visitor = new Visitor();
      const start = await visitor.get(authorizeUrl(current(), party.client, { login_hint: party.email }));
      expect((await visitor.get(start.location.href)).text).toContain(`value="${party.email}"`);
      await relyingParty(current(), party, mode).signIn({ login_hint: "bob@example.com" });
    });

    it("oidcc-ui-locales", async () => {
      const { party, rp } = await prepared();
      const visitor = new Visitor();
      const start = await visitor.get(authorizeUrl(current(), party.client, { ui_locales: "se de en" }));
      expect((await visitor.get(start.location.href)).text).toContain('<html lang="de"');
      await rp.signIn({ ui_locales: "se" });
    });

    it("oidcc-ensure-request-with-acr-values-succeeds", async () => {
      const { rp } = await prepared();
      const { acr_values_supported: supported } = await discovered(current());
      const { idToken } = await rp.signIn({ acr_values: "1 2" });
      expect(supported).toContain(idToken["acr"]);
    });

    it("oidcc-codereuse", async () => {
      const { party, rp } = await prepared();
      const signedIn = await rp.signIn();
      const again = await post(current(), "/oauth2/token", rp.tokenRequest(signedIn), basic(party));
      expect([again.status, again.body["error"]]).toEqual([400, "invalid_grant"]);
    });

    it("oidcc-codereuse-30seconds", async () => {
      const { party, rp } = await prepared();
      const signedIn = await rp.signIn();
      current().clock.advance(30_000);
      const again = await post(current(), "/oauth2/token", rp.tokenRequest(signedIn), basic(party));
      expect([again.status, again.body["error"]]).toEqual([400, "invalid_grant"]);
      const { status, headers } = await userInfo(current(), signedIn.tokens.access_token);
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
    });

    it("oidcc-ensure-registered-redirect-uri", async () => {
      const { party } = await prepared();
      for (const uri of ["https://client.example/other", `${party.client.redirectUris[0]}/x`]) {
        const page = await new Visitor().get(authorizeUrl(current(), party.client, { redirect_uri: uri }));
        expect([page.status, page.headers.get("location")]).toEqual([400, null]);
        expect(page.text).toContain("redirect_uri: not registered");
      }
    });

    it("oidcc-ensure-post-request-succeeds", async () => {
      const { party, rp } = await prepared();
      const visitor = new Visitor();
      const { origin, pathname, searchParams } = new URL(
        authorizeUrl(current(), party.client, { response_mode: mode, nonce: "n" }),
      );
      const posted = await visitor.post(`${origin}${pathname}`, Object.fromEntries(searchParams), {
        origin: "https://client.example",
        "sec-fetch-site": "cross-site",
      });
      await rp.redeem(await rp.finish(visitor, await visitor.get(posted.location.href)), "n");
    });

    it("oidcc-server-client-secret-post", async () => {
      const { party, rp } = await prepared();
      const { client, secret } = party;
      const form = { ...rp.tokenRequest(await rp.authorize()), client_id: client.id, client_secret: secret };
      const { status, body } = await post(current(), "/oauth2/token", form);
      expect(status).toBe(200);
      expect((await rp.verified(body as Parameters<typeof rp.verified>[0])).aud).toBe(client.id);
    });

    it.each<[module: string, claims: object]>([
      ["oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", { nonce: "n", scope: "openid" }],
      ["oidcc-ensure-request-object-with-redirect-uri", { redirect_uri: "https://client.example/callback/other" }],
    ])("%s", async (_module, claims) => {
      const { rp } = await prepared();
      const request = new UnsecuredJWT({ ...claims }).encode();
      expect((await rp.authorize({ request })).parameters["error"]).toBe("request_not_supported");
      expect((await discovered(current()))["request_parameter_supported"]).toBe(false);
    });

    it("oidcc-claims-essential", async () => {
      const { rp } = await prepared();
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
      expect((await rp.signIn({ claims })).userInfo["name"]).toBe("Ada");
    });

    it("oidcc-refresh-token", async () => {
      const { party, rp } = await prepared();
      const first = await rp.signIn({ scope: "openid offline_access", prompt: "consent" });
      const stranger = await newParty(current(), {}, party.app);
      const { refresh_token: refreshToken = "" } = first.tokens;
      const refused = await refreshWith(current(), stranger, refreshToken);
      expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_grant"]);
      current().clock.advance(1000);
      const { status, body } = await refreshWith(current(), party, refreshToken);
      expect(status).toBe(200);
      const tokens = body as Parameters<typeof rp.verified>[0];
      const { iss, sub, aud, auth_time: at, iat } = first.idToken;
      expect(await rp.verified(tokens)).toMatchObject({ iss, sub, aud, auth_time: at, iat: Number(iat) + 1 });
      expect(decodeJwt(tokens.id_token)).not.toHaveProperty("nonce");
      expect(tokens.access_token).not.toBe(first.tokens.access_token);
      expect(await rp.userInfoOf(tokens)).toEqual({ sub });
    });

    it("oidcc-ensure-request-with-valid-pkce-succeeds", async () => {
      const { rp } = await prepared();
      const response = await rp.authorize({ code_challenge: codeChallenge, code_challenge_method: "S256" });
      await rp.redeem(response, undefined, { code_verifier: codeVerifier });
    });
  });

import { exportJWK, generateKeyPair } from "jose";
import * as oidc from "openid-client";
import { expect, it } from "vitest";
import { newParty, type Party } from "../support/openid-tokens.ts";
import { goodPassword, Visitor } from "../support/person.ts";
import { describeEachDatabase, type TestService } from "../support/service.ts";

/** What openid-client does, as its users call it; it checks every response by itself. */
async function configured(service: TestService, party: Party, authentication?: oidc.ClientAuth) {
  const options = { execute: [oidc.allowInsecureRequests] };
  const { id, idTokenAlg } = party.client;
  const metadata = {
    id_token_signed_response_alg: idTokenAlg,
    ...(authentication ? {} : { client_secret: party.secret }),
  };
  const config = await oidc.discovery(new URL(service.url), id, metadata, authentication, options);
  // Verifies the signature of ID tokens, too.
  oidc.enableNonRepudiationChecks(config);
  return config;
}

type Pushed = "pushed" | "in the address";

/** A sign-in with PKCE, state and nonce. */
async function signIn(
  config: oidc.Configuration,
  party: Party,
  more: Record<string, string> = {},
  how: Pushed = "in the address",
) {
  const codeVerifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const parameters = {
    redirect_uri: party.client.redirectUris[0] ?? "",
    scope: "openid profile email offline_access",
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    ...more,
  };
  const build = how === "pushed" ? oidc.buildAuthorizationUrlWithPAR : oidc.buildAuthorizationUrl;
  const address = await build(config, parameters);
  const visitor = new Visitor();
  const start = await visitor.get(address.href);
  const form = await visitor.get(start.location.href);
  const done = await visitor.submit(form, "/password", { email: party.email, password: goodPassword });
  const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  if (more["response_mode"] !== "form_post") return await oidc.authorizationCodeGrant(config, done.location, checks);
  const { action, fields } = done.form("/callback");
  const posted = new Request(action, { method: "POST", body: new URLSearchParams(fields) });
  return await oidc.authorizationCodeGrant(config, posted, checks);
}

describeEachDatabase("openid-client", (current) => {
  const subOf = (tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers) => tokens.claims()?.sub ?? "";

  it("signs in, reads userinfo, refreshes, introspects and revokes", async () => {
    const party = await newParty(current());
    const config = await configured(current(), party);
    const tokens = await signIn(config, party);
    expect(tokens.claims()).toMatchObject({ name: "Ada", email: party.email });
    const info = await oidc.fetchUserInfo(config, tokens.access_token, subOf(tokens));
    expect(info).toMatchObject({ name: "Ada", email: party.email });
    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect(next.claims()?.sub).toBe(subOf(tokens));
    expect(await oidc.tokenIntrospection(config, next.access_token)).toMatchObject({
      active: true,
      sub: subOf(tokens),
    });
    await oidc.tokenRevocation(config, next.refresh_token ?? "");
    expect(await oidc.tokenIntrospection(config, next.access_token)).toEqual({ active: false });
    await expect(oidc.refreshTokenGrant(config, next.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  it.each<[Pushed, Record<string, string>]>([
    ["in the address", { response_mode: "form_post" }],
    ["pushed", {}],
    ["pushed", { response_mode: "form_post" }],
  ])("signs in with a request %s, and %o", async (how, more) => {
    const party = await newParty(current());
    const config = await configured(current(), party);
    expect((await signIn(config, party, more, how)).claims()?.["email"]).toBe(party.email);
  });

  it.each(["ClientSecretBasic", "ClientSecretPost"] as const)("authenticates by %s", async (method) => {
    const party = await newParty(current());
    const config = await configured(current(), party, oidc[method](party.secret));
    expect((await signIn(config, party)).claims()?.["email"]).toBe(party.email);
  });

  it.each(["ES256", "RS256", "EdDSA"])("authenticates by private_key_jwt with a key of %s", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    const key = { ...(await exportJWK(publicKey)), kid: "key-1", alg, use: "sig" };
    const party = await newParty(current(), { jwks: { keys: [key] } });
    const config = await configured(current(), party, oidc.PrivateKeyJwt({ key: privateKey, kid: "key-1" }));
    const tokens = await signIn(config, party, {}, "pushed");
    expect(tokens.claims()?.["email"]).toBe(party.email);
    await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
  });

  it("signs in without a secret, for a program in a browser", async () => {
    const party = await newParty(current(), { kind: "spa" });
    const config = await configured(current(), party, oidc.None());
    const tokens = await signIn(config, party);
    expect(tokens.claims()?.["email"]).toBe(party.email);
    await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
  });

  it.each(["ES256", "RS256", "EdDSA"] as const)("takes ID tokens signed by %s", async (idTokenAlg) => {
    const party = await newParty(current(), { idTokenAlg });
    const config = await configured(current(), party);
    expect((await signIn(config, party)).claims()?.["email"]).toBe(party.email);
  });

  it("signs out, and returns to the program", async () => {
    const returnsTo = "https://client.example/signed-out";
    const party = await newParty(current(), { postLogoutRedirectUris: [returnsTo] });
    const config = await configured(current(), party);
    const { id_token: hint = "", access_token: accessToken, ...tokens } = await signIn(config, party);
    const state = oidc.randomState();
    const to = { id_token_hint: hint, post_logout_redirect_uri: returnsTo, state };
    const back = await new Visitor().get(oidc.buildEndSessionUrl(config, to).href);
    expect(back.location.href).toBe(`${returnsTo}?state=${state}`);
    expect(await oidc.tokenIntrospection(config, accessToken)).toEqual({ active: false });
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });
});

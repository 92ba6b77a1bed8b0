import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import type { CryptoKey, JWTPayload } from "jose";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import { newProver, type ProofOptions, type Prover } from "./dpop.ts";
import { authorizeUrl, codeChallenge, codeVerifier, createTestClient } from "./openid.ts";
import { post } from "./openid-tokens.ts";
import { goodPassword, newEmail, signUp, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

type Answer = Awaited<ReturnType<typeof post>>;
type Fields = Record<string, string | null>;
type Tokens = Record<"access_token" | "id_token" | "refresh_token", string> & { idToken: JWTPayload };
type Key = { alg: string; key: CryptoKey };

/** A client with the profile `fapi2`, its keys, and somebody who can sign in there. */
export type FapiParty = { client: Client; email: string; keys: Key; prover: Prover };

type AssertionChange = { claims?: Record<string, unknown>; by?: Key };
export type ProofChange = ProofOptions & { by?: Prover; after?: (jwt: string) => string };

/** What a module changes on the way. A parameter of null is not sent, nor is a proof. */
export type Changes = {
  request?: Fields;
  requestAssertion?: AssertionChange;
  /** Without it, none is sent with a pushed request. */
  requestProof?: ProofChange;
  visit?: Fields;
  token?: Fields;
  assertion?: AssertionChange;
  proof?: ProofChange | null;
};

export async function newFapiParty(
  service: TestService,
  app: TestApp,
  { alg = "ES256", ...changes }: Partial<NewClient> & { alg?: string } = {},
): Promise<FapiParty> {
  const email = newEmail();
  await signUp(service, app, { email, name: "Ada" });
  const { privateKey: key, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg }] };
  const client = await createTestClient(service, app, { profile: "fapi2", jwks, ...changes });
  return { client, email, keys: { alg, key }, prover: await newProver(service) };
}

/** The client of the plan: each step of the suite's happy flow, with what a module changes. */
export function fapiClient(service: TestService, { client, email, keys, prover }: FapiParty) {
  const [redirectUri = ""] = client.redirectUris;
  const scope = "openid profile email offline_access";

  /** RFC 7523 §3. */
  async function asserted({ claims, by = keys }: AssertionChange = {}): Promise<Fields> {
    const now = Math.floor(service.clock.now / 1000);
    const { id } = client;
    const usual = { iss: id, sub: id, aud: service.url, jti: randomUUID(), nbf: now, iat: now, exp: now + 60 };
    const jwt = new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: by.alg });
    return {
      client_assertion: await jwt.sign(by.key),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    };
  }

  async function proof(method: string, path: string, { by = prover, after, ...changes }: ProofChange): Promise<string> {
    const jwt = await by.proof(method, path, changes);
    return after ? after(jwt) : jwt;
  }

  async function send(path: string, form: Fields, change: ProofChange | null): Promise<Answer> {
    const headers: Record<string, string> = change === null ? {} : { dpop: await proof("POST", path, change) };
    return await post(service, path, given(form), headers);
  }

  async function push({ request, requestAssertion, requestProof }: Changes = {}): Promise<Answer> {
    const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
    const asked = { response_type: "code", redirect_uri: redirectUri, scope, nonce: "n-0S6_WzA2Mj", state: "st" };
    const form = { client_id: client.id, ...asked, ...pkce, ...(await asserted(requestAssertion)), ...request };
    return await send("/oauth2/par", form, requestProof ?? null);
  }

  async function pushed(changes: Changes = {}): Promise<string> {
    const { status, body } = await push(changes);
    expect([status, body["error"]]).toEqual([201, undefined]);
    expect(body["expires_in"]).toBeLessThanOrEqual(600);
    return String(body["request_uri"]);
  }

  /** The authorization endpoint, with the parameters that OpenID Connect Core requires. */
  async function visit(requestUri: string, { visit: more }: Changes = {}, visitor = new Visitor()): Promise<Page> {
    return await visitor.get(authorizeUrl(service, client, { request_uri: requestUri, scope, state: null, ...more }));
  }

  /** Signs in on the page that the authorization endpoint leads to, and agrees if asked. */
  async function finish(start: Page, visitor: Visitor): Promise<Page> {
    const form = await visitor.get(start.location.href);
    const page = await visitor.submit(form, "/password", { email, password: goodPassword });
    if (!page.location.pathname.startsWith("/sign-in/")) return page;
    return await visitor.submit(await visitor.get(page.location.href), "/step/consent", {});
  }

  /** What came back, which must be at the redirect URI. */
  function received({ status, location }: Page): Record<string, string> {
    expect(status).toBe(303);
    expect(location.href.startsWith(redirectUri)).toBe(true);
    expect(location.hash).toBe("");
    const parameters = Object.fromEntries(location.searchParams);
    expect(parameters["iss"]).toBe(service.url);
    return parameters;
  }

  async function authorize(changes: Changes = {}): Promise<Record<string, string>> {
    const visitor = new Visitor();
    return received(await finish(await visit(await pushed(changes), changes, visitor), visitor));
  }

  async function atToken(fields: Fields, { token, assertion, proof: change = {} }: Changes): Promise<Answer> {
    return await send("/oauth2/token", { ...fields, ...(await asserted(assertion)), ...token }, change);
  }

  async function redeem({ code = "" }: Record<string, string>, changes: Changes = {}): Promise<Answer> {
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    return await atToken(form, changes);
  }

  async function refresh(refreshToken: string, changes: Changes = {}): Promise<Answer> {
    return await atToken({ grant_type: "refresh_token", refresh_token: refreshToken }, changes);
  }

  /** Checks what FAPI 2.0 §5.3.2 and OpenID Connect Core 1.0 §3.1.3 say of tokens. */
  async function checked({ status, headers, body }: Answer): Promise<Tokens> {
    expect([status, body["error"]]).toEqual([200, undefined]);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(body).toMatchObject({ token_type: "DPoP", expires_in: expect.any(Number) as number });
    const keySet = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(String(body["id_token"]), keySet, {
      issuer: service.url,
      audience: client.id,
      algorithms: ["PS256", "ES256", "EdDSA"],
      currentDate: new Date(service.clock.now),
    });
    expect(protectedHeader.kid).toEqual(expect.any(String));
    return { ...(body as Omit<Tokens, "idToken">), idToken: payload };
  }

  /** A call of the protected resource. */
  async function resource(
    accessToken: string,
    change: ProofChange | null = {},
    { scheme = "DPoP", query = "", more = {} }: { scheme?: string; query?: string; more?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers = new Headers(more);
    if (scheme !== "") headers.set("authorization", `${scheme} ${accessToken}`);
    if (change) headers.append("dpop", await proof("GET", "/oauth2/userinfo", { accessToken, ...change }));
    return await fetch(`${service.url}/oauth2/userinfo${query}`, { headers });
  }

  return {
    push,
    pushed,
    visit,
    finish,
    received,
    authorize,
    redeem,
    refresh,
    checked,
    resource,
    /** The happy flow, checked at every step. */
    async signIn(changes: Changes = {}): Promise<Tokens & { parameters: Record<string, string> }> {
      const parameters = await authorize(changes);
      const tokens = await checked(await redeem(parameters, changes));
      expect((await resource(tokens.access_token)).status).toBe(200);
      return { ...tokens, parameters };
    },
  };
}

function given(parameters: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null));
}

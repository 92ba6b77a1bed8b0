import { createRemoteJWKSet, jwtVerify, type JWTPayload } from "jose";
import { hash } from "node:crypto";
import { expect } from "vitest";
import { authorizeUrl } from "./openid.ts";
import { basic, post, type Party } from "./openid-tokens.ts";
import { goodPassword, Visitor, type Page } from "./person.ts";
import type { TestService } from "./service.ts";

type Json = Record<string, unknown>;
type Tokens = { access_token: string; id_token: string; refresh_token?: string; scope: string };

/** What came back to the client. `wasAsked`: whether the person had to prove who they are. */
export type Response = { page: Page; wasAsked: boolean; parameters: Record<string, string> };

export type SignedIn = Response & { tokens: Tokens; idToken: JWTPayload; userInfo: Json };

/** How a plan of the OpenID Foundation's suite receives responses. */
export type ResponseMode = "query" | "form_post";

type Metadata = Json & Record<"issuer" | "jwks_uri" | `${"token" | "userinfo" | "end_session"}_endpoint`, string>;

/** The provider's own description of itself: the suite takes every address from it. */
export async function discovered(service: TestService): Promise<Metadata> {
  const response = await fetch(`${service.url}/.well-known/openid-configuration`);
  return (await response.json()) as Metadata;
}

/**
 * A relying party as the suite has them: it signs in by `client_secret_basic`, and checks every
 * response as OpenID Connect Core 1.0 says.
 */
export function relyingParty(service: TestService, party: Party, mode: ResponseMode = "query") {
  const usual = { nonce: "n-0S6_WzA2Mj", scope: "openid", ...(mode === "form_post" ? { response_mode: mode } : {}) };

  /** The parameters of a response, from where they must be. */
  function received(page: Page): Record<string, string> {
    const [redirectUri = ""] = party.client.redirectUris;
    if (mode === "query") {
      expect([302, 303]).toContain(page.status);
      expect(`${page.location.origin}${page.location.pathname}`).toBe(redirectUri);
      expect(page.location.hash).toBe("");
      return Object.fromEntries(page.location.searchParams);
    }
    expect(page.status).toBe(200);
    const { action, fields } = page.form(new URL(redirectUri).pathname);
    expect(action).toBe(redirectUri);
    return fields;
  }

  /** Goes on from the authorization endpoint's answer: types the password and agrees, if asked. */
  async function finish(visitor: Visitor, start: Page): Promise<Response> {
    let page = start;
    let wasAsked = false;
    while (page.location.pathname.startsWith("/sign-in/")) {
      const form = await visitor.get(page.location.href);
      const isConsent = form.text.includes("/step/consent");
      wasAsked ||= !isConsent;
      page = isConsent
        ? await visitor.submit(form, "/step/consent", {})
        : await visitor.submit(form, "/password", { email: party.email, password: goodPassword });
    }
    const parameters = received(page);
    expect(parameters).toMatchObject({ state: "st", iss: service.url });
    return { page, wasAsked, parameters };
  }

  async function authorize(parameters: Record<string, string | null> = {}, visitor = new Visitor()): Promise<Response> {
    return await finish(visitor, await visitor.get(authorizeUrl(service, party.client, { ...usual, ...parameters })));
  }

  /** Redeems a code. Checks the answer, the ID token and userinfo (Core 1.0 §3.1.3, §5.3.2). */
  async function redeem(response: Response, nonce: string | null = usual.nonce, more: Record<string, string> = {}) {
    expect(Object.keys(response.parameters).toSorted()).toEqual(["code", "iss", "state"]);
    const { token_endpoint: endpoint } = await discovered(service);
    const form = { ...tokenRequest(response), ...more };
    const { status, headers, body } = await post(service, new URL(endpoint).pathname, form, basic(party));
    expect([status, body["error"]]).toEqual([200, undefined]);
    expect(headers.get("content-type")).toMatch(/^application\/json/u);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: expect.any(Number) as number });
    const tokens = body as Tokens;
    const idToken = await verified(tokens);
    expect(idToken["nonce"]).toBe(nonce ?? undefined);
    const userInfo = await userInfoOf(tokens);
    expect(userInfo["sub"]).toBe(idToken.sub);
    return { ...response, tokens, idToken, userInfo };
  }

  function tokenRequest({ parameters }: Response): Record<string, string> {
    const [redirectUri = ""] = party.client.redirectUris;
    return { grant_type: "authorization_code", code: parameters["code"] ?? "", redirect_uri: redirectUri };
  }

  async function verified({ id_token: idToken, access_token: accessToken }: Tokens): Promise<JWTPayload> {
    const { issuer, jwks_uri: keys } = await discovered(service);
    const { payload, protectedHeader } = await jwtVerify(idToken, createRemoteJWKSet(new URL(keys)), {
      issuer,
      audience: party.client.id,
      algorithms: ["RS256"],
      requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
      currentDate: new Date(service.clock.now),
    });
    expect(protectedHeader.kid).toEqual(expect.any(String));
    expect(payload.sub).toMatch(/^[\x20-\x7E]{1,255}$/u);
    expect(payload["at_hash"]).toBe(hash("sha256", accessToken, "buffer").subarray(0, 16).toString("base64url"));
    return payload;
  }

  async function userInfoOf(tokens: Tokens, init: RequestInit = {}): Promise<Json> {
    const { userinfo_endpoint: endpoint } = await discovered(service);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const response = await fetch(endpoint, { headers, ...init });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/u);
    return (await response.json()) as Json;
  }

  return {
    finish,
    authorize,
    redeem,
    tokenRequest,
    verified,
    userInfoOf,
    /** A whole sign-in, checked at every step. */
    async signIn(parameters: Record<string, string | null> = {}, visitor = new Visitor()): Promise<SignedIn> {
      const nonce = parameters["nonce"] === undefined ? usual.nonce : parameters["nonce"];
      return await redeem(await authorize(parameters, visitor), nonce);
    },
  };
}

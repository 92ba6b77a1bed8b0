import type { z } from "zod";
import type { AnswerName, answers } from "./answers.ts";
import { openIdExamples } from "./openid-examples.ts";

export const sessionId = "sis_1PfXufJFK8FWS56yJi91BGjd5SgxEXZH9_8OiWX67sc";
const at = "2026-11-20T10:00:00.000Z";
const kid = "KLep9LKuv5__YdT5WqNsCyEBj2UHTKp4I8XjhMASPoE";
const shortUser = { id: "usr_01m839jdta2je02g4aajdct527", email: "ada@example.com", emailVerified: true, name: "Ada" };

/** Decodes to real claims; the signature is made up. */
function exampleJwt(header: object, claims: object, signature: string): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat(signature)
    .join(".");
}

const accessToken = exampleJwt(
  { alg: "ES256", typ: "at+jwt", kid },
  {
    iss: "https://auth.example.com",
    sub: shortUser.id,
    aud: "app_shop",
    user_id: shortUser.id,
    app_id: "app_shop",
    client_id: "app_shop",
    email: shortUser.email,
    email_verified: true,
    iat: 1_763_632_800,
    exp: 1_763_633_700,
    jti: "PkSCh8jfzFMMx5ZhYRyFqA",
    sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
    scope: "profile email",
    auth_time: 1_763_632_800,
    amr: ["hwk", "user"],
  },
  "iCQmHinfcRoKkYAI5D9WuhWwJvvWSbz0r7wJAx3KAqFtuxP_WVrcRvytYfiIkEIjO2yOmMBYK-z08j_Xs6clnQ",
);

const idToken = exampleJwt(
  { alg: "RS256", typ: "JWT", kid: "uHwX5M2Ls4Yk0cT9vR3bQ1nE7jPzGdFaSoI6mWxVtKA" },
  {
    name: shortUser.name,
    locale: "en",
    updated_at: 1_763_632_800,
    email: shortUser.email,
    email_verified: true,
    iss: "https://auth.example.com",
    sub: shortUser.id,
    aud: "cli_shop",
    azp: "cli_shop",
    iat: 1_763_632_800,
    exp: 1_763_633_700,
    auth_time: 1_763_632_800,
    nonce: "n-0S6_WzA2Mj",
    acr: "urn:authsvc:acr:2",
    amr: ["pop", "user"],
    sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
    at_hash: "77QmUPtjPfzWtF2AnpK9RQ",
  },
  "c2lnbmF0dXJl".repeat(42) + "c2lnbmF0",
);

export const refreshToken =
  "HgAAAABsZ25fMDFtODM5amR0YWc0cHQzOHE3MXFoN3ljOHKvaIxA89VfCWhJuiFc7AGh2VTQG6n-BVI7Ne-rX1cE1TB_KDJEXZ1kun6Y7NNpku0";
/** The code in a redirect. */
export const code = "IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o";

const user = {
  ...shortUser,
  picture: null,
  createdAt: "2026-10-01T08:30:00.000Z",
  lastLoginAt: at,
  authMethods: { passkey: true, oauth: ["github"], password: false },
};

const managedUser = {
  ...user,
  appId: "app_shop",
  updatedAt: "2026-10-01T08:30:00.000Z",
  disabledAt: null,
};

const metadata = { loginCount: 12, lastIpAddress: "192.0.2.7", userAgent: "Mozilla/5.0" };

const tokens = { accessToken, refreshToken, expiresIn: 900 };

const branding = { logo: "https://shop.example.com/logo.svg", primaryColor: "#1a5fb4", companyName: "My shop" };

const endpoint: z.output<(typeof answers)["WebhookEndpoint"]> = {
  id: "whe_01m839jdv3c4d6e8f0g1h3j5k7",
  appId: "app_shop",
  url: "https://shop.example.com/hooks/auth",
  events: ["user.login", "user.created"],
  enabled: true,
  disabledReason: null,
  failingSince: null,
  oldSecretUntil: null,
  createdAt: at,
  updatedAt: at,
};

/** One for every answer. */
export const examples: { [Name in AnswerName]: z.output<(typeof answers)[Name]> } = {
  Session: {
    authUrl: `https://auth.example.com/sign-in/${sessionId}`,
    sessionId,
    expiresAt: "2026-11-20T10:10:00.000Z",
  },
  OAuthTokens: {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: 900,
    scope: "openid profile email offline_access",
    refresh_token: refreshToken,
    id_token: idToken,
  },
  Tokens: tokens,
  TokensAndUser: { ...tokens, user },
  Validation: {
    valid: true,
    user: shortUser,
    scopes: ["profile", "email"],
    expiresAt: "2026-11-20T10:15:00.000Z",
  },
  Revocations: {
    cursor: "S3ZMZXA5TEt1djVfX1lkVDVXcU5zQ3wxNzYzNjMyODAwMDAwfDQxMg",
    revoked: [{ sid: "lgn_01m839jdtag4pt38q71qh7yc8r" }, { sub: shortUser.id, before: at }],
    more: false,
  },
  Verification: { valid: true, user: shortUser },
  User: user,
  Profile: { ...user, metadata },
  ManagedUser: managedUser,
  ManagedUserDetails: { ...managedUser, metadata },
  EndedLogins: { ended: 2 },
  UserPage: {
    users: [managedUser],
    nextCursor:
      "WyJhWjA5LV9hWjA5LV9hWjA5IiwxNzYzNjMyODAwMDAwLCJ1c3JfMDFtODM5amR0YTJqZTAyZzRhYWpkY3Q1MjciXQ.51fOdatjojJxi-ZFHWgwEstHsKIgfm6iWMgSqGODJYc",
  },
  UpdatedProfile: { id: user.id, email: user.email, name: "Ada Lovelace", picture: null, updatedAt: at },
  AuthMethods: {
    methods: [
      { type: "passkey", id: "mth_01m839jdtaq0r4v6x8z2b4d6f8", name: "MacBook", createdAt: at, lastUsed: at },
      {
        type: "oauth",
        id: "mth_01m839jdtb7n9p1r3t5v7x9z1b",
        provider: "github",
        email: "ada@example.com",
        createdAt: at,
        lastUsed: null,
      },
    ],
  },
  Application: {
    id: "app_shop",
    name: "My shop",
    domain: "example.com",
    redirectUris: ["https://shop.example.com/callback"],
    authMethods: {
      passkey: { enabled: true, required: false },
      oauth: { enabled: true, providers: ["google", "github"] },
      password: { enabled: true },
    },
    branding,
    stats: { totalUsers: 1200, activeUsers: 340, totalLogins: 98_000 },
  },
  PublicConfig: {
    id: "app_shop",
    name: "My shop",
    domain: "example.com",
    branding,
    authMethods: {
      passkey: { enabled: true, required: false },
      oauth: {
        enabled: true,
        providers: [
          {
            name: "github",
            displayName: "GitHub",
            authorizeUrl: "https://auth.example.com/oauth/github/authorize?app_id=app_shop",
          },
        ],
      },
      password: { enabled: true },
    },
    passwordRules: { minLength: 15, maxLength: 256 },
    issuer: "https://auth.example.com",
    jwksUri: "https://auth.example.com/.well-known/jwks.json",
    scopes: ["profile", "email"],
  },
  WebhookEndpoint: endpoint,
  WebhookEndpoints: { endpoints: [endpoint] },
  WebhookTestResult: {
    delivered: true,
    event: "user.login",
    eventId: "evt_test_01m839jdtc2e4g6j8m0p2r4t6v",
    status: 204,
    durationMilliseconds: 84,
    error: null,
  },
  KeySet: {
    keys: [
      {
        kty: "EC",
        x: "51fOdatjojJxi-ZFHWgwEstHsKIgfm6iWMgSqGODJYc",
        y: "0lHqdsuGjEAMPTEVLqgDsYI_9aqnfJceEtGUNGsOzA0",
        crv: "P-256",
        kid,
        alg: "ES256",
        use: "sig",
      },
    ],
  },
  ...openIdExamples,
  PasskeyEndpoints: {
    enroll: "https://auth.example.com/account",
    manage: "https://auth.example.com/account",
  },
  Health: { status: "ok" },
  OpenApi: { openapi: "3.1.1" },
};

/** The body of a webhook; each kind has its own `event`. */
export const webhookEventExample = {
  event: "user.login",
  timestamp: at,
  data: {
    userId: user.id,
    email: user.email,
    authMethod: "passkey",
    ipAddress: "192.0.2.7",
    userAgent: "Mozilla/5.0",
    sessionId: "lgn_01m839jdtag4pt38q71qh7yc8r",
  },
};

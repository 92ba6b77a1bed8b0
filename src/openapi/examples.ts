import type { z } from "zod";
import type { AnswerName, answers } from "./answers.ts";

const sessionId = "sis_Yw7Jx0mZ3nq5R8vT1kB4cD6fG9hL2pS7uV0xA3bE5iM";
const accessToken = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6Ii4uLiJ9.eyJzdWIiOiJ1c3JfLi4uIn0.c2lnbmF0dXJl";
const at = "2026-11-20T10:00:00.000Z";
const shortUser = { id: "usr_01k9zq7d3e8w5m2n4p6r8t0v1x", email: "ada@example.com", emailVerified: true, name: "Ada" };

const user = {
  ...shortUser,
  picture: null,
  createdAt: "2026-10-01T08:30:00.000Z",
  lastLoginAt: at,
  authMethods: { passkey: true, oauth: ["github"], password: false },
};

const tokens = { accessToken, refreshToken: "rt_lgn_01k9zq8m.0.q3bE5iM7xA9cD1fG3hL5pS", expiresIn: 900 };

const branding = { logo: "https://shop.example.com/logo.svg", primaryColor: "#1a5fb4", companyName: "My shop" };

const endpoint = {
  id: "whe_01k9zqb2c4d6e8f0g1h3j5k7m9",
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
  Tokens: tokens,
  TokensAndUser: { ...tokens, user },
  Validation: {
    valid: true,
    user: shortUser,
    scopes: ["profile", "email"],
    expiresAt: "2026-11-20T10:15:00.000Z",
  },
  Verification: { valid: true, user: shortUser },
  User: user,
  Profile: { ...user, metadata: { loginCount: 12, lastIpAddress: "192.0.2.7", userAgent: "Mozilla/5.0" } },
  UpdatedProfile: { id: user.id, email: user.email, name: "Ada Lovelace", picture: null, updatedAt: at },
  AuthMethods: {
    methods: [
      { type: "passkey", id: "mth_01k9zqc5", name: "MacBook", createdAt: at, lastUsed: at },
      {
        type: "oauth",
        id: "mth_01k9zqd8",
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
  WebhookTest: {
    delivered: true,
    event: "user.login",
    eventId: "evt_01k9zqf3",
    status: 204,
    durationMilliseconds: 84,
    error: null,
  },
  KeySet: { keys: [{ kty: "EC", kid: "cD1fG3hL5pS7uV9x", alg: "ES256", use: "sig" }] },
  Discovery: {
    issuer: "https://auth.example.com",
    jwks_uri: "https://auth.example.com/.well-known/jwks.json",
    scopes_supported: ["profile", "email"],
    claims_supported: ["sub", "aud", "iss", "iat", "exp"],
    code_challenge_methods_supported: ["S256"],
    ui_locales_supported: ["en", "de", "fr", "es", "pt", "ja", "ar"],
  },
  PasskeyEndpoints: {
    enroll: "https://auth.example.com/account",
    manage: "https://auth.example.com/account",
  },
  Health: { status: "ok" },
  OpenApi: { openapi: "3.1.1" },
  Done: { success: true, message: "Signed out." },
  Error: {
    error: {
      code: "INVALID_REQUEST",
      message: "The request is not valid.",
      details: "redirectUri: not registered for this application",
      requestId: "req_5f0c7a1e9b3d4c6f8a2e1d0b9c7f6e5a",
    },
  },
};

import type { AuditRow } from "../../src/audit/store.ts";
import type { SignInSession } from "../../src/sign-in/session.ts";
import type { Login } from "../../src/tokens/login-store.ts";
import type { User } from "../../src/users/user.ts";

export function userOf(appId: string, id: string): User {
  return {
    id,
    appId,
    email: `${id}@example.com`,
    emailVerified: false,
    name: "Ann",
    picture: null,
    handle: id,
    createdAt: 0,
    updatedAt: 0,
    disabledAt: null,
    lastLoginAt: null,
    previousLoginAt: null,
    loginCount: 2_147_483_648,
    lastIpAddress: null,
    lastUserAgent: null,
    locale: null,
    passkeyDeclinedAt: null,
  };
}

export function loginOf(appId: string, id: string, expiresAt: number): Login {
  return {
    id,
    appId,
    userId: "usr_1",
    signedInWith: "password",
    provider: null,
    scopes: [],
    publicClient: false,
    signedInAt: 0,
    createdAt: 0,
    lastSeenAt: 0,
    ipAddress: null,
    userAgent: null,
    browserSessionDigest: null,
    generation: 1,
    refreshDigest: "r",
    previousDigest: null,
    refreshedAt: 0,
    expiresAt,
    endedAt: null,
    endReason: null,
  };
}

export function sessionOf(appId: string, digest: string, expiresAt: number): SignInSession {
  return {
    digest,
    appId,
    purpose: "sign-in",
    accountUserId: null,
    adds: null,
    addsProvider: null,
    provenUserId: null,
    provenWith: null,
    provenProvider: null,
    provenAt: null,
    browserSessionDigest: null,
    redirectUri: "https://app.example/callback",
    state: null,
    authMethod: null,
    provider: null,
    scopes: [],
    codeChallenge: null,
    loginHint: null,
    locale: null,
    createdAt: 0,
    expiresAt,
    browserDigest: null,
    userId: null,
    signedInWith: null,
    signedInProvider: null,
    signedInAt: null,
    ipAddress: null,
    userAgent: null,
    codeDigest: null,
    codeExpiresAt: null,
    codeUsedAt: null,
    loginId: null,
  };
}

export function eventOf(id: string, at: number): AuditRow {
  const nobody = { appId: null, userId: null, ipAddress: null, requestId: null };
  return { id, at, actor: "service:test", action: "test", result: "success", ...nobody, details: {} };
}

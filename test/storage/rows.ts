import type { AuditRow } from "../../src/records/audit/store.ts";
import { findLiveUser } from "../../src/sessions/login-store.ts";
import type { LiveUser, Login } from "../../src/sessions/login.ts";
import { emptySession, type SignInSession } from "../../src/sign-in/session.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { insertSigningKey, type SigningKeyRow } from "../../src/tokens/signing-key-store.ts";
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
    mailedMethodAt: null,
    disabledAt: null,
    pendingAt: null,
    lastLoginAt: null,
    previousLoginAt: null,
    loginCount: 2_147_483_648,
    lastIpAddress: null,
    lastUserAgent: null,
    locale: null,
    passkeyDeclinedAt: null,
    publicMetadata: null,
    privateMetadata: null,
    profile: null,
  };
}

export function loginOf(appId: string, id: string, expiresAt: number): Login {
  return {
    id,
    appId,
    userId: "usr_1",
    signedInWith: "password",
    provider: null,
    proofs: null,
    organizationProofs: null,
    secondFactor: null,
    organizationId: null,
    scopes: [],
    publicClient: false,
    clientId: null,
    actor: null,
    claimsRequest: null,
    resource: null,
    proofKey: null,
    signedInAt: 0,
    provenElsewhereAt: 1_700_000_000_000,
    createdAt: 0,
    lastSeenAt: 0,
    ipAddress: null,
    userAgent: null,
    browserSessionDigest: null,
    browserDigest: null,
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
    ...emptySession,
    digest,
    appId,
    purpose: "sign-in",
    redirectUri: "https://app.example/callback",
    createdAt: 0,
    expiresAt,
  };
}

export function eventOf(id: string, at: number): AuditRow {
  const nobody = {
    appId: null,
    userId: null,
    ipAddress: null,
    requestId: null,
    target: null,
    changes: null,
    organizationId: null,
  };
  return { id, at, actor: "service:test", action: "test", result: "success", ...nobody, details: {} };
}

/** Whose tokens `liveUser` asks about. */
const signingKey: SigningKeyRow = {
  id: "a-signing-key",
  algorithm: "EdDSA",
  generation: 1_000,
  publicJwk: {},
  encryptedPrivateJwk: "",
  createdAt: 0,
  signsFrom: 0,
};

/** Stores the key with which `liveUser` says that its tokens are signed. */
export async function insertKnownKey(storage: Storage): Promise<void> {
  await storage.write((tx) => insertSigningKey(tx, signingKey));
}

/** The user of a login that lives, asked for with a token that the known key has signed. */
export async function liveUser(storage: Storage, loginId: string, now: number): Promise<LiveUser | undefined> {
  return await findLiveUser(storage.reader, { loginId, kid: signingKey.id, now });
}

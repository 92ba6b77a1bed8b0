import { hash, timingSafeEqual } from "node:crypto";
import type { Client } from "../../applications/clients/client.ts";
import { isOver } from "../../lib/clock.ts";
import { digestOf } from "../../lib/random.ts";
import { codeLasts, sessionLasts, type SignInSession } from "../session.ts";

/**
 * The caller's proofs besides the code. A code can be redeemed only through the interface that
 * began its session.
 */
export type CodeProofs =
  | { door: "contract"; sessionId: string; state: string | undefined }
  /** `proofKey`: the thumbprint of the key that the call proved. */
  | { door: "client"; client: Client; redirectUri: string | undefined; proofKey: string | null }
  | { door: "device"; client: Client; proofKey: string | null };

/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/u;

/**
 * Checks each binding separately (CVE-2026-28513 combined two of them with the wrong operator).
 */
export function codeFitsSession(
  {
    codeVerifier,
    proofs,
    withoutSecret,
  }: { codeVerifier: string | undefined; proofs: CodeProofs; withoutSecret: boolean },
  session: SignInSession,
  now: number,
): boolean {
  const lasts = proofs.door === "device" ? sessionLasts : codeLasts;
  if (session.codeExpiresAt === null || isOver(session.codeExpiresAt, lasts, now)) return false;
  if (isOver(session.expiresAt, sessionLasts, now)) return false;
  if (proofs.door === "contract") {
    if (session.authorization !== null) return false;
    if (digestOf(proofs.sessionId) !== session.digest) return false;
    if ((proofs.state ?? null) !== session.state) return false;
  } else if (session.authorization?.clientId !== proofs.client.id) return false;
  if (proofs.door === "client") {
    if (proofs.redirectUri !== session.redirectUri) return false;
    const proofKey = session.authorization?.proofKey;
    if (proofKey !== undefined && proofs.proofKey !== proofKey) return false;
    // Single sign-on asks nobody, and any app on a phone can claim a scheme (RFC 8252 §8.6).
    if (withoutSecret && proofs.client.kind === "web" && !/^https?:/u.test(session.redirectUri)) return false;
  }
  // A verifier without a challenge: somebody removed it from the request (RFC 9700 §4.8.2).
  if (session.codeChallenge === null) return codeVerifier === undefined;
  return codeVerifier !== undefined && answersChallenge(codeVerifier, session.codeChallenge);
}

/** PKCE, method S256 (RFC 7636 §4.6). */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash("sha256", verifier, "base64url")), Buffer.from(challenge));
}

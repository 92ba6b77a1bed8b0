import { hash, timingSafeEqual } from "node:crypto";
import { isOver } from "../../lib/clock.ts";
import { sessionLasts, type SignInSession } from "../session.ts";
import type { Door } from "./doors.ts";

/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/u;

/** Whether a code that was consumed is still valid, and comes with what belongs to it. */
export function codeFitsSession(
  { codeVerifier, door }: { codeVerifier: string | undefined; door: Door },
  session: SignInSession,
  now: number,
): boolean {
  if (session.codeExpiresAt === null || isOver(session.codeExpiresAt, door.codeLasts, now)) return false;
  if (isOver(session.expiresAt, sessionLasts, now)) return false;
  if (!door.fits(session)) return false;
  // A verifier without a challenge: somebody removed it from the request (RFC 9700 §4.8.2).
  if (session.codeChallenge === null) return codeVerifier === undefined;
  return codeVerifier !== undefined && answersChallenge(codeVerifier, session.codeChallenge);
}

/** PKCE, method S256 (RFC 7636 §4.6). */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash("sha256", verifier, "base64url")), Buffer.from(challenge));
}

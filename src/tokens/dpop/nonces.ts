/** Nonces of DPoP proofs (RFC 9449 §8): any node can check those of another; none is stored. */
import { timingSafeEqual } from "node:crypto";
import { isOver, minute } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";

const lasts = 5 * minute;
const timeBytes = 6;
const macBytes = 16;

export function newNonce({ keyring, clock }: Context): string {
  const expiresAt = Buffer.alloc(timeBytes);
  expiresAt.writeUIntBE(clock() + lasts, 0, timeBytes);
  return Buffer.concat([expiresAt, macOf(keyring, expiresAt)]).toString("base64url");
}

/** Whether this service gave the nonce a few minutes ago. */
export function isNonce({ keyring, clock }: Context, nonce: unknown): boolean {
  const bytes = Buffer.from(typeof nonce === "string" ? nonce : "", "base64url");
  if (bytes.length !== timeBytes + macBytes) return false;
  const expiresAt = bytes.subarray(0, timeBytes);
  if (!timingSafeEqual(bytes.subarray(timeBytes), macOf(keyring, expiresAt))) return false;
  return !isOver(expiresAt.readUIntBE(0, timeBytes), lasts, clock());
}

function macOf(keyring: Context["keyring"], expiresAt: Uint8Array): Buffer {
  return keyring.mac("dpop", "nonce", expiresAt).subarray(0, macBytes);
}

/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, as all apps do. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { second } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { decodeBase32, encodeBase32 } from "./base32.ts";

const stepLasts = 30 * second;
const digits = 6;
/** RFC 4226 §4, requirement 6: at least 128 bits; 160 are recommended. */
const secretBytes = 20;

/** Other systems have shorter ones: 80 bits were usual. */
const importedSecretBytes = { least: 10, most: 64 };

/** Whether a text is a secret that may be imported. */
export function isTotpSecret(text: string): boolean {
  const { length } = decodeBase32(text) ?? [];
  return length >= importedSecretBytes.least && length <= importedSecretBytes.most;
}

export function newTotpSecret(random: Random): Uint8Array {
  return random(secretBytes);
}

/** The time step of an instant, which is the counter of HOTP. */
export function stepAt(now: number): number {
  return Math.floor(now / stepLasts);
}

/** The code of a counter (RFC 4226 §5.3). */
export function hotp(secret: Uint8Array, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", secret).update(message).digest();
  const offset = mac.readUInt8(mac.length - 1) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** length).padStart(length, "0");
}

/** The newest step whose code this is: now, or one step either side. Undefined if none is. */
export function stepOf(code: string, secret: Uint8Array, now: number): number | undefined {
  const current = stepAt(now);
  // All three are compared, so that the timing reveals nothing.
  const matching = [current + 1, current, current - 1].filter((step) =>
    timingSafeEqual(Buffer.from(hotp(secret, step)), Buffer.from(code)),
  );
  return matching[0];
}

/**
 * The URI that an authenticator app scans ("Key URI Format"). `issuer` is the application's name.
 */
export function totpUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  // A colon separates the two in the label.
  const label = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(":", " "))).join(":");
  const query = new URLSearchParams({ secret: encodeBase32(secret), issuer: issuer.replaceAll(":", " ") });
  return `otpauth://totp/${label}?${query.toString().replaceAll("+", "%20")}`;
}

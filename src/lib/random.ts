import { hash, randomBytes } from "node:crypto";

/** `size` unpredictable bytes. Handed in by `app.ts`, so that a test can repeat a run. */
export type Random = (size: number) => Uint8Array;

export const systemRandom: Random = (size) => randomBytes(size);

/** A capability (sign-in session, code, cookie): 256 random bits, base64url, 43 characters. */
export function newSecret(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

/** SHA-256 of a capability, base64url: the only form of it that storage ever sees. 256-bit inputs need no salt. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz";

/** A time-ordered id, such as `usr_01k…`: 48 bits of `now` (epoch milliseconds), then 80 random bits, as 26 base32 digits. */
export function newId(
  prefix: "app" | "usr" | "mth" | "key" | "lgn" | "aud" | "mail" | "whe" | "evt",
  now: number,
  random: Random,
): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.set(random(10), 6);
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (let digit = 0; digit < 26; digit += 1) {
    text = crockford.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return `${prefix}_${text}`;
}

import { hash, randomFillSync } from "node:crypto";

/** Returns `size` unpredictable bytes. Injected by `app.ts`, so tests can repeat a run. */
export type Random = (size: number) => Uint8Array;

export const systemRandom: Random = drawnAhead(4096);

/**
 * Each call of the generator costs 2 µs, whatever its size, so bytes are drawn in advance. Bytes
 * that were returned are erased from the buffer.
 */
function drawnAhead(stockBytes: number): Random {
  const stock = new Uint8Array(stockBytes);
  let used = stockBytes;
  return (size) => {
    // Let the generator reject an invalid size instead of using it as an offset.
    if (!(size >= 0 && size <= stockBytes)) return randomFillSync(new Uint8Array(size));
    if (used + size > stockBytes) {
      randomFillSync(stock);
      used = 0;
    }
    const drawn = stock.slice(used, used + size);
    stock.fill(0, used, used + size);
    used += size;
    return drawn;
  };
}

/** A capability (sign-in session, code, cookie): 256 random bits, base64url, 43 characters. */
export function newSecret(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

/**
 * SHA-256 of a capability, base64url, the only form that is stored. 256-bit inputs need no salt.
 */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A time-ordered id, such as `usr_01k…`: 48 bits of `now` (epoch milliseconds), then 80 random
 * bits, as 26 base32 digits.
 */
export function newId(
  prefix:
    | "app"
    | "usr"
    | "mth"
    | "key"
    | "lgn"
    | "aud"
    | "mail"
    | "whe"
    | "evt"
    | "cli"
    | "sec"
    | "grp"
    | "org"
    | "inv"
    | "sul"
    | "brw"
    | "crd"
    | "ptk",
  now: number,
  random: Random,
): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.set(random(10), 6);
  let text = `${prefix}_`;
  // 26 digits hold 130 bits: the first two are zero.
  let bits = 0;
  let bitCount = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (bitCount += 8; bitCount >= 5;) {
      bitCount -= 5;
      text += crockford.charAt((bits >> bitCount) & 31);
    }
    bits &= 31;
  }
  return text;
}

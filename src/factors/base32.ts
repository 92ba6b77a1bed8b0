/** Base 32 (RFC 4648 §6) without padding, as authenticator apps and people type it. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function encodeBase32(bytes: Uint8Array): string {
  let bits = 0;
  let bitCount = 0;
  let text = "";
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (bitCount += 8; bitCount >= 5;) {
      bitCount -= 5;
      text += alphabet.charAt((bits >> bitCount) & 31);
    }
    bits &= (1 << bitCount) - 1;
  }
  return bitCount === 0 ? text : text + alphabet.charAt((bits << (5 - bitCount)) & 31);
}

/** Undefined if the text has another character. Bits that fill no byte are dropped. */
export function decodeBase32(text: string): Uint8Array | undefined {
  let bits = 0;
  let bitCount = 0;
  const bytes: number[] = [];
  for (const character of text.replace(/=+$/u, "")) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = (bits << 5) | value;
    bitCount += 5;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes.push((bits >> bitCount) & 255);
      bits &= (1 << bitCount) - 1;
    }
  }
  return Uint8Array.from(bytes);
}

/** In groups of four characters, for people. */
export function inGroups(text: string, separator: string): string {
  return text.match(/.{1,4}/gu)?.join(separator) ?? "";
}

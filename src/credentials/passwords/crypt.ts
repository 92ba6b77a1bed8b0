/** The hashes of glibc's `crypt` by SHA-2, and of phpass, which WordPress used before 6.8. */
import { createHash, hash } from "node:crypto";

const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Up to three bytes, the first one lowest, in groups of six bits. */
function encoded(bytes: readonly (number | undefined)[], characters: number): string {
  let value = bytes.reduce<number>((sum, byte, at) => sum + (byte ?? 0) * 256 ** at, 0);
  let text = "";
  for (; text.length < characters; value = Math.floor(value / 64)) text += alphabet[value % 64];
  return text;
}

function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

/** Of `$5$` and `$6$`, the part after the salt: https://www.akkadia.org/drepper/SHA-crypt.txt */
export function shaCrypt(kind: "5" | "6", password: string, salt: string, rounds: number): string {
  const [digest, size] = kind === "5" ? ["sha256", 32] : ["sha512", 64];
  const [key, salted] = [Buffer.from(password), Buffer.from(salt)];
  const of = (...parts: Buffer[]): Buffer => hash(digest, Buffer.concat(parts), "buffer");
  const other = of(key, salted, key);
  const first = createHash(digest).update(key).update(salted).update(repeated(other, key.length));
  for (let bits = key.length; bits > 0; bits >>= 1) first.update((bits & 1) === 1 ? other : key);
  let result: Buffer = first.digest();
  const keyBytes = repeated(of(repeated(key, key.length ** 2)), key.length);
  const saltBytes = repeated(of(repeated(salted, salted.length * (16 + (result[0] ?? 0)))), salted.length);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    const parts = [isOdd ? keyBytes : result];
    if (round % 3 !== 0) parts.push(saltBytes);
    if (round % 7 !== 0) parts.push(keyBytes);
    parts.push(isOdd ? result : keyBytes);
    result = of(...parts);
  }
  let text = "";
  const third = Math.floor(size / 3);
  for (let at = 0, [high, middle, low] = [0, third, 2 * third]; at < third; at += 1) {
    text += encoded([result[low], result[middle], result[high]], 4);
    [high, middle, low] = kind === "5" ? [low + 1, high + 1, middle + 1] : [middle + 1, low + 1, high + 1];
  }
  return text + (kind === "5" ? encoded([result[30], result[31]], 3) : encoded([result[63]], 2));
}

/** Of `$P$` and `$H$`, the part after the salt. `logRounds`: a character. */
export function phpass(password: string, salt: string, logRounds: string): string {
  const key = Buffer.from(password);
  let result = hash("md5", Buffer.concat([Buffer.from(salt), key]), "buffer");
  for (let left = 2 ** alphabet.indexOf(logRounds); left > 0; left -= 1)
    result = hash("md5", Buffer.concat([result, key]), "buffer");
  let text = "";
  for (let at = 0; at < 15; at += 3) text += encoded([...result.subarray(at, at + 3)], 4);
  return text + encoded([result[15]], 2);
}

/** The base-2 logarithm that a character of phpass stands for. */
export function logRoundsOf(character: string): number {
  return alphabet.indexOf(character);
}

import { createCipheriv, hash, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { createBcrypt } from "./bcrypt.ts";

const pbkdf2Of = promisify(pbkdf2);
const scryptOf = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>;

type Stored = { parameters: Record<string, number>; salt: Buffer; expected: Buffer };

/**
 * Whether a password matches a foreign hash, in the form of `foreignHash`. Throws for an unknown
 * form.
 */
export type VerifyForeign = (stored: string, password: string) => Promise<boolean>;

/** Runs off the main thread, except SSHA, which is cheap. The hasher checks argon2 itself. */
export function createForeignVerify(): VerifyForeign {
  const bcrypt = createBcrypt();
  return async (stored, password) => {
    if (/^(?:\$2|\$wp\$|bcrypt_sha256\$|\$[56PH]\$)/u.test(stored)) return await bcrypt(stored, password);
    const [, algorithm = "", ...fields] = stored.split("$");
    const parts = read(fields);
    return timingSafeEqual(await compute(algorithm, password, parts), parts.expected);
  };
}

async function compute(algorithm: string, password: string, { parameters, salt, expected }: Stored): Promise<Buffer> {
  const { ln = 0, r = 0, p = 1, i = 0 } = parameters;
  const digest = algorithm.slice(algorithm.indexOf("-") + 1);
  switch (algorithm) {
    case "scrypt":
      return await derive(password, salt, expected.length, { ln, r, p });
    case "firebase-scrypt":
      return keyStream(await derive(password, salt, 32, { ln, r, p: 1 }), expected.length);
    case "pbkdf2-sha1":
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      return await pbkdf2Of(password, salt, i, expected.length, digest);
    case "ssha-sha1":
    case "ssha-sha256":
    case "ssha-sha512":
      return hash(digest, Buffer.concat([Buffer.from(password), salt]), "buffer");
    default:
      throw new Error("a stored password hash has an unknown format");
  }
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  { ln, r, p }: { ln: number; r: number; p: number },
): Promise<Buffer> {
  const N = 2 ** ln;
  return scryptOf(password, salt, length, { N, r, p, maxmem: 128 * r * (N + p + 2) + 65_536 });
}

/** The key stream with which Firebase encrypts a signer key: AES-256-CTR from zero. */
function keyStream(key: Buffer, length: number): Buffer {
  return createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** `ln=14,r=8`, salt, hash; SSHA has no parameters. */
function read(fields: string[]): Stored {
  const [expected = "", salt = "", parameters = ""] = fields.toReversed();
  const pairs = parameters.split(",").map((pair) => pair.split("="));
  return {
    parameters: Object.fromEntries(pairs.map(([name = "", value]) => [name, Number(value)])),
    salt: Buffer.from(salt, "base64"),
    expected: Buffer.from(expected, "base64"),
  };
}

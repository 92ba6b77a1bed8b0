import { logRoundsOf } from "./crypt.ts";
import { isExpensive } from "./hash-cost.ts";

/** The result of reading another system's password hash: its stored form, or the violated rule. */
export type ForeignHash = { hash: string } | { problem: string };

/** The scrypt parameters of a Firebase project, as shown in its console. Keys in base64. */
export type FirebaseParameters = { signerKey: string; saltSeparator: string; rounds: number; memCost: number };

// Always refused: checking takes many seconds of CPU time, or more than a gigabyte.
const dearestBcrypt = 16;
const maxArgon2KiB = 1_048_576;
const maxArgon2KiBPasses = 8_388_608;
const maxScryptBlocks = 2 ** 23; // N × r of 128 bytes each: 1 GiB
const maxScryptWork = 2 ** 24;
const maxPbkdf2Iterations = 10_000_000;
const maxShaCryptRounds = 1_000_000;
const maxPhpassLog = 20;

/** With fewer bytes a wrong password could match by chance; no known format has more. */
const [fewestHashBytes, maxHashBytes] = [16, 128];
const maxSaltBytes = 256;

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
type Digest = keyof typeof digestBytes;

const unknownForm = "password.hash: unsupported format";
const tooDear = "password.hash: too expensive to check, even with --allow-expensive-hashes";
const expensive =
  "password.hash: checking it takes more than about 250 ms or 128 MiB; --allow-expensive-hashes accepts it";
const badSize = "password.hash: its salt or hash has an invalid length";

type Form = { pattern: RegExp; read(parts: Record<string, string>): ForeignHash };

const forms: Form[] = [
  {
    // Of WordPress and Django with a digest before bcrypt, and as it is.
    pattern: /^(?:bcrypt\$)?(?<hash>(?:\$wp|bcrypt_sha256\$)?\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$/u,
    read: bcrypt,
  },
  {
    pattern:
      /^(?<hash>\$(?:5\$(?:rounds=(?<five>\d{1,9})\$)?[^$:\s]{0,16}\$[./A-Za-z0-9]{43}|6\$(?:rounds=(?<six>\d{1,9})\$)?[^$:\s]{0,16}\$[./A-Za-z0-9]{86}))$/u,
    read: ({ hash = "", five, six }) => {
      const rounds = Number(five ?? six ?? 5000);
      // Fewer are written as they are, and counted as 1000.
      if (rounds < 1000) return { problem: unknownForm };
      return rounds > maxShaCryptRounds ? { problem: tooDear } : { hash };
    },
  },
  {
    pattern: /^(?<hash>\$[PH]\$(?<log>[./A-Za-z0-9])[./A-Za-z0-9]{30})$/u,
    read: ({ hash = "", log = "" }) => (logRoundsOf(log) > maxPhpassLog ? { problem: tooDear } : { hash }),
  },
  {
    pattern:
      /^(?:argon2)?\$argon2(?<kind>id|i|d)\$(?:v=(?<version>16|19)\$)?m=(?<m>\d{1,9}),t=(?<t>\d{1,9}),p=(?<p>\d{1,3})\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/u,
    read: argon2,
  },
  // PHC and passlib.
  {
    pattern: /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,4}),p=(?<p>\d{1,4})\$(?<salt>[^$]*)\$(?<hash>[^$]+)$/u,
    read: ({ ln, r, p, salt = "", hash = "" }) =>
      scrypt(2 ** Number(ln), Number(r), Number(p), fromBase64(salt), fromBase64(hash)),
  },
  // Django.
  {
    pattern: /^scrypt\$(?<n>\d{1,9})\$(?<salt>[^$]+)\$(?<r>\d{1,4})\$(?<p>\d{1,4})\$(?<hash>[^$]+)$/u,
    read: ({ n, r, p, salt = "", hash = "" }) =>
      scrypt(Number(n), Number(r), Number(p), Buffer.from(salt), fromBase64(hash)),
  },
  // Werkzeug; also the usual form of a hexadecimal hash of Node's crypto.scrypt.
  {
    pattern: /^scrypt:(?<n>\d{1,9}):(?<r>\d{1,4}):(?<p>\d{1,4})\$(?<salt>[^$]+)\$(?<hash>(?:[0-9a-f]{2})+)$/iu,
    read: ({ n, r, p, salt = "", hash = "" }) =>
      scrypt(Number(n), Number(r), Number(p), Buffer.from(salt), Buffer.from(hash, "hex")),
  },
  // PHC, and passlib, which omits the name of SHA-1.
  {
    pattern:
      /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<i>\d{1,9})(?:,l=\d{1,4})?\$(?<salt>[^$]*)\$(?<hash>[^$]+)$/u,
    read: ({ digest = "sha1", i, salt = "", hash = "" }) =>
      pbkdf2(digest as Digest, Number(i), fromBase64(salt), fromBase64(hash)),
  },
  // Django.
  {
    pattern: /^pbkdf2_(?<digest>sha1|sha256)\$(?<i>\d{1,9})\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/u,
    read: ({ digest, i, salt = "", hash = "" }) =>
      pbkdf2(digest as Digest, Number(i), Buffer.from(salt), fromBase64(hash)),
  },
  // Werkzeug.
  {
    pattern: /^pbkdf2:(?<digest>sha1|sha256|sha512):(?<i>\d{1,9})\$(?<salt>[^$]+)\$(?<hash>(?:[0-9a-f]{2})+)$/iu,
    read: ({ digest = "", i, salt = "", hash = "" }) =>
      pbkdf2(digest.toLowerCase() as Digest, Number(i), Buffer.from(salt), Buffer.from(hash, "hex")),
  },
  // LDAP, as passlib writes it.
  {
    pattern: /^\{PBKDF2(?:-(?<digest>SHA1|SHA256|SHA512))?\}(?<i>\d{1,9})\$(?<salt>[^$]*)\$(?<hash>[^$]+)$/iu,
    read: ({ digest = "sha1", i, salt = "", hash = "" }) =>
      pbkdf2(digest.toLowerCase() as Digest, Number(i), fromBase64(salt), fromBase64(hash)),
  },
  { pattern: /^\{(?<kind>SSHA|SSHA256|SSHA512)\}(?<value>[^$]+)$/iu, read: ldap },
  // Our own form of LDAP's hashes.
  {
    pattern: /^\$ssha-(?<digest>sha1|sha256|sha512)\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/u,
    read: ({ digest, salt = "", hash = "" }) => ssha(digest as Digest, fromBase64(salt), fromBase64(hash)),
  },
  {
    pattern: /^\$firebase-scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,4})\$(?<salt>[^$]*)\$(?<hash>[^$]+)$/u,
    read: ({ ln, r, salt = "", hash = "" }) => firebase(Number(ln), Number(r), fromBase64(salt), fromBase64(hash)),
  },
];

/** What cannot be verified, by name. */
const schemes: [pattern: RegExp, name: string][] = [
  [/^\$1\$/u, "md5-crypt"],
  [/^\$apr1\$/u, "md5-crypt of Apache"],
  [/^\$2/u, "bcrypt, incomplete or of an unknown version"],
  [/^\$5\$/u, "sha256-crypt, incomplete or of fewer than 1000 rounds"],
  [/^\$6\$/u, "sha512-crypt, incomplete or of fewer than 1000 rounds"],
  [/^\$g?y\$/u, "yescrypt"],
  [/^\$7\$/u, "scrypt of crypt"],
  [/^\$sha1\$/u, "sha1-crypt"],
  [/^\$md5/u, "md5 of Solaris"],
  [/^\$S\$/u, "Drupal 7"],
  [/^\$[PH]\$/u, "phpass, incomplete"],
  [/^\$argon2/u, "argon2, incomplete"],
  [/^\{SHA\}/iu, "SHA-1 without a salt"],
  [/^\{(?:S?MD5)\}/iu, "MD5"],
  [/^(?:\{MD5\})?[0-9a-f]{32}$/iu, "MD5"],
  [/^[0-9a-f]{40}$/iu, "SHA-1 without a salt"],
  [/^[0-9a-f]{64}$/iu, "SHA-256 without a salt"],
  [/^(?:md5|sha1|crypt)\$/u, "an old hash of Django"],
];

/** Returns `hash` unless it is expensive and the operator does not allow that. */
export function affordable(read: ForeignHash, { allowExpensive }: { allowExpensive: boolean }): ForeignHash {
  return "hash" in read && !allowExpensive && isExpensive(read.hash) ? { problem: expensive } : read;
}

/**
 * Reads another system's password hash: bcrypt, argon2, scrypt, PBKDF2, SHA-crypt, phpass and
 * salted SHA, as in docs/migrating.md. Each has one stored form, which `verifyForeign` checks and
 * which is also accepted here.
 */
export function foreignHash(text: string): ForeignHash {
  // {CRYPT}, {BCRYPT}, {ARGON2}, {BLF-CRYPT}: what follows says itself what it is.
  const hash = text.trim().replace(/^\{[\w.@-]{1,64}\}(?=\$)/u, "");
  for (const { pattern, read } of forms) {
    const parts = pattern.exec(hash)?.groups;
    if (parts) return read(parts);
  }
  const [, scheme] = schemes.find(([pattern]) => pattern.test(hash)) ?? [];
  return { problem: scheme === undefined ? unknownForm : `${unknownForm} (${scheme})` };
}

/**
 * Reads a Firebase hash: the project's signer key encrypted with a key stream from the password.
 * Removing the signer key leaves the stream, which still verifies a password but contains no secret
 * of the project (docs/decisions/0011).
 */
export function firebaseHash(user: { hash: string; salt: string }, parameters: FirebaseParameters): ForeignHash {
  const hash = fromBase64(user.hash);
  const salt = fromBase64(user.salt);
  const separator = fromBase64(parameters.saltSeparator);
  const signerKey = fromBase64(parameters.signerKey);
  if (!hash || !salt || !separator || !signerKey) return { problem: "password: hash and salt must be base64" };
  if (hash.length !== signerKey.length) return { problem: "password.hash: not made with this signer key" };
  const stream = hash.map((byte, position) => byte ^ (signerKey[position] ?? 0));
  return firebase(parameters.memCost, parameters.rounds, Buffer.concat([salt, separator]), Buffer.from(stream));
}

function bcrypt({ hash = "", cost }: Record<string, string>): ForeignHash {
  if (Number(cost) < 4) return { problem: unknownForm };
  return Number(cost) > dearestBcrypt ? { problem: tooDear } : { hash };
}

/** A string without a version is of version 16, the first one. */
function argon2({ kind, version = "16", m, t, p, ...parts }: Record<string, string>): ForeignHash {
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)];
  const [salt, hash] = [fromBase64(parts["salt"] ?? ""), fromBase64(parts["hash"] ?? "")];
  if (!salt || !hash || passes < 1 || lanes < 1 || memory < 8 * lanes) return { problem: unknownForm };
  if (memory > maxArgon2KiB || memory * passes > maxArgon2KiBPasses || lanes > 64) return { problem: tooDear };
  if (!fits(salt, hash) || salt.length < 8 || salt.length > 48 || hash.length > 64) return { problem: badSize };
  return {
    hash: `$argon2${kind}$v=${version}$m=${memory},t=${passes},p=${lanes}$${toBase64(salt)}$${toBase64(hash)}`,
  };
}

function scrypt(n: number, r: number, p: number, salt: Buffer | undefined, hash: Buffer | undefined): ForeignHash {
  const ln = Math.log2(n);
  if (!salt || !hash || !Number.isInteger(ln) || ln < 1 || r < 1 || p < 1) return { problem: unknownForm };
  if (isTooDearForScrypt(n, r, p)) return { problem: tooDear };
  if (!fits(salt, hash)) return { problem: badSize };
  return { hash: `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}` };
}

function firebase(ln: number, r: number, salt: Buffer | undefined, hash: Buffer | undefined): ForeignHash {
  if (!salt || !hash || ln < 1 || r < 1) return { problem: unknownForm };
  if (isTooDearForScrypt(2 ** ln, r, 1)) return { problem: tooDear };
  if (!fits(salt, hash)) return { problem: badSize };
  return { hash: `$firebase-scrypt$ln=${ln},r=${r}$${toBase64(salt)}$${toBase64(hash)}` };
}

function isTooDearForScrypt(n: number, r: number, p: number): boolean {
  return n * r > maxScryptBlocks || n * r * p > maxScryptWork;
}

function pbkdf2(digest: Digest, iterations: number, salt: Buffer | undefined, hash: Buffer | undefined): ForeignHash {
  if (!salt || !hash || iterations < 1) return { problem: unknownForm };
  if (!fits(salt, hash)) return { problem: badSize };
  // PBKDF2 runs all iterations for each block of the result.
  if (iterations * Math.ceil(hash.length / digestBytes[digest]) > maxPbkdf2Iterations) return { problem: tooDear };
  return { hash: `$pbkdf2-${digest}$i=${iterations}$${toBase64(salt)}$${toBase64(hash)}` };
}

/** One base64 text with the digest followed by the salt. */
function ldap({ kind = "", value = "" }: Record<string, string>): ForeignHash {
  const name = kind.toUpperCase();
  const digest: Digest = name === "SSHA" ? "sha1" : name === "SSHA256" ? "sha256" : "sha512";
  const bytes = fromBase64(value);
  return ssha(digest, bytes?.subarray(digestBytes[digest]), bytes?.subarray(0, digestBytes[digest]));
}

function ssha(digest: Digest, salt: Buffer | undefined, hash: Buffer | undefined): ForeignHash {
  if (!salt || !hash) return { problem: unknownForm };
  if (hash.length !== digestBytes[digest] || salt.length < 1 || !fits(salt, hash)) return { problem: badSize };
  return { hash: `$ssha-${digest}$${toBase64(salt)}$${toBase64(hash)}` };
}

function fits(salt: Buffer, hash: Buffer): boolean {
  return salt.length <= maxSaltBytes && hash.length >= fewestHashBytes && hash.length <= maxHashBytes;
}

/** With or without padding, also in passlib's alphabet (dot for plus). */
function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/._-]*={0,2}$/u.test(text) ? Buffer.from(text.replaceAll(".", "+"), "base64") : undefined;
}

function toBase64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

import { logRoundsOf } from "./crypt.ts";

/**
 * The cost of checking a stored hash: time on one core (measured, docs/decisions/0011) and memory.
 */
export type HashCost = { milliseconds: number; memoryKiB: number };

/** The maximum for an imported hash, unless the operator allows more. */
const maxMilliseconds = 265;
const maxMemoryKiB = 131_072;

const perArgon2KiBPass = 0.001;
const perScryptBlock = 0.00025;
const perBcryptRound = 0.06;
const perShaCryptRound = 0.003;
const perPhpassRound = 0.002;
const perPbkdf2Sha512 = 0.00025;
const perPbkdf2Iteration: Record<string, number> = { sha1: 0.00025, sha256: 0.000125, sha512: perPbkdf2Sha512 };
const digestBytes: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 };

/** The algorithm's family: argon2, scrypt, pbkdf2 with its digest, or the form's own sign. */
export function kindOfHash(stored: string): string {
  const [, sign = ""] = stored.split("$");
  return /argon2|scrypt|pbkdf2(?:-\w+)?|bcrypt/u.exec(sign)?.[0] ?? sign;
}

/** The rounds of PBKDF2 with SHA-512 that take this long. */
export function pbkdf2Rounds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds / perPbkdf2Sha512));
}

/** For hashes in a stored form (`foreignHash`). */
export function hashCost(stored: string): HashCost {
  const bcryptRounds = /^(?:\$wp|bcrypt_sha256\$)?\$2[aby]\$(\d\d)\$/u.exec(stored)?.[1];
  if (bcryptRounds !== undefined) return { milliseconds: 2 ** Number(bcryptRounds) * perBcryptRound, memoryKiB: 4 };
  if (/^\$[PH]\$/u.test(stored))
    return { milliseconds: 2 ** logRoundsOf(stored.charAt(3)) * perPhpassRound, memoryKiB: 0 };
  const shaRounds = /^\$[56]\$(?:rounds=(\d+)\$)?/u.exec(stored);
  if (shaRounds) return { milliseconds: Number(shaRounds[1] ?? 5000) * perShaCryptRound, memoryKiB: 0 };
  const [, algorithm = "", ...fields] = stored.split("$");
  const parameters = new Map(
    fields.flatMap((field) =>
      [...field.matchAll(/(?:^|,)([a-z]+)=(\d+)(?=,|$)/gu)].map(([, key, n]) => [key, Number(n)]),
    ),
  );
  const of = (name: string): number => parameters.get(name) ?? 1;
  if (algorithm.startsWith("argon2")) return { milliseconds: of("m") * of("t") * perArgon2KiBPass, memoryKiB: of("m") };
  if (algorithm.endsWith("scrypt")) {
    const blocks = 2 ** of("ln") * of("r");
    return { milliseconds: blocks * of("p") * perScryptBlock, memoryKiB: blocks / 8 };
  }
  const digest = algorithm.slice(algorithm.indexOf("-") + 1);
  if (!algorithm.startsWith("pbkdf2")) return { milliseconds: 0, memoryKiB: 0 };
  const bytes = Buffer.from(fields.at(-1) ?? "", "base64").length;
  const blocks = Math.ceil(bytes / (digestBytes[digest] ?? 1));
  return { milliseconds: of("i") * blocks * (perPbkdf2Iteration[digest] ?? 0), memoryKiB: 0 };
}

export function isExpensive(stored: string): boolean {
  const { milliseconds, memoryKiB } = hashCost(stored);
  return milliseconds > maxMilliseconds || memoryKiB > maxMemoryKiB;
}

// The thread of bcrypt.ts. `parentPort` is set in every worker.
import { hash as digest, createHmac, timingSafeEqual } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { compareSync } from "bcryptjs";
import { phpass, shaCrypt } from "./crypt.ts";
import { lowerThreadPriority } from "./thread-priority.ts";

export type BcryptQuestion = { id: number; password: string; hash: string };
export type BcryptAnswer = { id: number; isRight: boolean };

try {
  lowerThreadPriority();
} catch {
  // A sandbox may forbid it; hashes then compete with requests.
}
parentPort?.on("message", ({ id, password, hash }: BcryptQuestion) => {
  parentPort?.postMessage({ id, isRight: isRight(password, hash) } satisfies BcryptAnswer);
});

/** More would take long; no system that we import from takes as much. */
const maxBytes = 4096;

function isRight(typed: string, stored: string): boolean {
  // Not refused at once: that would reveal an imported account.
  const password = Buffer.byteLength(typed) > maxBytes ? typed.slice(0, maxBytes / 4) : typed;
  return isMatch(password, stored) && password === typed;
}

function isMatch(password: string, stored: string): boolean {
  const [, kind = "", rounds = "5000", salt = "", expected = ""] =
    /^\$([56])\$(?:rounds=(\d+)\$)?([^$]*)\$(.+)$/u.exec(stored) ?? [];
  if (kind !== "") return isSame(shaCrypt(kind === "5" ? "5" : "6", password, salt, Number(rounds)), expected);
  if (/^\$[PH]/u.test(stored)) return isSame(phpass(password, stored.slice(4, 12), stored.charAt(3)), stored.slice(12));
  const at = stored.indexOf("$2");
  return compareSync(prepared(stored.slice(0, at), password), stored.slice(at));
}

/** What systems do so that bcrypt reads more than 72 bytes. */
function prepared(prefix: string, password: string): string {
  if (prefix === "bcrypt_sha256$") return digest("sha256", password);
  if (prefix !== "$wp") return password;
  // As PHP's trim.
  const trimmed = password.replaceAll(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/gu, "");
  return createHmac("sha384", "wp-sha384").update(trimmed).digest("base64");
}

function isSame(made: string, expected: string): boolean {
  return made.length === expected.length && timingSafeEqual(Buffer.from(made), Buffer.from(expected));
}

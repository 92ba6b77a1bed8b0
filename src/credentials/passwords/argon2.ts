import { argon2 as derive, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Log } from "../../lib/log.ts";

type Settings = { memoryCost: number; timeCost: number; parallelism: number; salt: Uint8Array };

/** Both implementations use the same PHC strings: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export type Argon2 = {
  /** argon2id, 32 bytes. */
  hash(password: string, settings: Settings): Promise<string>;
  /** argon2id, argon2i or argon2d. Throws for any other string. */
  verify(stored: string, password: string): Promise<boolean>;
};

/**
 * The native implementation (argon2id with 32 bytes by default). If it cannot be loaded, Node's
 * own, which takes twice as long.
 */
export async function loadArgon2(log: Log): Promise<Argon2> {
  try {
    const { hash, verify } = await import("@node-rs/argon2");
    return { hash: (password, settings) => hash(password, settings), verify };
  } catch (error) {
    log.warn("using Node's argon2, which takes twice as long: the native module cannot be loaded", {
      reason: (error as Error).message,
    });
    return nodeArgon2;
  }
}

const argon2Of = promisify(derive);
const phc = /^\$(argon2id|argon2i|argon2d)\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/u;

/** Also runs in the thread pool. */
export const nodeArgon2: Argon2 = {
  async hash(password, { memoryCost, timeCost, parallelism, salt }) {
    const key = await argon2Of("argon2id", {
      message: password,
      nonce: salt,
      memory: memoryCost,
      passes: timeCost,
      parallelism,
      tagLength: 32,
    });
    return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(salt)}$${base64(key)}`;
  },

  async verify(stored, password) {
    const [whole, algorithm = "", memory, passes, parallelism, salt = "", key = ""] = phc.exec(stored) ?? [];
    if (whole === undefined) throw new Error("a stored password hash has an unknown format");
    const expected = Buffer.from(key, "base64");
    const digest = await argon2Of(algorithm as "argon2id", {
      message: password,
      nonce: Buffer.from(salt, "base64"),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expected.length,
    });
    return timingSafeEqual(digest, expected);
  },
};

/** Without padding, as in PHC strings. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("=", "");
}

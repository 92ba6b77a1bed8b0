/** Node without its threads, whose answers come in an order that no seed decides. */
import { createHook } from "node:async_hooks";
import { accessSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { createPublicKey, hash, KeyObject, verify, type webcrypto } from "node:crypto";

type Algorithm = string | { name: string; hash?: { name: string } | string };
type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer;

const nameOf = (algorithm: Algorithm): string => (typeof algorithm === "string" ? algorithm : algorithm.name);
const plain = (name: string): string => name.replace("-", "").toLowerCase();

function hashIn(algorithm: Algorithm): string | null {
  const given = typeof algorithm === "string" ? undefined : algorithm.hash;
  return given === undefined ? null : plain(nameOf(given));
}

const synchronous = {
  async digest(algorithm: Algorithm, data: Bytes): Promise<ArrayBuffer> {
    return new Uint8Array(hash(plain(nameOf(algorithm)), new Uint8Array(data), "buffer")).buffer;
  },

  async importKey(format: string, key: webcrypto.JsonWebKey, algorithm: never, _isExtractable: boolean, usages: never) {
    if (format !== "jwk") throw new Error(`the simulation imports no key as ${format}`);
    return createPublicKey({ key, format: "jwk" }).toCryptoKey(algorithm, true, usages);
  },

  async verify(algorithm: Algorithm, key: webcrypto.CryptoKey, signature: Bytes, data: Bytes): Promise<boolean> {
    const kind = nameOf(algorithm);
    if (kind !== "Ed25519" && kind !== "ECDSA") throw new Error(`the simulation verifies nothing by ${kind}`);
    const digest = hashIn(algorithm);
    const verified = { key: KeyObject.from(key), dsaEncoding: "ieee-p1363" } as const;
    return verify(digest, new Uint8Array(data), verified, new Uint8Array(signature));
  },
};

/** A disk with much room. */
const space = { type: 0, bsize: 4096, blocks: 2 ** 28, bavail: 2 ** 27, bfree: 2 ** 27, files: 0, ffree: 0 };

// As this module is loaded: the driver of SQLite keeps it.
const require = createRequire(import.meta.url);
Object.assign(require("node:fs") as object, {
  access(path: string, done: (error: unknown) => void): void {
    let problem: unknown = null;
    try {
      accessSync(path);
    } catch (error) {
      problem = error;
    }
    queueMicrotask(() => done(problem));
  },
});
syncBuiltinESMExports();

/** WebCrypto and the space of a disk answer at once, and its user always has the same name. */
export function answerWithoutThreads(): void {
  Object.assign(Object.getPrototypeOf(globalThis.crypto.subtle) as object, synchronous);
  Object.assign(require("node:fs/promises") as object, { statfs: () => Promise.resolve(space) });
  Object.assign(require("node:os") as object, { userInfo: () => ({ username: "terminal" }) });
  syncBuiltinESMExports();
}

const realKinds = new Set([
  "FSREQCALLBACK",
  "FSREQPROMISE",
  "GETADDRINFOREQWRAP",
  "PIPECONNECTWRAP",
  "PROCESSWRAP",
  "TCPCONNECTWRAP",
  "WORKER",
]);

/** Calls `tell` when something asks the real world: its answer would change the trace by chance. */
export function watchForRealWork(tell: (what: string) => void): { disable(): void } {
  const hook = {
    trackPromises: false,
    init(_id: number, kind: string): void {
      if (realKinds.has(kind)) tell(`the real world was asked: ${kind}${new Error().stack?.slice(5) ?? ""}`);
    },
  };
  return createHook(hook).enable();
}

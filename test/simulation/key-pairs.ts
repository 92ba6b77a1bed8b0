/**
 * Key pairs and chance that the seed decides, in the place of OpenSSL's and Node's. Import after
 * `time.ts`.
 */
import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { SoftPasskey } from "../support/authenticator.ts";
import type { Generator } from "./generator.ts";

type Pair = { privateKey: KeyObject; publicKey: KeyObject };
type Done = (error: Error | null, publicKey?: KeyObject, privateKey?: KeyObject) => void;

/** RFC 8410 §7: what stands before the 32 bytes of an Ed25519 key. */
const ed25519 = Buffer.from("302e020100300506032b657004220420", "hex");
let generator: Generator | undefined;

export function drawKeyPairsFrom(drawn: Generator): void {
  generator = drawn;
  // The packages spread their repeated calls by it.
  const spread = drawn.fork("Math.random");
  Math.random = () => spread.next();
}

export function ed25519Pair(secret: Uint8Array): Pair {
  return pairOf(createPrivateKey({ key: Buffer.concat([ed25519, secret]), format: "der", type: "pkcs8" }));
}

/** An authenticator that makes the same signatures each time. */
export function newPasskey(chances: Generator, userHandle: string): SoftPasskey {
  const { privateKey, publicKey } = ed25519Pair(chances.bytes(32));
  const { x = "" } = publicKey.export({ format: "jwk" });
  const cose = new Map<number, number | Uint8Array>([
    [1, 1],
    [3, -8],
    [-1, 6],
    [-2, Buffer.from(x, "base64url")],
  ]);
  return { id: Buffer.from(chances.bytes(32)), privateKey, cose, userHandle };
}

function newPair(kind: string): Pair {
  if (!generator) throw new Error("no seed yet");
  if (kind === "ed25519") return ed25519Pair(generator.bytes(32));
  if (kind !== "ec") throw new Error(`the simulation makes no keys of the kind ${kind}`);
  const curve = createECDH("prime256v1");
  const secret = Buffer.from(generator.bytes(32));
  // Below the order of the curve.
  secret[0] = (secret[0] ?? 0) & 0x7f;
  curve.setPrivateKey(secret);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", d: secret.toString("base64url"), x: x ?? "", y: y ?? "" };
  return pairOf(createPrivateKey({ key: jwk, format: "jwk" }));
}

function pairOf(privateKey: KeyObject): Pair {
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const crypto = createRequire(import.meta.url)("node:crypto") as Record<string, unknown>;
const generateKeyPair = (kind: string, _options: unknown, done: Done): void => {
  const { publicKey, privateKey } = newPair(kind);
  done(null, publicKey, privateKey);
};
Object.assign(generateKeyPair, {
  [Symbol.for("nodejs.util.promisify.custom")]: async (kind: string): Promise<Pair> => newPair(kind),
});
crypto["generateKeyPair"] = generateKeyPair;
syncBuiltinESMExports();

import { generateKeyPairSync, hash, randomBytes, sign, type KeyObject } from "node:crypto";
import { cbor, type Cbor } from "./cbor.ts";

/** What an authenticator holds. `cose` is the public key as it is registered. */
export type SoftPasskey = { id: Buffer; privateKey: KeyObject; cose: Cbor; userHandle: string };

/** What a page asks for, and where: the browser writes both into the client data. */
export type Asked = { challenge: string; origin: string; rpId?: string };

/** Authenticator data flags (WebAuthn §6.1). */
export const flag = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64, extended: 128 };

/** How an answer differs from an honest one. A client data field that is undefined is left out. */
export type Twist = {
  clientData?: Record<string, unknown>;
  /** In place of all client data. */
  clientDataText?: string;
  rpId?: string;
  /** In place of present and verified; `attested` is added where it belongs. */
  flags?: number;
  signCount?: number;
  /** Authenticator data as something else. */
  authenticatorData?: (honest: Buffer) => Buffer;
};

export type AttestationTwist = Twist & {
  credentialId?: Buffer;
  cose?: Cbor;
  aaguid?: Buffer;
  format?: Cbor;
  statement?: Cbor | ((signed: Buffer) => Cbor);
  /** The attestation object's entries as others; undefined leaves one out. */
  entries?: Record<string, Cbor | undefined>;
  attestationObject?: (honest: Buffer) => Buffer;
};

export type AssertionTwist = Twist & {
  /** Signs something else than is sent, or with another key. */
  signature?: (signed: Buffer, honest: Buffer) => Buffer;
  userHandle?: unknown;
};

/** What a browser posts after a ceremony: JSON, binary fields in base64url. */
export type Credential = Record<string, unknown> & { response: Record<string, unknown> };

const algorithms = { ES256: -7, EdDSA: -8, RS256: -257, ES384: -35 } as const;

/**
 * A new key pair for a user of one relying party, in an authenticator that does what its owner
 * says.
 */
export function newPasskey(algorithm: keyof typeof algorithms = "ES256", userHandle = ""): SoftPasskey {
  const { privateKey, publicKey } = pairOf(algorithm);
  const { x = "", y = "", n = "", e = "" } = publicKey.export({ format: "jwk" });
  const bytes = (text: string): Buffer => Buffer.from(text, "base64url");
  const kinds: Record<keyof typeof algorithms, [number, Cbor][]> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    ES384: [
      [1, 2],
      [3, -35],
      [-1, 2],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return { id: randomBytes(32), privateKey, cose: new Map(kinds[algorithm]), userHandle };
}

function pairOf(algorithm: keyof typeof algorithms) {
  if (algorithm === "EdDSA") return generateKeyPairSync("ed25519");
  if (algorithm === "RS256") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  return generateKeyPairSync("ec", { namedCurve: algorithm === "ES384" ? "P-384" : "P-256" });
}

/** WebAuthn §6.3.2, authenticatorMakeCredential, and what the browser makes of it (§5.1.3). */
export function attest(passkey: SoftPasskey, asked: Asked, twist: AttestationTwist = {}): Credential {
  const id = twist.credentialId ?? passkey.id;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const key = cbor(twist.cose ?? passkey.cose);
  const attested = Buffer.concat([twist.aaguid ?? Buffer.alloc(16), length, id, key]);
  const authenticatorData = authenticatorDataOf(asked, twist, flag.attested, attested);
  const clientData = clientDataOf("webauthn.create", asked, twist);
  const { statement = new Map() } = twist;
  const entries: Record<string, Cbor | undefined> = {
    fmt: twist.format ?? "none",
    attStmt: typeof statement === "function" ? statement(signedBy(authenticatorData, clientData)) : statement,
    authData: authenticatorData,
    ...twist.entries,
  };
  const present = Object.entries(entries).filter((entry): entry is [string, Cbor] => entry[1] !== undefined);
  const object = cbor(new Map(present));
  return credentialOf(id, {
    clientDataJSON: clientData.toString("base64url"),
    attestationObject: (twist.attestationObject?.(object) ?? object).toString("base64url"),
    transports: ["internal"],
  });
}

/** WebAuthn §6.3.3, authenticatorGetAssertion, and what the browser makes of it (§5.1.4). */
export function assertion(passkey: SoftPasskey, asked: Asked, twist: AssertionTwist = {}): Credential {
  const authenticatorData = authenticatorDataOf(asked, twist, 0, Buffer.alloc(0));
  const clientData = clientDataOf("webauthn.get", asked, twist);
  const signed = signedBy(authenticatorData, clientData);
  const honest = signWith(passkey.privateKey, signed);
  return credentialOf(passkey.id, {
    clientDataJSON: clientData.toString("base64url"),
    authenticatorData: authenticatorData.toString("base64url"),
    signature: (twist.signature?.(signed, honest) ?? honest).toString("base64url"),
    userHandle: "userHandle" in twist ? twist.userHandle : passkey.userHandle,
  });
}

/** What an authenticator signs: its data, and a hash of the client's. */
function signedBy(authenticatorData: Buffer, clientData: Buffer): Buffer {
  return Buffer.concat([authenticatorData, hash("sha256", clientData, "buffer")]);
}

export function signWith(key: KeyObject, data: Buffer): Buffer {
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return sign(digest, data, key);
}

function authenticatorDataOf(asked: Asked, twist: Twist, more: number, attested: Buffer): Buffer {
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(twist.signCount ?? 0);
  const flags = twist.flags ?? flag.present | flag.verified | more;
  const rpIdHash = hash("sha256", twist.rpId ?? asked.rpId ?? "localhost", "buffer");
  const honest = Buffer.concat([rpIdHash, Buffer.from([flags]), counter, attested]);
  return twist.authenticatorData?.(honest) ?? honest;
}

function clientDataOf(type: string, { challenge, origin }: Asked, twist: Twist): Buffer {
  const fields = { type, challenge, origin, crossOrigin: false, ...twist.clientData };
  return Buffer.from(twist.clientDataText ?? JSON.stringify(fields));
}

function credentialOf(id: Buffer, response: Record<string, unknown>): Credential {
  const text = id.toString("base64url");
  return { id: text, rawId: text, type: "public-key", clientExtensionResults: {}, response };
}

import { timingSafeEqual } from "node:crypto";
import { digestOf, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";

/**
 * A refresh token is opaque to clients. It encodes, in base64url, the login id, the generation, a
 * 32-byte secret and a 16-byte MAC.
 * - Generation 0 has a random secret. Each next secret is HMAC(master key, login, generation,
 *   previous secret), so the server can repeat the *same* successor for a client that lost the
 *   answer, although it stores only SHA-256 digests.
 * - The MAC tells our own old tokens from invented ones. Only a genuine token can be a reuse, so
 *   nobody can end a login by guessing its id, and garbage is refused without reading storage.
 *   (docs/decisions/0003)
 */
export type RefreshToken = { loginId: string; generation: number; secret: Buffer };

const secretBytes = 32;
const macBytes = 16;
const headBytes = 5;
const form = /^[A-Za-z0-9_-]{60,200}$/u;

export function firstRefreshToken(loginId: string, random: Random): RefreshToken {
  return { loginId, generation: 0, secret: Buffer.from(random(secretBytes)) };
}

export function successorOf(token: RefreshToken, keyring: Keyring): RefreshToken {
  const generation = token.generation + 1;
  const secret = keyring.mac("refresh", "successor", token.loginId, String(generation), token.secret);
  return { loginId: token.loginId, generation, secret };
}

export function formatRefreshToken(token: RefreshToken, keyring: Keyring): string {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(Buffer.byteLength(token.loginId), 0);
  head.writeUInt32BE(token.generation, 1);
  const body = Buffer.concat([head, Buffer.from(token.loginId), token.secret]);
  return Buffer.concat([body, macOf(body, keyring)]).toString("base64url");
}

/** Parses a token that this service made; undefined for anything else, without reading storage. */
export function parseRefreshToken(text: string, keyring: Keyring): RefreshToken | undefined {
  if (!form.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) return undefined;
  const idLength = bytes.readUInt8(0);
  if (bytes.length !== headBytes + idLength + secretBytes + macBytes) return undefined;
  const body = bytes.subarray(0, -macBytes);
  if (!timingSafeEqual(macOf(body, keyring), bytes.subarray(-macBytes))) return undefined;
  return {
    loginId: body.toString("utf8", headBytes, headBytes + idLength),
    generation: body.readUInt32BE(1),
    secret: Buffer.from(body.subarray(headBytes + idLength)),
  };
}

export function refreshDigest(token: RefreshToken): string {
  return digestOf(`${token.loginId}.${token.generation}.${token.secret.toString("base64url")}`);
}

function macOf(body: Buffer, keyring: Keyring): Buffer {
  return keyring.mac("refresh", "token", body).subarray(0, macBytes);
}

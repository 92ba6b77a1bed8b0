import { timingSafeEqual } from "node:crypto";
import { digestOf, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";

/**
 * A refresh token is opaque to clients. Inside: login id, generation, 32 secret bytes, 16 bytes of MAC, base64url.
 * - The secret of generation 0 is random; each next one is HMAC(master key, login, generation, previous secret). The server can therefore
 *   give a client that lost the answer the *same* successor again without having stored it: the database holds SHA-256 digests only.
 * - The MAC tells our own old tokens from invented ones: only a genuine token can be a reuse, so nobody can end a login by guessing
 *   at its id, and garbage is refused without reading storage. (docs/decisions/0003-refresh-rotation.md)
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

/** The parts of a token that this service made; undefined for anything else, without reading storage. */
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

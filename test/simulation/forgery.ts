/** Tokens that the service gave nobody. At each place where tokens are taken, they are nothing. */
import { createHmac, sign, type KeyObject } from "node:crypto";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import { call } from "../support/person.ts";
import type { Generator } from "./generator.ts";
import { ed25519Pair } from "./key-pairs.ts";
import type { Json, Owner } from "./mall-owner.ts";
import type { ProgramKey } from "./programs.ts";
import { time } from "./time.ts";
import type { World } from "./world.ts";

export type Forged = { what: string; token: string };

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A part of a token: of a forgery, this may be a list. */
export const decoded = (part = ""): Json => JSON.parse(Buffer.from(part, "base64url").toString()) as Json;

function signed(header: Json, claims: unknown, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const digest = header["alg"] === "EdDSA" ? null : "sha256";
  const signature = sign(digest, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

/** By somebody who has seen a token and no key of the service. */
export function forgeriesOf(token: string, chances: Generator): Forged[] {
  const [first = "", second = "", third = ""] = token.split(".");
  const [header, claims] = [decoded(first), decoded(second)];
  const bytes = Buffer.from(third, "base64url");
  const changed = Buffer.from(bytes);
  const at = chances.below(bytes.length);
  // Not a flipped bit: this may be such a forgery, of which the right one must not be made.
  changed[at] = (changed[at] ?? 0) + 1;
  const longer = encoded({ ...claims, exp: Number(claims["exp"]) + 3600 });
  const { privateKey, publicKey } = ed25519Pair(chances.bytes(32));
  const jwk = publicKey.export({ format: "jwk" });
  const own = { ...header, alg: "EdDSA" };
  const unsigned = `${encoded({ ...header, alg: "none" })}.${second}`;
  const hmac = `${encoded({ ...header, alg: "HS256" })}.${second}`;
  // A signature has 64 bytes: four bits of its last character say nothing.
  const last = String.fromCodePoint((third.codePointAt(third.length - 1) ?? 0) + 1);
  const all: Record<string, string> = {
    "with another signature": `${first}.${second}.${changed.toString("base64url")}`,
    "that lasts longer": `${first}.${longer}.${third}`,
    "without a signature": `${unsigned}.`,
    "of no algorithm": `${unsigned}.${third}`,
    "of a shared secret": `${hmac}.${createHmac("sha256", String(header["kid"])).update(hmac).digest("base64url")}`,
    "by another key": signed(own, claims, privateKey),
    "by a key in its header": signed({ ...own, jwk }, claims, privateKey),
    "by a key that nobody knows": signed({ ...own, kid: "A".repeat(43) }, claims, privateKey),
    "without a key": signed({ ...own, kid: undefined }, claims, privateKey),
    "with a fourth part": `${token}.x`,
    "with padding": `${token}=`,
    "in another writing": `${token.slice(0, -1)}${last}`,
  };
  return Object.entries(all).map(([what, text]) => ({ what, token: text }));
}

/** By its own keys, but of another kind, another service, another time or another person. */
async function misusesOf(world: World, token: string): Promise<Forged[]> {
  const [first, second] = token.split(".");
  const [header, claims] = [decoded(first), decoded(second)];
  const algorithm = header["alg"] as "EdDSA" | "ES256";
  const { id, privateKey } = await world.operate(async (ctx) => await signingKeys.forSigningExactly(ctx, algorithm));
  const now = Math.floor(time.now() / 1000);
  const is = { ...header, kid: id };
  const of = (other: Json): string => signed(is, { ...claims, ...other }, privateKey);
  const all: Record<string, string> = {
    "of another kind": signed({ ...is, typ: "JWT" }, claims, privateKey),
    "that ends logins": signed({ ...is, typ: "logout+jwt" }, claims, privateKey),
    "for a host": signed({ ...is, typ: "authsvc-assertion+jwt" }, claims, privateKey),
    "with an extension": signed({ ...is, crit: ["b64"], b64: true }, claims, privateKey),
    "of another service": of({ iss: "https://other.example" }),
    "that is over": of({ iat: now - 1200, exp: now - 300 }),
    "of later": of({ iat: now + 600, exp: now + 900 }),
    "of somebody else": of({ sub: "usr_other" }),
    "of somebody else, who is named twice": of({ sub: "usr_other", user_id: "usr_other" }),
    "of a login that there is not": of({ sid: "ses_other" }),
    "of no login": of({ sid: undefined }),
    "that never ends": of({ exp: undefined }),
    "without a beginning": of({ iat: undefined }),
    "without a client": of({ client_id: undefined }),
    "without scopes": of({ scope: undefined }),
    "for nobody": of({ aud: undefined }),
    "for two": of({ aud: ["https://one.example", "https://two.example"] }),
    "of another application": of({ app_id: world.app.id }),
    "that is a list": signed(is, [claims], privateKey),
  };
  // A machine's has none.
  if (claims["sid"] === undefined) delete all["of no login"];
  return Object.entries(all).map(([what, text]) => ({ what, token: text }));
}

const places = ["GET /auth/validate", "GET /oauth2/userinfo", "GET /users/profile", "POST /auth/logout"];

/** O8: two of them, wherever the service takes tokens, and at `more` places. */
export async function tryForged(
  shop: Owner,
  { token, prover }: { token: string; prover?: ProgramKey | undefined },
  more: Record<string, (forged: string) => Promise<boolean>> = {},
): Promise<void> {
  const { me, app } = shop;
  const { world, chances } = me;
  const forged = [chances.pick(forgeriesOf(token, chances)), chances.pick(await misusesOf(world, token))];
  world.reached("a forged token at each place");
  for (const { what, token: text } of forged) {
    const mustNot = (isTaken: boolean, place: string): void =>
      me.must("O8", !isTaken, `a token ${what} was taken at ${place}`);
    for (const place of places) {
      const [method = "", path = ""] = place.split(" ");
      const proof = prover && { dpop: prover.proof(method, path, { token: text }) };
      const headers = { authorization: `${prover ? "DPoP" : "Bearer"} ${text}`, ...proof };
      const named: Record<string, string> = path === "/auth/validate" ? { "x-service-app-id": app.id } : {};
      const { status } = await call(
        world.service,
        method,
        path,
        { ...headers, ...named },
        method === "POST" ? {} : undefined,
      );
      mustNot(status !== 401, place);
    }
    const { body } = await shop.post(shop.itself, "/oauth2/introspect", { token: text });
    shop.same("O8", body, { active: false }, `introspection of a token ${what}`);
    for (const [place, isTaken] of Object.entries(more)) mustNot(await isTaken(text), place);
  }
}

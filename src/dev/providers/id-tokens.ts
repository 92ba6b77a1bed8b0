import { generateKeyPair, sign, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../../lib/clock.ts";
import { keyThumbprint } from "../../lib/key-thumbprint.ts";
import type { Grant } from "./grants.ts";
import { subjectOf } from "./people.ts";
import { issuerOf, microsoftTenant, type StandIn } from "./stand-ins.ts";

type Issuer = { origin: string; clock: Clock };
type SigningKey = { privateKey: KeyObject; publicJwk: object; kid: string };

const idTokensLastSeconds = 3600;
const generate = promisify(generateKeyPair);

/**
 * Creates and signs id_tokens. Each issuer has its own key, created on demand and never stored.
 */
export class IdTokens {
  readonly #keys = new Map<string, Promise<SigningKey>>();
  readonly #issuer: Issuer;

  constructor(issuer: Issuer) {
    this.#issuer = issuer;
  }

  async make(standIn: StandIn, grant: Grant): Promise<string> {
    const ownKey = await this.#keyOf(standIn);
    const alg = algorithmOf(standIn);
    const key = grant.failure === "id-token-signature" ? (await newKey(alg)).privateKey : ownKey.privateKey;
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = claimsFor(standIn, grant, this.#issuer);
    const content = `${encode({ alg, kid: ownKey.kid, typ: "JWT" })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  }

  /** RFC 7517. */
  async keySet(standIn: StandIn): Promise<{ keys: object[] }> {
    const { publicJwk, kid } = await this.#keyOf(standIn);
    return { keys: [{ ...publicJwk, kid, use: "sig" }] };
  }

  #keyOf(standIn: StandIn): Promise<SigningKey> {
    const key = this.#keys.get(standIn.name) ?? newKey(algorithmOf(standIn));
    this.#keys.set(standIn.name, key);
    return key;
  }
}

function algorithmOf({ says }: StandIn): "RS256" | "ES256" {
  return "idToken" in says ? says.idToken : "ES256";
}

/** The claims of an id_token (OpenID Connect Core §2). */
export function claimsFor(
  standIn: StandIn,
  { person, request, failure }: Grant,
  { origin, clock }: Issuer,
): Record<string, unknown> {
  const now = Math.floor(clock() / 1000);
  const issuedAt = failure === "id-token-expired" ? now - 2 * idTokensLastSeconds : now;
  const email = request.scopes.includes("email") ? (person.email ?? undefined) : undefined;
  const [, domain] = email?.trim().toLowerCase().split("@") ?? [];
  // Other addresses belong to Workspace domains.
  const google = { hd: domain === "gmail.com" ? undefined : domain };
  const microsoft = { tid: microsoftTenant, ver: "2.0", preferred_username: email };
  return {
    iss: failure === "id-token-issuer" ? "https://another.example" : issuerOf(origin, standIn),
    aud: failure === "id-token-audience" ? "another-client" : standIn.clientId,
    sub: subjectOf(standIn.name, person),
    iat: issuedAt,
    exp: issuedAt + idTokensLastSeconds,
    auth_time: authTimeOf(standIn, { request, failure }, now),
    nonce: failure === "id-token-nonce" ? "another-nonce" : request.nonce,
    email,
    // Apple's documentation allows strings, and Apple has sent them.
    email_verified: email !== undefined && standIn.saysVerified ? verified(standIn, person.verified) : undefined,
    name: request.scopes.includes("profile") && person.name !== "" ? person.name : undefined,
    ...(standIn.name === "google" ? google : {}),
    ...(standIn.name === "microsoft" ? microsoft : {}),
  };
}

/** These do not stop a sign-in, but leave its time unproven. */
function authTimeOf({ saysWhen }: StandIn, { request, failure }: Pick<Grant, "request" | "failure">, now: number) {
  if (failure === "auth-time-old") return now - 3600;
  if (failure === "auth-time-future") return now + 3600;
  if (failure === "auth-time-text") return String(now);
  const isSaid = saysWhen === "always" || (saysWhen === "if-asked" && request.asksWhen);
  return isSaid && failure !== "auth-time-missing" ? now : undefined;
}

function verified(standIn: StandIn, isVerified: boolean): boolean | string {
  return standIn.name === "apple" ? String(isVerified) : isVerified;
}

async function newKey(algorithm: "RS256" | "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } =
    algorithm === "RS256"
      ? await generate("rsa", { modulusLength: 2048 })
      : await generate("ec", { namedCurve: "P-256" });
  const publicJwk = publicKey.export({ format: "jwk" });
  return { privateKey, publicJwk: { ...publicJwk, alg: algorithm }, kid: keyThumbprint(publicJwk) };
}

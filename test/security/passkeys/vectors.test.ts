import { createPublicKey, hash, randomBytes, verify } from "node:crypto";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { assertion, attest, flag, type Credential } from "../../support/authenticator.ts";
import { useService } from "../../support/one-service.ts";
import { askOptions, post, type Ceremony } from "../../support/passkey-ceremonies.ts";
import { initiate, newEmail, Visitor } from "../../support/person.ts";
import { usersOf } from "../../support/providers/records.ts";
import type { TestApp } from "../../support/service.ts";
import { origin, rpId, vectors, type Vector } from "../vectors/webauthn.ts";

/**
 * What the service draws next when it draws 32 bytes: the vectors answer challenges that were
 * theirs to choose.
 */
const drawn: Buffer[] = [];
const service = useService(
  { baseUrl: origin, trustedProxies: ["127.0.0.1"] },
  { random: (size) => (size === 32 ? drawn.shift() : undefined) ?? randomBytes(size) },
);

const overTls = { "x-forwarded-proto": "https" };
/**
 * The browser is at https://example.org; what it sends arrives here from the proxy in front of us.
 */
class VisitorBehindProxy extends Visitor {
  override async get(url: string, headers: Record<string, string> = {}) {
    return await super.get(inside(url), headers);
  }
  override async post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return await super.post(inside(url), fields, { origin, ...headers });
  }
}
const inside = (url: string): string => url.replace(origin, service.url);

let app: TestApp;
beforeAll(async () => {
  const created = await service.createApp();
  app = { ...created, headers: { ...created.headers, ...overTls } };
});
beforeEach(() => {
  drawn.length = 0;
});

async function open(path: "" | "/create-account"): Promise<Ceremony> {
  const session = await initiate(service, app);
  const visitor = new VisitorBehindProxy(overTls);
  return { session, visitor, page: await visitor.get(session.authUrl + path) };
}

/** The page asks with exactly this challenge. */
async function askedWith(ceremony: Ceremony, challenge: Buffer, fields: Record<string, string> = {}): Promise<string> {
  // A new user handle is drawn first where there is one.
  drawn.push(...(fields["email"] === undefined ? [] : [randomBytes(32)]), challenge);
  const options = await askOptions(ceremony, fields);
  expect(options.challenge).toBe(challenge.toString("base64url"));
  expect(options.rpId ?? options.rp?.id).toBe(rpId);
  return options.challenge;
}

async function register(challenge: Buffer, credential: Credential) {
  const ceremony = await open("/create-account");
  await askedWith(ceremony, challenge, { email: newEmail(), name: "" });
  return await post(ceremony, credential);
}

async function authenticate(challenge: Buffer, credential: Credential) {
  const ceremony = await open("");
  await askedWith(ceremony, challenge);
  return await post(ceremony, credential);
}

/** The same credential, made with user verification, for what the vector leaves unverified. */
async function registerHonestly({ passkey, registration }: Vector): Promise<void> {
  const isEligible = vectorFlags(registration.credential) & flag.backupEligible;
  const asked = { challenge: registration.challenge.toString("base64url"), origin, rpId };
  const flags = flag.present | flag.verified | flag.attested | isEligible;
  const page = await register(registration.challenge, attest(passkey, asked, { flags }));
  expect(page.status).toBe(303);
}

function vectorFlags({ response }: Credential): number {
  const object = Buffer.from(String(response["attestationObject"]), "base64url");
  return object[object.indexOf(hash("sha256", rpId, "buffer")) + 32] ?? 0;
}

function isSigned({ authentication, passkey }: Vector): boolean {
  const { response } = authentication.credential;
  const bytes = (name: string): Buffer => Buffer.from(String(response[name]), "base64url");
  const signed = Buffer.concat([bytes("authenticatorData"), hash("sha256", bytes("clientDataJSON"), "buffer")]);
  const digest = passkey.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(digest, signed, createPublicKey(passkey.privateKey), bytes("signature"));
}

it.each(vectors)(
  "K10: the registration of $name is taken when it is verified and not framed, and only then",
  async (vector) => {
    const { challenge, credential, isVerified, isFramed } = vector.registration;
    const before = (await usersOf(service, app)).length;
    const page = await register(challenge, credential);
    const isTaken = isVerified && !isFramed;
    expect(page.status).toBe(isTaken ? 303 : 422);
    expect(await usersOf(service, app)).toHaveLength(before + (isTaken ? 1 : 0));
  },
);

it.each(vectors)(
  "K10: the authentication of $name is taken when it is verified and not framed, and only then",
  async (vector) => {
    const { challenge, credential, isVerified } = vector.authentication;
    if (!vector.registration.isVerified || vector.registration.isFramed) await registerHonestly(vector);
    const page = await authenticate(challenge, credential);
    const isTaken = isVerified && !vector.registration.isFramed;
    expect(page.status).toBe(isTaken ? 303 : 401);
    // Refused or not, it is what the specification says it is: signed by this key, which is at home
    // here when it is verified.
    expect(isSigned(vector)).toBe(true);
    const again = randomBytes(32);
    const flags = flag.present | flag.verified | (vectorFlags(vector.registration.credential) & flag.backupEligible);
    const asked = { challenge: again.toString("base64url"), origin, rpId };
    const honest = assertion(vector.passkey, asked, { flags, userHandle: undefined });
    expect((await authenticate(again, honest)).status).toBe(303);
  },
);

it("K10: some of the vectors are taken in either ceremony", () => {
  expect(
    vectors.filter(({ registration }) => registration.isVerified && !registration.isFramed).length,
  ).toBeGreaterThan(1);
  expect(
    vectors.filter(({ authentication, registration }) => authentication.isVerified && !registration.isFramed).length,
  ).toBeGreaterThan(1);
});

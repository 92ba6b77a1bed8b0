import { createHash, createPrivateKey, sign } from "node:crypto";
import type { Page, Request } from "playwright-core";
import type { StoredCredential } from "../../support/chromium.ts";
import { inPage } from "./steps.ts";

/** What a browser posts after a ceremony; binary fields in base64url. */
export type Answer<R> = {
  id: string;
  rawId: string;
  type: "public-key";
  clientExtensionResults: Record<string, unknown>;
  response: R;
};
export type Assertion = Answer<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;
export type Attestation = Answer<{ clientDataJSON: string; attestationObject: string; transports?: string[] }>;

type ClientData = { type: string; challenge: string; origin: string; crossOrigin: boolean; topOrigin?: string };

/** How a forged assertion differs from an honest one. */
export type Twist = {
  clientData?: Partial<ClientData>;
  rpId?: string;
  /**
   * Authenticator data flags (WebAuthn §6.1): user present 1, user verified 4, backup eligible 8,
   * backed up 16.
   */
  flags?: number;
  signCount?: number;
  leftover?: Buffer;
  userHandle?: string;
  /** Signs something other than what is sent. */
  breakSignature?: boolean;
};

export const present = 1;
export const verified = 4;

/** Signs an assertion as the authenticator that holds `credential` would, or as one that lies. */
export function forgeAssertion(
  credential: StoredCredential,
  expected: { challenge: string; origin: string },
  twist: Twist = {},
): Assertion {
  const clientData = Buffer.from(
    JSON.stringify({ type: "webauthn.get", ...expected, crossOrigin: false, ...twist.clientData }),
  );
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(twist.signCount ?? credential.signCount + 1);
  const authenticatorData = Buffer.concat([
    sha256(twist.rpId ?? "localhost"),
    Buffer.from([twist.flags ?? present | verified]),
    counter,
    twist.leftover ?? Buffer.alloc(0),
  ]);
  const key = createPrivateKey({ key: Buffer.from(credential.privateKey, "base64"), format: "der", type: "pkcs8" });
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  const signed = Buffer.concat([authenticatorData, sha256(clientData), Buffer.alloc(twist.breakSignature ? 1 : 0)]);
  const id = urlSafe(credential.credentialId);
  return {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authenticatorData.toString("base64url"),
      signature: sign(digest, signed, key).toString("base64url"),
      userHandle: twist.userHandle ?? urlSafe(credential.userHandle ?? ""),
    },
  };
}

/**
 * The same attestation for another challenge: with attestation `none` nothing signs the client
 * data.
 */
export function withClientData(attestation: Attestation, changes: Partial<ClientData>): Attestation {
  const before = JSON.parse(Buffer.from(attestation.response.clientDataJSON, "base64url").toString()) as ClientData;
  const clientDataJSON = Buffer.from(JSON.stringify({ ...before, ...changes })).toString("base64url");
  return { ...attestation, response: { ...attestation.response, clientDataJSON } };
}

/** The same attestation with some bytes of its object changed in place. */
export function withAttestationObject(attestation: Attestation, change: (bytes: Buffer) => void): Attestation {
  const bytes = Buffer.from(attestation.response.attestationObject, "base64url");
  change(bytes);
  return {
    ...attestation,
    response: { ...attestation.response, attestationObject: bytes.toString("base64url") },
  };
}

/** Where the authenticator data of this relying party lies in an attestation object. */
export function authenticatorDataIn(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(sha256("localhost")));
}

/**
 * Asks the service for a challenge, as the script of the page does; `fields` for the account to be
 * made.
 */
export async function askForChallenge(page: Page, fields: Record<string, string> = {}): Promise<string> {
  return await inPage<string>(
    page,
    `async (fields) => {
      const form = document.querySelector("form[data-passkey]");
      const body = new URLSearchParams({ token: form.elements.token.value, ...fields });
      const answer = await fetch(form.dataset.options, { method: "POST", body });
      return (await answer.json()).options.challenge;
    }`,
    fields,
  );
}

/** Posts an answer through the page's own form, whoever made it; a text goes out as it is. */
export async function postAnswer(page: Page, answer: Assertion | Attestation | string): Promise<void> {
  await Promise.all([
    page.waitForEvent("framenavigated"),
    inPage(
      page,
      `(credential) => {
        const form = document.querySelector("form[data-passkey]");
        form.elements.credential.value = credential;
        form.submit();
      }`,
      typeof answer === "string" ? answer : JSON.stringify(answer),
    ),
  ]);
}

/** Runs a ceremony by hand in whatever page is open; the answer is not sent anywhere. */
export async function assertIn(page: Page, challenge: string): Promise<Assertion> {
  return await inPage<Assertion>(
    page,
    `async (challenge) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ challenge, rpId: "localhost", userVerification: "required" });
      return (await navigator.credentials.get({ publicKey })).toJSON();
    }`,
    challenge,
  );
}

/** Catches what a page posts to a passkey form, while `act` makes it do so. */
export async function answerPostedDuring<A extends Assertion | Attestation>(
  page: Page,
  act: () => Promise<unknown>,
): Promise<A> {
  const isAnswer = (request: Request) => request.method() === "POST" && request.url().endsWith("/passkey");
  const [request] = await Promise.all([page.waitForRequest(isAnswer), act()]);
  return JSON.parse(new URLSearchParams(request.postData() ?? "").get("credential") ?? "") as A;
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function urlSafe(base64: string): string {
  return Buffer.from(base64, "base64").toString("base64url");
}

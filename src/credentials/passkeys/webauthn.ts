import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { z } from "zod";
import type { VerifiedAttestation } from "../../storage/column-types.ts";
import { algorithms, isUsableKey } from "./public-key.ts";

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON };

/**
 * Loaded with the first ceremony: no command needs it, and loading takes longer than most commands
 * run.
 */
const library = async () => await import("@simplewebauthn/server");

/**
 * The relying party: the host name that owns the passkeys (`id`), and the one origin that may use
 * them here, or each of several.
 */
export type RelyingParty = { id: string; name: string; origin: string | string[] };

export const challengeLastsMilliseconds = 5 * 60_000;

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/u);
const credential = {
  id: base64url.max(1364),
  rawId: base64url.max(1364),
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().nullish(),
  clientExtensionResults: z.record(z.string(), z.unknown()).nullish(),
};
const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    // Some browsers and security keys send "" for none.
    userHandle: z.union([base64url, z.literal("")]).nullish(),
  }),
});
const attestationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    // Only those that we know are kept.
    transports: z.array(z.unknown()).nullish().catch(null),
  }),
});

export type Assertion = z.output<typeof assertionSchema>;
export type Attestation = z.output<typeof attestationSchema>;

/** Parses the posted credential; undefined if it does not have that form. */
export function parseAssertion(text: string): Assertion | undefined {
  return assertionSchema.safeParse(jsonOf(text)).data;
}

export function parseAttestation(text: string): Attestation | undefined {
  return attestationSchema.safeParse(jsonOf(text)).data;
}

/** The challenge that a credential claims to answer. Unverified, only for looking it up. */
export function challengeOf(answer: Assertion | Attestation): string | undefined {
  const { challenge } = (clientDataOf(answer) ?? {}) as { challenge?: unknown };
  return typeof challenge === "string" ? challenge : undefined;
}

/**
 * WebAuthn §7.1 step 10, §7.2 step 13: our pages are never framed, so ceremonies are not either.
 * The library checks this at sign-in only, and not for unnamed frames.
 */
function refuseFramed(answer: Assertion | Attestation): void {
  const { crossOrigin, topOrigin } = (clientDataOf(answer) ?? {}) as { crossOrigin?: unknown; topOrigin?: unknown };
  if ((crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined)
    throw new Error("the ceremony took place in a frame of another site");
}

function clientDataOf(answer: Assertion | Attestation): unknown {
  return jsonOf(Buffer.from(answer.response.clientDataJSON, "base64url").toString("utf8"));
}

/**
 * Options for any passkey of this relying party. `allowed` lists those whose authenticators cannot
 * find them.
 */
export async function requestOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  allowed: { credentialId: string; transports: string[] }[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return await (
    await library()
  ).generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    userVerification: "required",
    ...(allowed.length > 0 ? { allowCredentials: allowed.map(descriptorOf) } : {}),
    timeout: challengeLastsMilliseconds,
  });
}

export async function creationOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  user: {
    handle: string;
    email: string;
    name: string | null;
    passkeys: { credentialId: string; transports: string[] }[];
    mustBeDiscoverable: boolean;
    /** Browsers create one without asking only if they need not verify anyone (WebAuthn §5.1.3). */
    conditional: boolean;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return await (
    await library()
  ).generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    challenge,
    userID: new Uint8Array(Buffer.from(user.handle, "base64url")),
    userName: user.email,
    userDisplayName: user.name ?? user.email,
    attestationType: "none",
    authenticatorSelection: {
      residentKey: user.mustBeDiscoverable ? "required" : "preferred",
      userVerification: user.conditional ? "preferred" : "required",
    },
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: user.passkeys.map(descriptorOf),
    timeout: challengeLastsMilliseconds,
  });
}

export type VerifiedAssertion = { signCount: number; backedUp: boolean; backupEligible: boolean };

/**
 * Undefined if any step of WebAuthn §7.2 fails; "changed" if only the eligibility for backups has
 * changed. The library throws plain errors without codes; their messages go to `explain`.
 */
export async function verifyAssertion(
  assertion: Assertion,
  expected: { party: RelyingParty; challenge: string },
  passkey: { credentialId: string; publicKey: string; transports: string[]; backupEligible: boolean | null },
  explain: (reason: string) => void,
): Promise<VerifiedAssertion | "changed" | undefined> {
  try {
    refuseFramed(assertion);
    const { verified, authenticationInfo } = await (
      await library()
    ).verifyAuthenticationResponse({
      response: assertion as unknown as AuthenticationResponseJSON,
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserVerification: true,
      // The caller judges the counter: a synced passkey may legitimately go back, and 0 → 0 is
      // usual.
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
        counter: 0,
        transports: knownTransports(passkey.transports),
      },
    });
    if (!verified) {
      explain("the signature is invalid");
      return undefined;
    }
    const { newCounter: signCount, credentialBackedUp: backedUp } = authenticationInfo;
    const backupEligible = isBackupEligible(authenticationInfo);
    // WebAuthn §7.2 step 19: it never changes, so another authenticator answered.
    if (passkey.backupEligible !== null && passkey.backupEligible !== backupEligible) {
      explain("the backup eligibility has changed");
      return "changed";
    }
    return { signCount, backedUp, backupEligible };
  } catch (error) {
    explain((error as Error).message);
    return undefined;
  }
}

/**
 * Undefined if any step of WebAuthn §7.1 fails. Attestation `none`: attestation statements earn no
 * trust.
 */
export async function verifyAttestation(
  attestation: Attestation,
  expected: { party: RelyingParty; challenge: string; conditional: boolean },
  explain: (reason: string) => void,
): Promise<VerifiedAttestation | undefined> {
  try {
    refuseFramed(attestation);
    const { verified, registrationInfo } = await (
      await library()
    ).verifyRegistrationResponse({
      response: attestation as unknown as RegistrationResponseJSON,
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserPresence: !expected.conditional,
      requireUserVerification: !expected.conditional,
      // Enforced here too: a policy that only the page enforces is none (CVE-2026-8830).
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) {
      explain("the attestation is invalid");
      return undefined;
    }
    const { credential: key, aaguid, credentialBackedUp } = registrationInfo;
    const publicKey = Buffer.from(key.publicKey).toString("base64url");
    // Not checked by the library: passkeys that could never sign in, or that differ from what was
    // posted.
    if (!(await hasStatement(attestation))) throw new Error("the attestation statement is not a map");
    if (key.id !== attestation.id) throw new Error("the credential id is not the one in the authenticator data");
    if (!(await isUsablePublicKey(publicKey))) throw new Error("the public key is not usable");
    return {
      credentialId: key.id,
      publicKey,
      signCount: key.counter,
      transports: knownTransports(attestation.response.transports ?? []),
      aaguid,
      backedUp: credentialBackedUp,
      backupEligible: isBackupEligible(registrationInfo),
      discoverable: !isKnownNotDiscoverable(attestation),
    };
  } catch (error) {
    explain((error as Error).message);
    return undefined;
  }
}

async function hasStatement({ response }: Attestation): Promise<boolean> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, "base64url")));
  return object.get("attStmt") instanceof Map;
}

function isBackupEligible({ credentialDeviceType }: { credentialDeviceType: "singleDevice" | "multiDevice" }): boolean {
  return credentialDeviceType === "multiDevice";
}

/** Whether assertions can be verified with a public key (COSE, base64url). */
export async function isUsablePublicKey(publicKey: string): Promise<boolean> {
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  try {
    const key: unknown = decodeCredentialPublicKey(new Uint8Array(Buffer.from(publicKey, "base64url")));
    return key instanceof Map && isUsableKey(key);
  } catch {
    return false;
  }
}

/**
 * WebAuthn §10.1.3 (credProps), as claimed by the browser. Browsers that omit it create
 * discoverable ones.
 */
function isKnownNotDiscoverable({ clientExtensionResults }: Attestation): boolean {
  const { credProps } = (clientExtensionResults ?? {}) as { credProps?: { rk?: unknown } };
  return credProps?.rk === false;
}

function descriptorOf({ credentialId, transports }: { credentialId: string; transports: string[] }) {
  return { id: credentialId, transports: knownTransports(transports) };
}

function knownTransports(transports: unknown[]): AuthenticatorTransport[] {
  const allTransports: AuthenticatorTransport[] = ["ble", "hybrid", "internal", "nfc", "usb"];
  return allTransports.filter((transport) => transports.includes(transport));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

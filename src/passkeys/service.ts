import type { Application } from "../applications/application.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { PasskeySignal } from "../pages/passkey-signal.ts";
import { clip } from "../lib/text.ts";
import { digestOf, newId, newSecret, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import { deviceLabel } from "./device-label.ts";
import { relyingPartyId, relyingPartyIsPossible } from "./relying-party.ts";
import {
  consumeChallenge,
  countPasskeys,
  deletePasskeysOfUser,
  findPasskey,
  hasPasskey,
  insertChallenge,
  insertPasskey,
  isCredentialKnown,
  listPasskeys,
  notePasskeyUse,
  sweepChallenges,
  type Challenge,
  type Passkey,
} from "./store.ts";
import {
  challengeLastsMilliseconds,
  challengeOf,
  creationOptions,
  parseAssertion,
  parseAttestation,
  requestOptions,
  verifyAssertion,
  verifyAttestation,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RelyingParty,
  type VerifiedAssertion,
  type VerifiedAttestation,
} from "./webauthn.ts";

/** Where a ceremony happens: a challenge made in one sign-in session and browser is worth nothing in another. */
export type Place = { sessionDigest: string; browserDigest: string };

export type ProvenPasskey = { user: User; passkey: Passkey; proof: VerifiedAssertion };
/** A passkey that was just made, and for whom. */
export type NewPasskey = { email: string; name: string | null; userHandle: string; credential: VerifiedAttestation };

/** Of one user: each is a way in, and listed in every ceremony that names them. */
const mostPasskeys = 20;

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys(deps: {
  storage: Storage;
  users: Users;
  baseUrl: string;
  clock: Clock;
  random: Random;
  log: Log;
}) {
  const { storage, users, baseUrl, clock, random, log } = deps;
  const origin = new URL(baseUrl);

  function partyFor(application: Application): RelyingParty {
    const id = application.settings.relyingPartyId ?? relyingPartyId(origin.hostname, application.domain);
    return { id, name: application.name, origin: origin.origin };
  }

  async function newChallenge(
    place: Place,
    purpose: Pick<Challenge, "ceremony" | "userHandle" | "email" | "name">,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = new Uint8Array(random(32));
    const digest = digestOf(Buffer.from(challenge).toString("base64url"));
    const expiresAt = clock() + challengeLastsMilliseconds;
    await storage.write((tx) => insertChallenge(tx, { digest, ...place, ...purpose, expiresAt }));
    return challenge;
  }

  /** Consumes the challenge that an answer names before anything in the answer is believed. */
  async function consume(
    place: Place,
    ceremony: Challenge["ceremony"],
    challenge: string | undefined,
  ): Promise<Challenge | undefined> {
    if (challenge === undefined) return undefined;
    return await storage.write((tx) =>
      consumeChallenge(tx, { digest: digestOf(challenge), ...place, ceremony }, clock()),
    );
  }

  /** Only what cannot be used without being named: everybody else, and nobody at all, gets the same empty list (WebAuthn §14.6.2). */
  async function passkeysToName(application: Application, email: string): Promise<Passkey[]> {
    const user = await users.findByEmail(application.id, email);
    const passkeys = await listPasskeys(storage.reader, user?.id ?? "");
    return passkeys.filter((passkey) => !passkey.discoverable);
  }

  async function proveMade(
    application: Application,
    place: Place,
    ceremony: "sign-up" | "add",
    posted: string,
  ): Promise<NewPasskey | undefined> {
    const attestation = parseAttestation(posted);
    const challenge = attestation && challengeOf(attestation);
    const made = attestation && (await consume(place, ceremony, challenge));
    if (!made || challenge === undefined || made.email === null || made.userHandle === null) return undefined;
    const party = partyFor(application);
    const credential = await verifyAttestation(attestation, { party, challenge }, refuse(ceremony));
    return credential && { email: made.email, name: made.name, userHandle: made.userHandle, credential };
  }

  // The library quotes what was sent, an origin for example: shown clipped, and as ASCII only.
  const refuse = (ceremony: string) => (reason: string) =>
    log.info("passkey refused", { ceremony, reason: clip(reason.replaceAll(/[^\x20-\x7E]/gu, "?"), 200) });

  return {
    /** Whether browsers can have passkeys for this service at all: an IP address is no relying party. */
    available: relyingPartyIsPossible(origin),

    /**
     * Options for signing in. With a typed address they also name those of its passkeys that their authenticator does not remember: an address
     * without such a passkey, known or not, changes nothing in them.
     */
    async signInOptions(
      application: Application,
      place: Place,
      email?: string,
    ): Promise<PublicKeyCredentialRequestOptionsJSON> {
      const challenge = await newChallenge(place, { ceremony: "sign-in", userHandle: null, email: null, name: null });
      return await requestOptions(
        partyFor(application),
        challenge,
        email === undefined ? [] : await passkeysToName(application, email),
      );
    },

    /** Options for a new account: always a new user handle, so that they are the same for a known and an unknown address. */
    async signUpOptions(
      application: Application,
      place: Place,
      email: string,
      name: string | null,
    ): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const userHandle = newSecret(random);
      const challenge = await newChallenge(place, { ceremony: "sign-up", userHandle, email, name });
      return await creationOptions(partyFor(application), challenge, {
        handle: userHandle,
        email,
        name,
        passkeys: [],
        mustBeDiscoverable: !application.authMethods.password.enabled,
      });
    },

    /** Options that ask for a passkey of one user, whom another proof has named already. */
    async stepOptions(
      application: Application,
      place: Place,
      userId: string,
    ): Promise<PublicKeyCredentialRequestOptionsJSON> {
      const challenge = await newChallenge(place, { ceremony: "sign-in", userHandle: null, email: null, name: null });
      return await requestOptions(partyFor(application), challenge, await listPasskeys(storage.reader, userId));
    },

    /** Options for one more passkey of a user. */
    async addOptions(
      application: Application,
      place: Place,
      user: User,
    ): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const { handle, email, name } = user;
      const shown = email ?? name ?? user.id;
      const challenge = await newChallenge(place, { ceremony: "add", userHandle: handle, email: shown, name });
      return await creationOptions(partyFor(application), challenge, {
        handle,
        email: shown,
        name,
        passkeys: await listPasskeys(storage.reader, user.id),
        mustBeDiscoverable: !application.authMethods.password.enabled,
      });
    },

    /** Who an assertion proves; "unknown" for a passkey that is not registered in this application; undefined when it proves nothing. */
    async prove(
      application: Application,
      place: Place,
      posted: string,
    ): Promise<ProvenPasskey | "unknown" | undefined> {
      const assertion = parseAssertion(posted);
      const challenge = assertion && challengeOf(assertion);
      if (!assertion || challenge === undefined || !(await consume(place, "sign-in", challenge))) return undefined;
      const found = await findPasskey(storage.reader, application.id, assertion.id);
      if (!found) return "unknown";
      const { passkey, handle } = found;
      // WebAuthn §7.2 step 6: a discoverable credential says whose it is, and must be right.
      const claimed = assertion.response.userHandle;
      if (claimed !== undefined && claimed !== null && claimed !== handle) return undefined;
      const proof = await verifyAssertion(
        assertion,
        { party: partyFor(application), challenge },
        passkey,
        refuse("sign-in"),
      );
      const user = proof && (await users.find(passkey.userId));
      return user && user.disabledAt === null ? { user, passkey, proof } : undefined;
    },

    /** What a credential for a new account proves; undefined when it proves nothing. */
    async proveNew(application: Application, place: Place, posted: string): Promise<NewPasskey | undefined> {
      return await proveMade(application, place, "sign-up", posted);
    },

    /** The same for one more passkey of a user. */
    async proveAdded(
      application: Application,
      place: Place,
      user: User,
      posted: string,
    ): Promise<NewPasskey | undefined> {
      const made = await proveMade(application, place, "add", posted);
      return made?.userHandle === user.handle ? made : undefined;
    },

    /** The relying party's id of an application's passkeys. */
    partyId(application: Application): string {
      return partyFor(application).id;
    },

    /**
     * A passkey that no application here knows, for the browser to forget; undefined when some application does: several can share a relying
     * party, and what one of them does not know may be another's.
     */
    async nobodys(
      application: Application,
      posted: string,
    ): Promise<{ rpId: string; credentialId: string } | undefined> {
      const assertion = parseAssertion(posted);
      if (!assertion || (await isCredentialKnown(storage.reader, assertion.id))) return undefined;
      return { rpId: partyFor(application).id, credentialId: assertion.id };
    },

    async hasAny(userId: string, handle: Handle = storage.reader): Promise<boolean> {
      return await hasPasskey(handle, userId);
    },

    /** Whether a user may have one more. In a transaction only with the user's row locked: of two at once, each sees the other. */
    async hasRoom(userId: string, handle: Handle = storage.reader): Promise<boolean> {
      return (await countPasskeys(handle, userId)) < mostPasskeys;
    },

    /** What a browser that this user is signed in with is told: which of its passkeys still work, and whose they are. */
    async signalFor(application: Application, { id, handle: userId, email, name }: User): Promise<PasskeySignal> {
      const rpId = partyFor(application).id;
      const passkeys = await listPasskeys(storage.reader, id);
      const shown = email ?? name ?? id;
      return {
        all: { rpId, userId, allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId) },
        user: { rpId, userId, name: shown, displayName: name ?? shown },
      };
    },

    async removeAll(tx: Handle, userId: string): Promise<void> {
      await deletePasskeysOfUser(tx, userId);
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepChallenges(tx, now));
    },

    /** Notes that a proven passkey has signed its user in: "removed" when it is gone, "copied" when its counter went back (a copy may exist). */
    async noteUse(tx: Handle, { passkey, proof }: ProvenPasskey, now: number): Promise<"noted" | "copied" | "removed"> {
      if (!(await notePasskeyUse(tx, passkey.id, { ...proof, lastUsedAt: now }))) return "removed";
      const wentBack = proof.signCount < passkey.signCount;
      return wentBack || (proof.signCount === passkey.signCount && proof.signCount > 0) ? "copied" : "noted";
    },

    /** Gives a user a new passkey; undefined when the credential belongs to somebody already. */
    async add(
      tx: Handle,
      userId: string,
      { credential }: Pick<NewPasskey, "credential">,
      userAgent: string | null,
      now: number,
    ): Promise<{ methodId: string; name: string } | undefined> {
      const name = deviceLabel(credential.aaguid, userAgent);
      const methodId = newId("mth", now, random);
      const passkey = { id: methodId, userId, ...credential, name, createdAt: now, lastUsedAt: now };
      return (await insertPasskey(tx, passkey)) ? { methodId, name } : undefined;
    },
  };
}

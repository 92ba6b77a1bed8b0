import type { Application } from "../applications/application.ts";
import { isOver, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { PasskeySignal } from "../pages/parts/passkey-signal.ts";
import { clip } from "../lib/text.ts";
import { digestOf, newId, newSecret, type Random } from "../lib/random.ts";
import type { NewPasskey } from "../storage/column-types.ts";
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
  recordPasskeyUse,
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
} from "./webauthn.ts";

/** The context of a ceremony: a challenge is valid only in its own sign-in session and browser. */
export type Place = { sessionDigest: string; browserDigest: string };

export type ProvenPasskey = { user: User; passkey: Passkey; proof: VerifiedAssertion };
/** Per user: each is a way in, and is listed in every ceremony that names them. */
const maxPasskeys = 20;

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

  /** Consumes an answer's challenge before anything else in the answer is trusted. */
  async function consume(
    place: Place,
    ceremony: Challenge["ceremony"],
    challenge: string | undefined,
  ): Promise<Challenge | undefined> {
    if (challenge === undefined) return undefined;
    const now = clock();
    const consumed = await storage.write((tx) =>
      consumeChallenge(tx, { digest: digestOf(challenge), ...place, ceremony }, now),
    );
    return consumed && !isOver(consumed.expiresAt, challengeLastsMilliseconds, now) ? consumed : undefined;
  }

  /** Passkeys that only work when named. Everyone else gets an empty list (WebAuthn §14.6.2). */
  async function passkeysToName(application: Application, email: string): Promise<Passkey[]> {
    const user = await users.findByEmail(application.id, email);
    const passkeys = await listPasskeys(storage.reader, user?.id ?? "");
    return passkeys.filter((passkey) => !passkey.discoverable);
  }

  async function proveMade(
    application: Application,
    place: Place,
    ceremony: Exclude<Challenge["ceremony"], "sign-in">,
    posted: string,
  ): Promise<NewPasskey | undefined> {
    const attestation = parseAttestation(posted);
    const challenge = attestation && challengeOf(attestation);
    const made = attestation && (await consume(place, ceremony, challenge));
    if (!made || challenge === undefined || made.email === null || made.userHandle === null) return undefined;
    const party = partyFor(application);
    const expected = { party, challenge, conditional: ceremony === "conditional" };
    const credential = await verifyAttestation(attestation, expected, refuse(ceremony));
    return credential && { email: made.email, name: made.name, userHandle: made.userHandle, credential };
  }

  // The library quotes the input, for example an origin: log it clipped and as ASCII only.
  const refuse = (ceremony: string) => (reason: string) =>
    log.info("passkey refused", { ceremony, reason: clip(reason.replaceAll(/[^\x20-\x7E]/gu, "?"), 200) });

  return {
    /** Whether browsers support passkeys for this service: an IP address is no relying party. */
    available: relyingPartyIsPossible(origin),

    /**
     * Options for signing in. With an address, they also name its passkeys that their authenticator
     * cannot find by itself. Any address without such a passkey, known or not, changes nothing.
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

    /**
     * Options for a new account, with a new user handle: unknown addresses look like known ones.
     */
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
        conditional: false,
      });
    },

    /** Options that ask for a passkey of one user, identified by an earlier proof. */
    async stepOptions(
      application: Application,
      place: Place,
      userId: string,
    ): Promise<PublicKeyCredentialRequestOptionsJSON> {
      const challenge = await newChallenge(place, { ceremony: "sign-in", userHandle: null, email: null, name: null });
      return await requestOptions(partyFor(application), challenge, await listPasskeys(storage.reader, userId));
    },

    /** Options for adding a passkey to a user. The answer must be for the same ceremony. */
    async addOptions(
      application: Application,
      place: Place,
      user: User,
      ceremony: "add" | "conditional",
    ): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const { handle, email, name } = user;
      const shown = email ?? name ?? user.id;
      const challenge = await newChallenge(place, { ceremony, userHandle: handle, email: shown, name });
      return await creationOptions(partyFor(application), challenge, {
        handle,
        email: shown,
        name,
        passkeys: await listPasskeys(storage.reader, user.id),
        mustBeDiscoverable: !application.authMethods.password.enabled,
        conditional: ceremony === "conditional",
      });
    },

    /** The user of an assertion; "unknown" if the passkey is not here; undefined if invalid. */
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
      // WebAuthn §7.2 step 6: a discoverable credential names its user, which must match.
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

    /** The verified credential for a new account; undefined if invalid. */
    async proveNew(application: Application, place: Place, posted: string): Promise<NewPasskey | undefined> {
      return await proveMade(application, place, "sign-up", posted);
    },

    /** Like `proveNew`, for an additional passkey of a user. */
    async proveAdded(
      application: Application,
      place: Place,
      user: User,
      ceremony: "add" | "conditional",
      posted: string,
    ): Promise<NewPasskey | undefined> {
      const made = await proveMade(application, place, ceremony, posted);
      return made?.userHandle === user.handle ? made : undefined;
    },

    /** The relying party id of an application's passkeys. */
    partyId(application: Application): string {
      return partyFor(application).id;
    },

    /** A passkey that no application here has, for browsers to forget; undefined if one has it. */
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

    /** Whether a user may have another passkey. In a transaction, lock the user first. */
    async hasRoom(userId: string, handle: Handle = storage.reader): Promise<boolean> {
      return (await countPasskeys(handle, userId)) < maxPasskeys;
    },

    /** What a signed-in browser is told: the user's current passkeys and names. */
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

    /** Removes a batch of expired rows; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepChallenges(tx, now));
    },

    /** Records a use: "removed" if it is gone, "copied" if its counter decreased (a copy?). */
    async recordUse(
      tx: Handle,
      { passkey, proof }: ProvenPasskey,
      now: number,
    ): Promise<"noted" | "copied" | "removed"> {
      if (!(await recordPasskeyUse(tx, passkey.id, { ...proof, lastUsedAt: now }))) return "removed";
      const wentBack = proof.signCount < passkey.signCount;
      return wentBack || (proof.signCount === passkey.signCount && proof.signCount > 0) ? "copied" : "noted";
    },

    /** Adds a passkey; undefined if the id is taken. `lastUsedAt`: as for `passwords.add`. */
    async add(
      tx: Handle,
      userId: string,
      { credential }: Pick<NewPasskey, "credential">,
      { userAgent, lastUsedAt }: { userAgent: string | null; lastUsedAt: number | null },
      now: number,
    ): Promise<{ methodId: string; name: string } | undefined> {
      const name = deviceLabel(credential.aaguid, userAgent);
      const methodId = newId("mth", now, random);
      const passkey = { id: methodId, userId, ...credential, name, createdAt: now, lastUsedAt };
      return (await insertPasskey(tx, passkey)) ? { methodId, name } : undefined;
    },
  };
}

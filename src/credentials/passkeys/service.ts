import type { Application } from "../../applications/application.ts";
import { relatedOriginsOf, relyingPartyOf } from "../../applications/related-origins.ts";
import { isOver } from "../../lib/clock.ts";
import { digestOf, newId, newSecret } from "../../lib/random.ts";
import { clip } from "../../lib/text.ts";
import type { PasskeySignal } from "./passkey-signal.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { NewPasskey } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { mayProve, type User } from "../../users/user.ts";
import { deviceLabel } from "./device-label.ts";
import { relyingPartyIsPossible } from "../../applications/relying-party.ts";
import {
  consumeChallenge,
  countPasskeys,
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
/** Per user: each can sign in, and is listed in every ceremony that names passkeys. */
const maxPasskeys = 20;

const origin = part((ctx: Context) => new URL(ctx.baseUrl));

function partyFor(ctx: Context, application: Application): RelyingParty {
  const { hostname, origin: own } = origin(ctx);
  const related = relatedOriginsOf(hostname, application);
  const id = relyingPartyOf(hostname, application);
  return { id, name: application.name, origin: related.length === 0 ? own : [own, ...related] };
}

async function newChallenge(
  ctx: Context,
  place: Place,
  purpose: Pick<Challenge, "ceremony" | "userHandle" | "email" | "name">,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(ctx.random(32));
  const digest = digestOf(Buffer.from(challenge).toString("base64url"));
  const expiresAt = ctx.clock() + challengeLastsMilliseconds;
  await ctx.storage.write((tx) => insertChallenge(tx, { digest, ...place, ...purpose, expiresAt }));
  return challenge;
}

/** Consumes an answer's challenge before anything else in the answer is trusted. */
async function consume(
  ctx: Context,
  place: Place,
  ceremony: Challenge["ceremony"],
  challenge: string | undefined,
): Promise<Challenge | undefined> {
  if (challenge === undefined) return undefined;
  const now = ctx.clock();
  const consumed = await ctx.storage.write((tx) =>
    consumeChallenge(tx, { digest: digestOf(challenge), ...place, ceremony }, now),
  );
  return consumed && !isOver(consumed.expiresAt, challengeLastsMilliseconds, now) ? consumed : undefined;
}

/** Passkeys that only work when named. Everybody else gets an empty list (WebAuthn §14.6.2). */
async function passkeysToName(ctx: Context, application: Application, email: string): Promise<Passkey[]> {
  const user = await users.findByEmail(ctx.storage.reader, application.id, email);
  const passkeys = await listPasskeys(ctx.storage.reader, user?.id ?? "");
  return passkeys.filter((passkey) => !passkey.discoverable);
}

async function proveMade(
  ctx: Context,
  application: Application,
  place: Place,
  ceremony: Exclude<Challenge["ceremony"], "sign-in">,
  posted: string,
): Promise<NewPasskey | undefined> {
  const refused = refuse(ctx, application, ceremony);
  const attestation = parseAttestation(posted);
  const challenge = attestation && challengeOf(attestation);
  if (!attestation || challenge === undefined) return refused(notAnAnswer);
  const made = await consume(ctx, place, ceremony, challenge);
  if (!made || made.email === null || made.userHandle === null) return refused(noChallenge);
  const party = partyFor(ctx, application);
  const expected = { party, challenge, conditional: ceremony === "conditional" };
  const credential = await verifyAttestation(attestation, expected, refused);
  return credential && { email: made.email, name: made.name, userHandle: made.userHandle, credential };
}

const notAnAnswer = "not the answer of a passkey";
const noChallenge = "its challenge is unknown, used, expired or of another page";

/** Logs why. The library quotes the input, for example an origin: clipped, and as ASCII only. */
function refuse(ctx: Context, { id: appId }: Pick<Application, "id">, ceremony: string) {
  return (reason: string): undefined => {
    const shown = clip(reason.replaceAll(/[^\x20-\x7E]/gu, "?"), 200);
    ctx.log.info("passkey refused", { appId, ceremony, reason: shown });
  };
}

/** Whether browsers support passkeys for this service: an IP address is no relying party. */
export function available(ctx: Context) {
  return relyingPartyIsPossible(origin(ctx));
}

/**
 * Options for signing in. With an address, they also name its passkeys that their authenticator
 * cannot find by itself. Any address without such a passkey, known or not, changes nothing.
 */
export async function signInOptions(
  ctx: Context,
  application: Application,
  place: Place,
  email?: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await newChallenge(ctx, place, { ceremony: "sign-in", userHandle: null, email: null, name: null });
  return await requestOptions(
    partyFor(ctx, application),
    challenge,
    email === undefined ? [] : await passkeysToName(ctx, application, email),
  );
}

/**
 * Options for a new account, with a new user handle: unknown addresses look like known ones.
 */
export async function signUpOptions(
  ctx: Context,
  application: Application,
  place: Place,
  email: string,
  name: string | null,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const userHandle = newSecret(ctx.random);
  const challenge = await newChallenge(ctx, place, { ceremony: "sign-up", userHandle, email, name });
  return await creationOptions(partyFor(ctx, application), challenge, {
    handle: userHandle,
    email,
    name,
    passkeys: [],
    mustBeDiscoverable: !application.authMethods.password.enabled,
    conditional: false,
  });
}

/** Options that ask for a passkey of one user, identified by an earlier proof. */
export async function stepOptions(
  ctx: Context,
  application: Application,
  place: Place,
  userId: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await newChallenge(ctx, place, { ceremony: "sign-in", userHandle: null, email: null, name: null });
  return await requestOptions(partyFor(ctx, application), challenge, await listPasskeys(ctx.storage.reader, userId));
}

/** Options for adding a passkey to a user. The answer must be for the same ceremony. */
export async function addOptions(
  ctx: Context,
  application: Application,
  place: Place,
  user: User,
  ceremony: "add" | "conditional",
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { handle, email, name } = user;
  const shown = email ?? name ?? user.id;
  const challenge = await newChallenge(ctx, place, { ceremony, userHandle: handle, email: shown, name });
  return await creationOptions(partyFor(ctx, application), challenge, {
    handle,
    email: shown,
    name,
    passkeys: await listPasskeys(ctx.storage.reader, user.id),
    mustBeDiscoverable: !application.authMethods.password.enabled,
    conditional: ceremony === "conditional",
  });
}

/**
 * The user of an assertion. "unknown": the passkey is not here. "changed": it is right but for its
 * eligibility for backups, which trying again cannot fix. Undefined if invalid, or not of `userId`.
 */
export async function prove(
  ctx: Context,
  application: Application,
  place: Place,
  posted: string,
  userId?: string,
): Promise<ProvenPasskey | "unknown" | "changed" | undefined> {
  const refused = refuse(ctx, application, "sign-in");
  const assertion = parseAssertion(posted);
  const challenge = assertion && challengeOf(assertion);
  if (!assertion || challenge === undefined) return refused(notAnAnswer);
  if (!(await consume(ctx, place, "sign-in", challenge))) return refused(noChallenge);
  const match = await findPasskey(ctx.storage.reader, application.id, assertion.id);
  if (!match) return refused("no account of this application has it") ?? "unknown";
  const { passkey, handle } = match;
  // WebAuthn §7.2 step 6: a discoverable credential names its user, which must match.
  const claimed = assertion.response.userHandle ?? "";
  if (claimed !== "" && claimed !== handle) return refused("its user handle does not belong to its account");
  const proof = await verifyAssertion(assertion, { party: partyFor(ctx, application), challenge }, passkey, refused);
  if (proof === undefined) return undefined;
  if (userId !== undefined && passkey.userId !== userId) return refused("it belongs to another account");
  if (proof === "changed") return proof;
  const user = await users.find(ctx.storage.reader, passkey.userId);
  return user && mayProve(user) ? { user, passkey, proof } : refused("its account is disabled or deleted");
}

/** The verified credential for a new account; undefined if invalid. */
export async function proveNew(
  ctx: Context,
  application: Application,
  place: Place,
  posted: string,
): Promise<NewPasskey | undefined> {
  return await proveMade(ctx, application, place, "sign-up", posted);
}

/** Like `proveNew`, for an additional passkey of a user. */
export async function proveAdded(
  ctx: Context,
  application: Application,
  place: Place,
  user: User,
  ceremony: "add" | "conditional",
  posted: string,
): Promise<NewPasskey | undefined> {
  const made = await proveMade(ctx, application, place, ceremony, posted);
  if (made && made.userHandle !== user.handle)
    return refuse(ctx, application, ceremony)("it was made for another account");
  return made;
}

/** A passkey that no application here has, for browsers to forget; undefined if one has it. */
export async function nobodys(
  ctx: Context,
  application: Application,
  posted: string,
): Promise<{ rpId: string; credentialId: string } | undefined> {
  const assertion = parseAssertion(posted);
  if (!assertion || (await isCredentialKnown(ctx.storage.reader, assertion.id))) return undefined;
  return { rpId: partyFor(ctx, application).id, credentialId: assertion.id };
}

export async function hasAny(handle: Handle, userId: string): Promise<boolean> {
  return await hasPasskey(handle, userId);
}

/** Whether a user may have another passkey. In a transaction, lock the user first. */
export async function hasRoom(handle: Handle, userId: string): Promise<boolean> {
  return (await countPasskeys(handle, userId)) < maxPasskeys;
}

/** What a signed-in browser is told: the user's current passkeys and names. */
export async function signalFor(
  ctx: Context,
  application: Application,
  { id, handle: userId, email, name }: User,
): Promise<PasskeySignal> {
  const rpId = partyFor(ctx, application).id;
  const passkeys = await listPasskeys(ctx.storage.reader, id);
  const shown = email ?? name ?? id;
  return {
    all: { rpId, userId, allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId) },
    user: { rpId, userId, name: shown, displayName: name ?? shown },
  };
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepChallenges(tx, now));
}

/** Records a use: "removed" if it is gone, "copied" if its counter decreased (a copy?). */
export async function recordUse(
  tx: Handle,
  { passkey, proof }: ProvenPasskey,
  now: number,
): Promise<"noted" | "copied" | "removed"> {
  if (!(await recordPasskeyUse(tx, passkey.id, { ...proof, lastUsedAt: now }))) return "removed";
  const wentBack = proof.signCount < passkey.signCount;
  return wentBack || (proof.signCount === passkey.signCount && proof.signCount > 0) ? "copied" : "noted";
}

/** Adds a passkey; undefined if the id is taken. `lastUsedAt`: as for `passwords.add`. */
export async function add(
  ctx: Context,
  tx: Handle,
  userId: string,
  { credential }: Pick<NewPasskey, "credential">,
  { userAgent, lastUsedAt }: { userAgent: string | null; lastUsedAt: number | null },
  now: number,
): Promise<{ methodId: string; name: string } | undefined> {
  const name = deviceLabel(credential.aaguid, userAgent);
  const methodId = newId("mth", now, ctx.random);
  const passkey = { id: methodId, userId, ...credential, name, createdAt: now, lastUsedAt };
  return (await insertPasskey(tx, passkey)) ? { methodId, name } : undefined;
}

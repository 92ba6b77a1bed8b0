import * as signUpRules from "../applications/sign-up/service.ts";
import * as applications from "../applications/service.ts";
import { day, isoTime } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import { newId, newSecret } from "../lib/random.ts";
import { factsFrom, factsOf, factsOn, type FactsOn, type WrittenFact } from "../lib/profile-facts.ts";
import type { RequestSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import type { ProfileField, SignInMethod } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { shownProfile, type ShownProfile } from "./profile-fields.ts";
import * as store from "./store.ts";
import {
  findUser,
  findUserByEmail,
  findUserWithMethods,
  insertUser,
  updateUser,
  type MethodKinds,
  type UserWithMethods,
} from "./store.ts";
import { newUser, type User } from "./user.ts";

/**
 * The user in the answers of callback and /api/user (docs/spec/http-api.md, 2.2). `email` and
 * `emailVerified` are omitted without the scope `email`.
 */
export type SignedInUserAnswer = FactsOn<"callback"> & {
  id: string;
  email?: string | null;
  emailVerified?: boolean;
  createdAt: string;
  lastLoginAt: string | null;
  authMethods: MethodKinds;
  /** Of the application's own fields; omitted if there are none. */
  profile?: ShownProfile;
};

/** How long "not now" suppresses the offer. */
const passkeyOfferRests = 60 * day;

/**
 * How a user was created: both null for a command. `asksApproval`: by themselves, or as the guest
 * of somebody who may have done so. `overridesRules`: an operator ignores the sign-up rules.
 */
export type SignedUp = {
  method: SignInMethod | null;
  source: RequestSource | null;
  asksApproval?: true;
  overridesRules?: boolean;
};

/** The client that proved an address. */
type ProofClientInfo = Pick<RequestSource, "ipAddress" | "userAgent"> | null;

/** Sends `user.updated` to the app's server. */
export async function recordUpdate(
  ctx: Context,
  tx: Handle,
  { id: userId, appId }: Pick<User, "id" | "appId">,
  source: ProofClientInfo,
  now: number,
): Promise<void> {
  const event = { kind: "user.updated", appId, userId, authMethod: null, source, sessionId: null } as const;
  await events.record(ctx, tx, event, now);
}

export function answerFor(
  { baseUrl }: Pick<Context, "baseUrl">,
  { user, methods }: UserWithMethods,
  scopes: string[],
  fields: ProfileField[] | null | undefined,
): SignedInUserAnswer {
  const profile = scopes.includes("profile") ? shownProfile(fields, user.profile) : undefined;
  return {
    id: user.id,
    ...(scopes.includes("email") ? { email: user.email, emailVerified: user.emailVerified } : {}),
    ...factsOf("callback", user, baseUrl),
    createdAt: isoTime(user.createdAt),
    lastLoginAt: user.lastLoginAt === null ? null : isoTime(user.lastLoginAt),
    authMethods: methods,
    ...(profile && { profile }),
  };
}

/** For a sign-in by an organization's provider alone: nothing that the person has elsewhere. */
export function confinedAnswer(answer: SignedInUserAnswer, issuer: string | null): SignedInUserAnswer {
  const { id, email, emailVerified, name, picture } = answer;
  const none = factsFrom(factsOn("callback"), () => null);
  return {
    ...none,
    id,
    name,
    picture,
    ...(email === undefined ? {} : { email }),
    ...(emailVerified === undefined ? {} : { emailVerified }),
    createdAt: answer.createdAt,
    lastLoginAt: null,
    authMethods: { passkey: false, oauth: issuer === null ? [] : [issuer], password: false },
  };
}

export async function find(handle: Handle, id: string): Promise<User | undefined> {
  return await findUser(handle, id);
}

/** `email` is canonical. */
export async function findByEmail(handle: Handle, appId: string, email: string): Promise<User | undefined> {
  return await findUserByEmail(handle, appId, email);
}

/**
 * Creates a user; undefined if the address is taken in this application. The address is
 * unverified by default. `handle` is the WebAuthn user handle. No door creates somebody without
 * asking the sign-up rules: a refusal is undefined for `asksApproval`, else CONFLICT. A user who
 * waits for approval is stored as disabled, so that all that stops a disabled user stops them
 * (docs/decisions/0099).
 */
export async function create(
  ctx: Context,
  tx: Handle,
  input: Partial<Record<WrittenFact, string | null> & Pick<User, "profile">> & {
    appId: string;
    email: string;
    emailVerified?: boolean;
    handle?: string;
    signedUp: SignedUp;
  },
  now: number,
): Promise<User | undefined> {
  const { emailVerified = false, handle = newSecret(ctx.random), signedUp, ...person } = input;
  const { appId } = person;
  const admitted = await signUpRules.admit(ctx, tx, { appId, email: person.email, emailVerified }, signedUp);
  if (typeof admitted === "object" && signedUp.asksApproval) return undefined;
  if (typeof admitted === "object") throw admitted;
  const waits = admitted === "waits";
  const blocked = waits ? { pendingAt: now, disabledAt: now } : {};
  const user = newUser({ id: newId("usr", now, ctx.random), ...person, ...blocked, emailVerified, handle }, now);
  if (!(await insertUser(tx, user))) return undefined;
  const { method: authMethod, source } = signedUp;
  const kind = waits ? "user.pending" : "user.created";
  await events.record(ctx, tx, { kind, appId, userId: user.id, authMethod, source, sessionId: null }, now);
  // A command's actions are audited for the command.
  if (source !== null) {
    const actor = { kind: "user", name: user.id } as const;
    const about = { appId, userId: user.id, source, details: { method: authMethod, ...(waits && { pending: true }) } };
    await audit.record(ctx, tx, { actor, action: "user.create", result: "success", ...about }, now);
  }
  return user;
}

/** Whether to offer a passkey: not for a while after "not now". */
export function mayOfferPasskey({ passkeyDeclinedAt }: User, now: number): boolean {
  return passkeyDeclinedAt === null || passkeyDeclinedAt <= now - passkeyOfferRests;
}

/** Gives a locked user the name that a provider knows, if they have none. */
export async function nameNameless(ctx: Context, tx: Handle, userId: string, name: string, now: number): Promise<void> {
  const user = await findUser(tx, userId);
  if (!user || user.name !== null) return;
  await updateUser(tx, userId, { name, updatedAt: now });
  await recordUpdate(ctx, tx, user, null, now);
}

/** Marks the address as verified. False if it is no longer this user's. */
export async function verifyEmail(
  ctx: Context,
  tx: Handle,
  user: User,
  email: string,
  source: ProofClientInfo,
  now: number,
): Promise<boolean> {
  if (!(await store.verifyEmail(tx, { id: user.id, email, updatedAt: now }))) return false;
  await recordUpdate(ctx, tx, user, source, now);
  return true;
}

/**
 * Gives the user another address, which they have just proven. False if another user has it;
 * throws CONFLICT if another one gets it at the same moment.
 */
export async function changeEmail(
  ctx: Context,
  tx: Handle,
  user: User,
  email: string,
  source: ProofClientInfo,
  now: number,
): Promise<boolean> {
  if (!(await store.changeEmail(tx, user, { email, updatedAt: now }))) return false;
  await recordUpdate(ctx, tx, user, source, now);
  return true;
}

/** Takes an address away from the user who has it and never verified it. */
export async function freeUnverifiedEmail(
  ctx: Context,
  tx: Handle,
  { appId, email }: { appId: string; email: string },
  by: By,
  now: number,
): Promise<void> {
  const user = await store.freeUnverifiedEmail(tx, appId, email, now);
  if (!user) return;
  await recordUpdate(ctx, tx, user, by.source ?? null, now);
  const event = { ...by, action: "user.address-lost", result: "success", appId, userId: user.id } as const;
  await audit.record(ctx, tx, event, now);
}

/** The user as visible to a token with these scopes. Throws USER_NOT_FOUND. */
export async function get(ctx: Context, id: string, scopes: string[]): Promise<SignedInUserAnswer> {
  const user = await findUserWithMethods(ctx.storage.reader, id);
  if (!user) throw userNotFound();
  return answerFor(ctx, user, scopes, await fieldsFor(ctx, user.user));
}

/** The fields of somebody's application; not read for who has no values. */
export async function fieldsFor(
  ctx: Context,
  { profile, appId }: Pick<User, "profile" | "appId">,
): Promise<ProfileField[] | null | undefined> {
  if (profile === null) return null;
  return (await applications.find(ctx, ctx.storage.reader, appId))?.settings.profileFields;
}

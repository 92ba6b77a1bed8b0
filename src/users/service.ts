import type { SignInMethod } from "../applications/application.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { day, isoTime } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import { newId, newSecret, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import {
  declinePasskey,
  findUser,
  findUserByEmail,
  findUserWithMethods,
  holdUser,
  insertUser,
  noteLocale,
  noteLogin,
  proveEmail,
  verifyEmail,
  takeUser,
  type MethodKinds,
  type UserWithMethods,
} from "./store.ts";
import type { Events } from "../webhooks/events.ts";
import { newUser, type User } from "./user.ts";

/** The user as callback and /api/user show it (contract 2.2). `email` and `emailVerified` are absent without the scope `email`. */
export type SignedInUserAnswer = {
  id: string;
  email?: string | null;
  emailVerified?: boolean;
  name: string | null;
  picture: string | null;
  createdAt: string;
  lastLoginAt: string | null;
  authMethods: MethodKinds;
};

/** How long a "not now" holds. */
const passkeyOfferRests = 60 * day;

export type Users = ReturnType<typeof createUsers>;

/** How a user came to be: null of both for a command. */
export type SignedUp = { method: SignInMethod | null; origin: Origin | null };

/** Where the proof of an address came from. */
type ProofOrigin = Pick<Origin, "ipAddress" | "userAgent"> | null;

export function createUsers(deps: { storage: Storage; events: Events; audit: Audit; random: Random }) {
  const { storage, events, audit, random } = deps;

  async function noteUpdate(tx: Handle, { id: userId, appId }: User, origin: ProofOrigin, now: number): Promise<void> {
    const event = { kind: "user.updated", appId, userId, authMethod: null, origin, sessionId: null } as const;
    await events.record(tx, event, now);
  }

  function answerFor({ user, methods }: UserWithMethods, scopes: string[]): SignedInUserAnswer {
    return {
      id: user.id,
      ...(scopes.includes("email") ? { email: user.email, emailVerified: user.emailVerified } : {}),
      name: user.name,
      picture: user.picture,
      createdAt: isoTime(user.createdAt),
      lastLoginAt: user.lastLoginAt === null ? null : isoTime(user.lastLoginAt),
      authMethods: methods,
    };
  }

  return {
    async find(id: string, handle: Handle = storage.reader): Promise<User | undefined> {
      return await findUser(handle, id);
    },

    /** The user as it was committed last, locked until the transaction ends; undefined when there is none. */
    async take(tx: Handle, id: string, now: number): Promise<User | undefined> {
      return await takeUser(tx, id, now);
    },

    /** Locks a user until the transaction ends, for what is written about it and must not outlive it. False when there is none. */
    async hold(tx: Handle, id: string): Promise<boolean> {
      return await holdUser(tx, id);
    },

    /** `email` in its canonical form. */
    async findByEmail(appId: string, email: string, handle: Handle = storage.reader): Promise<User | undefined> {
      return await findUserByEmail(handle, appId, email);
    },

    /** A new user; the address counts as unproven unless said otherwise; undefined when the address is taken in this application. `handle` is the WebAuthn user handle. */
    async create(
      tx: Handle,
      input: {
        appId: string;
        email: string;
        emailVerified?: boolean;
        name: string | null;
        handle?: string;
        signedUp: SignedUp;
      },
      now: number,
    ): Promise<User | undefined> {
      const { appId, email, emailVerified = false, name, handle = newSecret(random), signedUp } = input;
      const user = newUser({ id: newId("usr", now, random), appId, email, emailVerified, name, handle }, now);
      if (!(await insertUser(tx, user))) return undefined;
      const { method: authMethod, origin } = signedUp;
      const event = { kind: "user.created", appId, userId: user.id, authMethod, origin, sessionId: null } as const;
      await events.record(tx, event, now);
      // What a command does is audited as the command's.
      if (origin !== null) {
        const actor = { kind: "user", name: user.id } as const;
        const about = { appId, userId: user.id, origin, details: { method: authMethod } };
        await audit.record(tx, { actor, action: "user.create", result: "success", ...about }, now);
      }
      return user;
    },

    /** Remembers the language in which somebody signed in. */
    async noteLocale(tx: Handle, id: string, locale: string): Promise<void> {
      await noteLocale(tx, id, locale);
    },

    /** Whether somebody may be asked to create a passkey: not again for a while after a "not now". */
    mayOfferPasskey({ passkeyDeclinedAt }: User, now: number): boolean {
      return passkeyDeclinedAt === null || passkeyDeclinedAt <= now - passkeyOfferRests;
    },

    async declinePasskey(tx: Handle, id: string, now: number): Promise<void> {
      await declinePasskey(tx, id, now);
    },

    /** Takes the address as proven, and the name from who proved it: both may have been a stranger's. */
    async proveEmail(tx: Handle, user: User, name: string | null, origin: ProofOrigin, now: number): Promise<void> {
      await proveEmail(tx, user.id, { name, picture: null, updatedAt: now });
      await noteUpdate(tx, user, origin, now);
    },

    /** Takes the address as proven by whom the account belongs to; all else stays. False when it is no longer this user's. */
    async verifyEmail(tx: Handle, user: User, email: string, origin: ProofOrigin, now: number): Promise<boolean> {
      if (!(await verifyEmail(tx, { id: user.id, email, updatedAt: now }))) return false;
      await noteUpdate(tx, user, origin, now);
      return true;
    },

    async findWithMethods(id: string): Promise<UserWithMethods | undefined> {
      return await findUserWithMethods(storage.reader, id);
    },

    /** Counts a redeemed sign-in; undefined when the user is gone or disabled. */
    async noteLogin(
      tx: Handle,
      id: string,
      seen: { at: number; ipAddress: string | null; userAgent: string | null },
    ): Promise<UserWithMethods | undefined> {
      return await noteLogin(tx, id, seen);
    },

    answerFor,

    /** A user as a token with these scopes shows it. Throws USER_NOT_FOUND. */
    async get(id: string, scopes: string[]): Promise<SignedInUserAnswer> {
      const found = await findUserWithMethods(storage.reader, id);
      if (!found) throw userNotFound();
      return answerFor(found, scopes);
    },
  };
}

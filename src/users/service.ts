import type { Audit, By } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { day, isoTime } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import { newId, newSecret, type Random } from "../lib/random.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { someLackEmail } from "./list-store.ts";
import {
  changeEmail,
  declinePasskey,
  findUser,
  findUserByEmail,
  findUserWithMethods,
  freeUnverifiedEmail,
  lockUser,
  lockUsers,
  insertUser,
  recordLocale,
  recordLogin,
  verifyEmail,
  lockUserForChange,
  updateUser,
  type MethodKinds,
  type UserWithMethods,
} from "./store.ts";
import type { Events } from "../webhooks/events.ts";
import { newUser, type User } from "./user.ts";

/**
 * The user in the answers of callback and /api/user (docs/spec/http-api.md, 2.2). `email` and
 * `emailVerified` are omitted without the scope `email`.
 */
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

/** How long "not now" suppresses the offer. */
const passkeyOfferRests = 60 * day;

export type Users = ReturnType<typeof createUsers>;

/** How a user was created: both null for a command. */
export type SignedUp = { method: SignInMethod | null; clientInfo: ClientInfo | null };

/** The client that proved an address. */
type ProofClientInfo = Pick<ClientInfo, "ipAddress" | "userAgent"> | null;

export function createUsers(deps: { storage: Storage; events: Events; audit: Audit; random: Random }) {
  const { storage, events, audit, random } = deps;

  async function recordUpdate(
    tx: Handle,
    { id: userId, appId }: Pick<User, "id" | "appId">,
    clientInfo: ProofClientInfo,
    now: number,
  ): Promise<void> {
    const event = { kind: "user.updated", appId, userId, authMethod: null, clientInfo, sessionId: null } as const;
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

    someLackEmail: async (appId: string): Promise<boolean> => await someLackEmail(storage.reader, appId),

    /**
     * Locks the user until the transaction ends, and returns its latest committed state; undefined
     * if there is none.
     */
    async lockForChange(tx: Handle, id: string, now: number): Promise<User | undefined> {
      return await lockUserForChange(tx, id, now);
    },

    /**
     * The same, without changing it. Every transaction locks in one order: the client, users by
     * their ids, then everything else about a user (docs/decisions/0049).
     */
    async lock(tx: Handle, id: string): Promise<User | undefined> {
      return await lockUser(tx, id);
    },

    /** The same for several users, in the order of their ids; returns those that exist. */
    async lockAll(tx: Handle, ids: readonly string[]): Promise<Pick<User, "id" | "appId">[]> {
      return await lockUsers(tx, ids);
    },

    /** `email` is canonical. */
    async findByEmail(appId: string, email: string, handle: Handle = storage.reader): Promise<User | undefined> {
      return await findUserByEmail(handle, appId, email);
    },

    /**
     * Creates a user; undefined if the address is taken in this application. The address is
     * unverified by default. `handle` is the WebAuthn user handle.
     */
    async create(
      tx: Handle,
      input: {
        appId: string;
        email: string;
        emailVerified?: boolean;
        name: string | null;
        picture?: string | null;
        handle?: string;
        signedUp: SignedUp;
      },
      now: number,
    ): Promise<User | undefined> {
      const { appId, email, emailVerified = false, name, picture = null, handle = newSecret(random), signedUp } = input;
      const person = { appId, email, emailVerified, name, picture, handle };
      const user = newUser({ id: newId("usr", now, random), ...person }, now);
      if (!(await insertUser(tx, user))) return undefined;
      const { method: authMethod, clientInfo } = signedUp;
      const event = { kind: "user.created", appId, userId: user.id, authMethod, clientInfo, sessionId: null } as const;
      await events.record(tx, event, now);
      // A command's actions are audited for the command.
      if (clientInfo !== null) {
        const actor = { kind: "user", name: user.id } as const;
        const about = { appId, userId: user.id, clientInfo, details: { method: authMethod } };
        await audit.record(tx, { actor, action: "user.create", result: "success", ...about }, now);
      }
      return user;
    },

    /** Stores the language of the latest sign-in. */
    async recordLocale(tx: Handle, id: string, locale: string): Promise<void> {
      await recordLocale(tx, id, locale);
    },

    /** Whether to offer a passkey: not for a while after "not now". */
    mayOfferPasskey({ passkeyDeclinedAt }: User, now: number): boolean {
      return passkeyDeclinedAt === null || passkeyDeclinedAt <= now - passkeyOfferRests;
    },

    async declinePasskey(tx: Handle, id: string, now: number): Promise<void> {
      await declinePasskey(tx, id, now);
    },

    /** Sends `user.updated` to the app's server. */
    /** Gives a locked user the name that a provider knows, if they have none. */
    async nameNameless(tx: Handle, userId: string, name: string, now: number): Promise<void> {
      const user = await findUser(tx, userId);
      if (!user || user.name !== null) return;
      await updateUser(tx, userId, { name, updatedAt: now });
      await recordUpdate(tx, user, null, now);
    },

    recordUpdate,

    /** Marks the address as verified. False if it is no longer this user's. */
    async verifyEmail(
      tx: Handle,
      user: User,
      email: string,
      clientInfo: ProofClientInfo,
      now: number,
    ): Promise<boolean> {
      if (!(await verifyEmail(tx, { id: user.id, email, updatedAt: now }))) return false;
      await recordUpdate(tx, user, clientInfo, now);
      return true;
    },

    /**
     * Gives the user another address, which they have just proven. False if another user has it;
     * throws CONFLICT if another one gets it at the same moment.
     */
    async changeEmail(
      tx: Handle,
      user: User,
      email: string,
      clientInfo: ProofClientInfo,
      now: number,
    ): Promise<boolean> {
      if (!(await changeEmail(tx, user, { email, updatedAt: now }))) return false;
      await recordUpdate(tx, user, clientInfo, now);
      return true;
    },

    /** Takes an address away from the user who has it and never verified it. */
    async freeUnverifiedEmail(
      tx: Handle,
      { appId, email }: { appId: string; email: string },
      by: By,
      now: number,
    ): Promise<void> {
      const user = await freeUnverifiedEmail(tx, appId, email, now);
      if (!user) return;
      await recordUpdate(tx, user, by.clientInfo ?? null, now);
      const event = { ...by, action: "user.address-lost", result: "success", appId, userId: user.id } as const;
      await audit.record(tx, event, now);
    },

    async findWithMethods(id: string): Promise<UserWithMethods | undefined> {
      return await findUserWithMethods(storage.reader, id);
    },

    /** Counts a redeemed sign-in; undefined if the user is gone or disabled. */
    async recordLogin(
      tx: Handle,
      id: string,
      seen: { at: number; ipAddress: string | null; userAgent: string | null },
    ): Promise<UserWithMethods | undefined> {
      return await recordLogin(tx, id, seen);
    },

    answerFor,

    /** The user as visible to a token with these scopes. Throws USER_NOT_FOUND. */
    async get(id: string, scopes: string[]): Promise<SignedInUserAnswer> {
      const found = await findUserWithMethods(storage.reader, id);
      if (!found) throw userNotFound();
      return answerFor(found, scopes);
    },
  };
}

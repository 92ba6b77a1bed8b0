import { isoTime } from "../lib/clock.ts";
import { newId, newSecret, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { findMethodKinds, findUser, findUserByEmail, insertUser, noteLogin } from "./store.ts";
import type { User } from "./user.ts";

/** The user as the callback shows it (contract 2.2). `email` and `emailVerified` are absent without the scope `email`. */
export type SignedInUserAnswer = {
  id: string;
  email?: string | null;
  emailVerified?: boolean;
  name: string | null;
  picture: string | null;
  createdAt: string;
  lastLoginAt: string | null;
  authMethods: { passkey: boolean; oauth: string[]; password: boolean };
};

export type Users = ReturnType<typeof createUsers>;

export function createUsers(deps: { storage: Storage; random: Random }) {
  const { storage, random } = deps;

  return {
    async find(id: string, handle: Handle = storage.reader): Promise<User | undefined> {
      return await findUser(handle, id);
    },

    /** `email` in its canonical form. */
    async findByEmail(appId: string, email: string, handle: Handle = storage.reader): Promise<User | undefined> {
      return await findUserByEmail(handle, appId, email);
    },

    /** A new user with an unproven address; undefined when the address is taken in this application. `handle` is the WebAuthn user handle. */
    async create(
      tx: Handle,
      input: { appId: string; email: string; name: string | null; handle?: string },
      now: number,
    ): Promise<User | undefined> {
      const user: User = {
        id: newId("usr", now, random),
        appId: input.appId,
        email: input.email,
        emailVerified: false,
        name: input.name,
        picture: null,
        handle: input.handle ?? newSecret(random),
        createdAt: now,
        updatedAt: now,
        disabledAt: null,
        lastLoginAt: null,
        loginCount: 0,
        lastIpAddress: null,
        lastUserAgent: null,
      };
      return (await insertUser(tx, user)) ? user : undefined;
    },

    /** Counts a redeemed sign-in; undefined when the user is gone or disabled. */
    async noteLogin(
      tx: Handle,
      id: string,
      seen: { at: number; ipAddress: string | null; userAgent: string | null },
    ): Promise<User | undefined> {
      return await noteLogin(tx, id, seen);
    },

    async answerFor(user: User, scopes: string[], handle: Handle = storage.reader): Promise<SignedInUserAnswer> {
      return {
        id: user.id,
        ...(scopes.includes("email") ? { email: user.email, emailVerified: user.emailVerified } : {}),
        name: user.name,
        picture: user.picture,
        createdAt: isoTime(user.createdAt),
        lastLoginAt: user.lastLoginAt === null ? null : isoTime(user.lastLoginAt),
        authMethods: await findMethodKinds(handle, user.id),
      };
    },
  };
}

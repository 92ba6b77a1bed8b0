import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { By } from "../audit/audit.ts";
import { addressTaken, applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import { checkedDisplayName, checkedNewEmail, checkedPicture } from "../lib/user-fields.ts";
import type { NewPasswords } from "../passwords/new-passwords.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import { createUserChanges, type UserChange } from "./changes.ts";
import { createUserListing } from "./listing.ts";
import { findUser, findUserWithMethods } from "./store.ts";
import { userAnswer, type UserAnswer, type UserDetailsAnswer } from "./user-answer.ts";
import type { User } from "./user.ts";

export type NewUser = {
  appId: string;
  email: string;
  emailVerified: boolean;
  name: string | null;
  picture?: string | null | undefined;
  password: string | undefined;
};

export type UserAdministration = ReturnType<typeof createUserAdministration>;

/** Operations on users, for operators and for the servers of their applications. */
export function createUserAdministration(
  deps: Parameters<typeof createUserChanges>[0] & {
    applications: Applications;
    passwords: Passwords;
    newPasswords: NewPasswords;
    logins: LoginAdministration;
    keyring: Keyring;
  },
) {
  const { storage, applications, users, passwords, newPasswords, logins, access, audit, clock } = deps;
  const changes = createUserChanges(deps);

  async function existingApplication(id: string): Promise<Application> {
    const application = await applications.find(id);
    if (!application) throw applicationNotFound();
    return application;
  }

  async function existingUser(id: string, handle: Handle = storage.reader): Promise<User> {
    const user = await findUser(handle, id);
    if (!user) throw userNotFound();
    return user;
  }

  /** Throws USER_NOT_FOUND. */
  async function get(id: string): Promise<UserDetailsAnswer> {
    const found = await findUserWithMethods(storage.reader, id);
    if (!found) throw userNotFound();
    const { user, methods } = found;
    const { loginCount, lastIpAddress, lastUserAgent: userAgent } = user;
    return {
      ...userAnswer(user, methods),
      metadata: { loginCount, lastIpAddress, userAgent },
    };
  }

  return {
    ...createUserListing(deps),

    get,

    /** A user of this application. Throws USER_NOT_FOUND, also for users of others. */
    async userOf(appId: string, id: string): Promise<User> {
      const user = await existingUser(id);
      if (user.appId !== appId) throw userNotFound();
      return user;
    },

    /**
     * Creates a user without a sign-up. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field,
     * CONFLICT for a taken address, BUSY.
     */
    async create(input: NewUser, { dryRun }: { dryRun: boolean }, by: By): Promise<UserAnswer> {
      const application = await existingApplication(input.appId);
      const email = checkedNewEmail(input.email);
      const name = checkedDisplayName(input.name);
      const picture = checkedPicture(input.picture ?? null);
      const hash = input.password === undefined ? undefined : await hashOf(input.password, application, email);
      if (await users.findByEmail(application.id, email)) throw addressTaken();
      const authMethods = { passkey: false, oauth: [], password: hash !== undefined };
      const now = clock();
      const { emailVerified } = input;
      if (dryRun) {
        const planned = { id: "", createdAt: now, updatedAt: now, lastLoginAt: null, disabledAt: null };
        return userAnswer({ ...planned, appId: application.id, email, emailVerified, name, picture }, authMethods);
      }
      const signedUp = { method: null, clientInfo: null };
      const created = await storage.write(async (tx) => {
        const person = { appId: application.id, email, emailVerified, name, picture };
        const user = await users.create(tx, { ...person, signedUp }, now);
        if (!user) throw addressTaken();
        if (hash !== undefined) await passwords.add(tx, user.id, { hash, lastUsedAt: null }, now);
        const { appId, id: userId } = user;
        await audit.record(tx, { ...by, action: "user.create", result: "success", appId, userId }, now);
        return user;
      });
      return userAnswer(created, authMethods);
    },

    /** Changes a user (`createUserChanges`) and returns them. */
    async update(id: string, change: UserChange, options: { dryRun: boolean }, by: By): Promise<UserDetailsAnswer> {
      await changes.change(id, change, options, by);
      return await get(id);
    },

    /**
     * Prevents a user from signing in, and ends every login; enabling does not restore them.
     * Changes nothing for a disabled user. Throws USER_NOT_FOUND.
     */
    async disable(id: string, options: { dryRun: boolean }, by: By): Promise<UserDetailsAnswer> {
      await changes.change(id, { disabled: true }, options, by);
      return await get(id);
    },

    /** Lets a user sign in again. Throws USER_NOT_FOUND. */
    async enable(id: string, options: { dryRun: boolean }, by: By): Promise<UserDetailsAnswer> {
      await changes.change(id, { disabled: false }, options, by);
      return await get(id);
    },

    /** Ends every login of a user and returns how many were live. Throws USER_NOT_FOUND. */
    async revokeLogins(id: string, { dryRun }: { dryRun: boolean }, by: By): Promise<{ ended: number }> {
      const now = clock();
      if (dryRun) {
        await existingUser(id);
        return { ended: (await logins.list(id, { all: false })).length };
      }
      return await storage.write(async (tx) => {
        const user = await existingUser(id, tx);
        const ended = await access.revoke(tx, id, { reason: "operator", by }, now);
        const about = { appId: user.appId, userId: id, details: { ended } };
        await audit.record(tx, { ...by, action: "user.revoke-logins", result: "success", ...about }, now);
        return { ended };
      });
    },
  };

  async function hashOf(password: string, application: Application, email: string): Promise<string> {
    const problem = await newPasswords.problemWith(password, application, { email, name: null }, undefined);
    if (problem !== undefined) {
      const { passwordMinLength } = application.settings;
      const rules: Record<typeof problem.kind, string> = {
        "password-too-short": `at least ${passwordMinLength} characters`,
        "password-too-long": `at most ${"maxLength" in problem ? problem.maxLength : 0} characters`,
        "password-common": "not one of the most common passwords",
        "password-weak":
          "not easy to guess, such as a keyboard pattern, a sequence, a repetition, a date or a common password",
        "password-context": "not the address, its first part, or the name of the application",
      };
      throw invalidRequest(`password: ${rules[problem.kind]}`);
    }
    return await newPasswords.hash(password, undefined);
  }
}

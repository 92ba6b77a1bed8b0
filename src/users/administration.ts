import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { canonicalEmail, newEmail } from "../lib/email.ts";
import { AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import { displayName, maxNameCharacters } from "../lib/text.ts";
import type { NewPasswords } from "../passwords/new-passwords.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import { findMethodKindsOf, listUsers, setDisabled } from "./list-store.ts";
import type { Users } from "./service.ts";
import { findUser, findUserWithMethods } from "./store.ts";
import { userAnswer, type UserAnswer, type UserDetailsAnswer } from "./user-answer.ts";
import type { User } from "./user.ts";

export type NewUser = {
  appId: string;
  email: string;
  emailVerified: boolean;
  name: string | null;
  password: string | undefined;
};

/** Operations on users for operators. */
export function createUserAdministration(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  newPasswords: NewPasswords;
  logins: LoginAdministration;
  access: RevokeAccess;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, applications, users, passwords, newPasswords, logins, access, audit, clock } = deps;

  async function existingApplication(id: string): Promise<Application> {
    const application = await applications.find(id);
    if (!application) throw new AppError("APP_NOT_FOUND", "There is no application with this id.");
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
    /**
     * A page of users by id, and whether there are more. Throws APP_NOT_FOUND, INVALID_REQUEST.
     */
    async list(
      appId: string,
      { email, after, limit }: { email?: string | undefined; after?: string | undefined; limit: number },
    ): Promise<{ users: UserAnswer[]; more: boolean }> {
      await existingApplication(appId);
      const canonical = email === undefined ? undefined : checkedEmail(email);
      const found = await listUsers(storage.reader, appId, { email: canonical, after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const kinds = await findMethodKindsOf(
        storage.reader,
        page.map((user) => user.id),
      );
      return {
        users: page.map((user) =>
          userAnswer(user, kinds.get(user.id) ?? { passkey: false, oauth: [], password: false }),
        ),
        more: found.length > limit,
      };
    },

    get,

    /**
     * Creates a user without a sign-up. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field,
     * CONFLICT for a taken address, BUSY.
     */
    async create(input: NewUser, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<UserAnswer> {
      const application = await existingApplication(input.appId);
      const email = checkedNewEmail(input.email);
      const name = checkedName(input.name);
      const hash = input.password === undefined ? undefined : await hashOf(input.password, application, email);
      if (await users.findByEmail(application.id, email)) throw addressTaken();
      const authMethods = { passkey: false, oauth: [], password: hash !== undefined };
      const now = clock();
      const { emailVerified } = input;
      if (dryRun) {
        const planned = { id: "", picture: null, createdAt: now, updatedAt: now, lastLoginAt: null, disabledAt: null };
        return userAnswer({ ...planned, appId: application.id, email, emailVerified, name }, authMethods);
      }
      const signedUp = { method: null, clientInfo: null };
      const created = await storage.write(async (tx) => {
        const user = await users.create(tx, { appId: application.id, email, emailVerified, name, signedUp }, now);
        if (!user) throw addressTaken();
        if (hash !== undefined) await passwords.add(tx, user.id, { hash, lastUsedAt: null }, now);
        const { appId, id: userId } = user;
        await audit.record(tx, { actor, action: "user.create", result: "success", appId, userId }, now);
        return user;
      });
      return userAnswer(created, authMethods);
    },

    /**
     * Prevents a user from signing in, and ends every login; enabling does not restore them.
     * Changes nothing for a disabled user. Throws USER_NOT_FOUND.
     */
    async disable(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<UserDetailsAnswer> {
      const now = clock();
      if (!dryRun) {
        await storage.write(async (tx) => {
          if ((await findUser(tx, id))?.disabledAt !== null) return;
          await access.lockForChange(tx, id, now);
          const user = await setDisabled(tx, id, true, now);
          if (!user) return;
          const ended = await access.revoke(tx, id, { reason: "user-disabled", by: { actor } }, now);
          await recordChange(tx, user, "user.disable", actor, now, { ended });
        });
      }
      return await get(id);
    },

    /** Lets a user sign in again. Throws USER_NOT_FOUND. */
    async enable(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<UserDetailsAnswer> {
      const now = clock();
      if (!dryRun) {
        await storage.write(async (tx) => {
          const user = await setDisabled(tx, id, false, now);
          if (user) await recordChange(tx, user, "user.enable", actor, now);
        });
      }
      return await get(id);
    },

    /** Ends every login of a user and returns how many were live. Throws USER_NOT_FOUND. */
    async revokeLogins(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<{ ended: number }> {
      const now = clock();
      if (dryRun) {
        await existingUser(id);
        return { ended: (await logins.list(id, { all: false })).length };
      }
      return await storage.write(async (tx) => {
        const user = await existingUser(id, tx);
        const ended = await access.revoke(tx, id, { reason: "operator", by: { actor } }, now);
        await recordChange(tx, user, "user.revoke-logins", actor, now, { ended });
        return { ended };
      });
    },
  };

  async function recordChange(
    tx: Handle,
    { id: userId, appId }: User,
    action: string,
    actor: Actor,
    now: number,
    details: Record<string, number> = {},
  ): Promise<void> {
    await audit.record(tx, { actor, action, result: "success", appId, userId, details }, now);
  }

  async function hashOf(password: string, application: Application, email: string): Promise<string> {
    const problem = await newPasswords.problemWith(password, application, { email, name: null }, undefined);
    if (problem !== undefined) {
      const { passwordMinLength } = application.settings;
      const rules: Record<typeof problem.kind, string> = {
        "password-too-short": `at least ${passwordMinLength} characters`,
        "password-too-long": `at most ${"maxLength" in problem ? problem.maxLength : 0} characters`,
        "password-common": "not one of the most common passwords",
        "password-weak":
          "not so easy to guess: a keyboard pattern, a sequence, a repetition, a date or common passwords",
        "password-context": "not the address, its first part, or the name of the application",
      };
      throw invalidRequest(`password: ${rules[problem.kind]}`);
    }
    return await newPasswords.hash(password, undefined);
  }
}

function checkedEmail(text: string): string {
  const email = canonicalEmail(text);
  if (email === undefined) throw invalidRequest("email: an address such as ada@example.com, at most 254 characters");
  return email;
}

function checkedNewEmail(text: string): string {
  const email = newEmail(text);
  if (email !== undefined) return email;
  checkedEmail(text);
  throw invalidRequest(
    "email: a new address may not hold any of ` $ { } | & ! ' %, begin with '-', or end in a number",
  );
}

function checkedName(text: string | null): string | null {
  const name = text === null ? null : displayName(text);
  if (name === undefined) throw invalidRequest(`name: at most ${maxNameCharacters} characters, no control characters`);
  return name;
}

function addressTaken(): AppError {
  return new AppError("CONFLICT", "A user of this application already has this address.");
}

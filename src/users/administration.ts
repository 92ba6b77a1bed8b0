import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { canonicalEmail } from "../lib/email.ts";
import { AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import { displayName, mostNameCharacters } from "../lib/text.ts";
import type { Passwords } from "../passwords/service.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
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

/** What an operator may do to users. */
export function createUserAdministration(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  signIn: SignIn;
  logins: LoginAdministration;
  browserSessions: BrowserSessions;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, applications, users, passwords, signIn, logins, browserSessions, audit, clock } = deps;

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

  /** Whatever lets a user in without another proof: logins of apps, codes on their way to one, the account page. */
  async function endEverything(
    tx: Handle,
    user: User,
    reason: "operator" | "user-disabled",
    actor: Actor,
    now: number,
  ) {
    await browserSessions.endAll(tx, user.id);
    await signIn.cancelCodes(tx, user.id, now);
    // Before its logins, as whoever changes the user does (docs/decisions/0027); after its codes, as whoever redeems one does.
    await users.hold(tx, user.id);
    return await logins.endAll(tx, user.id, reason, { actor }, now);
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
    /** A page of users in the order of their ids, and whether there are more. Throws APP_NOT_FOUND, INVALID_REQUEST. */
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

    /** A user who has not signed up. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for a taken address, BUSY. */
    async create(input: NewUser, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<UserAnswer> {
      const application = await existingApplication(input.appId);
      const email = checkedEmail(input.email);
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
      const signedUp = { method: null, origin: null };
      const created = await storage.write(async (tx) => {
        const user = await users.create(tx, { appId: application.id, email, emailVerified, name, signedUp }, now);
        if (!user) throw addressTaken();
        if (hash !== undefined) await passwords.add(tx, user.id, hash, now);
        const { appId, id: userId } = user;
        await audit.record(tx, { actor, action: "user.create", result: "success", appId, userId }, now);
        return user;
      });
      return userAnswer(created, authMethods);
    },

    /**
     * Keeps a user from signing in, and ends every login: enabling brings none of them back. Nothing changes for a user who is disabled
     * already. Throws USER_NOT_FOUND.
     */
    async disable(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<UserDetailsAnswer> {
      const now = clock();
      if (!dryRun) {
        await storage.write(async (tx) => {
          const user = await setDisabled(tx, id, true, now);
          if (!user) return;
          const ended = await endEverything(tx, user, "user-disabled", actor, now);
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

    /** Ends every login of a user; how many were alive. Throws USER_NOT_FOUND. */
    async revokeLogins(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<{ ended: number }> {
      const now = clock();
      if (dryRun) {
        await existingUser(id);
        return { ended: (await logins.list(id, { all: false })).length };
      }
      return await storage.write(async (tx) => {
        const user = await existingUser(id, tx);
        const ended = await endEverything(tx, user, "operator", actor, now);
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
    const problem = await passwords.problemWith(password, application, email);
    if (problem !== undefined) {
      const { passwordMinLength } = application.settings;
      const rules: Record<typeof problem.kind, string> = {
        "password-too-short": `at least ${passwordMinLength} characters`,
        "password-too-long": `at most ${"maxLength" in problem ? problem.maxLength : 0} characters`,
        "password-common": "not one of the most common passwords",
        "password-context": "not the address, its first part, or the name of the application",
      };
      throw invalidRequest(`password: ${rules[problem.kind]}`);
    }
    return await passwords.hash(password, undefined);
  }
}

function checkedEmail(text: string): string {
  const email = canonicalEmail(text);
  if (email === undefined) throw invalidRequest("email: an address such as ada@example.com, at most 254 characters");
  return email;
}

function checkedName(text: string | null): string | null {
  const name = text === null ? null : displayName(text);
  if (name === undefined) throw invalidRequest(`name: at most ${mostNameCharacters} characters, no control characters`);
  return name;
}

function addressTaken(): AppError {
  return new AppError("CONFLICT", "A user of this application has this address already.");
}

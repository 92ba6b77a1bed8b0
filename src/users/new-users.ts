import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, By } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { addressTaken, applicationNotFound, invalidRequest } from "../lib/errors.ts";
import { checkedDisplayName, checkedNewEmail, checkedPicture } from "../lib/user-fields.ts";
import type { NewPasswords } from "../passwords/new-passwords.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { Users } from "./service.ts";
import { userAnswer, type UserAnswer } from "./user-answer.ts";

export type NewUser = {
  appId: string;
  email: string;
  emailVerified: boolean;
  name: string | null;
  picture?: string | null | undefined;
  password: string | undefined;
};

export type NewUsers = ReturnType<typeof createNewUsers>;

/** Creates users without a sign-up, for operators and for the servers of their applications. */
export function createNewUsers(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  newPasswords: NewPasswords;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, applications, users, passwords, newPasswords, audit, clock } = deps;

  async function existingApplication(id: string): Promise<Application> {
    const application = await applications.find(id);
    if (!application) throw applicationNotFound();
    return application;
  }

  return {
    /**
     * Throws APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for a taken address, BUSY.
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

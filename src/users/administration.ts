import type { By } from "../audit/audit.ts";
import { userNotFound } from "../lib/errors.ts";
import type { Handle } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import { createUserChanges, type UserChange } from "./changes.ts";
import { findUser, findUserWithMethods } from "./store.ts";
import { userAnswer, type UserDetailsAnswer } from "./user-answer.ts";
import type { User } from "./user.ts";

export type UserAdministration = ReturnType<typeof createUserAdministration>;

/** Operations on one user, for operators and for the servers of their applications. */
export function createUserAdministration(
  deps: Parameters<typeof createUserChanges>[0] & { logins: LoginAdministration },
) {
  const { storage, logins, access, audit, clock } = deps;
  const changes = createUserChanges(deps);

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
    const { loginCount, lastIpAddress, lastUserAgent: userAgent, publicMetadata, privateMetadata } = user;
    return {
      ...userAnswer(user, methods),
      metadata: { loginCount, lastIpAddress, userAgent },
      ...(publicMetadata && { publicMetadata }),
      ...(privateMetadata && { privateMetadata }),
    };
  }

  return {
    get,

    /** A user of this application. Throws USER_NOT_FOUND, also for users of others. */
    async userOf(appId: string, id: string): Promise<User> {
      const user = await existingUser(id);
      if (user.appId !== appId) throw userNotFound();
      return user;
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
}

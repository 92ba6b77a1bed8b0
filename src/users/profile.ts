import type { Audit, By } from "../audit/audit.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { invalidRequest, userNotFound } from "../lib/errors.ts";
import { displayName, isHttpsAddress, mostNameCharacters } from "../lib/text.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import { eraseAddress } from "./deletion-store.ts";
import type { SignedInUserAnswer, Users } from "./service.ts";
import { deleteUser, updateUser } from "./store.ts";
import type { User } from "./user.ts";

/** What GET /users/profile answers (contract 4.2). */
export type ProfileAnswer = SignedInUserAnswer & {
  metadata: { loginCount: number; lastIpAddress: string | null; userAgent: string | null };
};

/** What PATCH /users/profile answers. `email` is absent without the scope `email`. */
export type UpdatedProfileAnswer = {
  id: string;
  email?: string | null;
  name: string | null;
  picture: string | null;
  updatedAt: string;
};

/** What a user may change of itself; what is left out stays as it is. */
export type ProfileChange = { name?: string | undefined; picture?: string | null | undefined };

export type Profiles = ReturnType<typeof createProfiles>;

/** What a user sees of itself, changes, and takes away. */
export function createProfiles(deps: {
  storage: Storage;
  users: Users;
  passwords: Passwords;
  events: Events;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, users, passwords, events, audit, clock } = deps;

  /** What happened to a user, for the audit log and for the app's server. */
  async function note(
    tx: Handle,
    what: { action: string; kind: "user.updated" | "user.deleted"; details?: { fields: string } },
    { id: userId, appId }: User,
    by: By,
    now: number,
  ): Promise<void> {
    const { action, kind, details } = what;
    await audit.record(tx, { ...by, action, result: "success", appId, userId, ...(details ? { details } : {}) }, now);
    await events.record(tx, { kind, appId, userId, authMethod: null, origin: by.origin ?? null, sessionId: null }, now);
  }

  return {
    /** The user as a token with these scopes shows it. Throws USER_NOT_FOUND. */
    async get(userId: string, scopes: string[]): Promise<ProfileAnswer> {
      const found = await users.findWithMethods(userId);
      if (!found) throw userNotFound();
      const { loginCount, lastIpAddress, lastUserAgent: userAgent } = found.user;
      return { ...users.answerFor(found, scopes), metadata: { loginCount, lastIpAddress, userAgent } };
    },

    /** Changes what is given, in one write that leaves alone what others change. Throws USER_NOT_FOUND, INVALID_REQUEST naming the field. */
    async update(userId: string, change: ProfileChange, scopes: string[], by: By): Promise<UpdatedProfileAnswer> {
      const now = clock();
      const checked = checkedChange(change);
      const fields = Object.keys(checked).join(", ");
      const updated = await storage.write(async (tx) => {
        const user =
          fields === "" ? await users.find(userId, tx) : await updateUser(tx, userId, { ...checked, updatedAt: now });
        if (!user) throw userNotFound();
        if (fields !== "")
          await note(tx, { action: "user.update", kind: "user.updated", details: { fields } }, user, by, now);
        return user;
      });
      return updatedAnswer(updated, scopes);
    },

    /**
     * Removes a user at once and completely: methods, logins, sign-ins under way, mail on its way, the address wherever it stands. The audit log
     * keeps the bare id. Throws USER_NOT_FOUND.
     */
    async delete(userId: string, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        const user = await deleteUser(tx, userId);
        if (!user) throw userNotFound();
        const { appId, email } = user;
        if (email !== null) {
          await eraseAddress(tx, appId, email);
          await passwords.forgetFailures(tx, appId, email);
        }
        await note(tx, { action: "user.delete", kind: "user.deleted" }, user, by, now);
        // After the last event about this user: from here on, the id is all that is left.
        await audit.forgetUser(tx, userId);
      });
    },
  };
}

function checkedChange({ name, picture }: ProfileChange): { name?: string; picture?: string | null } {
  const shown = name === undefined ? undefined : displayName(name);
  if (name !== undefined && !shown) {
    throw invalidRequest(`name: 1 to ${mostNameCharacters} characters, none of them a control character`);
  }
  if (typeof picture === "string" && !isHttpsAddress(picture)) {
    throw invalidRequest("picture: an https address of at most 2048 characters, or null");
  }
  return { ...(shown ? { name: shown } : {}), ...(picture === undefined ? {} : { picture }) };
}

function updatedAnswer({ id, email, name, picture, updatedAt }: User, scopes: string[]): UpdatedProfileAnswer {
  return { id, ...(scopes.includes("email") ? { email } : {}), name, picture, updatedAt: isoTime(updatedAt) };
}

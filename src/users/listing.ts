import type { Applications } from "../applications/service.ts";
import { AppError, applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import { checkedEmail } from "../lib/user-fields.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import { createCursors } from "./cursor.ts";
import { checkedListing, type Position, type UserListing, type UserQuery } from "./list-query.ts";
import { findByEmailInAll, findMethodKindsOf } from "./list-store.ts";
import { findGroupId, findPosition, listUsers } from "./page-store.ts";
import { userAnswer, type UserAnswer } from "./user-answer.ts";
import type { User } from "./user.ts";

export type UserListings = ReturnType<typeof createUserListings>;

/** Lists and finds users, for operators and applications' servers. */
export function createUserListings(deps: {
  storage: Storage;
  applications: Pick<Applications, "find">;
  keyring: Pick<Keyring, "sealCursor" | "openCursor">;
}) {
  const { storage, applications, keyring } = deps;
  const { reader } = storage;
  const cursors = createCursors(keyring);

  async function withMethods(users: User[]): Promise<UserAnswer[]> {
    const ids = users.map((user) => user.id);
    const kinds = await findMethodKindsOf(reader, ids);
    return users.map((user) => userAnswer(user, kinds.get(user.id) ?? { passkey: false, oauth: [], password: false }));
  }

  return {
    /**
     * A page of an application's users, and the cursor of the next one. Only a null cursor means
     * the end: any page may have fewer than `limit` users. Throws INVALID_REQUEST naming the field.
     */
    async page(
      appId: string,
      query: UserQuery,
      { cursor, limit }: { cursor: string | undefined; limit: number },
    ): Promise<{ users: UserAnswer[]; nextCursor: string | null }> {
      const listing = checkedListing(query);
      const after = cursor === undefined ? undefined : cursors.read(appId, listing, cursor);
      const groupId = await groupOf(appId, listing);
      const { users, next } = await listUsers(reader, appId, { ...listing, groupId, after, limit });
      return { users: await withMethods(users), nextCursor: next ? cursors.write(appId, listing, next) : null };
    },

    /**
     * The first `limit` users after the user with the id `after`, and whether there are more.
     * Throws APP_NOT_FOUND, INVALID_REQUEST, USER_NOT_FOUND if there is no such user.
     */
    async list(
      appId: string,
      query: UserQuery,
      { after, limit }: { after?: string | undefined; limit: number },
    ): Promise<{ users: UserAnswer[]; more: boolean }> {
      const listing = checkedListing(query);
      if (!(await applications.find(appId))) throw applicationNotFound();
      const groupId = await groupOf(appId, listing);
      const found: User[] = [];
      let position = after === undefined ? undefined : await positionAt(appId, after, listing);
      do {
        const page = await listUsers(reader, appId, {
          ...listing,
          groupId,
          after: position,
          limit: limit - found.length,
        });
        found.push(...page.users);
        position = page.next;
      } while (position && found.length < limit);
      return { users: await withMethods(found), more: position !== undefined };
    },

    /**
     * The user with this address, in the given application or the only one that has it. Throws
     * INVALID_REQUEST, USER_NOT_FOUND, CONFLICT if several applications have it.
     */
    async idByEmail(address: string, appId: string | undefined): Promise<string> {
      const [user, ...others] = await findByEmailInAll(reader, checkedEmail(address), appId);
      if (!user) throw userNotFound();
      if (others.length === 0) return user.id;
      const apps = [user, ...others].map((each) => each.appId).join(", ");
      throw new AppError("CONFLICT", `Several applications have a user with this address: ${apps}. Add --app.`);
    },
  };

  async function groupOf(appId: string, { filter: { group } }: UserListing): Promise<string | undefined> {
    const id = group === undefined ? undefined : await findGroupId(reader, appId, group);
    if (group !== undefined && id === undefined) throw invalidRequest("group: the application has no such group");
    return id;
  }

  async function positionAt(appId: string, userId: string, { order }: UserListing): Promise<Position> {
    const position = await findPosition(reader, appId, userId, order);
    if (!position) throw userNotFound();
    return position;
  }
}

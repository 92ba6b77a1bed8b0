/** The conditions of a filter of people on their rows. */
import { and, eq, ne, sql, type SQL } from "drizzle-orm";
import { consoleAppId } from "../applications/console-app.ts";
import { maxFailures } from "../rate-limits/failures.ts";
import type { Handle } from "../storage/storage.ts";
import type { Column } from "../storage/queries/sort-keys.ts";
import type { PeopleFilter } from "./people-filter.ts";

/** An index knows this literal, not a parameter. */
export const isInvitation = sql.raw("purpose = 'invite'");
export const isDisabled = sql.raw(
  "disabled_at IS NOT NULL AND (pending_at IS NULL OR (email IS NOT NULL AND NOT email_verified))",
);
export const isPending = sql.raw(
  "pending_at IS NOT NULL AND disabled_at IS NOT NULL AND (email IS NULL OR email_verified)",
);

/** With OFFSET, because PostgreSQL would read the whole table for a join. */
const some = (rest: SQL): SQL => sql`EXISTS (SELECT 1 FROM ${rest} LIMIT 1 OFFSET 0)`;
const none = (rest: SQL): SQL => sql`NOT ${some(rest)}`;

/** Whether a row is of the application, or of any but the console's. */
export function isOfApp(column: Column, appId: string | undefined): SQL {
  return appId === undefined ? ne(column, consoleAppId) : eq(column, appId);
}

/** Whether the user with this id is asked for, of whichever application. */
export function isWanted(
  tables: Handle["tables"],
  id: Column,
  { state, groupId, method, lacksFactor = false, now = 0 }: Partial<PeopleFilter>,
): SQL | undefined {
  const { groupMembers: members, secondFactors: factors } = tables;
  return and(
    state && isIn(tables, id, state, now),
    groupId === undefined
      ? undefined
      : some(sql`${members} WHERE ${members.groupId} = ${groupId} AND ${members.userId} = ${id}`),
    method === undefined ? undefined : has(tables, id, method),
    lacksFactor
      ? none(sql`${factors} WHERE ${factors.userId} = ${id} AND ${factors.encryptedSecret} IS NOT NULL`)
      : undefined,
  );
}

function isUser({ users }: Handle["tables"], id: Column, which: SQL): SQL {
  return some(sql`${users} WHERE ${users.id} = ${id} AND ${which}`);
}

const isNew = sql.raw("disabled_at IS NULL AND last_login_at IS NULL");

/** Whether somebody of the application who has an invitation still needs it. */
export function needsInvitation(tables: Handle["tables"], id: Column, appId: string | undefined): SQL {
  return isUser(tables, id, sql`${isNew} AND ${isOfApp(tables.users.appId, appId)}`);
}

function isIn(tables: Handle["tables"], id: Column, state: NonNullable<PeopleFilter["state"]>, now: number): SQL {
  const { emailTokens: tokens, secondFactors: factors } = tables;
  if (state === "disabled") return isUser(tables, id, isDisabled);
  if (state === "pending") return isUser(tables, id, isPending);
  if (state === "enabled") return isUser(tables, id, sql`disabled_at IS NULL`);
  const invitation = sql`${tokens} WHERE ${tokens.userId} = ${id} AND ${isInvitation} AND ${tokens.expiresAt} > ${now}`;
  if (state === "invited") return sql`(${some(invitation)} AND ${isUser(tables, id, isNew)})`;
  const isBlocked = some(sql`${factors} WHERE ${factors.userId} = ${id} AND ${factors.failures} >= ${maxFailures}`);
  const isOpen = isUser(tables, id, sql`disabled_at IS NULL AND (last_login_at IS NOT NULL OR ${none(invitation)})`);
  return sql`(${isOpen} AND ${state === "blocked" ? isBlocked : sql`NOT ${isBlocked}`})`;
}

function has(tables: Handle["tables"], id: Column, method: string): SQL | undefined {
  const { passkeys, passwords, oauthIdentities: identities } = tables;
  const passkey = sql`${passkeys} WHERE ${passkeys.userId} = ${id}`;
  const password = sql`${passwords} WHERE ${passwords.userId} = ${id}`;
  const identity = sql`${identities} WHERE ${identities.userId} = ${id}`;
  if (method === "passkey") return some(passkey);
  if (method === "password") return some(password);
  if (method === "none") return and(none(passkey), none(password), none(identity));
  return some(sql`${identity} AND ${identities.provider} = ${method.replace(/^provider:/u, "")}`);
}

/** A user's own profile: reading, changing and deleting it. */
import { refuseConsoleApp } from "../applications/console-app.ts";
import * as passwords from "../credentials/passwords/service.ts";
import { isoTime } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import { factsOf, type FactOn, type FactsOn } from "../lib/profile-facts.ts";
import { personsSource } from "../lib/request-source.ts";
import * as members from "../organizations/members.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import { forgetAddressesInAudit } from "../records/audit/store.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import type { Metadata } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as changes from "./changes.ts";
import { deletePending, eraseAddress } from "./deletion-store.ts";
import { shownProfile, type ShownProfile } from "../users/profile-fields.ts";
import * as users from "../users/service.ts";
import type { SignedInUserAnswer } from "../users/service.ts";
import { findUserWithMethods, lockUser, deleteUser } from "../users/store.ts";

/** The answer of GET /users/profile (docs/spec/http-api.md, 4.2). */
export type ProfileAnswer = SignedInUserAnswer & {
  metadata: { loginCount: number; lastIpAddress: string | null; userAgent: string | null };
  /** Omitted if it is empty. */
  publicMetadata?: Metadata;
};

/** The answer of PATCH /users/profile. `email` is omitted without the scope `email`. */
export type UpdatedProfileAnswer = FactsOn<"profile"> & {
  id: string;
  email?: string | null;
  updatedAt: string;
  profile?: ShownProfile;
};

/** The changes that a user may make; omitted fields stay unchanged. */
export type ProfileChange = { [Name in FactOn<"profile" | "account">]?: string | null | undefined } & {
  /** Of the application's own fields. */
  profile?: unknown;
};

/** The user as visible to a token with these scopes. Throws USER_NOT_FOUND. */
export async function get(ctx: Context, userId: string, scopes: string[]): Promise<ProfileAnswer> {
  const user = await findUserWithMethods(ctx.storage.reader, userId);
  if (!user) throw userNotFound();
  const { loginCount, lastIpAddress, lastUserAgent: userAgent, publicMetadata } = user.user;
  return {
    ...users.answerFor(ctx, user, scopes, await users.fieldsFor(ctx, user.user)),
    metadata: { loginCount, lastIpAddress, userAgent },
    ...(publicMetadata && { publicMetadata }),
  };
}

/** Changes only the given fields. Throws USER_NOT_FOUND, INVALID_REQUEST naming the field. */
export async function update(
  ctx: Context,
  userId: string,
  change: ProfileChange,
  scopes: string[],
  by: By,
): Promise<UpdatedProfileAnswer> {
  const user = await changes.change(ctx, { userId }, change, changes.owner, { dryRun: false }, by);
  const { id, email, updatedAt } = user;
  const own = factsOf("profile", user, ctx.baseUrl);
  const profile = scopes.includes("profile") ? shownProfile(await users.fieldsFor(ctx, user), user.profile) : undefined;
  const shown = { ...own, ...(profile && { profile }) };
  return { id, ...(scopes.includes("email") ? { email } : {}), ...shown, updatedAt: isoTime(updatedAt) };
}

/**
 * Removes a user completely: methods, logins, unfinished sign-ins, unsent mail, every copy of
 * the address. Webhooks report each ended login and the deletion. The audit log keeps the id.
 * Throws USER_NOT_FOUND, and CONFLICT for an operator: one of them must stay an owner.
 */
export async function remove(ctx: Context, userId: string, by: By): Promise<void> {
  await ctx.storage.write(async (tx) => {
    const user = await users.find(tx, userId);
    if (user) refuseConsoleApp(user.appId);
    await removeAnybody(ctx, tx, userId, by);
  });
}

/** The same, also for an operator. */
export async function removeAnybody(ctx: Context, tx: Handle, userId: string, by: By): Promise<void> {
  const now = ctx.clock();
  const user = await lockUser(tx, userId);
  if (!user) throw userNotFound();
  const { appId, email } = user;
  // First: it locks the organizations, before what they contain.
  const owned = await members.endSentInvitations(tx, user, now);
  if (email !== null) {
    await passwords.forgetFailures(ctx, tx, user);
    await eraseAddress(tx, appId, email);
  }
  await deletePending(tx, userId);
  await ends.endAccess(ctx, tx, userId, { reason: "user-deleted", by }, now);
  await deleteUser(tx, userId);
  await members.reportOwnerless(ctx, tx, owned, by, now);
  await audit.record(ctx, tx, { ...by, action: "user.delete", result: "success", appId, userId }, now);
  const event = { kind: "user.deleted", appId, userId, authMethod: null, source: personsSource(by) } as const;
  await events.record(ctx, tx, { ...event, sessionId: null }, now);
  // After the last event about this user: from here on, only the id is kept.
  await forgetAddressesInAudit(tx, [userId]);
}

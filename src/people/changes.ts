/** Changes one person: by themselves, by an operator or by the server of their application. */
import { isDeepStrictEqual } from "node:util";
import * as applications from "../applications/service.ts";
import * as signUpRules from "../applications/sign-up/service.ts";
import * as notices from "../credentials/mailed/notices.ts";
import * as emailTokens from "../credentials/mailed/service.ts";
import { addressTaken, AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import { checkedFact, factsFrom, factsOn, writtenFacts, type WrittenFact } from "../lib/profile-facts.ts";
import { personsSource } from "../lib/request-source.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import { pictureHere, storedPicture } from "../lib/stored-picture.ts";
import * as pictures from "../pictures/service.ts";
import { checkedEmail, checkedNewEmail } from "../lib/user-fields.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as members from "../organizations/members.ts";
import { removeProofsOf } from "../records/mail/store.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import type { Handle } from "../storage/storage.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { countClaimsChange } from "../users/claim-sources-store.ts";
import { patchedMetadata } from "../users/metadata.ts";
import { changedProfile, type ProfileWriter } from "../users/profile-fields.ts";
import * as users from "../users/service.ts";
import { findUserByEmail, lockUser, updateUser, type UserColumns } from "../users/store.ts";
import { isPending, type User } from "../users/user.ts";

/** Undefined fields stay unchanged; a fact of the profile that is null is removed. */
export type PersonChange = Partial<Record<WrittenFact, string | null | undefined>> & {
  email?: string | undefined;
  emailVerified?: boolean | undefined;
  disabled?: boolean | undefined;
  /** JSON merge patches (RFC 7396). */
  publicMetadata?: unknown;
  privateMetadata?: unknown;
  /** Values of the application's own fields, by name; null clears. */
  profile?: unknown;
};

/** Who changes somebody: the fields that they may change; others are ignored. */
export type Changer = {
  fields: readonly (keyof PersonChange)[];
  /** A value that is the present one counts as a change. */
  countsSame?: boolean;
  /** Of the application's own profile fields. */
  writes?: ProfileWriter;
};

const administered = ["email", "emailVerified", "disabled", "publicMetadata", "privateMetadata", "profile"] as const;

export const owner: Changer = {
  fields: [...factsOn("profile"), ...factsOn("account"), "profile"],
  countsSame: true,
  writes: "user",
};
export const operator: Changer = { fields: [...factsOn("operator"), ...administered] };
export const server: Changer = { fields: [...factsOn("server"), ...administered] };

/** The columns that a change alters. */
type Altered = Omit<UserColumns, "updatedAt">;

/**
 * Changes a person, all fields or none, and returns them. A new address is unverified unless the
 * change says otherwise. `appId`: the user must belong to it. Throws USER_NOT_FOUND,
 * INVALID_REQUEST naming the field, CONFLICT for a taken address.
 */
export async function change(
  ctx: Context,
  { userId, appId }: { userId: string; appId?: string },
  wanted: Wanted<PersonChange, User>,
  changer: Changer,
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<User> {
  const read = (change: PersonChange) => {
    // The address of an uploaded picture, as answers have it: it stays.
    const kept = pictureHere(ctx.baseUrl, change.picture);
    return { kept, checked: checkedChange(kept ? { ...change, picture: undefined } : change, changer) };
  };
  const given = typeof wanted === "function" ? undefined : read(wanted);
  const now = ctx.clock();
  return await ctx.storage.write<User>(async (tx, rollBack) => {
    const before = await lockUser(tx, userId);
    if (!before || (appId !== undefined && before.appId !== appId)) throw userNotFound();
    const { kept, checked } = given ?? read(changeOf(wanted, before));
    if (kept && kept.id !== storedPicture(before.picture)?.id)
      throw invalidRequest("picture", "not the address of this person's present picture");
    if (checked.disabled !== undefined && isPending(before)) throw waitsForApproval();
    const altered = {
      ...alteredBy(before, checked, changer, now),
      ...(await alteredProfile(ctx, tx, before, checked.profile, changer)),
    };
    if (Object.keys(altered).length === 0) return before;
    // Before it is looked up, so that the answer says nothing about accounts.
    if (altered.email) await signUpRules.refuseAddress(ctx, tx, before.appId, altered.email);
    const owns = altered.email ? await findUserByEmail(tx, before.appId, altered.email) : undefined;
    if (owns) throw addressTaken();
    const after = await updateUser(tx, userId, { ...altered, updatedAt: now });
    if (!after) throw userNotFound();
    if (altered.picture !== undefined) await pictures.forget(tx, { userId });
    await record(ctx, tx, before, altered, by, now);
    if (dryRun) throw rollBack(after);
    return after;
  });
}

function waitsForApproval(): AppError {
  return new AppError("CONFLICT", "The user waits for approval. To decide: authsvc user approve, or user refuse");
}

/** What follows from a change: records, events, mails, and what ends. */
async function record(
  ctx: Context,
  tx: Handle,
  user: User,
  { disabledAt, publicMetadata, privateMetadata, ...altered }: Altered,
  by: By,
  now: number,
): Promise<void> {
  const { id: userId, appId } = user;
  const about = { ...by, result: "success", appId, userId } as const;
  const fields = Object.keys(altered).join(", ");
  const parts = [
    ...(publicMetadata === undefined ? [] : ["public"]),
    ...(privateMetadata === undefined ? [] : ["private"]),
  ].join(", ");
  if (fields !== "") await audit.record(ctx, tx, { ...about, action: "user.update", details: { fields } }, now);
  if (parts !== "" || altered.profile !== undefined) {
    const application = await applications.find(ctx, tx, appId);
    if (!application) throw userNotFound();
    await claimSources.refuseTooLarge(tx, application, userId, parts || "profile");
    await countClaimsChange(tx, [userId]);
  }
  if (parts !== "") {
    await audit.record(ctx, tx, { ...about, action: "user.metadata", details: { fields: parts } }, now);
  }
  if (fields !== "" || parts !== "") await users.recordUpdate(ctx, tx, user, personsSource(by), now);
  if (altered.email !== undefined) {
    // Links and codes that were mailed to the old address end, and it gets a mail.
    await emailTokens.endAll(tx, userId, { keepUndosBefore: 0 });
    await removeProofsOf(tx, userId);
    await notices.addressReplaced(ctx, tx, { user, source: undefined }, now);
  }
  if (disabledAt === null) await audit.record(ctx, tx, { ...about, action: "user.enable" }, now);
  else if (disabledAt !== undefined) {
    const owned = await members.endSentInvitations(tx, user, now);
    await members.reportOwnerless(ctx, tx, owned, by, now);
    const ended = await ends.endAccess(ctx, tx, userId, { reason: "user-disabled", by }, now);
    await audit.record(ctx, tx, { ...about, action: "user.disable", details: { ended } }, now);
  }
}

/** What is allowed of a change, in its canonical form. */
function checkedChange(given: PersonChange, { fields }: Changer): PersonChange {
  const change: PersonChange = Object.fromEntries(fields.map((field) => [field, given[field]]));
  if (change.email !== undefined) change.email = checkedEmail(change.email);
  for (const name of writtenFacts) {
    const value = change[name];
    if (value !== undefined) change[name] = checkedFact(name, value);
  }
  return change;
}

/** The columns to which the change gives another value. */
function alteredBy(user: User, change: PersonChange, { countsSame = false }: Changer, now: number): Altered {
  const { email, emailVerified, disabled } = change;
  const isNew = email !== undefined && email !== user.email;
  if (isNew) checkedNewEmail(email);
  const verified = emailVerified ?? (isNew ? false : user.emailVerified);
  if (verified && !isNew && user.email === null) throw invalidRequest("emailVerified", "the user has no address");
  const facts = writtenFacts.filter(
    (name) => change[name] !== undefined && (countsSame || change[name] !== user[name]),
  );
  return {
    ...(isNew ? { email } : {}),
    ...(verified === user.emailVerified ? {} : { emailVerified: verified }),
    ...factsFrom(facts, (name) => change[name]),
    ...(disabled === undefined || disabled === (user.disabledAt !== null) ? {} : { disabledAt: disabled ? now : null }),
    ...patchedPart(user, "public", change.publicMetadata),
    ...patchedPart(user, "private", change.privateMetadata),
  };
}

/** Nothing if no value changes. Throws INVALID_REQUEST naming the field. */
async function alteredProfile(
  ctx: Context,
  tx: Handle,
  user: User,
  change: unknown,
  { writes = "server" }: Changer,
): Promise<Pick<Altered, "profile">> {
  if (change === undefined) return {};
  const application = await applications.find(ctx, tx, user.appId);
  const profile = changedProfile(application?.settings.profileFields, user.profile, change, writes);
  return isDeepStrictEqual(profile, user.profile) ? {} : { profile };
}

/** Nothing if the patch changes nothing. Throws INVALID_REQUEST naming the part. */
function patchedPart(user: User, part: "public" | "private", patch: unknown): Altered {
  if (patch === undefined) return {};
  const before = user[`${part}Metadata`];
  const after = patchedMetadata(part, before, patch);
  return isDeepStrictEqual(after, before) ? {} : { [`${part}Metadata`]: after };
}

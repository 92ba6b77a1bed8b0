/** Changes users for operators and applications' servers. */
import * as notices from "../credentials/mailed/notices.ts";
import * as emailTokens from "../credentials/mailed/service.ts";
import { addressTaken, invalidRequest, userNotFound } from "../lib/errors.ts";
import { checkedDisplayName, checkedEmail, checkedNewEmail, checkedPicture } from "../lib/user-fields.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import { removeProofsOf } from "../records/mail/store.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import { lockUserForChange, findUser, findUserByEmail, updateUser } from "../users/store.ts";
import type { User } from "../users/user.ts";

/**
 * The fields that operators and applications' servers may change; undefined ones stay unchanged.
 */
export type UserChange = {
  email?: string | undefined;
  emailVerified?: boolean | undefined;
  /** Null: none. */
  name?: string | null | undefined;
  picture?: string | null | undefined;
  disabled?: boolean | undefined;
};

/** The columns that a change alters. */
type Altered = Partial<Pick<User, "email" | "emailVerified" | "name" | "picture" | "disabledAt">>;

async function apply(ctx: Context, tx: Handle, id: string, change: UserChange, by: By, now: number): Promise<void> {
  const seen = await findUser(tx, id);
  if (!seen) throw userNotFound();
  if (Object.keys(alteredBy(seen, change, now)).length === 0) return;
  const disables = change.disabled === true;
  const user = await lockUserForChange(tx, id, now);
  if (!user) throw userNotFound();
  const altered = alteredBy(user, change, now);
  if (altered.email !== undefined) await endMailedProofs(tx, id);
  const { email = null, disabledAt, ...rest } = altered;
  const owner = email === null ? undefined : await findUserByEmail(tx, user.appId, email);
  if (owner && owner.id !== id) throw addressTaken();
  await updateUser(tx, id, { ...altered, updatedAt: now });
  const about = { ...by, result: "success", appId: user.appId, userId: id } as const;
  const fields = [...(email === null ? [] : ["email"]), ...Object.keys(rest)].join(", ");
  if (fields !== "") {
    await audit.record(ctx, tx, { ...about, action: "user.update", details: { fields } }, now);
    await users.recordUpdate(ctx, tx, user, null, now);
  }
  if (email !== null) await notices.addressReplaced(ctx, tx, { user, source: undefined }, now);
  if (disabledAt === undefined) return;
  const ended = disables ? await ends.endAccess(ctx, tx, id, { reason: "user-disabled", by }, now) : 0;
  await audit.record(
    ctx,
    tx,
    disables ? { ...about, action: "user.disable", details: { ended } } : { ...about, action: "user.enable" },
    now,
  );
}

/** Ends links and codes that were mailed to the old address. */
async function endMailedProofs(tx: Handle, userId: string): Promise<void> {
  await emailTokens.endAll(tx, userId, { keepUndosBefore: 0 });
  await removeProofsOf(tx, userId);
}

/**
 * Changes a user, all fields or none. A new address is unverified unless the change says
 * otherwise. It ends links and codes that were mailed before, and the old address gets a mail.
 * Logins stay, unless the user is disabled. Throws USER_NOT_FOUND, INVALID_REQUEST naming the
 * field, CONFLICT for a taken address.
 */
export async function change(
  ctx: Context,
  id: string,
  change: UserChange,
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<void> {
  const checked = checkedChange(change);
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    await apply(ctx, tx, id, checked, by, now);
    if (dryRun) throw rollBack(undefined);
  });
}

function checkedChange({ email, emailVerified, name, picture, disabled }: UserChange): UserChange {
  return {
    email: email === undefined ? undefined : checkedEmail(email),
    emailVerified,
    name: name === undefined ? undefined : checkedDisplayName(name),
    picture: picture === undefined ? undefined : checkedPicture(picture),
    disabled,
  };
}

/** The columns of `user` to which the change gives another value. */
function alteredBy(user: User, { email, emailVerified, name, picture, disabled }: UserChange, now: number): Altered {
  const isNew = email !== undefined && email !== user.email;
  if (isNew) checkedNewEmail(email);
  const verified = emailVerified ?? (isNew ? false : user.emailVerified);
  if (verified && !isNew && user.email === null) throw invalidRequest("emailVerified", "the user has no address");
  return {
    ...(isNew ? { email } : {}),
    ...(verified === user.emailVerified ? {} : { emailVerified: verified }),
    ...(name === undefined || name === user.name ? {} : { name }),
    ...(picture === undefined || picture === user.picture ? {} : { picture }),
    ...(disabled === undefined || disabled === (user.disabledAt !== null) ? {} : { disabledAt: disabled ? now : null }),
  };
}

/**
 * Invites people: a user without a method, and a link with which they choose one. It works while
 * the user has none, so it never opens an account that somebody uses (docs/decisions/0046).
 */
import type { Application } from "../../applications/application.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import * as applications from "../../applications/service.ts";
import { isoTime } from "../../lib/clock.ts";
import { addressTaken, AppError, applicationNotFound, userNotFound } from "../../lib/errors.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { checkedFact } from "../../lib/profile-facts.ts";
import { checkedEmail, checkedNewEmail } from "../../lib/user-fields.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUser, updateUser } from "../../users/store.ts";
import { refuseDisabled, type User } from "../../users/user.ts";
import { hasFactor } from "../../factors/service.ts";
import * as methods from "../methods/service.ts";
import * as allowance from "../../records/mail/allowance.ts";
import type { EmailToken } from "./email-token.ts";
import { emailTokenLasts } from "./rules.ts";
import * as emailTokens from "./service.ts";
import { consumeEmailToken } from "./store.ts";

/** `locale`: of the mail; null: English. */
export type Invitation = { appId: string; email: string; name: string | null; locale: string | null };

/** `link` is null if it was mailed, and for a dry run; `userId` for the dry run of a new user. */
export type InviteAnswer = {
  userId: string | null;
  appId: string;
  email: string;
  /** Whether this created the user. */
  created: boolean;
  link: string | null;
  sent: boolean;
  expiresAt: string;
};

async function invitableApplication(ctx: Context, id: string): Promise<Application> {
  const application = await applications.find(ctx, ctx.storage.reader, id);
  if (!application) throw applicationNotFound();
  const { passkey, password, oauth } = application.authMethods;
  if (!passkey.enabled && !password.enabled && !oauth.enabled)
    throw new AppError("CONFLICT", "The application has no sign-in method.");
  return application;
}

/** A second factor without a method: the user signs in by mail. */
async function isUnused(handle: Handle, userId: string): Promise<boolean> {
  return (await methods.list(handle, userId)).length === 0 && !(await hasFactor(handle, userId));
}

/** The user with this address, if they may be invited again. Throws if no new user may have it. */
async function findInvited(handle: Handle, appId: string, email: string): Promise<User | undefined> {
  const user = await users.findByEmail(handle, appId, email);
  if (!user) checkedNewEmail(email);
  if (user) refuseDisabled(user);
  if (user && !(await isUnused(handle, user.id)))
    throw new AppError("CONFLICT", "A user of this application already signs in with this address.");
  return user;
}

/** The user whom a token still invites. */
async function invitedBy(handle: Handle, token: EmailToken | undefined): Promise<User | undefined> {
  if (token?.purpose !== "invite" || token.userId === null) return undefined;
  const user = await users.find(handle, token.userId);
  if (!user || user.disabledAt !== null || (token.email !== "" && token.email !== user.email)) return undefined;
  // Who asked for it by mail has given the second factor.
  const isUsable = isFirstMethod(token)
    ? (await methods.list(handle, user.id)).length === 0
    : await isUnused(handle, user.id);
  return isUsable ? user : undefined;
}

function isFirstMethod({ payload }: EmailToken): boolean {
  return payload !== null && "firstMethod" in payload;
}

/** `email`: what the link proves; empty if it was not mailed. */
async function issue(
  ctx: Context,
  tx: Handle,
  { id: userId, appId, email }: { id: string; appId: string; email: string },
  now: number,
  more: { endsBy?: number; payload?: EmailToken["payload"] } = {},
) {
  const token = { slot: emailTokens.slot(ctx, "invite", userId), purpose: "invite", appId, userId, email } as const;
  return await emailTokens.issue(ctx, tx, { ...token, hasNoCode: true, ...more }, now);
}

/**
 * Creates the user, if new, and mails a link. With `link`, or without a mail server, returns
 * the link, which then proves no address. A new link replaces the previous one.
 * `overridesRules`: a new user may have an address that the sign-up rules refuse. Throws
 * APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT, RATE_LIMITED.
 */
export async function invite(
  ctx: Context,
  input: Invitation,
  { link: asLink, dryRun, overridesRules = false }: { link: boolean; dryRun: boolean; overridesRules?: boolean },
  by: By,
): Promise<InviteAnswer> {
  const application = await invitableApplication(ctx, input.appId);
  const { id: appId } = application;
  const email = checkedEmail(input.email);
  const name = checkedFact("name", input.name);
  const now = ctx.clock();
  const sends = mail.available(ctx) && !asLink;
  const planned = { appId, email, sent: sends, expiresAt: isoTime(now + emailTokenLasts.invite) };
  const broken = signUpRules.problemWith(ctx, application, email);
  if (dryRun) {
    const invited = await findInvited(ctx.storage.reader, appId, email);
    if (!invited && broken && !overridesRules) throw signUpRules.addressRefused(broken);
    return { userId: invited?.id ?? null, ...planned, created: !invited, link: null };
  }
  return await ctx.storage.write(async (tx) => {
    const invited = await findInvited(tx, appId, email);
    const signedUp = { method: null, source: null, overridesRules };
    const user = invited ?? (await users.create(ctx, tx, { appId, email, name, signedUp }, now));
    if (!user) throw addressTaken();
    if (sends && !(await allowance.countInvite(ctx, tx, { purpose: "invite", appId, email }, now)))
      throw new AppError("RATE_LIMITED", "This address has received the maximum number of invitations in an hour.");
    const { id: userId } = user;
    const { link, expiresAt } = await issue(ctx, tx, { id: userId, appId, email: sends ? email : "" }, now);
    const details = { sent: sends, created: !invited, ...(broken && !invited && { overridesRules: broken }) };
    await audit.record(ctx, tx, { ...by, action: "user.invite", result: "success", appId, userId, details }, now);
    if (sends) {
      const common = {
        appId,
        userId,
        to: email,
        locale: input.locale,
        origin: { ipAddress: null, userAgent: null },
      };
      await mail.enqueue(ctx, tx, { ...common, kind: "invite", link, expiresAt }, now);
    }
    return { userId, ...planned, created: !invited, link: sends ? null : link };
  });
}

/** A link for a user without a method who has just proven this address, in that transaction. */
export async function issueFor(
  ctx: Context,
  tx: Handle,
  user: { id: string; appId: string; email: string },
  now: number,
): Promise<string> {
  return (await issue(ctx, tx, user, now)).link;
}

/**
 * A link for a user without a method who has proven their mailbox and their second factor, until
 * then. What it makes is no owner's for a day (docs/decisions/0109).
 */
export async function issueFirstMethod(
  ctx: Context,
  tx: Handle,
  user: { id: string; appId: string; email: string },
  endsBy: number,
  now: number,
): Promise<string> {
  return (await issue(ctx, tx, user, now, { endsBy, payload: { name: null, firstMethod: true } })).link;
}

/** Until when the user's link works; undefined without one. */
export async function openUntil(ctx: Context, handle: Handle, userId: string): Promise<number | undefined> {
  const token = await emailTokens.waiting(ctx, handle, emailTokens.slot(ctx, "invite", userId));
  return (await invitedBy(handle, token)) && token?.expiresAt;
}

/** Voids the link of a user who signs in without a method, such as by mail. False without one. */
export async function end(ctx: Context, tx: Handle, userId: string, now: number): Promise<boolean> {
  const token = await emailTokens.waiting(ctx, tx, emailTokens.slot(ctx, "invite", userId));
  return token !== undefined && (await consumeEmailToken(tx, token, now)) !== undefined;
}

/**
 * Voids a link that was mailed or handed over; the account stays. Throws USER_NOT_FOUND, and
 * CONFLICT if no link is open.
 */
export async function withdraw(
  ctx: Context,
  userId: string,
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<{ userId: string; email: string | null }> {
  const now = ctx.clock();
  return await ctx.storage.write<{ userId: string; email: string | null }>(async (tx, rollBack) => {
    const user = await lockUser(tx, userId);
    if (!user) throw userNotFound();
    if (!(await end(ctx, tx, userId, now)))
      throw new AppError("CONFLICT", "This user has no open invitation. It was used or withdrawn, or has expired.");
    await mail.cancel(tx, userId, "invite");
    const { appId, email } = user;
    if (dryRun) throw rollBack({ userId, email });
    await audit.record(ctx, tx, { ...by, action: "user.invite-withdrawn", result: "success", appId, userId }, now);
    return { userId, email };
  });
}

/** What a link invites to; undefined if it is no longer valid. */
export async function find(
  ctx: Context,
  secret: string,
): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
  const token = await emailTokens.find(ctx, secret, "invite");
  const user = await invitedBy(ctx.storage.reader, token);
  const application = token && (await applications.find(ctx, ctx.storage.reader, token.appId));
  return token && user && application ? { token, user, application } : undefined;
}

/** Whether the link with this digest still invites this user. */
export async function isFor(ctx: Context, handle: Handle, digest: string, userId: string): Promise<boolean> {
  const user = await invitedBy(handle, await emailTokens.findByDigest(ctx, handle, digest));
  return user?.id === userId;
}

/**
 * Consumes the link with this digest. False if the user, who must be locked, has a method or
 * another address by now. A mailed link verifies the address.
 */
export async function accept(
  ctx: Context,
  tx: Handle,
  digest: string,
  user: User,
  source: RequestSource,
  now: number,
): Promise<boolean> {
  const token = await consumeEmailToken(tx, { digest, purpose: "invite" }, now);
  if (!token || (await invitedBy(tx, token))?.id !== user.id) return false;
  const { id: userId, appId } = user;
  if (isFirstMethod(token)) await updateUser(tx, userId, { mailedMethodAt: now, updatedAt: now });
  const provesAddress = token.email !== "" && !user.emailVerified;
  if (provesAddress && !(await users.verifyEmail(ctx, tx, user, token.email, source, now))) return false;
  const actor = { kind: "user", name: userId } as const;
  const event = { actor, action: "user.invite-accepted", result: "success", appId, userId, source } as const;
  await audit.record(ctx, tx, { ...event, details: { provesAddress } }, now);
  return true;
}

/** People who signed up and wait until somebody approves them (docs/decisions/0099). */
import { appHome } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as invites from "../credentials/mailed/invites.ts";
import * as methods from "../credentials/methods/service.ts";
import { day } from "../lib/clock.ts";
import { AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import { isShowable } from "../lib/text.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import { maxSentenceCharacters } from "../records/mail/render.ts";
import * as mail from "../records/mail/service.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import { lockUser, updateUser } from "../users/store.ts";
import { isPending, type User } from "../users/user.ts";
import { findRefused, insertRefused, listIdentities, listUnproved, sweepRefused } from "./approval-store.ts";
import * as profiles from "./profile.ts";

/** `sentence`: mailed to the person. */
export type Decision = { sentence: string | null; dryRun: boolean };

export type DecisionAnswer = { id: string; email: string | null; decision: "approved" | "refused"; mailed: boolean };

const refusedAreKept = 90 * day;
const unprovedAreKept = 7 * day;

/** Throws INVALID_REQUEST. */
function checkedSentence(sentence: string | null): string | null {
  const text = sentence?.trim() ?? "";
  if (text.length > maxSentenceCharacters || !isShowable(text))
    throw invalidRequest("message", `one line of at most ${maxSentenceCharacters} characters`);
  return text === "" ? null : text;
}

/** Locks somebody who waits. Throws USER_NOT_FOUND, CONFLICT. */
async function lockPending(tx: Handle, id: string): Promise<User> {
  return checkedPending(await lockUser(tx, id));
}

function checkedPending(user: User | undefined): User {
  if (!user) throw userNotFound();
  if (!isPending(user)) throw new AppError("CONFLICT", "The user does not wait for approval.");
  return user;
}

/** Throws USER_NOT_FOUND, or CONFLICT if somebody does not wait. */
export async function checkWaits(ctx: Context, id: string): Promise<void> {
  checkedPending(await users.find(ctx.storage.reader, id));
}

/** Nothing that somebody typed goes to an address that nobody proved. */
function mailTo(ctx: Context, { appId, email, emailVerified, locale }: User) {
  if (email === null || !emailVerified || !mail.takesMail(ctx)) return undefined;
  return { appId, to: email, locale, origin: { ipAddress: null, userAgent: null } };
}

/**
 * Lets somebody in who waits. The proof of the address is another gate, and must be there. Throws
 * USER_NOT_FOUND, INVALID_REQUEST, CONFLICT.
 */
export async function approve(ctx: Context, id: string, given: Decision, by: By): Promise<DecisionAnswer> {
  const sentence = checkedSentence(given.sentence);
  const now = ctx.clock();
  return await ctx.storage.write<DecisionAnswer>(async (tx, rollBack) => {
    const user = await lockPending(tx, id);
    const { appId, email } = user;
    if (email !== null && !user.emailVerified)
      throw new AppError("CONFLICT", "The address is not proved yet: only its owner can do that.");
    const mailed = mailTo(ctx, user);
    const answer = { id, email, decision: "approved", mailed: mailed !== undefined } as const;
    await updateUser(tx, id, { pendingAt: null, disabledAt: null, updatedAt: now });
    await audit.record(ctx, tx, { ...by, action: "user.approve", result: "success", appId, userId: id }, now);
    const event = { kind: "user.created", appId, userId: id, authMethod: null, source: null, sessionId: null } as const;
    await events.record(ctx, tx, event, now);
    if (mailed) {
      const link = await nextFor(ctx, tx, { id, appId, email: mailed.to }, now);
      await mail.enqueue(ctx, tx, { ...mailed, userId: id, kind: "approved", sentence, link }, now);
    }
    if (given.dryRun) throw rollBack(answer);
    return answer;
  });
}

/** Where they continue. Somebody invited by an organization chooses how to sign in first. */
async function nextFor(
  ctx: Context,
  tx: Handle,
  user: { id: string; appId: string; email: string },
  now: number,
): Promise<string | null> {
  const application = await applications.find(ctx, tx, user.appId);
  // Who signed up with a mailed code has no method either, and needs none.
  const needsMethod = application?.settings.emailCode !== true && (await methods.list(tx, user.id)).length === 0;
  if (needsMethod) return await invites.issueFor(ctx, tx, user, now);
  return (application && appHome(application)) ?? null;
}

function digestOf(ctx: Context, appId: string, ...parts: string[]): string {
  return ctx.keyring.mac("email", "refused", appId, ...parts).toString("base64url");
}

/** Of the address and of each identity. */
async function digestsOf(ctx: Context, handle: Handle, { id, appId, email }: User): Promise<string[]> {
  const identities = await listIdentities(handle, id);
  return [
    ...(email === null ? [] : [digestOf(ctx, appId, "address", email)]),
    ...identities.map(({ provider, issuer, subject }) => digestOf(ctx, appId, "identity", provider, issuer, subject)),
  ];
}

/** Whether this address, or one of these identities, was refused in the last 90 days. */
export async function wasRefused(ctx: Context, handle: Handle, user: User): Promise<boolean> {
  return (await findRefused(handle, await digestsOf(ctx, handle, user))).length > 0;
}

/**
 * Deletes somebody who waits; they may sign up again. Keyed digests stay for 90 days, so that it is
 * known then. Throws USER_NOT_FOUND, INVALID_REQUEST, CONFLICT.
 */
export async function refuse(ctx: Context, id: string, given: Decision, by: By): Promise<DecisionAnswer> {
  const sentence = checkedSentence(given.sentence);
  const now = ctx.clock();
  return await ctx.storage.write<DecisionAnswer>(async (tx, rollBack) => {
    const user = await lockPending(tx, id);
    const { appId, email } = user;
    const mailed = mailTo(ctx, user);
    const answer = { id, email, decision: "refused", mailed: mailed !== undefined } as const;
    const digests = await digestsOf(ctx, tx, user);
    await insertRefused(
      tx,
      digests.map((digest) => ({ digest, appId, refusedAt: now })),
    );
    await audit.record(ctx, tx, { ...by, action: "user.refuse", result: "success", appId, userId: id }, now);
    await profiles.removeAnybody(ctx, tx, id, by);
    if (mailed) await mail.enqueue(ctx, tx, { ...mailed, userId: null, kind: "refused", sentence }, now);
    if (given.dryRun) throw rollBack(answer);
    return answer;
  });
}

const actor = { kind: "service", name: "approval" } as const;

/** Removes accounts whose address was not proved in time, and old refusals. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  for (const id of await listUnproved(ctx.storage.reader, now - unprovedAreKept))
    await ctx.storage.write(async (tx) => {
      const user = await lockUser(tx, id);
      if (user && isPending(user) && !user.emailVerified) await profiles.removeAnybody(ctx, tx, id, { actor });
    });
  return await ctx.storage.write((tx) => sweepRefused(tx, now - refusedAreKept));
}

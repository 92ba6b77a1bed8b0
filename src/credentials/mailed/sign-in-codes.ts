/**
 * Codes and links that sign people in by mail. They work only in the sign-in that requested them
 * (docs/decisions/0018).
 */
import type { Application } from "../../applications/application.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import { newEmail } from "../../lib/email.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUser } from "../../users/store.ts";
import { mayProve, type User } from "../../users/user.ts";
import * as firstProof from "../identities/first-proof.ts";
import type { Unproven } from "../identities/first-proof.ts";
import * as allowance from "../../records/mail/allowance.ts";
import type { EmailToken } from "./email-token.ts";
import * as invites from "./invites.ts";
import * as emailTokens from "./service.ts";
import type { Asker } from "./service.ts";
import * as sessionTokens from "./session-tokens.ts";
import { consumeEmailToken } from "./store.ts";

/**
 * The requesting sign-in. `signUpOpen`: whether it may create an account. `connects`: the host of a
 * company's provider, which named who waits in it.
 */
export type CodePlace = {
  application: Application;
  sessionId: string;
  session: { digest: string; expiresAt: number };
  signUpOpen: boolean;
  connects?: string | undefined;
} & Asker;

/** `replaces`: a new token replaces the last one even without a mail. */
async function send(ctx: Context, place: CodePlace, email: string, { replaces }: { replaces: boolean }): Promise<void> {
  const { application, sessionId, session, signUpOpen, connects, source, lang } = place;
  const appId = application.id;
  const now = ctx.clock();
  const user = await users.findByEmail(ctx.storage.reader, appId, email);
  const userId = user?.id ?? null;
  const maySignUp = signUpOpen && newEmail(email) !== undefined && !signUpRules.problemWith(ctx, application, email);
  const mayUse = user ? mayProve(user) : maySignUp;
  const about = { app: { id: appId }, userId, source, details: {} };
  aggregatedEvents(ctx).note({ action: "sign-in.code-asked", result: "success", ...about });
  await ctx.storage.write(async (tx) => {
    const allowed = await allowance.count(ctx, tx, { purpose: "sign-in", appId, email, source }, now);
    if (!allowed && !replaces) return;
    const slot = sessionTokens.slot(ctx, "sign-in", session.digest);
    const asked = { slot, purpose: "sign-in", appId, userId, email, sessionId, endsBy: session.expiresAt } as const;
    // As for a sign-up: repeated requests must not yield more guesses than the allowance.
    const proof = await emailTokens.issue(ctx, tx, { ...asked, hasNoCode: !allowed }, now);
    if (!allowed) return;
    const common = { appId, userId, to: email, locale: user?.locale ?? lang, origin: source };
    if (mayUse)
      await mail.enqueue(
        ctx,
        tx,
        { ...common, kind: "sign-in", ...proof, ...(connects !== undefined && { connects }) },
        now,
      );
    // Instead of the mail: as many writes as for a user.
    else await emailTokens.issue(ctx, tx, asked, now);
  });
}

/** The account of a proven address, which may be new; undefined if it may not sign in. */
async function accountOf(
  ctx: Context,
  tx: Handle,
  { appId, email }: EmailToken,
  { signUpOpen, source }: { signUpOpen: boolean; source: RequestSource },
  now: number,
): Promise<User | undefined> {
  const owner = await users.findByEmail(tx, appId, email);
  if (owner) {
    const user = await lockUser(tx, owner.id);
    return user && mayProve(user) && user.email === email ? user : undefined;
  }
  if (!signUpOpen || newEmail(email) === undefined) return undefined;
  const signedUp = { method: "emailCode", source, asksApproval: true } as const;
  return await users.create(ctx, tx, { appId, email, emailVerified: true, name: null, signedUp }, now);
}

/** Mails a code and a link to this canonical address. The page is the same for every address. */
export async function ask(ctx: Context, place: CodePlace, email: string): Promise<void> {
  await send(ctx, place, email, { replaces: true });
}

/** Replaces the last mail by a new one, within the hourly allowance. */
export async function again(ctx: Context, place: CodePlace): Promise<void> {
  const token = await sessionTokens.waiting(ctx, "sign-in", place.session.digest);
  if (token) await send(ctx, place, token.email, { replaces: false });
}

/**
 * Consumes the token and returns its user, with a proven address. `keepsMethods`: the person has
 * just proved one of them, too. `agreed`: the mark of the removals that the person saw; a refusal
 * lists what they have not seen. Undefined: the token is invalid, or the address may not sign in.
 * After either, the caller must roll back.
 */
export async function use(
  ctx: Context,
  tx: Handle,
  token: EmailToken,
  how: { signUpOpen: boolean; source: RequestSource; agreed: string | undefined; keepsMethods: boolean },
  now: number,
): Promise<User | { refusal: Unproven } | undefined> {
  const { source, agreed } = how;
  const user = await accountOf(ctx, tx, token, how, now);
  if (!user || !(await consumeEmailToken(tx, token, now))) return undefined;
  await invites.end(ctx, tx, user.id, now);
  if (user.emailVerified) return user;
  if (!how.keepsMethods) {
    const unproven = await firstProof.unprovenOf(ctx, tx, user.id);
    if (unproven && unproven.mark !== agreed) return { refusal: unproven };
    await firstProof.removeUnproven(ctx, tx, user, { by: "mail", source }, now);
  }
  return (await users.verifyEmail(ctx, tx, user, token.email, source, now))
    ? { ...user, emailVerified: true }
    : undefined;
}

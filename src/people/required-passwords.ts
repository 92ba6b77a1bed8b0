/** Marks passwords that must change at the next sign-in by them (docs/decisions/0102). */
import * as applications from "../applications/service.ts";
import { findPassword } from "../credentials/passwords/store.ts";
import { personsSource } from "../lib/request-source.ts";
import { AppError, applicationNotFound, userNotFound } from "../lib/errors.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import * as users from "../users/service.ts";
import { lockUser } from "../users/store.ts";
import { findOwner, listOwnersOfOlder, markPassword, type PasswordOwner } from "./required-passwords-store.ts";

/**
 * How the person can choose a new one: in the sign-in, with their passkey, second factor or a code
 * to their proved address; by a reset, which proves their address; or only with an operator's link.
 */
export type Way = "sign-in" | "reset" | "link";

export type Required = { id: string; required: boolean; way: Way };

export type RequiredOfApp = { required: number; byReset: number; byLink: number };

/** For operators. */
export function requiredWords({ required, way }: Required): string {
  if (!required) return "The password had to change already.";
  return way === "sign-in" ? "The password must change." : "The password must change, which takes a reset link.";
}

const batch = 200;
const atOnce = 10;

function wayOf(ctx: Context, { hasFactor, isProved, hasEmail }: PasswordOwner): Way {
  const mails = mail.available(ctx);
  if (hasFactor || (isProved && mails)) return "sign-in";
  return hasEmail && mails ? "reset" : "link";
}

/** `required`: false if it was before. Throws USER_NOT_FOUND, and CONFLICT without a password. */
export async function requireOf(ctx: Context, id: string, { dryRun }: { dryRun: boolean }, by: By): Promise<Required> {
  const { reader } = ctx.storage;
  if (!(await users.find(reader, id))) throw userNotFound();
  const owner = await findOwner(reader, id);
  if (!owner) throw new AppError("CONFLICT", "The user has no password.");
  const required = dryRun
    ? (await findPassword(reader, id))?.mustChangeAt === null
    : await mark(ctx, owner, undefined, by);
  return { id, required, way: wayOf(ctx, owner) };
}

/**
 * The same for every password of an application that was last set before `before`, or of which
 * nobody knows when. Throws APP_NOT_FOUND.
 */
export async function requireOfApp(
  ctx: Context,
  { appId, before }: { appId: string; before: number },
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<RequiredOfApp> {
  const { reader } = ctx.storage;
  if (!(await applications.find(ctx, reader, appId))) throw applicationNotFound();
  const counted: RequiredOfApp = { required: 0, byReset: 0, byLink: 0 };
  for (let after = ""; ;) {
    const owners = await listOwnersOfOlder(reader, { appId, before, after, limit: batch });
    for (let at = 0; at < owners.length; at += atOnce) {
      const some = owners.slice(at, at + atOnce);
      const marked = await Promise.all(some.map(async (owner) => dryRun || (await mark(ctx, owner, before, by))));
      for (const [index, owner] of some.entries()) {
        if (marked[index] !== true) continue;
        const way = wayOf(ctx, owner);
        counted.required += 1;
        if (way === "reset") counted.byReset += 1;
        if (way === "link") counted.byLink += 1;
      }
    }
    const last = owners.at(-1);
    if (!last) return counted;
    after = last.passwordId;
  }
}

async function mark(ctx: Context, owner: PasswordOwner, before: number | undefined, by: By): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    // Locked: a sign-in that is ending has ended, and the address is the one of now.
    const user = await lockUser(tx, owner.userId);
    if (!user) return false;
    const marked = { mustChangeAt: now, mustChangeEmail: user.emailVerified ? user.email : null };
    if (!(await markPassword(tx, owner.passwordId, marked, before))) return false;
    const about = { appId: user.appId, userId: user.id };
    await audit.record(ctx, tx, { ...by, action: "user.require-new-password", result: "success", ...about }, now);
    await users.recordUpdate(ctx, tx, user, personsSource(by), now);
    return true;
  });
}

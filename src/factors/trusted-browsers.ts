/** The browsers in which a user is not asked for the second factor. */
import { isoTime } from "../lib/clock.ts";
import { AppError, userNotFound } from "../lib/errors.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { lockUser } from "../users/store.ts";
import { endTrust, endTrustOfUser, listTrustedBrowsers, sweepTrustedBrowsers } from "./store.ts";

export type TrustedBrowserAnswer = { id: string; userAgent: string | null; createdAt: string; expiresAt: string };

/** Newest first. */
export async function list(ctx: Context, userId: string): Promise<TrustedBrowserAnswer[]> {
  const browsers = await listTrustedBrowsers(ctx.storage.reader, userId, ctx.clock());
  return browsers.map(({ id, userAgent, createdAt, expiresAt }) => {
    return { id, userAgent, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
  });
}

/**
 * Asks for the second factor again in one browser, or in all. Returns how many there were. Throws
 * USER_NOT_FOUND; INVALID_REQUEST if the user does not trust this browser.
 */
export async function end(
  ctx: Context,
  userId: string,
  which: string,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const now = ctx.clock();
  return await ctx.storage.write<number>(async (tx, rollBack) => {
    const user = await lockUser(tx, userId);
    if (!user) throw userNotFound();
    const ended = which === "all" ? await endTrustOfUser(tx, userId) : Number(await endTrust(tx, userId, which));
    if (ended === 0 && which !== "all")
      throw new AppError("INVALID_REQUEST", "The user has no trusted browser with this id.");
    if (dryRun || ended === 0) throw rollBack(ended);
    const event = { ...by, action: "factor.trust-ended", result: "success", appId: user.appId, userId } as const;
    await audit.record(ctx, tx, { ...event, details: { browsers: ended } }, now);
    return ended;
  });
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  return await ctx.storage.write((tx) => sweepTrustedBrowsers(tx, ctx.clock()));
}

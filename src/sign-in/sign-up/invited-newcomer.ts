import * as invites from "../../credentials/mailed/invites.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as invitations from "../../organizations/invitations.ts";
import type { Invited } from "../../organizations/invitations.ts";
import type { Context } from "../../runtime/context.ts";
import * as users from "../../users/service.ts";
import { isPending } from "../../users/user.ts";

/**
 * Creates the account of somebody who opened the mailed link of an invitation, which proves the
 * address, and accepts it. Returns the link with which they choose how to sign in, or "pending" if
 * they were invited by a member and wait for approval first; undefined if somebody has the address
 * already. Works while sign-up is closed. Throws as `accept`, and CONFLICT for the sign-up rules.
 */
export async function createInvited(
  ctx: Context,
  { invitation }: Invited,
  source: RequestSource,
): Promise<string | undefined> {
  const now = ctx.clock();
  const { id, appId, email, inviterId } = invitation;
  return await ctx.storage.write(async (tx) => {
    const signedUp = { method: null, source, ...(inviterId !== null && ({ asksApproval: true } as const)) };
    const user = await users.create(ctx, tx, { appId, email, emailVerified: true, signedUp }, now);
    if (!user) return undefined;
    await invitations.acceptWithin(ctx, tx, { id, userId: user.id }, source, now);
    if (isPending(user)) return "pending";
    return await invites.issueFor(ctx, tx, { id: user.id, appId, email }, now);
  });
}

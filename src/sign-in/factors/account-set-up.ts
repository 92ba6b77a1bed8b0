/** Setting a second factor up on the account page. */
import * as factors from "../../factors/service.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { Context } from "../../runtime/context.ts";
import { recordFactorOfBrowserSession, type BrowserSession } from "../../sessions/browser-session-store.ts";
import { lockUserForChange } from "../../users/store.ts";

/**
 * Sets TOTP up, or replaces it, and returns the recovery codes, which are shown once. This browser
 * stays signed in; to change more, it proves the new factor.
 */
export async function confirm(
  ctx: Context,
  { session, source }: { session: BrowserSession; source: RequestSource },
  { sealed, code }: { sealed: string; code: string },
): Promise<string[] | "over" | "wrong"> {
  const { userId, digest } = session;
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = await lockUserForChange(tx, userId, now);
    if (user?.disabledAt !== null) return "over";
    const by = { actor: { kind: "user", name: userId }, source } as const;
    const keeps = { browserSession: digest };
    const codes = await factors.confirmSetUp(ctx, tx, { user, by }, { sealed, code, keeps }, now);
    if (typeof codes !== "string") await recordFactorOfBrowserSession(tx, digest, "new-totp");
    return codes;
  });
}

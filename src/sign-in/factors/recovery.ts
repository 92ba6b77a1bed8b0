/** The link with which an operator lets a person past a second factor that they lost. */
import * as factors from "../../factors/service.ts";
import { consumeEmailToken } from "../../credentials/mailed/store.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/**
 * Uses up the link that began this session, once its user gave the first proof: removes the second
 * factor. False if the link is no longer valid.
 */
export async function use(
  ctx: Context,
  tx: Handle,
  { session, source }: SignInAttempt,
  user: User,
  now: number,
): Promise<boolean> {
  if (session.accountUserId !== user.id) return false;
  const token = await consumeEmailToken(tx, { digest: session.recoveryDigest ?? "", purpose: "recovery" }, now);
  if (token?.userId !== user.id) return false;
  const by = { actor: { kind: "user", name: user.id }, source } as const;
  await factors.removeFrom(ctx, tx, { user, by }, now, { session: session.digest });
  return true;
}

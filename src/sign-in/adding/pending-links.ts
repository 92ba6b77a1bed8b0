import { providerDisplayName } from "../../applications/providers/providers.ts";
import * as linking from "../../credentials/identities/linking.ts";
import type { Context } from "../../runtime/context.ts";
import type { PendingLink } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import * as additions from "./adding.ts";

/**
 * If another account got the identity in the meantime, the sign-in continues without it. False
 * if the user is gone.
 */
export async function link(
  ctx: Context,
  tx: Handle,
  { id }: User,
  { pendingLink, application, source }: Pick<SignInAttempt, "application" | "source"> & { pendingLink: PendingLink },
  now: number,
): Promise<boolean> {
  const user = await lockUserForChange(tx, id, now);
  if (!user) return false;
  const { provider, issuer, subject } = pendingLink;
  const identity = { issuer, subject, email: user.email, name: null };
  const linked = await linking.addTo(ctx, tx, id, { application, provider, identity }, now);
  if (typeof linked === "string") return true;
  const added = {
    type: "oauth",
    provider,
    methodId: linked.methodId,
    name: providerDisplayName(provider),
  } as const;
  await additions.recordAdded(ctx, tx, user, added, source, now);
  return true;
}

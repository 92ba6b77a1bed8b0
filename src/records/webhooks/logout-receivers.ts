/**
 * The endpoints that receive the logout tokens of OpenID Connect clients, one per client. They get
 * no events, and nothing about webhooks shows them.
 */
import { newId, newSecret } from "../../lib/random.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { findEndpointOfClient, insertEndpoint, removeEndpoint, updateEndpoint } from "./endpoint-store.ts";
import { secretContext } from "./endpoint.ts";
import { policyOf, targetProblem } from "./target.ts";

/** Why logout tokens cannot be sent to a URL; undefined if they can. */
export function urlProblem(ctx: Context, url: string): string | undefined {
  return targetProblem(url, policyOf(ctx));
}

/** Sets or removes a client's receiver, in the transaction that changes the client. */
export async function set(
  ctx: Context,
  tx: Handle,
  { clientId, appId, url }: { clientId: string; appId: string; url: string | null },
  now: number,
): Promise<void> {
  const present = await findEndpointOfClient(tx, clientId);
  if (present && url === null) await removeEndpoint(tx, present.id);
  if (url === null) return;
  // Another address is a new start for a receiver that failed.
  const started = { url, enabled: true, disabledReason: null, failingSince: null, updatedAt: now };
  if (present) return await updateEndpoint(tx, present.id, started);
  const id = newId("whe", now, ctx.random);
  await insertEndpoint(tx, {
    ...started,
    id,
    appId,
    clientId,
    events: [],
    // Logout tokens are signed as JWT; this secret signs nothing.
    encryptedSecret: await ctx.keyring.encrypt(tx, newSecret(ctx.random), secretContext(id)),
    encryptedOldSecret: null,
    oldSecretUntil: null,
    createdAt: now,
  });
}

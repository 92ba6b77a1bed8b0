import { newId, newSecret, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle } from "../storage/storage.ts";
import { findEndpointOfClient, insertEndpoint, removeEndpoint, updateEndpoint } from "./endpoint-store.ts";
import { secretContext } from "./endpoint.ts";
import { targetProblem, type TargetPolicy } from "./target.ts";

export type LogoutReceivers = ReturnType<typeof createLogoutReceivers>;

/**
 * The endpoints that receive the logout tokens of OpenID Connect clients, one per client. They get
 * no events, and nothing about webhooks shows them.
 */
export function createLogoutReceivers({
  keyring,
  policy,
  random,
}: {
  keyring: Keyring;
  policy: TargetPolicy;
  random: Random;
}) {
  return {
    /** Why logout tokens cannot be sent to a URL; undefined if they can. */
    urlProblem: (url: string): string | undefined => targetProblem(url, policy),

    /** Sets or removes a client's receiver, in the transaction that changes the client. */
    async set(
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
      const id = newId("whe", now, random);
      await insertEndpoint(tx, {
        ...started,
        id,
        appId,
        clientId,
        events: [],
        // Logout tokens are signed as JWT; this secret signs nothing.
        encryptedSecret: await keyring.encrypt(tx, newSecret(random), secretContext(id)),
        encryptedOldSecret: null,
        oldSecretUntil: null,
        createdAt: now,
      });
    },
  };
}

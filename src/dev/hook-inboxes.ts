import { LRUCache } from "lru-cache";

/**
 * A webhook that the demo received. `body` is unchanged, because the signature covers its bytes.
 */
export type Delivery = { receivedAt: string; id: string; timestamp: string; signature: string; body: string };

const maxInboxes = 50;
const maxDeliveries = 100;

export type HookInboxes = ReturnType<typeof createHookInboxes>;

/**
 * Keeps webhooks in memory, newest first: an inbox for each browser with a demo page, and one for
 * /dev/webhooks.
 */
export function createHookInboxes() {
  const inboxes = new LRUCache<string, readonly Delivery[]>({ max: maxInboxes });
  return {
    list: (inbox: string): readonly Delivery[] => inboxes.get(inbox) ?? [],
    clear: (): void => inboxes.clear(),
    /** A repeated attempt replaces the previous one. */
    receive(inbox: string, delivery: Delivery): void {
      const others = (inboxes.get(inbox) ?? []).filter(({ id }) => id !== delivery.id);
      inboxes.set(inbox, [delivery, ...others].slice(0, maxDeliveries));
    },
  };
}

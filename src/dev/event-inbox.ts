import type { App } from "../app.ts";
import { newSecret } from "../lib/random.ts";
import type { EventKind } from "../storage/column-types.ts";
import { hooksPath } from "./hook-routes.ts";
import { demoAppId as appId } from "./left.ts";

/** All kinds, which the compiler checks. */
const everyEvent: Record<EventKind, true> = {
  "user.created": true,
  "user.login": true,
  "user.logout": true,
  "user.updated": true,
  "user.deleted": true,
  "method.added": true,
  "method.removed": true,
  "login.failed": true,
  "token.reuse": true,
};

const actor = { kind: "service", name: "development" } as const;

export type EventInbox = ReturnType<typeof createEventInbox>;

/** The inbox of /dev/webhooks, which gets every event of the demo application. */
export function createEventInbox({ services: { webhooks }, random }: App, listenAddress: string) {
  let inbox: string | undefined;

  return {
    /** Undefined while it is closed. */
    name: (): string | undefined => inbox,

    /**
     * Removes its endpoint with the waiting deliveries, and those of demo pages: their number per
     * application is limited.
     */
    async close(): Promise<void> {
      inbox = undefined;
      for (const { id, url } of await webhooks.list(appId)) {
        if (new URL(url).pathname.startsWith(`${hooksPath}/`)) await webhooks.remove(id, { actor, appId });
      }
    },

    async open(): Promise<void> {
      const name = newSecret(random);
      const url = `${listenAddress}${hooksPath}/${name}`;
      await webhooks.create(appId, { url, events: Object.keys(everyEvent), secret: newSecret(random) }, { actor });
      inbox = name;
    },
  };
}

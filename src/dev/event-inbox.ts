import { demoAppId as appId } from "../applications/leftovers.ts";
import { json } from "../http/answer.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { newSecret } from "../lib/random.ts";
import * as webhooks from "../records/webhooks/service.ts";
import type { Context } from "../runtime/context.ts";
import { eventKinds } from "../storage/column-types.ts";

/** Where the inbox receives webhooks. Endpoints below it are removed at the next start. */
const hooksPath = "/dev/demo/hooks";

const maxDeliveries = 100;

/** A received webhook. `body` is unchanged, because the signature covers its bytes. */
export type Delivery = { receivedAt: string; id: string; timestamp: string; signature: string; body: string };

const actor = { kind: "service", name: "development" } as const;

export type EventInbox = ReturnType<typeof createEventInbox>;

/** The inbox of /dev/webhooks, in memory, which gets every event of the demo application. */
export function createEventInbox(ctx: Context, listenAddress: string) {
  let deliveries: readonly Delivery[] = [];
  /** The end of its URL. Undefined while it is closed. */
  let name: string | undefined;

  return {
    /** Newest first. */
    list: (): readonly Delivery[] => deliveries,

    /** A repeated attempt replaces the previous one. False if it is for another inbox. */
    receive(inbox: string, delivery: Delivery): boolean {
      if (inbox !== name) return false;
      const others = deliveries.filter(({ id }) => id !== delivery.id);
      deliveries = [delivery, ...others].slice(0, maxDeliveries);
      return true;
    },

    /** Empties it and removes its endpoint, or that of an earlier start, with what waits. */
    async close(): Promise<void> {
      name = undefined;
      deliveries = [];
      for (const { id, url } of await webhooks.list(ctx, appId)) {
        if (new URL(url).pathname.startsWith(`${hooksPath}/`)) await webhooks.remove(ctx, id, { actor, appId });
      }
    },

    async open(): Promise<void> {
      const opened = newSecret(ctx.random);
      const url = `${listenAddress}${hooksPath}/${opened}`;
      // Before the endpoint, whose first delivery may be quick.
      name = opened;
      await webhooks.create(ctx, appId, { url, events: [...eventKinds], secret: newSecret(ctx.random) }, { actor });
    },
  };
}

/** The webhook receiver of /dev/webhooks. */
export function hookRoutes(
  events: EventInbox,
  { clock, fromHere }: { clock: Clock; fromHere: Guard<undefined> },
): Route[] {
  return [
    route("POST", `${hooksPath}/:inbox`, fromHere, undefined, async (_ctx, request) => {
      const body = await request.jsonText();
      const isReceived = events.receive(request.parameter("inbox"), {
        receivedAt: isoTime(clock()),
        id: request.header("webhook-id") ?? "",
        timestamp: request.header("webhook-timestamp") ?? "",
        signature: request.header("webhook-signature") ?? "",
        body,
      });
      if (!isReceived) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
      return json({ received: true });
    }),
  ];
}

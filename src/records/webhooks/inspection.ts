/** What operators see of deliveries: the unsigned request, and how an endpoint does. */
import type { Context } from "../../runtime/context.ts";
import type { DeliveryAttempt } from "../../storage/column-types.ts";
import { asDeliveryAnswer, deliveryNotFound, type DeliveryAnswer } from "./deliveries.ts";
import { findEndpointsOfEvent, listDeliveries, listDeliveryStates, type DeliveryState } from "./delivery-list-store.ts";
import { bodyOf } from "./event.ts";
import { usualHeaders } from "./sender.ts";

/** `headers`: without time and signature, which each attempt has of its own. */
export type InspectedDelivery = DeliveryAnswer & {
  userId: string | null;
  headers: Record<string, string>;
  body: string;
};

/** Throws WEBHOOK_NOT_FOUND. */
export async function inspect(ctx: Context, endpointId: string, eventId: string): Promise<InspectedDelivery> {
  const [row] = await listDeliveries(ctx.storage.reader, endpointId, { eventId, limit: 1 });
  if (!row) throw deliveryNotFound();
  const headers = { ...usualHeaders, "webhook-id": eventId };
  return { ...asDeliveryAnswer(row), userId: row.userId, headers, body: bodyOf(row) };
}

/** The deliveries of an event, one an endpoint, oldest endpoint first; without logout tokens. */
export async function ofEvent(
  ctx: Context,
  eventId: string,
): Promise<(DeliveryAnswer & { appId: string; url: string; userId: string | null })[]> {
  const { reader } = ctx.storage;
  const endpoints = await findEndpointsOfEvent(reader, eventId);
  const found = await Promise.all(
    endpoints.map(async ({ id, appId, url }) => {
      const [row] = await listDeliveries(reader, id, { eventId, limit: 1 });
      return row && { ...asDeliveryAnswer(row), appId, url, userId: row.userId };
    }),
  );
  return found.filter((delivery) => delivery !== undefined);
}

const lookedAt = 100;

/** The newest deliveries of an endpoint, at most 100, newest first, and how many of each state. */
export type EndpointHealth = { newest: DeliveryState[] } & Record<DeliveryState, number>;

export async function health(ctx: Context, endpointId: string): Promise<EndpointHealth> {
  const newest = await listDeliveryStates(ctx.storage.reader, endpointId, lookedAt);
  const count = (state: DeliveryState): number => newest.filter((each) => each === state).length;
  return {
    newest,
    delivered: count("delivered"),
    failed: count("failed"),
    retrying: count("retrying"),
    waiting: count("waiting"),
  };
}

/** The last attempt at the newest twenty deliveries; undefined without any. */
export async function lastAttempt(ctx: Context, endpointId: string): Promise<DeliveryAttempt | undefined> {
  const rows = await listDeliveries(ctx.storage.reader, endpointId, { limit: 20 });
  return rows.flatMap(({ history }) => history).reduce<DeliveryAttempt | undefined>(later, undefined);
}

function later(a: DeliveryAttempt | undefined, b: DeliveryAttempt): DeliveryAttempt {
  return a === undefined || b.at >= a.at ? b : a;
}

/** Faults of endpoints and what they are told; those who register endpoints find each alone. */
import { alone, type Bug } from "../planted.ts";

const ofEndpoints: Omit<Bug, "without">[] = [
  {
    name: "gone-receiver-is-asked-on",
    file: "records/webhooks/deliveries.ts",
    replaced: "  for (const goneUrl of new Set(gone)) await disable(ctx, tx, { id: endpointId, goneUrl }, now);\n",
    by: "",
    oracle: "O5",
  },
  {
    name: "failing-receiver-is-not-marked",
    file: "records/webhooks/deliveries.ts",
    replaced: "else if (failingSince === null) await recordFailure(tx, endpointId, now);",
    by: "else if (failingSince === 0) await recordFailure(tx, endpointId, now);",
    oracle: "O5",
  },
  {
    name: "endpoint-is-tested-without-end",
    file: "records/webhooks/service.ts",
    replaced: "  if (oldest === undefined) return;",
    by: "  if (oldest === undefined || oldest.at > 0) return;",
    oracle: "O7",
  },
  {
    name: "events-sent-again-to-everybody",
    file: "records/webhooks/delivery-list-store.ts",
    replaced: ".where(and(eq(deliveries.endpointId, endpointId), inArray(deliveries.eventId, wanted)))",
    by: ".where(inArray(deliveries.eventId, wanted))",
    oracle: "O5",
  },
  {
    name: "dry-run-removes-an-endpoint",
    file: "records/webhooks/service.ts",
    replaced: "  if (call.dryRun) return;\n",
    by: "",
    oracle: "O4",
  },
  {
    name: "removed-endpoint-takes-all-deliveries",
    file: "records/webhooks/delivery-store.ts",
    replaced: ".where(and(eq(deliveries.endpointId, columns.endpointId), gt(deliveries.eventId, columns.eventId)))",
    by: ".where(gt(deliveries.eventId, columns.eventId))",
    oracle: "O5",
  },
  {
    name: "any-url-by-a-change",
    file: "records/webhooks/service.ts",
    replaced: "url === undefined ? endpoint.url : checkedUrl(url, policyOf(ctx)),\n    events: events ===",
    by: "url ?? endpoint.url,\n    events: events ===",
    oracle: "O10",
  },
  {
    name: "retry-after-is-ignored",
    file: "records/webhooks/delivery.ts",
    replaced: "Math.max(spread, Math.min(retryAfterMilliseconds, longestRetryAfter))",
    by: "Math.max(spread, Math.min(retryAfterMilliseconds, 0))",
    oracle: "O7",
  },
  {
    name: "receiver-that-rests-is-asked",
    file: "records/webhooks/lane.ts",
    replaced: "return this.underWay < this.#width && !this.#rests(now);",
    by: "return this.underWay < this.#width;",
    oracle: "O7",
  },
  {
    name: "endpoint-of-any-application",
    file: "records/webhooks/service.ts",
    replaced: "if (!endpoint || (appId !== undefined && endpoint.appId !== appId)) throw",
    by: "if (!endpoint || (appId !== undefined && endpoint.appId === undefined)) throw",
    oracle: "O12",
  },
  {
    name: "disabled-endpoint-keeps-events",
    file: "records/webhooks/endpoint-store.ts",
    replaced: ".where(and(eq(endpoints.appId, row.appId), eq(endpoints.enabled, true))),",
    by: ".where(and(eq(endpoints.appId, row.appId))),",
    oracle: "O5",
  },
  {
    name: "former-secret-signs-on",
    file: "records/webhooks/endpoint.ts",
    replaced: "oldSecretUntil !== null && oldSecretUntil > now;",
    by: "oldSecretUntil !== null;",
    oracle: "O1",
  },
  {
    // An endpoint that once answers 404 or 429 never gets the event.
    name: "blind-event-refused-once-is-lost",
    file: "records/webhooks/deliveries.ts",
    replaced: "const refused = client !== null && attempt.status === 400;",
    by: "const refused = attempt.status !== null && attempt.status >= 400 && attempt.status < 500;",
    oracle: "O5",
  },
];

export const webhookBugs: readonly Bug[] = ofEndpoints.map((bug) => ({ ...bug, without: alone("webhooks") }));

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
    name: "dry-run-removes-an-endpoint",
    file: "records/webhooks/service.ts",
    replaced: "  if (call.dryRun) return;\n",
    by: "",
    oracle: "O4",
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

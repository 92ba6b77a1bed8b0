import { json } from "../http/answer.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import type { HttpRequest } from "../http/request.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { HookInboxes } from "./hook-inboxes.ts";

/** Where demo pages receive webhooks. Endpoints below it are removed at the next start. */
export const hooksPath = "/dev/demo/hooks";

/**
 * The webhook receiver of the demo page: stores a delivery in the inbox named in the URL, which a
 * page chose. The page verifies the signature, because only it knows the secret.
 */
export function hookRoutes(
  inboxes: HookInboxes,
  { clock, fromHere }: { clock: Clock; fromHere: Guard<undefined> },
): Route[] {
  const path = `${hooksPath}/:inbox`;
  return [
    route("POST", path, fromHere, undefined, async (request) => {
      const inbox = inboxOf(request);
      const body = await request.jsonText();
      inboxes.receive(inbox, {
        receivedAt: isoTime(clock()),
        id: request.header("webhook-id") ?? "",
        timestamp: request.header("webhook-timestamp") ?? "",
        signature: request.header("webhook-signature") ?? "",
        body,
      });
      return json({ received: true });
    }),
    route("GET", path, fromHere, undefined, (request) => json({ deliveries: inboxes.list(inboxOf(request)) })),
  ];
}

function inboxOf(request: HttpRequest): string {
  const inbox = request.parameter("inbox");
  if (!/^[\w-]{43}$/u.test(inbox)) throw new AppError("UNKNOWN_PATH", "There is nothing at this path.");
  return inbox;
}

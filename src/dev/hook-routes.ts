import { json } from "../http/answer.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { hooksPath, type EventInbox } from "./event-inbox.ts";

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

import type { Context } from "../../runtime/context.ts";
import * as logoutTokens from "../../tokens/logout-tokens.ts";
import type { ClaimedDelivery } from "./deliveries.ts";
import { bodyOf } from "./event.ts";
import type { Message } from "./sender.ts";
import { signedHeaders } from "./signature.ts";

/** The message of an attempt: a signed event, or the logout token for a client's receiver. */
export async function messageFor(ctx: Context, { row, url, secrets, client }: ClaimedDelivery): Promise<Message> {
  if (!client) {
    const body = bodyOf(row);
    return { url, body, headers: signedHeaders({ id: row.eventId, body }, secrets, ctx.clock()) };
  }
  const { userId, sessionId } = row;
  // `events.ts` queues nothing else for a client.
  if (userId === null || sessionId === null) throw new Error("a logout token needs a user and a login");
  const body = new URLSearchParams({
    logout_token: await logoutTokens.sign(ctx, { userId, loginId: sessionId, client }),
  });
  return { url, body: body.toString(), headers: { "content-type": "application/x-www-form-urlencoded" } };
}

/** Ends personal access tokens before their time, for good. */
import { personsSource } from "../../lib/request-source.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { PersonalTokenEnd } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { endTokens, type WhichTokens } from "./store.ts";

/** Returns how many it ended. */
export async function end(
  ctx: CoreContext,
  tx: Handle,
  which: WhichTokens,
  { reason, by }: { reason: PersonalTokenEnd; by: By },
  now: number,
): Promise<number> {
  const ended = await endTokens(tx, which, reason, now);
  const source = personsSource(by);
  for (const { id, appId, userId } of ended) {
    const about = { appId, userId, target: id, details: { tokenId: id, reason } };
    await audit.record(ctx, tx, { ...by, action: "personal-token.end", result: "success", ...about }, now);
    const event = { appId, userId, authMethod: null, source, sessionId: null };
    await events.record(ctx, tx, { kind: "personal-token.ended", ...event }, now);
  }
  return ended.length;
}

import { json } from "../http/answer.ts";
import { wholeNumberIn } from "../http/query.ts";
import type { HttpRequest } from "../http/request.ts";
import { revocations, maxWaitSeconds } from "../records/revocations/service.ts";
import type { Context } from "../runtime/context.ts";

/** Per application, apart from its other limits: many servers poll every few seconds. */
export const pollsPerMinute = 6000;

/** GET /auth/revocations */
export async function revocationsHandler(ctx: Context, request: HttpRequest, { id }: { id: string }) {
  const query = request.query();
  const wait = wholeNumberIn(query, "wait", { from: 0, to: maxWaitSeconds, missing: 0 });
  return json(await revocations(ctx).poll(id, { after: query.get("after"), wait }, request));
}

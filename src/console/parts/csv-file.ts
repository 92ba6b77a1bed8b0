/** A table that an operator takes along. */
import type { Answer } from "../../http/answer.ts";
import { isoTime } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";
import { mayDo } from "../operator.ts";
import type { Post } from "../route.ts";

/** Whether the operator of this post may still export. Asking does not extend the session. */
export function mayExport(ctx: Context, { operator, request, entry }: Post): () => Promise<boolean> {
  return async () => {
    const session = await entry.sessionOf(ctx, request, { isUse: false });
    return session !== undefined && mayDo(session.operator, "owner") && session.operator.appId === operator.appId;
  };
}

/** `name`: of the file, before the day. */
export async function csvFile(ctx: Context, name: string, rows: AsyncGenerator<string>): Promise<Answer> {
  // Begins it: what has begun is ended also for a client that is gone.
  await rows.next();
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}-${isoTime(ctx.clock()).slice(0, 10)}.csv"`,
    "cache-control": "no-store",
  };
  return { status: 200, headers, body: "", stream: rows };
}

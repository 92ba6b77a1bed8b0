/** The result of an act, shown on the page that follows it. */
import { timingSafeEqual } from "node:crypto";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import type { Visit } from "../route.ts";

/** Responds to an act: the page at `path` shows `notice`. Never a secret, a name or an address. */
export function done(ctx: Context, visit: Visit, path: string, notice: string): Answer {
  const [page = "", query = ""] = path.split("?");
  const parameters = new URLSearchParams(query);
  parameters.set("notice", notice);
  parameters.set("proof", proofOf(ctx, visit, notice).toString("base64url"));
  return seeOther(`${page}?${parameters.toString()}`);
}

/** Only for this session: a link from elsewhere cannot make a page claim what never happened. */
export function noticeOf(ctx: Context, visit: Visit): string | undefined {
  const query = visit.request.query();
  const notice = query.get("notice");
  if (notice === undefined) return undefined;
  const [sent, expected] = [Buffer.from(query.get("proof") ?? "", "base64url"), proofOf(ctx, visit, notice)];
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? notice : undefined;
}

function proofOf(ctx: Context, { sessionKey }: Visit, notice: string): Buffer {
  return ctx.keyring.mac("console", "notice", sessionKey, notice);
}

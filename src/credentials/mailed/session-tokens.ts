/** The tokens of a sign-in session: at most one per purpose. */
import type { RequestSource } from "../../lib/request-source.ts";
import type { Context } from "../../runtime/context.ts";
import type { EmailToken } from "./email-token.ts";
import * as emailTokens from "./service.ts";

type Purpose = Extract<EmailToken["purpose"], "sign-up" | "sign-in">;

export function slot(ctx: Context, purpose: Purpose, sessionDigest: string): string {
  return emailTokens.slot(ctx, purpose, sessionDigest);
}

/** What a session has requested, if still valid. */
export async function waiting(ctx: Context, purpose: Purpose, sessionDigest: string): Promise<EmailToken | undefined> {
  return await emailTokens.waiting(ctx, ctx.storage.reader, slot(ctx, purpose, sessionDigest));
}

/** The session's token, if this is its code. `code`: eight digits (`typedCode`). */
export async function tryCode(
  ctx: Context,
  purpose: Purpose,
  sessionDigest: string,
  code: string,
  source: RequestSource,
): Promise<EmailToken | "wrong" | "over"> {
  return await emailTokens.tryCode(ctx, slot(ctx, purpose, sessionDigest), code, source);
}

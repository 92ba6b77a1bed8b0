import { isoTime } from "../lib/clock.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import * as factors from "./service.ts";
import * as trustedBrowsers from "./trusted-browsers.ts";
import type { TrustedBrowserAnswer } from "./trusted-browsers.ts";

/** A user's second factor, as the operator and the application's server see it. */
export type FactorAnswer = {
  /** Null without an authenticator app. */
  totp: { setUpAt: string; lastUsedAt: string } | null;
  /** The number of codes left. */
  recoveryCodes: number;
  /** Wrong codes in a row. */
  failures: number;
  /** After too many wrong codes, no code is checked (`TryRefusal`). */
  blocked: boolean;
};

export async function answerFor(handle: Handle, userId: string): Promise<FactorAnswer> {
  const { hasTotp, setUpAt, lastUsedAt, codesLeft, failures, isBlocked } = await factors.factsOf(handle, userId);
  const setUp = setUpAt ?? 0;
  return {
    totp: hasTotp ? { setUpAt: isoTime(setUp), lastUsedAt: isoTime(lastUsedAt ?? setUp) } : null,
    recoveryCodes: codesLeft,
    failures,
    blocked: isBlocked,
  };
}

/** The same for the user's own data, with the browsers that they trust. */
export async function ownAnswerFor(
  ctx: Context,
  userId: string,
): Promise<FactorAnswer & { trustedBrowsers: TrustedBrowserAnswer[] }> {
  const factor = await answerFor(ctx.storage.reader, userId);
  return { ...factor, trustedBrowsers: await trustedBrowsers.list(ctx, userId) };
}

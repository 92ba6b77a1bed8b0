/** The only place that records failed sign-ins, of any method. */
import { aggregatedEvents } from "../records/audit/aggregated-events.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { Outcome } from "./proofs.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/**
 * The attempted method. `userId`: if known. `factor`: the second factor that failed. `reason`: for
 * operators only; the person is not told.
 */
type Failed = { method: SignInMethod; userId?: string | null; factor?: string; reason?: string | undefined };

type Failing = Pick<SignInAttempt, "application" | "source">;

export async function record(
  ctx: Context,
  { application, source }: Failing,
  { method, userId = null, factor, reason }: Failed,
): Promise<void> {
  const now = ctx.clock();
  const app = { id: application.id };
  const details = { method, ...(factor && { factor }), ...(reason && { reason }) };
  aggregatedEvents(ctx).note({ action: "sign-in", result: "failure", details, app, userId, source });
  await ctx.storage.write(async (tx) => {
    // The app is not told whether the account exists.
    const about = { appId: application.id, userId: null, authMethod: method, source, sessionId: null };
    await events.record(ctx, tx, { kind: "login.failed", ...about }, now);
  });
  ctx.meter.signIn(method, "failure");
}

/**
 * Records only `refused` and `other-account`. A closed session or a `refusal` is not a failed
 * sign-in.
 */
export async function recordOutcome(
  ctx: Context,
  attempt: Failing,
  outcome: Outcome<unknown>,
  failed: Failed,
): Promise<void> {
  if (outcome === "refused" || outcome === "other-account") await record(ctx, attempt, failed);
}

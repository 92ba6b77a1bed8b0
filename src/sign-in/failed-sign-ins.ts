import type { Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Meter } from "../lib/meter.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { Storage } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import type { Holder } from "./holder.ts";
import type { Outcome } from "./proofs.ts";

/** The attempted method. `userId`: the account, if known. */
type Failed = { method: SignInMethod; userId?: string | null };

export type FailedSignIns = ReturnType<typeof createFailedSignIns>;

/** The only place that records failed sign-ins, of any method. */
export function createFailedSignIns(deps: {
  storage: Storage;
  events: Events;
  audit: Audit;
  clock: Clock;
  meter: Meter;
}) {
  const { storage, events, audit, clock, meter } = deps;

  type Failing = Pick<Holder, "application" | "clientInfo">;

  async function record({ application, clientInfo }: Failing, { method, userId = null }: Failed): Promise<void> {
    const now = clock();
    const app = { id: application.id };
    const refused = { action: "sign-in", result: "failure", details: { method } } as const;
    audit.aggregatedEvents.note({ ...refused, app, userId, clientInfo });
    await storage.write(async (tx) => {
      // The app is not told whether the account exists.
      const about = { appId: application.id, userId: null, authMethod: method, clientInfo, sessionId: null };
      await events.record(tx, { kind: "login.failed", ...about }, now);
    });
    meter.signIn(method, "failure");
  }

  return {
    record,

    /**
     * Records only `refused` and `other-account`. A closed session or a `refusal` is not a failed
     * sign-in.
     */
    async recordOutcome(holder: Failing, outcome: Outcome<unknown>, failed: Failed): Promise<void> {
      if (outcome === "refused" || outcome === "other-account") await record(holder, failed);
    },
  };
}

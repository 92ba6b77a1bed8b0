import type { Audit, By, Origin } from "../audit/audit.ts";
import type { Handle } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import type { EndedLogin, EndReason } from "./login-store.ts";

/** What is told of a login that was ended before its time, in the transaction that ends it. */
export function createLoginEnds({ events, audit }: { events: Events; audit: Audit }) {
  /** To the app's server alone: for an end that the audit log has as a part of something else. */
  async function announce(tx: Handle, ended: EndedLogin, origin: Origin | null, now: number): Promise<void> {
    const { id: sessionId, appId, userId } = ended;
    await events.record(tx, { kind: "user.logout", appId, userId, authMethod: null, origin, sessionId }, now);
  }

  /** To the audit log, too. */
  async function note(
    tx: Handle,
    ended: EndedLogin,
    by: By,
    now: number,
    why: { reason?: EndReason } = {},
  ): Promise<void> {
    const { id: loginId, appId, userId } = ended;
    const details = { loginId, ...why };
    await audit.record(tx, { ...by, action: "user.logout", result: "success", appId, userId, details }, now);
    await announce(tx, ended, by.origin ?? null, now);
  }

  return { announce, note };
}

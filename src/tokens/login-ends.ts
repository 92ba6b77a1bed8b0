import type { Audit, By } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import type { EndedLogin } from "./login-store.ts";

export type LoginEnds = ReturnType<typeof createLoginEnds>;

/** Announces logins that were ended early, in the transaction that ends them. */
export function createLoginEnds({ events, audit }: { events: Events; audit: Audit }) {
  /** To the app's server only: for ends that the audit log records as part of something else. */
  async function announce(tx: Handle, ended: EndedLogin, clientInfo: ClientInfo | null, now: number): Promise<void> {
    const { id: sessionId, appId, userId } = ended;
    await events.record(tx, { kind: "user.logout", appId, userId, authMethod: null, clientInfo, sessionId }, now);
  }

  /** To the app's server and the audit log. */
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
    await announce(tx, ended, by.clientInfo ?? null, now);
  }

  return { announce, note };
}

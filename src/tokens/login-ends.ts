import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { BrowserSession } from "../account/store.ts";
import type { Audit, By } from "../audit/audit.ts";
import { personsClient, type ClientInfo } from "../lib/client-info.ts";
import type { RevocationRecords } from "../revocations/records.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { Events } from "../webhooks/events.ts";
import {
  endLogin,
  endLoginsOfBrowser,
  endLoginsAtClient,
  endLoginsOfUser,
  endLoginWithBrowser,
  listUsersAtClient,
  type EndedLogin,
} from "./login-store.ts";
import type { Login } from "./login.ts";

export type LoginEnds = ReturnType<typeof createLoginEnds>;

/** `by`: who ended it, for the audit log and webhooks. */
type End = { reason: EndReason; by: By };

/** Ends logins early with what belongs to them, and announces it in the same transaction. */
export function createLoginEnds(deps: {
  users: Pick<Users, "lock">;
  browserSessions: BrowserSessions;
  revocations: RevocationRecords;
  events: Events;
  audit: Audit;
}) {
  const { users, browserSessions, revocations, events, audit } = deps;

  /** For servers that verify tokens themselves. */
  async function recordInFeed(tx: Handle, ended: EndedLogin[], now: number): Promise<EndedLogin[]> {
    await revocations.logins(tx, ended, now);
    return ended;
  }

  async function end(tx: Handle, id: string, reason: EndReason, now: number): Promise<EndedLogin | undefined> {
    const ended = await endLogin(tx, id, reason, now);
    if (ended) await revocations.logins(tx, [ended], now);
    return ended;
  }

  /**
   * Sends the webhook and logout token only. Use it where another audit entry already covers the
   * end.
   */
  async function announce(tx: Handle, ended: EndedLogin, clientInfo: ClientInfo | null, now: number): Promise<void> {
    const { id: sessionId, appId, userId, clientId } = ended;
    const event = { kind: "user.logout", appId, userId, authMethod: null, clientInfo, sessionId, clientId } as const;
    await events.record(tx, event, now);
  }

  /** The same, and to the audit log. */
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
    await announce(tx, ended, personsClient(by), now);
  }

  async function endWithBrowser(tx: Handle, login: Login, reason: EndReason, now: number): Promise<EndedLogin[]> {
    const { id, userId, browserSessionDigest: tie } = login;
    if (tie === null) {
      const ended = await end(tx, id, reason, now);
      return ended ? [ended] : [];
    }
    await users.lock(tx, userId);
    await browserSessions.end(tx, tie);
    return await recordInFeed(tx, await endLoginWithBrowser(tx, id, { userId, tie, reason }, now), now);
  }

  return {
    announce,

    note,

    /** Ends one login, which the caller announces. Undefined if it had ended. */
    end,

    /**
     * Ends a user's logins except those to `keep`, which the caller announces. Lock the user first.
     */
    async endOfUser(
      tx: Handle,
      userId: string,
      how: { reason: EndReason; keep: { login?: string | undefined; tie?: string | undefined } },
      now: number,
    ): Promise<EndedLogin[]> {
      const ended = await endLoginsOfUser(tx, userId, how, now);
      const [first] = ended;
      // One feed entry for the user. Servers then ask about the logins that were kept.
      if (!first || ended.length === 1) return await recordInFeed(tx, ended, now);
      await revocations.user(tx, first, now);
      return ended;
    },

    /**
     * Ends one live login, its browser session, and all logins of OpenID Connect clients that this
     * session opened. Others that the application itself began there go on. True if this call ended
     * the login.
     */
    async endOne(tx: Handle, login: Login, { reason, by }: End, now: number): Promise<boolean> {
      const ended = await endWithBrowser(tx, login, reason, now);
      for (const one of ended) await note(tx, one, by, now);
      return ended.some(({ id }) => id === login.id);
    },

    /** The same, unless the browser session is still open: then only that browser ends it. */
    async endUnlessBrowserOpen(tx: Handle, login: Login, end: End, now: number): Promise<void> {
      const { userId, browserSessionDigest: tie } = login;
      await users.lock(tx, userId);
      if (tie !== null && (await browserSessions.lock(tx, tie, userId))) return;
      for (const one of await endWithBrowser(tx, login, end.reason, now)) await note(tx, one, end.by, now);
    },

    /** Ends the logins of a client for some of its users; true if more may be left. */
    async endOfClient(tx: Handle, clientId: string, { reason, by }: End, now: number): Promise<boolean> {
      const userIds = await listUsersAtClient(tx, clientId);
      for (const userId of userIds) {
        await users.lock(tx, userId);
        const ended = await recordInFeed(tx, await endLoginsAtClient(tx, { userId, clientId }, reason, now), now);
        for (const login of ended) await note(tx, login, by, now, { reason });
      }
      return userIds.length > 0;
    },

    /** Ends a user's logins of one client, and returns their number. Lock the user first. */
    async endAtClient(
      tx: Handle,
      of: { userId: string; clientId: string },
      { reason, by }: End,
      now: number,
    ): Promise<number> {
      const ended = await recordInFeed(tx, await endLoginsAtClient(tx, of, reason, now), now);
      for (const login of ended) await note(tx, login, by, now);
      return ended.length;
    },

    /** Ends a browser session and every login that it opened. */
    async endBrowser(tx: Handle, session: BrowserSession, { reason, by }: End, now: number): Promise<void> {
      const { userId, tie } = session;
      await users.lock(tx, userId);
      await browserSessions.close(tx, session, by, now);
      const ended = await recordInFeed(tx, await endLoginsOfBrowser(tx, { userId, tie, reason }, now), now);
      for (const login of ended) await note(tx, login, by, now);
    },
  };
}

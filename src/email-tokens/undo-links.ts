import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isOver, type Clock } from "../lib/clock.ts";
import type { Notices } from "../mail/notices.ts";
import type { MailService } from "../mail/service.ts";
import type { Handle } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import { undoLinkLasts } from "./rules.ts";
import type { EmailTokens } from "./service.ts";

export type UndoLinks = ReturnType<typeof createUndoLinks>;

/** Links that restore an earlier address: it got them when replaced (docs/decisions/0046). */
export function createUndoLinks(deps: {
  emailTokens: EmailTokens;
  applications: Applications;
  users: Users;
  mail: MailService;
  notices: Notices;
  clock: Clock;
}) {
  const { emailTokens, applications, users, mail, notices, clock } = deps;

  function slotOf(userId: string, email: string): string {
    return emailTokens.slot("undo", userId, email);
  }

  return {
    /**
     * Mails the locked user's replaced address a link that restores it. None if the user returns to
     * an earlier address, which counts as its undo; and none if the replaced one was never
     * verified: it may be a stranger's. Returns whether there is a link.
     */
    async offer(tx: Handle, user: User, newEmail: string, origin: ClientInfo, now: number): Promise<boolean> {
      const { id: userId, appId, email, locale } = user;
      const earlier = await emailTokens.waiting(slotOf(userId, newEmail), tx);
      if (earlier) {
        await emailTokens.endAll(tx, userId, { keepUndosBefore: earlier.createdAt });
        await notices.addressRestored(tx, user, now);
        return false;
      }
      if (email === null || !user.emailVerified) return false;
      const token = { slot: slotOf(userId, email), purpose: "undo", appId, userId, email } as const;
      const { link } = await emailTokens.issue(tx, { ...token, hasNoCode: true }, now);
      const common = { appId, userId, to: email, locale, origin, expiresAt: now + undoLinkLasts };
      await mail.enqueue(tx, { ...common, kind: "address-changed", link }, now);
      return true;
    },

    /** What a link restores; undefined if it is no longer valid. */
    async find(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "undo");
      if (!token || isOver(token.createdAt + undoLinkLasts, undoLinkLasts, clock())) return undefined;
      const user = token.userId === null ? undefined : await users.find(token.userId);
      const application = await applications.find(token.appId);
      if (!user || user.disabledAt !== null || user.email === token.email || !application) return undefined;
      return { token, user, application };
    },
  };
}

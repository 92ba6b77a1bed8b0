import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { MailService } from "../mail/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { MailAllowance } from "./allowance.ts";
import type { EmailToken } from "./email-token.ts";
import { emailTokenLasts } from "./rules.ts";
import type { Asker, EmailTokens } from "./service.ts";

/** The result of an operator's reset: `link` is null if it was mailed. */
export type ResetLinkAnswer = {
  userId: string;
  email: string | null;
  link: string | null;
  sent: boolean;
  expiresAt: string;
};

export type ResetLinks = ReturnType<typeof createResetLinks>;

/** Issues links and codes for a new password: mailed to the owner, or made by an operator. */
export function createResetLinks(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  allowance: MailAllowance;
  applications: Applications;
  users: Users;
  mail: MailService;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, allowance, applications, users, mail, audit, clock } = deps;

  const slotOf = (appId: string, account: string): string => emailTokens.slot("reset", appId, account);

  /** Throws USER_NOT_FOUND, or CONFLICT if a new password would not allow signing in. */
  async function resettable(userId: string): Promise<User> {
    const user = await users.find(userId);
    const application = user && (await applications.find(user.appId));
    if (!user || !application) throw new AppError("USER_NOT_FOUND", "There is no user with this id.");
    if (user.disabledAt !== null)
      throw new AppError("CONFLICT", "The user is disabled. To change that: authsvc user enable");
    if (!application.authMethods.password.enabled)
      throw new AppError("CONFLICT", "The application does not allow sign-in with passwords.");
    return user;
  }

  return {
    /** Whether mail can be sent. */
    available: mail.available,

    /**
     * Mails the owner of this canonical address a link and a code. Unknown addresses and disabled
     * users cost the same writes. Above the allowance, nothing is sent while the last mail is
     * valid, and the result is false.
     */
    async ask(asked: { application: Application; email: string; sessionId: string } & Asker): Promise<boolean> {
      const { application, email, sessionId, clientInfo, lang } = asked;
      const appId = application.id;
      const now = clock();
      const found = await users.findByEmail(appId, email);
      const user = found?.disabledAt === null ? found : undefined;
      const userId = user?.id ?? null;
      const about = { app: { id: appId }, userId, clientInfo, details: {} };
      audit.aggregatedEvents.note({ action: "password.reset-asked", result: "success", ...about });
      return await storage.write(async (tx) => {
        const slot = slotOf(appId, email);
        // Always sent if no link is valid, so that others' requests cannot lock the owner out.
        const mustBeSent = (await emailTokens.waiting(slot, tx)) === undefined;
        if (!(await allowance.count(tx, { purpose: "reset", appId, email, clientInfo }, now, { mustBeSent })))
          return false;
        const token = { slot, purpose: "reset", appId, userId, email, sessionId } as const;
        const proof = await emailTokens.issue(tx, token, now);
        if (user) {
          const common = { appId, userId, to: email, locale: user.locale ?? lang, origin: clientInfo };
          await mail.enqueue(tx, { ...common, kind: "reset", ...proof }, now);
        } else {
          // Instead of the mail: as many writes as for a user.
          await emailTokens.issue(tx, token, now);
        }
        return true;
      });
    },

    /** The token of this address, if this is its code. `code`: eight digits (`typedCode`). */
    async tryCode(
      appId: string,
      email: string,
      code: string,
      clientInfo: ClientInfo,
    ): Promise<EmailToken | "wrong" | "over"> {
      return await emailTokens.tryCode(slotOf(appId, email), code, clientInfo);
    },

    /** A link for somebody who has just proven this address, in the transaction of that proof. */
    async issueFor(tx: Handle, user: { id: string; appId: string; email: string }, now: number): Promise<string> {
      const { id: userId, appId, email } = user;
      const token = { slot: slotOf(appId, email), purpose: "reset", appId, userId, email } as const;
      return (await emailTokens.issue(tx, token, now)).link;
    },

    /**
     * A link for an operator to hand over, or to mail with `send`. A handed-over link proves no
     * address. Throws USER_NOT_FOUND, CONFLICT, INVALID_CONFIG if `send` is not possible.
     */
    async linkFor(
      userId: string,
      { send, dryRun }: { send: boolean; dryRun: boolean },
      actor: Actor,
    ): Promise<ResetLinkAnswer> {
      const user = await resettable(userId);
      const { appId, email, locale } = user;
      if (send && email === null) throw new AppError("CONFLICT", "The user has no email address.");
      if (send && !mail.available) throw new AppError("INVALID_CONFIG", "--send: no mail server is set (mail.smtpUrl)");
      const now = clock();
      const planned = { userId, email, sent: send, expiresAt: isoTime(now + emailTokenLasts.reset) };
      if (dryRun) return { ...planned, link: null };
      const link = await storage.write(async (tx) => {
        const proves = send && email !== null ? email : "";
        const token = { slot: slotOf(appId, email ?? userId), purpose: "reset", appId, userId, email: proves } as const;
        const proof = await emailTokens.issue(tx, token, now);
        const event = { actor, action: "user.reset-link", result: "success", appId, userId } as const;
        await audit.record(tx, { ...event, details: { sent: send } }, now);
        if (!send) return proof.link;
        const clientInfo = { ipAddress: null, userAgent: null };
        const common = { appId, userId, to: proves, locale, origin: clientInfo };
        await mail.enqueue(tx, { ...common, kind: "reset", ...proof }, now);
        return null;
      });
      return { ...planned, link };
    },
  };
}

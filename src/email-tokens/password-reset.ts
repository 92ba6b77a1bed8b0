import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Notices } from "../mail/notices.ts";
import type { MailService } from "../mail/service.ts";
import type { FirstProof, Unproven } from "../oauth/first-proof.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
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

export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** Sets a new password for someone who forgot theirs or has none. Signs nobody in. */
export function createPasswordReset(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  allowance: MailAllowance;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  firstProof: FirstProof;
  access: RevokeAccess;
  mail: MailService;
  notices: Notices;
  audit: Audit;
  clock: Clock;
  baseUrl: string;
}) {
  const { storage, emailTokens, applications, users, passwords, firstProof, access } = deps;
  const { allowance, mail, notices, audit, clock, baseUrl } = deps;

  const slotOf = (appId: string, account: string): string => emailTokens.slot("reset", appId, account);
  const linkWith = (secret: string): string => `${baseUrl}/reset/${secret}`;

  /** Throws USER_NOT_FOUND, or CONFLICT if a new password would not allow signing in. */
  async function resettable(userId: string): Promise<User> {
    const user = await users.find(userId);
    const application = user && (await applications.find(user.appId));
    if (!user || !application) throw new AppError("USER_NOT_FOUND", "There is no user with this id.");
    if (user.disabledAt !== null)
      throw new AppError("CONFLICT", "The user is disabled. To change that: authsvc user enable");
    if (!application.authMethods.password.enabled)
      throw new AppError("CONFLICT", "The application does not let its users sign in by password.");
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
        const { secret, code, expiresAt } = await emailTokens.issue(tx, token, now);
        if (user) {
          const common = { appId, userId, to: email, locale: user.locale ?? lang, origin: clientInfo };
          await mail.enqueue(tx, { ...common, kind: "reset", link: linkWith(secret), code, expiresAt }, now);
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

    /** The purpose of a link; undefined if it is no longer valid. Changes nothing. */
    async find(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "reset");
      const user = token && token.userId !== null ? await users.find(token.userId) : undefined;
      const application = token && (await applications.find(token.appId));
      if (!token || !user || user.disabledAt !== null || !application?.authMethods.password.enabled) return undefined;
      return { token, user, application };
    },

    /**
     * The methods that the token also removes, because they were added before the address was
     * proven. Undefined if there are none. (Every new password ends the logins.)
     */
    async removes({ email, userId }: EmailToken): Promise<Unproven | undefined> {
      const user = email === "" || userId === null ? undefined : await users.find(userId);
      const unproven = user && !user.emailVerified ? await firstProof.unprovenOf(user.id) : undefined;
      return unproven && unproven.passkeys + unproven.providers.length > 0 ? unproven : undefined;
    },

    /**
     * Consumes the token, sets the password and ends every login. A mailed token proves its
     * address; if it was unproven, everything else that was added to the account is removed. False
     * if the token or its user is gone.
     */
    async finish(token: EmailToken, hash: string, clientInfo: ClientInfo): Promise<boolean> {
      const now = clock();
      return await storage.write(async (tx) => {
        const used = await emailTokens.consume(tx, token, now);
        const user = used && used.userId !== null ? await access.lockForChange(tx, used.userId, now) : undefined;
        if (!used || !user || user.disabledAt !== null) return false;
        const { id: userId, appId, email, emailVerified } = user;
        if (used.email !== "" && used.email !== email) return false;
        const isFirstProof = used.email !== "" && !emailVerified;
        if (isFirstProof) {
          await firstProof.removeUnproven(tx, user, { by: "mail", clientInfo }, now);
          await users.verifyEmail(tx, user, used.email, clientInfo, now);
        }
        // In the same order as a sign-in.
        if (email !== null) await passwords.forgetFailures(tx, appId, email);
        const { methodId, changes } = await passwords.set(tx, userId, hash, now);
        // After the password change, so that no proof with the old one remains.
        const actor = { kind: "user", name: userId } as const;
        const revocation = { reason: "password-reset", by: { actor, clientInfo }, forgetBrowsers: true } as const;
        const endedLogins = await access.revoke(tx, userId, revocation, now);
        if (changes) await users.recordUpdate(tx, user, clientInfo, now);
        await notices.passwordChanged(tx, { user, clientInfo }, now);
        const details = { methodId, endedLogins, isFirstProof };
        await audit.record(
          tx,
          { actor, action: "password.reset", result: "success", appId, userId, clientInfo, details },
          now,
        );
        return true;
      });
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
      if (send && email === null) throw new AppError("CONFLICT", "The user has no address to send to.");
      if (send && !mail.available) throw new AppError("INVALID_CONFIG", "--send: no mail server is set (mail.smtpUrl)");
      const now = clock();
      const planned = { userId, email, sent: send, expiresAt: isoTime(now + emailTokenLasts.reset) };
      if (dryRun) return { ...planned, link: null };
      const link = await storage.write(async (tx) => {
        const proves = send && email !== null ? email : "";
        const token = { slot: slotOf(appId, email ?? userId), purpose: "reset", appId, userId, email: proves } as const;
        const { secret, code, expiresAt } = await emailTokens.issue(tx, token, now);
        const event = { actor, action: "user.reset-link", result: "success", appId, userId } as const;
        await audit.record(tx, { ...event, details: { sent: send } }, now);
        if (!send) return linkWith(secret);
        const clientInfo = { ipAddress: null, userAgent: null };
        const common = { appId, userId, to: proves, locale, origin: clientInfo, code, expiresAt };
        await mail.enqueue(tx, { ...common, kind: "reset", link: linkWith(secret) }, now);
        return null;
      });
      return { ...planned, link };
    },
  };
}

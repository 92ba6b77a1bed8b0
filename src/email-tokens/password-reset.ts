import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit, Origin } from "../audit/audit.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Notices } from "../mail/notices.ts";
import type { MailService } from "../mail/service.ts";
import type { Linking } from "../oauth/linking.ts";
import type { Passwords } from "../passwords/service.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { Tokens } from "../tokens/service.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import { emailTokenLasts } from "./rules.ts";
import type { Asker, EmailTokens } from "./service.ts";

/** What an operator gets who asks for a reset: `link` is null when it was mailed. */
export type ResetLinkAnswer = {
  userId: string;
  email: string | null;
  link: string | null;
  sent: boolean;
  expiresAt: string;
};

export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** A new password for somebody who has forgotten theirs, or has none. It signs nobody in. */
export function createPasswordReset(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  linking: Linking;
  signIn: SignIn;
  tokens: Tokens;
  browserSessions: BrowserSessions;
  mail: MailService;
  notices: Notices;
  audit: Audit;
  clock: Clock;
  baseUrl: string;
}) {
  const { storage, emailTokens, applications, users, passwords, linking, signIn, tokens, browserSessions } = deps;
  const { mail, notices, audit, clock, baseUrl } = deps;

  const slotOf = (appId: string, account: string): string => emailTokens.slot("reset", appId, account);
  const linkWith = (secret: string): string => `${baseUrl}/reset/${secret}`;

  /** Throws USER_NOT_FOUND, and CONFLICT where a new password would open nothing. */
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
    /** Whether anybody can be mailed at all. */
    available: mail.available,

    /**
     * Mails whoever has this address (canonical) a link and a code for a new password. An address that nobody has, or a disabled user, costs the
     * same writes and sends nothing. Above the hour's allowance nothing is sent, and the mail before it stays good.
     */
    async ask(asked: { application: Application; email: string; sessionId: string } & Asker): Promise<void> {
      const { application, email, sessionId, origin, lang } = asked;
      const appId = application.id;
      const now = clock();
      const found = await users.findByEmail(appId, email);
      const user = found?.disabledAt === null ? found : undefined;
      const userId = user?.id ?? null;
      const about = { app: { id: appId }, userId, origin, details: {} };
      audit.tally.note({ action: "password.reset-asked", result: "success", ...about });
      await storage.write(async (tx) => {
        if (!(await emailTokens.mayMail(tx, { purpose: "reset", appId, email }, origin, now))) return;
        const token = { slot: slotOf(appId, email), purpose: "reset", appId, userId, email, sessionId } as const;
        const { secret, code, expiresAt } = await emailTokens.issue(tx, token, now);
        if (user) {
          const common = { appId, userId, to: email, locale: user.locale ?? lang, origin };
          await mail.enqueue(tx, { ...common, kind: "reset", link: linkWith(secret), code, expiresAt }, now);
        } else {
          // In place of the mail: as many writes as for a user.
          await emailTokens.issue(tx, token, now);
        }
      });
    },

    /** The token of this address, when this is its code. `code`: eight digits (`typedCode`). */
    async tryCode(appId: string, email: string, code: string, origin: Origin): Promise<EmailToken | "wrong" | "over"> {
      return await emailTokens.tryCode(slotOf(appId, email), code, origin);
    },

    /** What a link is for; undefined when it is good for nothing any more. Changes nothing. */
    async find(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "reset");
      const user = token && token.userId !== null ? await users.find(token.userId) : undefined;
      const application = token && (await applications.find(token.appId));
      if (!token || !user || user.disabledAt !== null || !application?.authMethods.password.enabled) return undefined;
      return { token, user, application };
    },

    /**
     * Uses the token up, sets the password and ends every login. A mailed token proves its address; where that was unproven, it is the first proof,
     * and whatever else was put on the account goes. False when the token or its user is over.
     */
    async finish(token: EmailToken, hash: string, origin: Origin): Promise<boolean> {
      const now = clock();
      return await storage.write(async (tx) => {
        const used = await emailTokens.consume(tx, token, now);
        const user = used && used.userId !== null ? await users.take(tx, used.userId, now) : undefined;
        if (!used || !user || user.disabledAt !== null) return false;
        const { id: userId, appId, email, emailVerified } = user;
        if (used.email !== "" && used.email !== email) return false;
        const isFirstProof = used.email !== "" && !emailVerified;
        if (isFirstProof) {
          await linking.removeUnproven(tx, user, { by: "mail", origin }, now);
          await users.verifyEmail(tx, user, used.email, origin, now);
        }
        // In the order in which a sign-in takes these two.
        if (email !== null) await passwords.forgetFailures(tx, appId, email);
        const methodId = await passwords.set(tx, userId, hash, now);
        // After the password: what was proven with the old one is worth nothing from here on, and nothing can come of it later.
        await signIn.cancelCodes(tx, userId, now);
        const ended = await tokens.endLogins(tx, userId, "password-reset", now);
        await browserSessions.forgetAll(tx, userId);
        await notices.passwordChanged(tx, { user, origin }, now);
        const actor = { kind: "user", name: userId } as const;
        const details = { methodId, endedLogins: ended.length, isFirstProof };
        await audit.record(
          tx,
          { actor, action: "password.reset", result: "success", appId, userId, origin, details },
          now,
        );
        return true;
      });
    },

    /**
     * A link for an operator to hand over, or with `send` to have mailed. Handed over, it proves no address. Throws USER_NOT_FOUND, CONFLICT,
     * INVALID_CONFIG where `send` cannot be done.
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
        const origin = { ipAddress: null, userAgent: null };
        const common = { appId, userId, to: proves, locale, origin, code, expiresAt };
        await mail.enqueue(tx, { ...common, kind: "reset", link: linkWith(secret) }, now);
        return null;
      });
      return { ...planned, link };
    },
  };
}

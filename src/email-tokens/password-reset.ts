import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import type { Notices } from "../mail/notices.ts";
import type { FirstProof, Unproven } from "../oauth/first-proof.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { EmailTokens } from "./service.ts";

export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** Sets a new password for someone who has a link or code of `ResetLinks`. Signs nobody in. */
export function createPasswordReset(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  applications: Applications;
  users: Users;
  passwords: Passwords;
  firstProof: FirstProof;
  access: RevokeAccess;
  notices: Notices;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, applications, users, passwords, firstProof, access, notices, audit, clock } = deps;

  return {
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
        const user = token.userId === null ? undefined : await users.lockForChange(tx, token.userId, now);
        const used = await emailTokens.consume(tx, token, now);
        if (!used || user?.disabledAt !== null) return false;
        const { id: userId, appId, email, emailVerified } = user;
        if (used.email !== "" && used.email !== email) return false;
        const isFirstProof = used.email !== "" && !emailVerified;
        if (isFirstProof) {
          await firstProof.removeUnproven(tx, user, { by: "mail", clientInfo }, now);
          await users.verifyEmail(tx, user, used.email, clientInfo, now);
        }
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
  };
}

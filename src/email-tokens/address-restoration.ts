import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { ResetLinks } from "./reset-links.ts";
import type { EmailTokens } from "./service.ts";

/** `resetLink`: for a new password; null if the application has none. */
export type AddressRestored = { resetLink: string | null } | "over" | "taken";

export type AddressRestoration = ReturnType<typeof createAddressRestoration>;

/** Undoes a change of address, by the link in the mail to the earlier one (docs/decisions/0046). */
export function createAddressRestoration(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  resetLinks: ResetLinks;
  applications: Applications;
  users: Users;
  access: RevokeAccess;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, resetLinks, applications, users, access, audit, clock } = deps;

  return {
    /** What a link restores; undefined if it is no longer valid. */
    async find(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "undo");
      const user = token && token.userId !== null ? await users.find(token.userId) : undefined;
      const application = token && (await applications.find(token.appId));
      if (!token || !user || user.disabledAt !== null || user.email === token.email || !application) return undefined;
      return { token, user, application };
    },

    /**
     * Restores the earlier address and ends all access, because somebody else may be in the
     * account. Removes no method: the owner does that, after a new password. If another user has
     * the address, they lose it if they never verified it; otherwise "taken".
     */
    async restore(token: EmailToken, application: Application, clientInfo: ClientInfo): Promise<AddressRestored> {
      const now = clock();
      const restored = storage.write<AddressRestored>(async (tx, rollBack) => {
        const used = await emailTokens.consume(tx, token, now);
        const user = used && used.userId !== null ? await access.lockForChange(tx, used.userId, now) : undefined;
        if (!used || !user || user.disabledAt !== null || user.email === used.email) throw rollBack("over");
        const { id: userId, appId } = user;
        const { email } = used;
        const by = { actor: { kind: "user", name: userId }, clientInfo } as const;
        await users.freeUnverifiedEmail(tx, { appId, email }, by, now);
        if (!(await users.changeEmail(tx, user, email, clientInfo, now))) throw rollBack("taken");
        // The person who changed the address must not undo this, or continue what they began.
        await emailTokens.endAll(tx, userId, { keepUndosBefore: used.createdAt });
        const revocation = { reason: "address-restored", by, forgetBrowsers: true } as const;
        const endedLogins = await access.revoke(tx, userId, revocation, now);
        const event = { ...by, action: "user.address-restored", result: "success", appId, userId } as const;
        await audit.record(tx, { ...event, details: { endedLogins } }, now);
        const hasPasswords = application.authMethods.password.enabled;
        return { resetLink: hasPasswords ? await resetLinks.issueFor(tx, { id: userId, appId, email }, now) : null };
      });
      return await orTaken(restored);
    },
  };
}

/** "taken" if another user got the address while the transaction ran. */
export async function orTaken<T>(outcome: Promise<T>): Promise<T | "taken"> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return "taken";
    throw error;
  }
}

import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Notices } from "../mail/notices.ts";
import type { MailService } from "../mail/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { MailAllowance } from "./allowance.ts";
import type { EmailToken } from "./email-token.ts";
import type { ResetLinks } from "./reset-links.ts";
import type { Asker, EmailTokens } from "./service.ts";

/** A user signed in to the account page. `tie`: of that browser's session. */
type Place = { user: User; tie: string };

/** `taken`: another account has the address, which only its proven reader learns. */
export type AddressChanged = "changed" | "wrong" | "over" | "taken";

/** `resetLink`: for a new password; null if the application has none. */
export type AddressRestored = { resetLink: string | null } | "over" | "taken";

export type AddressChange = ReturnType<typeof createAddressChange>;

/**
 * Changes an account's address: a code or link proves the new one, and a link in the earlier one
 * restores that for 7 days (docs/decisions/0046).
 */
export function createAddressChange(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  resetLinks: ResetLinks;
  allowance: MailAllowance;
  applications: Applications;
  users: Users;
  browserSessions: BrowserSessions;
  access: RevokeAccess;
  mail: MailService;
  notices: Notices;
  audit: Audit;
  clock: Clock;
  baseUrl: string;
}) {
  const { storage, emailTokens, resetLinks, allowance, applications, users, browserSessions } = deps;
  const { access, mail, notices, audit, clock, baseUrl } = deps;

  /**
   * A change belongs to the browser session that asked for it and to the address at that time: it
   * ends with either.
   */
  function slotOf({ id, email }: User, tie: string): string {
    return emailTokens.slot("change", id, tie, email ?? "");
  }

  function undoSlot(userId: string, email: string): string {
    return emailTokens.slot("undo", userId, email);
  }

  async function send(place: Place, email: string, { clientInfo, lang }: Asker, replaces: boolean): Promise<void> {
    const { user, tie } = place;
    const { id: userId, appId } = user;
    const now = clock();
    await storage.write(async (tx) => {
      const allowed = await allowance.count(tx, { purpose: "change", appId, email, clientInfo }, now);
      if (!allowed && !replaces) return;
      // As for a sign-up: above the allowance the page is the same, with a code that nobody knows.
      const token = { slot: slotOf(user, tie), purpose: "change", appId, userId, email, hasNoCode: !allowed } as const;
      const { secret, code, expiresAt } = await emailTokens.issue(tx, token, now);
      const actor = { kind: "user", name: userId } as const;
      const event = { actor, action: "user.address-asked", result: "success", appId, userId, clientInfo } as const;
      await audit.record(tx, event, now);
      if (!allowed) return;
      const common = { appId, userId, to: email, locale: lang, origin: clientInfo, code, expiresAt };
      await mail.enqueue(tx, { ...common, kind: "change-address", link: `${baseUrl}/confirm/${secret}` }, now);
    });
  }

  /** An address that was never verified may be a stranger's, who must not get the account by it. */
  async function offerUndo(tx: Handle, { id: userId, appId, email, locale }: User, origin: ClientInfo, now: number) {
    if (email === null) return;
    const token = { slot: undoSlot(userId, email), purpose: "undo", appId, userId, email } as const;
    const { secret, expiresAt } = await emailTokens.issue(tx, { ...token, hasNoCode: true }, now);
    const common = { appId, userId, to: email, locale, origin, expiresAt };
    await mail.enqueue(tx, { ...common, kind: "address-changed", link: `${baseUrl}/restore/${secret}` }, now);
  }

  async function useUp(token: EmailToken, tie: string, clientInfo: ClientInfo): Promise<AddressChanged> {
    const now = clock();
    return await storage.write<AddressChanged>(async (tx) => {
      const used = await emailTokens.consume(tx, token, now);
      const user = used && used.userId !== null ? await users.lockForChange(tx, used.userId, now) : undefined;
      if (!used || !user || user.disabledAt !== null || used.slot !== slotOf(user, tie)) return "over";
      // Whatever ended this browser session has ended its change: a reset, the removal of a method.
      if (!(await browserSessions.lock(tx, tie, user.id))) return "over";
      if (!(await users.changeEmail(tx, user, used.email, clientInfo, now))) return "taken";
      // As by that address's own link: the address between must not undo the return.
      const undo = await emailTokens.waiting(undoSlot(user.id, used.email), tx);
      if (undo) {
        await emailTokens.endLater(tx, user.id, undo.createdAt);
        await notices.addressReplaced(tx, { user, clientInfo }, now);
      }
      const canUndo = !undo && user.email !== null && user.emailVerified;
      if (canUndo) await offerUndo(tx, user, clientInfo, now);
      const { id: userId, appId } = user;
      const actor = { kind: "user", name: userId } as const;
      const event = { actor, action: "user.address-changed", result: "success", appId, userId, clientInfo } as const;
      await audit.record(tx, { ...event, details: { canUndo } }, now);
      return "changed";
    });
  }

  return {
    /** Whether mail can be sent: without it, nobody can prove a new address. */
    available: mail.available,

    /** Mails a code and a link to the new, canonical address: the same for every address. */
    async begin(place: Place, email: string, asker: Asker): Promise<void> {
      await send(place, email, asker, true);
    },

    /** Replaces the last mail by a new one, within the hourly allowance. */
    async again(place: Place, asker: Asker): Promise<void> {
      const token = await emailTokens.waiting(slotOf(place.user, place.tie));
      if (token) await send(place, token.email, asker, false);
    },

    /** The new address that waits for its proof in this browser. */
    async waiting({ user, tie }: Place): Promise<string | undefined> {
      return (await emailTokens.waiting(slotOf(user, tie)))?.email;
    },

    /** Whether a link is of this browser's change. */
    isOf: ({ user, tie }: Place, token: EmailToken): boolean => token.slot === slotOf(user, tie),

    /** `code`: eight digits (`typedCode`). `token`: of a link that `isOf` this place. */
    async confirm(
      place: Place,
      proof: { code: string } | { token: EmailToken },
      clientInfo: ClientInfo,
    ): Promise<AddressChanged> {
      const slot = slotOf(place.user, place.tie);
      const token = "code" in proof ? await emailTokens.tryCode(slot, proof.code, clientInfo) : proof.token;
      if (typeof token === "string") return token;
      return await orTaken(useUp(token, place.tie, clientInfo));
    },

    /** What a link of an earlier address restores; undefined if it is no longer valid. */
    async findUndo(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "undo");
      const user = token && token.userId !== null ? await users.find(token.userId) : undefined;
      const application = token && (await applications.find(token.appId));
      if (!token || !user || user.disabledAt !== null || user.email === token.email || !application) return undefined;
      return { token, user, application };
    },

    /**
     * Restores the earlier address and ends all access, because somebody else may be in the
     * account. Removes no method: the owner does that, after a new password. Another user who never
     * verified this address loses it; "taken" if one did.
     */
    async undo(token: EmailToken, application: Application, clientInfo: ClientInfo): Promise<AddressRestored> {
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
        // Whoever changed the address must not undo this, nor go on with what they began.
        await emailTokens.endLater(tx, userId, used.createdAt);
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

/** Another user got the address while the transaction ran. */
async function orTaken<T>(outcome: Promise<T>): Promise<T | "taken"> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return "taken";
    throw error;
  }
}

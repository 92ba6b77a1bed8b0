import type { Origin } from "../audit/audit.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { MailMethod } from "./mail.ts";
import type { MailAllowance } from "../email-tokens/allowance.ts";
import type { MailService } from "./service.ts";

/** What somebody did to an account, or in its name. `origin` is undefined for a command. */
type Act = { user: User; origin: Origin | undefined };

type Notice =
  | { kind: "method-added" | "method-removed"; method: MailMethod }
  | { kind: "password-changed" | "new-device" };

export type Notices = ReturnType<typeof createNotices>;

/**
 * Tells users what happened to their account, in the transaction in which it happens. A user without an address is told nothing. An address that
 * was never proven may be a stranger's: whoever has the account must not be able to flood it, or to write there in words of their own.
 */
export function createNotices({ mail, allowance }: { mail: MailService; allowance: MailAllowance }) {
  async function tell(tx: Handle, { user, origin }: Act, notice: Notice, now: number): Promise<void> {
    if (user.email === null) return;
    const mayBeStranger = mail.canVerify && !user.emailVerified;
    if (mayBeStranger && !(await allowance.take(tx, "notice", user.appId, user.email, now))) return;
    const from = { ipAddress: origin?.ipAddress ?? null, userAgent: origin?.userAgent ?? null };
    const common = { appId: user.appId, userId: user.id, to: user.email, locale: user.locale, origin: from };
    await mail.enqueue(tx, { ...common, ...(mayBeStranger ? withoutOwnWords(notice) : notice) }, now);
  }

  return {
    async newDevice(tx: Handle, act: Act, now: number): Promise<void> {
      await tell(tx, act, { kind: "new-device" }, now);
    },
    async passwordChanged(tx: Handle, act: Act, now: number): Promise<void> {
      await tell(tx, act, { kind: "password-changed" }, now);
    },
    async methodAdded(tx: Handle, act: Act, method: MailMethod, now: number): Promise<void> {
      await tell(tx, act, { kind: "method-added", method }, now);
    },
    async methodRemoved(tx: Handle, act: Act, method: MailMethod, now: number): Promise<void> {
      await tell(tx, act, { kind: "method-removed", method }, now);
    },
  };
}

/** A passkey is called what its owner likes; providers are not. */
function withoutOwnWords(notice: Notice): Notice {
  return "method" in notice && notice.method.type === "passkey"
    ? { ...notice, method: { ...notice.method, name: null } }
    : notice;
}

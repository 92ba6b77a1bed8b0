import type { ClientInfo } from "../lib/client-info.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { MailMethod } from "./mail.ts";
import type { MailAllowance } from "../email-tokens/allowance.ts";
import type { MailService } from "./service.ts";

/** An action on an account. `clientInfo` is undefined unless a person acts. */
type Act = { user: User; clientInfo: ClientInfo | undefined };

type Notice =
  | { kind: "method-added" | "method-removed"; method: MailMethod }
  | { kind: "password-changed" | "new-device" | "address-replaced" | "address-restored" };

export type Notices = ReturnType<typeof createNotices>;

/**
 * Notifies users of changes to their account, in the same transaction. A user without an address
 * gets nothing. An unverified address may be a stranger's, so the account's holder must not be able
 * to flood it or choose the words.
 */
export function createNotices({ mail, allowance }: { mail: MailService; allowance: MailAllowance }) {
  async function tell(tx: Handle, { user, clientInfo }: Act, notice: Notice, now: number): Promise<void> {
    if (user.email === null) return;
    const mayBeStranger = mail.available && !user.emailVerified;
    // An app's server can give its users any address, call it verified, and take it away again.
    const isLimited = mayBeStranger || (mail.available && notice.kind === "address-replaced");
    if (isLimited && !(await allowance.countNotice(tx, user.appId, user.email, now))) return;
    const { ipAddress = null, userAgent = null, timeZone = null } = clientInfo ?? {};
    const from = { ipAddress, userAgent, timeZone };
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
    // The next two: to the address that the user had until now.
    async addressReplaced(tx: Handle, act: Act, now: number): Promise<void> {
      await tell(tx, act, { kind: "address-replaced" }, now);
    },
    /** That may be a thief's, who learns nothing of the owner's browser. */
    async addressRestored(tx: Handle, user: User, now: number): Promise<void> {
      await tell(tx, { user, clientInfo: undefined }, { kind: "address-restored" }, now);
    },
    async methodAdded(tx: Handle, act: Act, method: MailMethod, now: number): Promise<void> {
      await tell(tx, act, { kind: "method-added", method }, now);
    },
    async methodRemoved(tx: Handle, act: Act, method: MailMethod, now: number): Promise<void> {
      await tell(tx, act, { kind: "method-removed", method }, now);
    },
  };
}

/** Removes the owner's name of a passkey, which is free text. Provider names are not. */
function withoutOwnWords(notice: Notice): Notice {
  return "method" in notice && notice.method.type === "passkey"
    ? { ...notice, method: { ...notice.method, name: null } }
    : notice;
}

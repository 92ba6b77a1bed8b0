import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Meter } from "../lib/meter.ts";
import { networkOf } from "../lib/networks.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { EmailTokenPurpose } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { maxMailsOfAddress, maxMailsOfAddressAndNetwork, maxMailsOfNetwork } from "./rules.ts";
import { countAskedMail } from "./store.ts";

/** A mail that a visitor requests. */
export type AskedMail = { purpose: EmailTokenPurpose; appId: string; email: string; clientInfo: ClientInfo };

export type MailAllowance = ReturnType<typeof createMailAllowance>;

/** Limits mails to an address that the requester has not proven. */
export function createMailAllowance(deps: {
  keyring: Keyring;
  audit: Audit;
  meter: Meter;
  /**
   * For each purpose and application. Null: no limits at all, for the mailbox of development mode,
   * which is in memory, and whose tests reuse addresses.
   */
  mailsPerHour: number | null;
}) {
  const { keyring, audit, meter, mailsPerHour } = deps;
  const maxOfApplication = mailsPerHour ?? Number.POSITIVE_INFINITY;

  async function exceeds(tx: Handle, max: number, now: number, ...whose: string[]): Promise<boolean> {
    if (mailsPerHour === null) return false;
    const digest = keyring.mac("email", "allowance", ...whose).toString("base64url");
    return (await countAskedMail(tx, digest, now)) > max;
  }

  /** Narrowest limit first, and stop at a refusal: a busy network uses up only its own share. */
  async function limitReached(tx: Handle, { purpose, appId, email, clientInfo }: AskedMail, now: number) {
    const network = networkOf(clientInfo.ipAddress);
    if (await exceeds(tx, maxMailsOfAddressAndNetwork, now, purpose, appId, email, network))
      return "address-and-network";
    if (await exceeds(tx, maxMailsOfNetwork, now, purpose, appId, "network", network)) return "network";
    if (await exceeds(tx, maxMailsOfAddress, now, purpose, appId, email)) return "address";
    return (await exceeds(tx, maxOfApplication, now, purpose, appId)) ? "application" : undefined;
  }

  return {
    /**
     * Counts a mail per purpose and application (known and unknown addresses alike), and returns
     * whether to send it. Refusals go to the audit log. `mustBeSent`: counted, never refused.
     */
    async count(tx: Handle, asked: AskedMail, now: number, { mustBeSent = false } = {}): Promise<boolean> {
      const limit = await limitReached(tx, asked, now);
      if (limit === undefined || mustBeSent) return true;
      const { purpose, appId, clientInfo } = asked;
      meter.mailLimited(purpose, limit);
      const details = { purpose, limit };
      audit.aggregatedEvents.note({
        action: "mail.limited",
        result: "failure",
        app: { id: appId },
        clientInfo,
        details,
      });
      return false;
    },

    /** Counts an invitation, by a command or an app, and returns whether to send it. */
    async countInvite(tx: Handle, appId: string, email: string, now: number): Promise<boolean> {
      if (await exceeds(tx, maxMailsOfAddressAndNetwork, now, "invite", appId, email)) return false;
      return !(await exceeds(tx, maxOfApplication, now, "invite", appId));
    },

    /** Like `count`, for a notice to an unproven address. */
    async countNotice(tx: Handle, appId: string, email: string, now: number): Promise<boolean> {
      return !(await exceeds(tx, maxMailsOfAddressAndNetwork, now, "notice", appId, email));
    },
  };
}

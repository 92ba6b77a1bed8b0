import { networkOf } from "../http/addresses.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle } from "../storage/storage.ts";
import type { EmailTokenPurpose } from "./email-token.ts";
import { mostMails, mostMailsOfNetwork } from "./rules.ts";
import { countAskedMail } from "./store.ts";

export type MailAllowance = ReturnType<typeof createMailAllowance>;

/** How often an address can be written to because of somebody who has not shown that it is theirs. */
export function createMailAllowance({ keyring }: { keyring: Keyring }) {
  async function count(tx: Handle, now: number, ...whose: string[]): Promise<number> {
    return await countAskedMail(tx, keyring.mac("email", "allowance", ...whose).toString("base64url"), now);
  }

  return {
    /**
     * Counts a mail, and answers whether it may be sent: one with a link and a code, by its purpose (known and unknown addresses are counted alike),
     * or a `notice` of what happened on an account. No kind uses another's up, or strangers who sign up with an address could keep its owner from
     * the mail that resets the password.
     */
    async take(
      tx: Handle,
      kind: EmailTokenPurpose | "notice",
      appId: string,
      email: string,
      now: number,
    ): Promise<boolean> {
      return (await count(tx, now, kind, appId, email)) <= mostMails;
    },

    /** Counts a mail that a visitor asks for, and answers whether this visitor's network may still have one sent, to whichever address. */
    async takeOfNetwork(tx: Handle, ipAddress: string, now: number): Promise<boolean> {
      return (await count(tx, now, "network", networkOf(ipAddress))) <= mostMailsOfNetwork;
    },
  };
}

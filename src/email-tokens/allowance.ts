import type { Keyring } from "../secrets/keyring.ts";
import type { Handle } from "../storage/storage.ts";
import { mostMails } from "./rules.ts";
import { countAskedMail } from "./store.ts";

export type MailAllowance = ReturnType<typeof createMailAllowance>;

/** How often an address can be written to because of somebody who has not shown that it is theirs. */
export function createMailAllowance({ keyring }: { keyring: Keyring }) {
  return {
    /**
     * Counts a mail, and answers whether it may be sent. `asked`: with a link and a code, which anybody may ask for; known and unknown addresses are
     * counted alike. `notice`: what happened on an account. Neither uses the other's up, or notices could keep the owner out.
     */
    async take(tx: Handle, kind: "asked" | "notice", appId: string, email: string, now: number): Promise<boolean> {
      const account = keyring.mac("email", "allowance", kind, appId, email).toString("base64url");
      return (await countAskedMail(tx, account, now)) <= mostMails;
    },
  };
}

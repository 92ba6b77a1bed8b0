import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import type { MailService } from "../mail/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { MailAllowance } from "./allowance.ts";
import type { EmailToken } from "./email-token.ts";
import { orTaken } from "./rules.ts";
import type { Asker, EmailTokens } from "./service.ts";
import type { UndoLinks } from "./undo-links.ts";

/** A user signed in to the account page. `tie`: of that browser's session. */
type Place = { user: User; tie: string };

/** `taken`: another account has the address. Only a person who proved the address learns this. */
export type AddressChanged = "changed" | "wrong" | "over" | "taken";

export type AddressChange = ReturnType<typeof createAddressChange>;

/** Changes an account's address: a code or link proves the new one (docs/decisions/0046). */
export function createAddressChange(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  undoLinks: UndoLinks;
  allowance: MailAllowance;
  users: Users;
  browserSessions: BrowserSessions;
  mail: MailService;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, undoLinks, allowance, users, browserSessions, mail, audit, clock } = deps;

  /**
   * A change belongs to the browser session that asked for it and to the address at that time: it
   * ends with either.
   */
  function slotOf({ id, email }: User, tie: string): string {
    return emailTokens.slot("change", id, tie, email ?? "");
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
      const proof = await emailTokens.issue(tx, token, now);
      const actor = { kind: "user", name: userId } as const;
      const event = { actor, action: "user.address-asked", result: "success", appId, userId, clientInfo } as const;
      await audit.record(tx, event, now);
      if (!allowed) return;
      const common = { appId, userId, to: email, locale: lang, origin: clientInfo };
      await mail.enqueue(tx, { ...common, kind: "change-address", ...proof }, now);
    });
  }

  async function useUp(token: EmailToken, tie: string, clientInfo: ClientInfo): Promise<AddressChanged> {
    const now = clock();
    return await storage.write<AddressChanged>(async (tx) => {
      const user = token.userId === null ? undefined : await users.lockForChange(tx, token.userId, now);
      const used = await emailTokens.consume(tx, token, now);
      if (!used || user?.disabledAt !== null || used.slot !== slotOf(user, tie)) return "over";
      // What ends a browser session, such as a password reset, also ends its change.
      if (!(await browserSessions.lock(tx, tie, user.id))) return "over";
      if (!(await users.changeEmail(tx, user, used.email, clientInfo, now))) return "taken";
      const canUndo = await undoLinks.offer(tx, user, used.email, clientInfo, now);
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

    /** Whether a link belongs to this browser's change. */
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
  };
}

import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { clockSkew, isOver, type Clock } from "../lib/clock.ts";
import type { Notices } from "../mail/notices.ts";
import type { MailService } from "../mail/service.ts";
import type { Method } from "../methods/method.ts";
import type { Methods } from "../methods/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { Invites } from "./invites.ts";
import type { ResetLinks } from "./reset-links.ts";
import { orTaken, undoLinkLasts } from "./rules.ts";
import type { EmailTokens } from "./service.ts";

/** `next`: a link for a new password, or for a first method where none is left; or neither. */
export type AddressRestored = { next: "reset" | "choose"; link: string } | { next: "account" } | "over" | "taken";

export type AddressUndo = ReturnType<typeof createAddressUndo>;

/** Restores an earlier address, by a link that it got when it was changed (docs/decisions/0046). */
export function createAddressUndo(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  resetLinks: ResetLinks;
  invites: Invites;
  applications: Applications;
  users: Users;
  methods: Pick<Methods, "list" | "removeFrom">;
  access: RevokeAccess;
  mail: MailService;
  notices: Notices;
  audit: Audit;
  clock: Clock;
  baseUrl: string;
}) {
  const { storage, emailTokens, resetLinks, invites, applications, users, methods, access } = deps;
  const { mail, notices, audit, clock, baseUrl } = deps;

  function slotOf(userId: string, email: string): string {
    return emailTokens.slot("undo", userId, email);
  }

  /** The password may be known to a thief, and what was added since may be theirs. */
  function removes({ createdAt: changedAt }: EmailToken, { type, createdAt }: Pick<Method, "type" | "createdAt">) {
    return type === "password" || createdAt > changedAt - clockSkew;
  }

  async function linkAfter(tx: Handle, application: Application, user: User & { email: string }, now: number) {
    if (application.authMethods.password.enabled)
      return { next: "reset", link: await resetLinks.issueFor(tx, user, now) } as const;
    if ((await methods.list(user.id, tx)).length > 0) return { next: "account" } as const;
    return { next: "choose", link: await invites.issueFor(tx, user, now) } as const;
  }

  return {
    removes,

    /**
     * Mails the locked user's replaced address a link that restores it. None if the user returns to
     * an earlier address, which counts as its undo; and none if the replaced one was never
     * verified: it may be a stranger's. Returns whether there is a link.
     */
    async offer(tx: Handle, user: User, newEmail: string, origin: ClientInfo, now: number): Promise<boolean> {
      const { id: userId, appId, email, locale } = user;
      const earlier = await emailTokens.waiting(slotOf(userId, newEmail), tx);
      if (earlier) {
        await emailTokens.endAll(tx, userId, { keepUndosBefore: earlier.createdAt });
        await notices.addressRestored(tx, user, now);
        return false;
      }
      if (email === null || !user.emailVerified) return false;
      const token = { slot: slotOf(userId, email), purpose: "undo", appId, userId, email } as const;
      const { secret } = await emailTokens.issue(tx, { ...token, hasNoCode: true }, now);
      const common = { appId, userId, to: email, locale, origin, expiresAt: now + undoLinkLasts };
      await mail.enqueue(tx, { ...common, kind: "address-changed", link: `${baseUrl}/restore/${secret}` }, now);
      return true;
    },

    /** What a link restores; undefined if it is no longer valid. */
    async find(secret: string): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
      const token = await emailTokens.find(secret, "undo");
      if (!token || isOver(token.createdAt + undoLinkLasts, undoLinkLasts, clock())) return undefined;
      const user = token.userId === null ? undefined : await users.find(token.userId);
      const application = await applications.find(token.appId);
      if (!user || user.disabledAt !== null || user.email === token.email || !application) return undefined;
      return { token, user, application };
    },

    /**
     * Restores the earlier address, and ends all access: somebody else may be in the account.
     * Removes the methods that it `removes`, and those in `also`. If another user has the address,
     * they lose it if they never verified it; otherwise "taken".
     */
    async use(
      token: EmailToken,
      application: Application,
      also: ReadonlySet<string>,
      clientInfo: ClientInfo,
    ): Promise<AddressRestored> {
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
        await notices.addressRestored(tx, user, now);
        // The person who changed the address must not undo this, or continue what they began.
        await emailTokens.endAll(tx, userId, { keepUndosBefore: used.createdAt });
        const all = await methods.list(userId, tx);
        const removed = all.filter((method) => removes(used, method) || also.has(method.id));
        await methods.removeFrom(tx, { user, by }, removed, now);
        const revocation = { reason: "address-restored", by, forgetBrowsers: true } as const;
        const endedLogins = await access.revoke(tx, userId, revocation, now);
        const event = { ...by, action: "user.address-restored", result: "success", appId, userId } as const;
        await audit.record(tx, { ...event, details: { endedLogins, removedMethods: removed.length } }, now);
        return await linkAfter(tx, application, { ...user, email }, now);
      });
      return await orTaken(restored);
    },
  };
}

import type { Application } from "../applications/application.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { clockSkew, type Clock } from "../lib/clock.ts";
import type { Notices } from "../mail/notices.ts";
import type { Method } from "../methods/method.ts";
import type { Methods } from "../methods/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { RevokeAccess } from "../tokens/revoke-access.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { Invites } from "./invites.ts";
import type { ResetLinks } from "./reset-links.ts";
import { orTaken } from "./rules.ts";
import type { EmailTokens } from "./service.ts";

/** `next`: a link for a new password, or for a first method where none is left; or neither. */
export type AddressRestored = { next: "reset" | "choose"; link: string } | { next: "account" } | "over" | "taken";

export type AddressUndo = ReturnType<typeof createAddressUndo>;

/** Restores an earlier address, by a link of `createUndoLinks` (docs/decisions/0046). */
export function createAddressUndo(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  resetLinks: ResetLinks;
  invites: Invites;
  users: Users;
  methods: Pick<Methods, "list" | "removeFrom">;
  access: RevokeAccess;
  notices: Notices;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, resetLinks, invites, users, methods, access, notices, audit, clock } = deps;

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
        const owner = await users.findByEmail(token.appId, token.email, tx);
        await users.lockAll(tx, [token.userId ?? "", owner?.id ?? ""]);
        const user = token.userId === null ? undefined : await users.lockForChange(tx, token.userId, now);
        const used = await emailTokens.consume(tx, token, now);
        if (!used || user?.disabledAt !== null || user.email === used.email) throw rollBack("over");
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

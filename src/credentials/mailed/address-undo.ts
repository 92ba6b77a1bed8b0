/** Restores an earlier address, by a link of `undo-links.ts` (docs/decisions/0046). */
import type { Application } from "../../applications/application.ts";
import { countConsents, deleteConsentsOf } from "../../applications/clients/consents-store.ts";
import { clockSkew } from "../../lib/clock.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { companyHostsOf, deleteCompanyIdentities } from "../../organizations/provider/identity-store.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange, lockUsers } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as factors from "../../factors/service.ts";
import { countRecoveryCodes, deleteRecoveryCodes } from "../../factors/store.ts";
import type { Method } from "../methods/method.ts";
import * as methods from "../methods/service.ts";
import type { EmailToken } from "./email-token.ts";
import * as invites from "./invites.ts";
import * as notices from "./notices.ts";
import * as resetLinks from "./reset-links.ts";
import { orTaken } from "./rules.ts";
import * as emailTokens from "./service.ts";
import { consumeEmailToken } from "./store.ts";

/** `next`: a link for a new password, or for a first method if none is left; or neither. */
export type AddressRestored = { next: "reset" | "choose"; link: string } | { next: "account" } | "over" | "taken";

/** A thief may know the password, and later additions may be theirs. */
export function removes({ createdAt: changedAt }: EmailToken, { type, createdAt }: Pick<Method, "type" | "createdAt">) {
  return type === "password" || createdAt > changedAt - clockSkew;
}

/** Also removed: what was set up, linked or allowed since. `companies`: hosts of providers. */
export type SinceChange = { app: boolean; codes: boolean; programs: number; companies: string[] };

export async function sinceChange(handle: Handle, { userId, createdAt }: EmailToken): Promise<SinceChange> {
  const since = createdAt - clockSkew;
  const { setUpAt } = await factors.factsOf(handle, userId ?? "");
  const [codes, programs, companies] = await Promise.all([
    countRecoveryCodes(handle, userId ?? "", since),
    countConsents(handle, userId ?? "", since),
    companyHostsOf(handle, userId ?? "", since),
  ]);
  return { app: setUpAt !== null && setUpAt > since, codes: codes > 0, programs, companies };
}

/** A thief's app would keep the owner out; a thief's recovery codes would let the thief in. */
async function removeSince(
  ctx: Context,
  tx: Handle,
  { user, by, token }: { user: User; by: By; token: EmailToken },
  now: number,
): Promise<void> {
  const { app } = await sinceChange(tx, token);
  const since = token.createdAt - clockSkew;
  if (app) await factors.removeFrom(ctx, tx, { user, by }, now);
  await deleteRecoveryCodes(tx, user.id, since);
  await deleteConsentsOf(tx, user.id, since);
  await deleteCompanyIdentities(tx, user.id, since);
}

async function linkAfter(
  ctx: Context,
  tx: Handle,
  application: Application,
  user: User & { email: string },
  now: number,
) {
  if (application.authMethods.password.enabled)
    return { next: "reset", link: await resetLinks.issueFor(ctx, tx, user, now) } as const;
  // An invitation would be a way around the second factor.
  if ((await methods.list(tx, user.id)).length > 0 || (await factors.hasFactor(tx, user.id)))
    return { next: "account" } as const;
  return { next: "choose", link: await invites.issueFor(ctx, tx, user, now) } as const;
}

/**
 * Restores the earlier address, and ends all access: somebody else may be in the account.
 * Removes the methods that it `removes`, and those in `also`. If another user has the address,
 * they lose it if they never verified it; otherwise "taken".
 */
export async function use(
  ctx: Context,
  token: EmailToken,
  application: Application,
  also: ReadonlySet<string>,
  source: RequestSource,
): Promise<AddressRestored> {
  const now = ctx.clock();
  const restored = ctx.storage.write<AddressRestored>(async (tx, rollBack) => {
    const owner = await users.findByEmail(tx, token.appId, token.email);
    await lockUsers(tx, [token.userId ?? "", owner?.id ?? ""]);
    const user = token.userId === null ? undefined : await lockUserForChange(tx, token.userId, now);
    const used = await consumeEmailToken(tx, token, now);
    if (!used || user?.disabledAt !== null || user.email === used.email) throw rollBack("over");
    const { id: userId, appId } = user;
    const { email } = used;
    const by = { actor: { kind: "user", name: userId }, source } as const;
    await users.freeUnverifiedEmail(ctx, tx, { appId, email }, by, now);
    if (!(await users.changeEmail(ctx, tx, user, email, source, now))) throw rollBack("taken");
    await notices.addressRestored(ctx, tx, user, now);
    // The person who changed the address must not undo this or continue unfinished sign-ins.
    await emailTokens.endAll(tx, userId, { keepUndosBefore: used.createdAt });
    const all = await methods.list(tx, userId);
    const removed = all.filter((method) => removes(used, method) || also.has(method.id));
    await methods.removeFrom(ctx, tx, { user, by }, removed, now);
    await removeSince(ctx, tx, { user: { ...user, email }, by, token: used }, now);
    const end = { reason: "address-restored", by } as const;
    const endedLogins = await ends.endAccess(ctx, tx, userId, end, now);
    const event = { ...by, action: "user.address-restored", result: "success", appId, userId } as const;
    await audit.record(ctx, tx, { ...event, details: { endedLogins, removedMethods: removed.length } }, now);
    return await linkAfter(ctx, tx, application, { ...user, email }, now);
  });
  return await orTaken(restored);
}

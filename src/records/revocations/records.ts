import { part, type CoreContext } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { afterCommit } from "../../storage/transaction.ts";
import type { Revocation } from "./revocation.ts";
import { insertRevocation, insertRevocations } from "./store.ts";

const nothing = { loginId: null, userId: null, keyId: null, organizationId: null };

const listeners = part(() => ({ onRecorded: (_appId: string): void => {} }));

async function record(ctx: CoreContext, tx: Handle, revocation: Revocation): Promise<void> {
  await insertRevocation(tx, revocation);
  afterCommit(tx, () => listeners(ctx).onRecorded(revocation.appId));
}

/** The logins have ended. */
export async function logins(
  ctx: CoreContext,
  tx: Handle,
  logins: readonly { appId: string; id: string }[],
  now: number,
): Promise<void> {
  const entries = logins.map(({ appId, id }) => ({ ...nothing, appId, loginId: id, at: now }));
  const [first] = entries;
  if (!first) return;
  if (entries.length === 1) return await record(ctx, tx, first);
  await insertRevocations(tx, entries);
  for (const appId of new Set(entries.map((entry) => entry.appId)))
    afterCommit(tx, () => listeners(ctx).onRecorded(appId));
}

/** All logins of a user that began before `now` may have ended. */
export async function user(
  ctx: CoreContext,
  tx: Handle,
  { appId, userId }: { appId: string; userId: string },
  now: number,
): Promise<void> {
  await record(ctx, tx, { ...nothing, appId, userId, at: now });
}

/**
 * Tokens that name an organization, all or one user's, may say too much. Callers take later ones
 * for older (docs/spec/sdk.md, 1): a node may be signing one by what it read before the commit.
 */
export async function organization(
  ctx: CoreContext,
  tx: Handle,
  of: { appId: string; organizationId: string; userId: string | null },
): Promise<void> {
  await record(ctx, tx, { ...nothing, ...of, at: ctx.clock() });
}

/** Tokens signed by this key are invalid, in every application. */
export async function key(ctx: CoreContext, tx: Handle, keyId: string, now: number): Promise<void> {
  await record(ctx, tx, { ...nothing, appId: "", keyId, at: now });
}

/** All tokens of an application are invalid, or soon will be. */
export async function application(ctx: CoreContext, tx: Handle, appId: string, now: number): Promise<void> {
  await record(ctx, tx, { ...nothing, appId, at: now });
}

/** Calls `listener` after each commit that wrote an entry, with its `appId`. */
export function whenRecorded(ctx: CoreContext, listener: (appId: string) => void): void {
  listeners(ctx).onRecorded = listener;
}

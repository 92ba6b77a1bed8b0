import * as consents from "../applications/clients/consents.ts";
import { deleteConsent, listSignedInClients } from "../applications/clients/consents-store.ts";
import type { ConsentedResource } from "../applications/resources/consented.ts";
import { hostOfClient } from "../applications/documents/document.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import { lockUserForChange } from "../users/store.ts";
import { cancelCodesOfUser } from "./cancel-store.ts";

/**
 * A client that a user has consented to, or is signed in to. Instants are epoch milliseconds;
 * `allowed` is null for a client that does not ask. For an unregistered one, the name is its host
 * and `claimedName` the name in its document.
 */
export type Grant = {
  clientId: string;
  name: string;
  claimedName: string | undefined;
  allowed: { scopes: string[]; resources: ConsentedResource[]; at: number } | null;
  signedInAt: number | null;
};

function shownAs(clientId: string, name: string): Pick<Grant, "name" | "claimedName"> {
  const host = hostOfClient(clientId);
  return host === undefined ? { name, claimedName: undefined } : { name: host, claimedName: name };
}

/** By name. */
export async function list(ctx: Context, userId: string): Promise<Grant[]> {
  const given = await consents.given(ctx, userId);
  const signedIn = await listSignedInClients(ctx.storage.reader, userId, ctx.clock());
  const grants = new Map<string, Grant>(
    signedIn.map(({ clientId, name, signedInAt }) => [
      clientId,
      { clientId, ...shownAs(clientId, name), allowed: null, signedInAt },
    ]),
  );
  for (const { clientId, name, scopes, resources, updatedAt } of given) {
    const signedInAt = grants.get(clientId)?.signedInAt ?? null;
    const allowed = { scopes, resources, at: updatedAt };
    grants.set(clientId, { clientId, ...shownAs(clientId, name), allowed, signedInAt });
  }
  return [...grants.values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/**
 * Removes the user's consent and ends the user's logins of this client. False if it had no
 * access.
 */
export async function remove(
  ctx: Context,
  userId: string,
  clientId: string,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<boolean> {
  const now = ctx.clock();
  const reason = by.actor.kind === "user" ? "account" : "operator";
  return await ctx.storage.write<boolean>(async (tx, rollBack) => {
    const user = await lockUserForChange(tx, userId, now);
    if (!user) return false;
    // A code on its way to the client would begin another login.
    await cancelCodesOfUser(tx, userId, now);
    const hadConsent = await deleteConsent(tx, userId, clientId);
    const ended = await ends.endAtClient(ctx, tx, { userId, clientId }, { reason, by }, now);
    if (dryRun || (!hadConsent && ended === 0)) throw rollBack(hadConsent || ended > 0);
    const { appId } = user;
    const event = { ...by, action: "consent.remove", result: "success", appId, userId } as const;
    await audit.record(ctx, tx, { ...event, details: { clientId, logins: ended } }, now);
    return true;
  });
}

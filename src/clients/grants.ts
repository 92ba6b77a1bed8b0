import type { Audit, By } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import type { LoginEnds } from "../tokens/login-ends.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Users } from "../users/service.ts";
import { deleteConsent, listConsents, listSignedInClients } from "./consents-store.ts";

/**
 * A client that a user allowed something, or is signed in to. Instants are epoch milliseconds;
 * `allowed` is null for a client that does not ask.
 */
export type Grant = {
  clientId: string;
  name: string;
  allowed: { scopes: string[]; at: number } | null;
  signedInAt: number | null;
};

export type Grants = ReturnType<typeof createGrants>;

/** The programs that have access to an account, for its owner. */
export function createGrants(deps: {
  storage: Storage;
  users: Pick<Users, "lockForChange">;
  signIn: Pick<SignIn, "cancelCodes">;
  loginEnds: LoginEnds;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, users, signIn, loginEnds, audit, clock } = deps;

  return {
    /** By name. */
    async list(userId: string): Promise<Grant[]> {
      const consents = await listConsents(storage.reader, userId);
      const signedIn = await listSignedInClients(storage.reader, userId, clock());
      const grants = new Map<string, Grant>(
        signedIn.map(({ clientId, name, signedInAt }) => [clientId, { clientId, name, allowed: null, signedInAt }]),
      );
      for (const { clientId, name, scopes, updatedAt } of consents) {
        const signedInAt = grants.get(clientId)?.signedInAt ?? null;
        grants.set(clientId, { clientId, name, allowed: { scopes, at: updatedAt }, signedInAt });
      }
      return [...grants.values()].toSorted((a, b) => a.name.localeCompare(b.name));
    },

    /**
     * Removes the user's consent and ends the user's logins of this client. False if it had no
     * access.
     */
    async remove(userId: string, clientId: string, by: By): Promise<boolean> {
      const now = clock();
      return await storage.write(async (tx) => {
        const user = await users.lockForChange(tx, userId, now);
        if (!user) return false;
        // A code on its way to the client would begin another login.
        await signIn.cancelCodes(tx, userId, now);
        const hadConsent = await deleteConsent(tx, userId, clientId);
        const ended = await loginEnds.endAtClient(tx, { userId, clientId }, { reason: "account", by }, now);
        if (!hadConsent && ended === 0) return false;
        const { appId } = user;
        const event = { ...by, action: "consent.remove", result: "success", appId, userId } as const;
        await audit.record(tx, { ...event, details: { clientId, logins: ended } }, now);
        return true;
      });
    },
  };
}

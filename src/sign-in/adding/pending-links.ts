import type { Linking } from "../../oauth/linking.ts";
import type { PendingLink } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import type { Users } from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import type { Additions } from "./adding.ts";
import type { Holder } from "../holder.ts";

export type PendingLinks = ReturnType<typeof createPendingLinks>;

/** Links the identity that waited in a session until its account was proven by another method. */
export function createPendingLinks(deps: {
  users: Users;
  linking: Linking;
  additions: Additions;
  providerDisplayName(provider: string): string;
}) {
  const { users, linking, additions, providerDisplayName } = deps;

  return {
    /**
     * If another account got the identity in the meantime, the sign-in continues without it. False
     * if the user is gone.
     */
    async link(
      tx: Handle,
      { id }: User,
      {
        pendingLink,
        application,
        clientInfo,
      }: Pick<Holder, "application" | "clientInfo"> & { pendingLink: PendingLink },
      now: number,
    ): Promise<boolean> {
      const user = await users.lockForChange(tx, id, now);
      if (!user) return false;
      const { provider, issuer, subject } = pendingLink;
      const identity = { issuer, subject, email: user.email, name: null };
      const linked = await linking.addTo(tx, id, { application, provider, identity }, now);
      if (typeof linked === "string") return true;
      const added = {
        type: "oauth",
        provider,
        methodId: linked.methodId,
        name: providerDisplayName(provider),
      } as const;
      await additions.recordAdded(tx, user, added, clientInfo, now);
      return true;
    },
  };
}

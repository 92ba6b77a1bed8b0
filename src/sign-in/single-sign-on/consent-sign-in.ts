import type { Client } from "../../clients/client.ts";
import type { Clients } from "../../clients/service.ts";
import type { Consents } from "../../clients/consents.ts";
import type { Users } from "../../users/service.ts";
import type { Holder } from "../holder.ts";
import type { Outcome, Proofs } from "../proofs.ts";
import { waitsForConsent, type SignInSession } from "../session.ts";

export type ConsentSignIn = ReturnType<typeof createConsentSignIn>;

/** The person's consent to what an OpenID Connect client asks: the last step of its sign-in. */
export function createConsentSignIn(deps: { clients: Clients; consents: Consents; users: Users; proofs: Proofs }) {
  const { clients, consents, users, proofs } = deps;

  async function clientOf({ authorization }: SignInSession): Promise<Client | undefined> {
    return authorization === null ? undefined : (await clients.find(authorization.clientId))?.client;
  }

  return {
    clientOf,

    /**
     * Stores the consent and finishes the sign-in. Undefined if no proof waits for it, or the
     * client was disabled or deleted.
     */
    async agree(holder: Holder): Promise<Outcome | undefined> {
      const { session } = holder;
      const { provenUserId: userId, provenWith, provenProvider, scopes } = session;
      const client = await clientOf(session);
      if (!client || userId === null || provenWith === null || !waitsForConsent(session)) return undefined;
      const how = { signedInWith: provenWith, provider: provenProvider, proofOf: userId, consented: true };
      const outcome = await proofs.accept(holder, how, async (tx, now) => {
        if (!(await clients.lock(tx, client.id))) return undefined;
        const user = await users.lockForChange(tx, userId, now);
        if (user?.disabledAt !== null) return undefined;
        await consents.agree(tx, { client, userId, scopes }, now);
        return user;
      });
      return outcome === "refused" ? undefined : outcome;
    },
  };
}

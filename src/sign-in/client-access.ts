import type { Audit } from "../audit/audit.ts";
import type { Client } from "../clients/client.ts";
import type { Consents } from "../clients/consents.ts";
import type { Clients } from "../clients/service.ts";
import type { Groups } from "../groups/service.ts";
import { authorizationResponse, type AuthorizationResponse } from "../hosted/authorization-response.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import type { Holder } from "./holder.ts";
import type { SignInSession } from "./session.ts";

export type ClientAccess = ReturnType<typeof createClientAccess>;

/** Whether a user may sign in to the OpenID Connect client of a session, and must agree first. */
export function createClientAccess(deps: {
  clients: Clients;
  consents: Consents;
  admits: Groups["admits"];
  audit: Audit;
  issuer: string;
}) {
  const { clients, consents, admits, audit, issuer } = deps;

  return {
    /** Undefined if the session was not begun by a client, or the client is disabled or deleted. */
    async clientOf(tx: Handle, { authorization }: SignInSession): Promise<Client | undefined> {
      return authorization === null ? undefined : (await clients.find(authorization.clientId, tx))?.client;
    },

    /** Whether the client's allowed groups admit the user. */
    async admits(tx: Handle, client: Client | undefined, userId: string): Promise<boolean> {
      return client === undefined || (await admits(client, userId, tx));
    },

    /** Whether the person must first agree to what the client asks. */
    async asksConsent(
      tx: Handle,
      { authorization, scopes }: SignInSession,
      client: Client | undefined,
      userId: string,
    ): Promise<boolean> {
      if (authorization?.prompt.includes("consent")) return true;
      return client !== undefined && (await consents.lacks({ client, userId, scopes }, tx));
    },

    /** The answer to a client whose allowed groups do not admit the user. */
    denial(session: SignInSession): { response: AuthorizationResponse; usedWay: null } {
      const parameters = { error: "access_denied", error_description: "This account may not use this program." };
      return { response: authorizationResponse(session, parameters, { issuer, sessionId: null }), usedWay: null };
    },

    /** Counts a denial in the audit log. Call it outside the transaction, which was rolled back. */
    noteDenial(
      { application, clientInfo }: Holder,
      { userId, method }: { userId: string; method: SignInMethod },
    ): void {
      const refused = { action: "sign-in", result: "failure", details: { method, reason: "groups" } } as const;
      audit.aggregatedEvents.note({ ...refused, app: application, userId, clientInfo });
    },
  };
}

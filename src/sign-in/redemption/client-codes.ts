import type { BrowserSessions } from "../../account/browser-sessions.ts";
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../clients/client.ts";
import type { Consents } from "../../clients/consents.ts";
import type { Clients } from "../../clients/service.ts";
import type { Groups } from "../../groups/service.ts";
import type { Handle } from "../../storage/storage.ts";
import type { SignInSession } from "../session.ts";

export type ClientCodes = ReturnType<typeof createClientCodes>;

/** What must still be true when an OpenID Connect client redeems its code (docs/decisions/0042). */
export function createClientCodes(deps: {
  clients: Clients;
  consents: Consents;
  browserSessions: BrowserSessions;
  admits: Groups["admits"];
}) {
  const { clients, consents, browserSessions, admits } = deps;

  return {
    /** Whether the client is enabled and the redirect URI registered. Locks the client. */
    async mayReturn(
      tx: Handle,
      { client, redirectUri }: { client: Client; redirectUri: string },
      application: Application,
    ): Promise<boolean> {
      const found = await clients.lock(tx, client.id);
      return found?.application.id === application.id && clients.allowsRedirect(found.client, redirectUri);
    },

    /**
     * Whether the browser is still signed in, the user's groups are still allowed, and the consent
     * still stands. Lock the user first.
     */
    async mayBegin(
      tx: Handle,
      { client, userId }: { client: Client; userId: string },
      { browserSessionDigest, scopes }: Pick<SignInSession, "browserSessionDigest" | "scopes">,
    ): Promise<boolean> {
      if (!(await browserSessions.lock(tx, browserSessionDigest ?? "", userId))) return false;
      const current = await clients.find(client.id, tx);
      if (!current || !(await admits(current.client, userId, tx))) return false;
      return !(await consents.lacks({ client, userId, scopes }, tx));
    },
  };
}

import type { BrowserSessions } from "../../account/browser-sessions.ts";
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../clients/client.ts";
import type { Consents } from "../../clients/consents.ts";
import type { Clients } from "../../clients/service.ts";
import type { Handle } from "../../storage/storage.ts";
import type { SignInSession } from "../session.ts";

export type ClientCodes = ReturnType<typeof createClientCodes>;

/** What must still be true when an OpenID Connect client redeems its code (docs/decisions/0042). */
export function createClientCodes(deps: { clients: Clients; consents: Consents; browserSessions: BrowserSessions }) {
  const { clients, consents, browserSessions } = deps;

  return {
    /** Whether the client is enabled until the commit, and the redirect URI still registered. */
    async mayReturn(
      tx: Handle,
      { client, redirectUri }: { client: Client; redirectUri: string },
      application: Application,
    ): Promise<boolean> {
      const found = await clients.keep(tx, client.id);
      return found?.application.id === application.id && clients.allowsRedirect(found.client, redirectUri);
    },

    /**
     * Whether the browser is still signed in and the consent still stands. Lock the user first.
     */
    async mayBegin(
      tx: Handle,
      { client, userId }: { client: Client; userId: string },
      { browserSessionDigest, scopes }: Pick<SignInSession, "browserSessionDigest" | "scopes">,
    ): Promise<boolean> {
      if (!(await browserSessions.lock(tx, browserSessionDigest ?? "", userId))) return false;
      return !(await consents.lacks({ client, userId, scopes }, tx));
    },
  };
}

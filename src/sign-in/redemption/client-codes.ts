import type { BrowserSessions } from "../../account/browser-sessions.ts";
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../clients/client.ts";
import type { Consents } from "../../clients/consents.ts";
import type { Clients } from "../../clients/service.ts";
import type { Groups } from "../../groups/service.ts";
import type { Handle } from "../../storage/storage.ts";
import type { SignInSession } from "../session.ts";

export type MayReturn = (application: Application, redirectUri: string) => boolean;

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
    /** Locks the client. Tells whether it is enabled and a redirect URI registered. */
    async lock(tx: Handle, { id }: Client): Promise<MayReturn> {
      const found = await clients.lock(tx, id);
      return (application, redirectUri) =>
        found?.application.id === application.id && clients.allowsRedirect(found.client, redirectUri);
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

import type { Applications } from "../applications/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { isRegistered } from "../lib/redirect-uris.ts";
import { applicationAsClient, type Client, type UsableClient } from "./client.ts";
import { findClient } from "./store.ts";

export type Clients = ReturnType<typeof createClients>;

/** The OpenID Connect clients of all applications. */
export function createClients(deps: { storage: Storage; applications: Applications }) {
  const { storage, applications } = deps;

  return {
    /** An enabled client by its id; undefined if there is none. An App ID names its application. */
    async find(id: string, handle: Handle = storage.reader): Promise<UsableClient | undefined> {
      const client = await findClient(handle, id);
      if (client?.disabledAt === null) {
        const application = await applications.find(client.appId, handle);
        return application && { client, application };
      }
      if (client) return undefined;
      const application = await applications.find(id, handle);
      return application && { client: applicationAsClient(application), application };
    },

    /** Whether this client may get responses at this address. */
    allowsRedirect({ kind, redirectUris }: Client, redirectUri: string): boolean {
      return isRegistered(redirectUri, redirectUris, { anyLoopbackPort: kind === "native" });
    },
  };
}

import type { Applications } from "../applications/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { applicationAsClient, type UsableClient } from "./client.ts";
import { findClient } from "./store.ts";

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
  };
}

import { createClientAuthentication } from "./clients/authentication.ts";
import { createConsents } from "./clients/consents.ts";
import { createClients } from "./clients/service.ts";
import { createPushedRequests } from "./openid/pushed-requests.ts";
import type { Foundation } from "./core.ts";
import type { Applications } from "./applications/service.ts";
import type { Storage } from "./storage/storage.ts";
import type { LoginEnds } from "./tokens/login-ends.ts";
import type { LogoutReceivers } from "./webhooks/logout-receivers.ts";

/** The services of OpenID Connect clients; `services.ts` creates them. */
export function createOpenIdServices(
  foundation: Foundation,
  services: { loginEnds: LoginEnds; logoutReceivers: LogoutReceivers },
) {
  const deps = { ...foundation, ...services };
  const clientsOver = (storage: Storage, applications: Applications) =>
    createClients({ ...deps, storage, applications });
  const clients = createClients(deps);
  return {
    clients,
    /** The same within a transaction. */
    clientsOver,
    pushedRequests: createPushedRequests({ ...foundation, clients }),
    consents: createConsents(foundation),
    clientAuthentication: createClientAuthentication({ ...deps, clients, issuer: foundation.baseUrl }),
  };
}

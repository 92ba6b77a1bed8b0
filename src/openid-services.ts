import { createClientAuthentication } from "./clients/authentication.ts";
import { createConsents } from "./clients/consents.ts";
import { createClients } from "./clients/service.ts";
import { createPushedRequests } from "./openid/pushed-requests.ts";
import type { Foundation } from "./core.ts";
import type { LoginEnds } from "./tokens/login-ends.ts";
import type { LogoutReceivers } from "./webhooks/logout-receivers.ts";

/** The services of OpenID Connect clients; `services.ts` creates them. */
export function createOpenIdServices(
  foundation: Foundation,
  services: { loginEnds: LoginEnds; logoutReceivers: LogoutReceivers },
) {
  const deps = { ...foundation, ...services };
  const clients = createClients(deps);
  return {
    clients,
    pushedRequests: createPushedRequests({ ...foundation, clients }),
    consents: createConsents(foundation),
    clientAuthentication: createClientAuthentication({ ...deps, clients, issuer: foundation.baseUrl }),
  };
}

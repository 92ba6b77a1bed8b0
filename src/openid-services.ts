import { createClientAuthentication } from "./clients/authentication.ts";
import { createClients } from "./clients/service.ts";
import type { Foundation } from "./core.ts";
import type { LoginAdministration } from "./tokens/login-administration.ts";
import type { LogoutReceivers } from "./webhooks/logout-receivers.ts";

/** The services of OpenID Connect clients; `services.ts` creates them. */
export function createOpenIdServices(
  foundation: Foundation,
  services: { logins: LoginAdministration; logoutReceivers: LogoutReceivers },
) {
  const deps = { ...foundation, ...services };
  const clients = createClients(deps);
  return {
    clients,
    clientAuthentication: createClientAuthentication({ ...deps, clients, issuer: foundation.baseUrl }),
  };
}

import { createClientAuthentication } from "./clients/authentication.ts";
import { createConsents } from "./clients/consents.ts";
import { createClients, type Clients } from "./clients/service.ts";
import { createPushedRequests } from "./openid/pushed-requests.ts";
import type { Foundation } from "./core.ts";
import { assertedClient } from "./lib/jose.ts";
import { createClaimedClient } from "./openid/claimed-client.ts";
import { createTokenGrants } from "./openid/token-grants.ts";
import { createTokenState } from "./openid/token-state.ts";
import { createUserInfo } from "./openid/userinfo.ts";
import type { Applications } from "./applications/service.ts";
import type { Groups } from "./groups/service.ts";
import type { Storage } from "./storage/storage.ts";
import type { LoginEnds } from "./tokens/login-ends.ts";
import type { Authentication } from "./tokens/authentication.ts";
import type { ClaimSourcesService } from "./tokens/claim-sources.ts";
import { createClientTokens } from "./tokens/client-tokens.ts";
import type { LogoutReceivers } from "./webhooks/logout-receivers.ts";

/** The services of OpenID Connect clients; `services.ts` creates them. */
export function createOpenIdServices(
  foundation: Foundation,
  services: { loginEnds: LoginEnds; logoutReceivers: LogoutReceivers; groups: Groups },
) {
  const deps = { ...foundation, ...services, groupNames: services.groups.names };
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

type Endpoints = Parameters<typeof createTokenGrants>[0] &
  Omit<Parameters<typeof createClientTokens>[0], keyof Foundation> & {
    clients: Clients;
    authentication: Authentication;
    claimSources: ClaimSourcesService;
  };

/** What clients call once somebody has signed in. */
export function createOpenIdEndpoints(foundation: Foundation, services: Endpoints) {
  const { authentication, clients, claimSources } = services;
  const clientTokens = createClientTokens({ ...foundation, ...services });
  return {
    tokenGrants: createTokenGrants(services),
    tokenState: createTokenState({
      authentication,
      clientTokens,
      clients,
      claimSources,
      issuer: foundation.baseUrl,
    }),
    userInfo: createUserInfo({ ...services, clientTokens }),
    claimedClient: createClaimedClient({
      clients,
      clientOfAssertion: assertedClient,
      clientOfToken: authentication.claimedClient,
    }),
  };
}

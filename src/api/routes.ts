import { countedApart } from "../http/guards.ts";
import { healthHandler, readinessHandler } from "../http/health.ts";
import { anyone, browser, oauth, route, type Route } from "../http/route.ts";
import { anyClient, confidentialClient } from "../openid/client-guard.ts";
import { userInfoHandler, introspectHandler, revokeHandler, tokenHandler } from "./openid-tokens.ts";
import { userWithOpenId } from "../openid/userinfo.ts";
import { applicationHandler, publicConfigHandler, updateApplicationHandler } from "./applications.ts";
import { authorizeHandler } from "./authorize.ts";
import { discoveryHandler, serverMetadataHandler } from "./discovery.ts";
import * as groups from "./groups.ts";
import {
  namedApp,
  queryUserWithProfile,
  serverOfItsApp,
  serverOfPath,
  serverOrAllowedPublicClient,
  serverOrPublicClient,
  tokenOfNamedApp,
  user,
  userOfNamedApp,
  userThemselves,
  userWithProfile,
} from "./guards.ts";
import { listMethodsHandler, removeMethodHandler } from "./methods.ts";
import { openApiHandler } from "./openapi/routes.ts";
import { call } from "./operation.ts";
import { parHandler } from "./par.ts";
import { currentUserHandler, deleteProfileHandler, profileHandler, updateProfileHandler } from "./profile.ts";
import { pollsPerMinute, revocationsHandler } from "./revocations.ts";
import { addMethodHandler, callbackHandler, initiateHandler } from "./sign-in.ts";
import { keySetHandler, logoutHandler, refreshHandler, validateHandler, verifyTokenHandler } from "./tokens.ts";
import * as users from "./users.ts";
import * as webhooks from "./webhooks.ts";
import { passkeyEndpointsHandler } from "./well-known.ts";

const application = "/applications/:appId";
const endpoints = "/webhooks/endpoints";

// Visitors who start sign-ins must not use up what refreshes need (docs/spec/decisions.md, 12).
const initiator = countedApart(serverOrAllowedPublicClient, "initiate");
const pushingClient = countedApart(anyClient, "initiate");
const feedReader = countedApart(serverOfItsApp, "feed", { authentication: pollsPerMinute });

/**
 * Every call of the HTTP API, in the order of an integration: who may call, from which browser
 * pages, under which limit, and what it does.
 */
export const apiRoutes: Route[] = [
  ...browser(
    "public-client",
    route("POST", "/auth/initiate", initiator, "authentication", initiateHandler),
    route("POST", "/auth/callback", serverOrPublicClient, "authentication", callbackHandler),
    route("POST", "/auth/refresh", serverOrPublicClient, "authentication", refreshHandler),
  ),
  ...browser("user", route("GET", "/auth/validate", userOfNamedApp, "authentication", validateHandler)),
  route("GET", "/auth/revocations", feedReader, "authentication", revocationsHandler),
  ...browser(
    "user",
    route("POST", "/auth/logout", user, "authentication", logoutHandler),
    route("GET", "/users/profile", userWithProfile, "userManagement", profileHandler),
    route("PATCH", "/users/profile", userThemselves, "userManagement", updateProfileHandler),
    route("DELETE", "/users/profile", userThemselves, "userManagement", deleteProfileHandler),
    route("GET", "/users/auth-methods", userWithProfile, "userManagement", listMethodsHandler),
    route("POST", "/users/auth-methods", userThemselves, "userManagement", addMethodHandler),
    route("DELETE", "/users/auth-methods/:methodId", userThemselves, "userManagement", removeMethodHandler),
  ),

  route("GET", application, serverOfPath, "applicationManagement", applicationHandler),
  route("PATCH", application, serverOfPath, "applicationManagement", updateApplicationHandler),
  route("POST", endpoints, serverOfItsApp, "webhooks", webhooks.createEndpointHandler),
  route("GET", endpoints, serverOfItsApp, "webhooks", webhooks.listEndpointsHandler),
  route("GET", `${endpoints}/:id`, serverOfItsApp, "webhooks", webhooks.endpointHandler),
  route("PATCH", `${endpoints}/:id`, serverOfItsApp, "webhooks", webhooks.updateEndpointHandler),
  route("DELETE", `${endpoints}/:id`, serverOfItsApp, "webhooks", webhooks.removeEndpointHandler),
  route("POST", `${endpoints}/:id/test`, serverOfItsApp, "webhooks", webhooks.testEndpointHandler),

  call("GET", `${application}/groups`, serverOfPath, "userManagement", groups.listGroups),
  call("GET", `${application}/groups/:name`, serverOfPath, "userManagement", groups.getGroup),
  call("PUT", `${application}/groups/:name`, serverOfPath, "userManagement", groups.createGroup),
  call("DELETE", `${application}/groups/:name`, serverOfPath, "userManagement", groups.deleteGroup),
  call("GET", `${application}/groups/:name/members`, serverOfPath, "userManagement", groups.listGroupMembers),
  call("PUT", `${application}/groups/:name/members/:userId`, serverOfPath, "userManagement", groups.addGroupMember),
  call(
    "DELETE",
    `${application}/groups/:name/members/:userId`,
    serverOfPath,
    "userManagement",
    groups.removeGroupMember,
  ),
  call("GET", `${application}/users/:userId/groups`, serverOfPath, "userManagement", groups.listGroupsOfUser),
  call("GET", `${application}/users/:userId/metadata`, serverOfPath, "userManagement", groups.getMetadata),
  call("PATCH", `${application}/users/:userId/metadata`, serverOfPath, "userManagement", groups.updateMetadata),

  route("GET", `${application}/users`, serverOfPath, "userManagement", users.listUsersHandler),
  route("POST", `${application}/users`, serverOfPath, "userManagement", users.createUserHandler),
  route("GET", `${application}/users/:userId`, serverOfPath, "userManagement", users.userHandler),
  route("PATCH", `${application}/users/:userId`, serverOfPath, "userManagement", users.updateUserHandler),
  route("DELETE", `${application}/users/:userId`, serverOfPath, "userManagement", users.deleteUserHandler),
  route("POST", `${application}/users/:userId/logout`, serverOfPath, "userManagement", users.logoutUserHandler),
  route("GET", `${application}/users/:userId/auth-methods`, serverOfPath, "userManagement", users.userMethodsHandler),
  route(
    "DELETE",
    `${application}/users/:userId/auth-methods/:methodId`,
    serverOfPath,
    "userManagement",
    users.removeUserMethodHandler,
  ),

  ...oauth(
    route("POST", "/oauth2/token", anyClient, "authentication", tokenHandler),
    route("GET", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler),
    route("POST", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler),
    route("POST", "/oauth2/introspect", confidentialClient, "authentication", introspectHandler),
    route("POST", "/oauth2/revoke", anyClient, "authentication", revokeHandler),
    route("POST", "/oauth2/par", pushingClient, "authentication", parHandler),
  ),
  route("GET", "/.well-known/openid-configuration", anyone, undefined, discoveryHandler),
  route("GET", "/.well-known/oauth-authorization-server", anyone, undefined, serverMetadataHandler),

  ...browser(
    "query",
    route("GET", "/auth/verify-token", tokenOfNamedApp, "authentication", verifyTokenHandler),
    route("GET", "/api/user", queryUserWithProfile, "userManagement", currentUserHandler),
    route("GET", "/api/config", namedApp, "applicationManagement", publicConfigHandler),
  ),
  route("GET", "/oauth/:provider/authorize", namedApp, "authentication", authorizeHandler),

  route("GET", "/.well-known/jwks.json", anyone, undefined, keySetHandler),
  route("GET", "/.well-known/passkey-endpoints", anyone, undefined, passkeyEndpointsHandler),
  route("GET", "/openapi.json", anyone, undefined, openApiHandler),
  route("GET", "/healthz", anyone, undefined, healthHandler),
  route("GET", "/readyz", anyone, undefined, readinessHandler),
];

import { countedApart } from "../http/guards.ts";
import { anyone, browser, oauth, reading } from "../http/route.ts";
import { anyClient, confidentialClient } from "../openid/client-guard.ts";
import { userWithOpenId } from "../openid/userinfo.ts";
import * as applications from "./applications.ts";
import { authorize } from "./authorize.ts";
import { getDiscovery, getServerMetadata } from "./discovery.ts";
import * as groups from "./groups.ts";
import {
  appNamedByLink,
  namedApp,
  queryUserWithProfile,
  serverOfItsApp,
  serverOrAllowedPublicClient,
  serverOrPublicClient,
  tokenOfNamedApp,
  readerOfProfile,
  user,
  userOfNamedApp,
  userThemselves,
  userWithProfile,
} from "./guards.ts";
import { managerOfItsApp, managerOfPath } from "./management-guards.ts";
import * as methods from "./methods.ts";
import { getOpenApi } from "./openapi/routes.ts";
import * as openId from "./openid-tokens.ts";
import { call, type ApiRoute } from "./operation.ts";
import { organizationOfPath, organizationsOfPath } from "./organization-guards.ts";
import * as organizationDomains from "./organization-domains.ts";
import * as organizationProvider from "./organization-provider.ts";
import { makeSetupLink } from "./organization-setup-links.ts";
import * as organizations from "./organizations.ts";
import * as personalTokens from "./personal-tokens.ts";
import * as profile from "./profile.ts";
import { listRevocations, pollsPerMinute } from "./revocations.ts";
import * as service from "./service.ts";
import * as signIn from "./sign-in.ts";
import * as tokens from "./tokens.ts";
import * as users from "./users.ts";
import * as webhooks from "./webhooks.ts";

const application = "/applications/:appId";
const ofApplication = `${application}/organizations`;
const organization = `${ofApplication}/:orgId`;
const domain = `${organization}/domains/:domain`;
const provider = `${organization}/provider`;
const endpoints = "/webhooks/endpoints";

// Visitors who start sign-ins must not use up what refreshes need (docs/spec/decisions.md, 12).
const initiator = countedApart(serverOrAllowedPublicClient, "initiate");
const pushingClient = countedApart(anyClient, "initiate");
const feedReader = countedApart(serverOfItsApp, "feed", { authentication: pollsPerMinute });

/**
 * Every call of the HTTP API, in the order of an integration: who may call, from which browser
 * pages, under which limit, and what it does.
 */
export const apiRoutes: ApiRoute[] = [
  ...browser(
    "public-client",
    call("POST", "/auth/initiate", initiator, "authentication", signIn.initiate),
    call("POST", "/auth/callback", serverOrPublicClient, "authentication", signIn.callback),
    call("POST", "/auth/refresh", serverOrPublicClient, "authentication", tokens.refresh),
  ),
  ...reading(...browser("user", call("GET", "/auth/validate", userOfNamedApp, "authentication", tokens.validate))),
  call("GET", "/auth/revocations", feedReader, "authentication", listRevocations),
  ...browser(
    "user",
    call("POST", "/auth/logout", user, "authentication", tokens.logout),
    ...reading(call("GET", "/users/profile", readerOfProfile, "userManagement", profile.getProfile)),
    call("PATCH", "/users/profile", userThemselves, "userManagement", profile.updateProfile),
    call("DELETE", "/users/profile", userThemselves, "userManagement", profile.deleteProfile),
    call("GET", "/users/auth-methods", userWithProfile, "userManagement", methods.listAuthMethods),
    call("POST", "/users/auth-methods", userThemselves, "userManagement", signIn.addAuthMethod),
    call("DELETE", "/users/auth-methods/:methodId", userThemselves, "userManagement", methods.removeAuthMethod),
    call("GET", "/users/organizations", userWithProfile, "userManagement", organizations.listOwnOrganizations),
    call("DELETE", "/users/organizations/:orgId", userThemselves, "userManagement", organizations.leaveOrganization),
  ),

  call("GET", application, managerOfPath, "applicationManagement", applications.getApplication),
  call("PATCH", application, managerOfPath, "applicationManagement", applications.updateApplication),
  call("POST", endpoints, managerOfItsApp, "webhooks", webhooks.createWebhookEndpoint),
  call("GET", endpoints, managerOfItsApp, "webhooks", webhooks.listWebhookEndpoints),
  call("GET", `${endpoints}/:id`, managerOfItsApp, "webhooks", webhooks.getWebhookEndpoint),
  call("PATCH", `${endpoints}/:id`, managerOfItsApp, "webhooks", webhooks.updateWebhookEndpoint),
  call("DELETE", `${endpoints}/:id`, managerOfItsApp, "webhooks", webhooks.removeWebhookEndpoint),
  call("POST", `${endpoints}/:id/test`, managerOfItsApp, "webhooks", webhooks.testWebhookEndpoint),

  call("GET", `${application}/groups`, managerOfPath, "userManagement", groups.listGroups),
  call("GET", `${application}/groups/:name`, managerOfPath, "userManagement", groups.getGroup),
  call("PUT", `${application}/groups/:name`, managerOfPath, "userManagement", groups.createGroup),
  call("DELETE", `${application}/groups/:name`, managerOfPath, "userManagement", groups.deleteGroup),
  call("GET", `${application}/groups/:name/members`, managerOfPath, "userManagement", groups.listGroupMembers),
  call("PUT", `${application}/groups/:name/members/:userId`, managerOfPath, "userManagement", groups.addGroupMember),
  call(
    "DELETE",
    `${application}/groups/:name/members/:userId`,
    managerOfPath,
    "userManagement",
    groups.removeGroupMember,
  ),
  call("GET", `${application}/users/:userId/groups`, managerOfPath, "userManagement", groups.listGroupsOfUser),
  call("GET", `${application}/users/:userId/metadata`, managerOfPath, "userManagement", groups.getMetadata),
  call("PATCH", `${application}/users/:userId/metadata`, managerOfPath, "userManagement", groups.updateMetadata),

  call("GET", `${application}/users`, managerOfPath, "userManagement", users.listUsers),
  call("POST", `${application}/users`, managerOfPath, "userManagement", users.createUser),
  call("GET", `${application}/users/:userId`, managerOfPath, "userManagement", users.getManagedUser),
  call("PATCH", `${application}/users/:userId`, managerOfPath, "userManagement", users.updateManagedUser),
  call("POST", `${application}/users/:userId/approve`, managerOfPath, "userManagement", users.approveManagedUser),
  call("POST", `${application}/users/:userId/refuse`, managerOfPath, "userManagement", users.refuseManagedUser),
  call("DELETE", `${application}/users/:userId`, managerOfPath, "userManagement", users.deleteManagedUser),
  call("GET", `${application}/users/:userId/factors`, managerOfPath, "userManagement", users.getManagedUserFactors),
  call(
    "DELETE",
    `${application}/users/:userId/factors`,
    managerOfPath,
    "userManagement",
    users.resetManagedUserFactors,
  ),
  call("POST", `${application}/users/:userId/logout`, managerOfPath, "userManagement", users.logoutManagedUser),
  call(
    "POST",
    `${application}/users/:userId/require-new-password`,
    managerOfPath,
    "userManagement",
    users.requireNewPassword,
  ),
  call(
    "GET",
    `${application}/users/:userId/auth-methods`,
    managerOfPath,
    "userManagement",
    users.listManagedUserMethods,
  ),
  call(
    "DELETE",
    `${application}/users/:userId/auth-methods/:methodId`,
    managerOfPath,
    "userManagement",
    users.removeManagedUserMethod,
  ),
  call(
    "GET",
    `${application}/users/:userId/personal-tokens`,
    managerOfPath,
    "userManagement",
    personalTokens.listPersonalTokens,
  ),
  call(
    "DELETE",
    `${application}/users/:userId/personal-tokens/:tokenId`,
    managerOfPath,
    "userManagement",
    personalTokens.endPersonalToken,
  ),

  call("GET", ofApplication, organizationsOfPath, "userManagement", organizations.listOrganizations),
  call("POST", ofApplication, organizationsOfPath, "userManagement", organizations.createOrganization),
  call("GET", organization, organizationOfPath, "userManagement", organizations.getOrganization),
  call("PATCH", organization, organizationOfPath, "userManagement", organizations.updateOrganization),
  call("DELETE", organization, organizationOfPath, "userManagement", organizations.deleteOrganization),
  call("GET", `${organization}/members`, organizationOfPath, "userManagement", organizations.listMembers),
  call("PUT", `${organization}/members/:userId`, organizationOfPath, "userManagement", organizations.putMember),
  call("PATCH", `${organization}/members/:userId`, organizationOfPath, "userManagement", organizations.patchMember),
  call("DELETE", `${organization}/members/:userId`, organizationOfPath, "userManagement", organizations.removeMember),
  call("GET", `${organization}/invitations`, organizationOfPath, "userManagement", organizations.listInvitations),
  call("POST", `${organization}/invitations`, organizationOfPath, "userManagement", organizations.invite),
  call(
    "DELETE",
    `${organization}/invitations/:invitationId`,
    organizationOfPath,
    "userManagement",
    organizations.withdrawInvitation,
  ),
  call("GET", `${organization}/domains`, organizationOfPath, "userManagement", organizationDomains.listDomains),
  call("POST", `${organization}/domains`, organizationOfPath, "userManagement", organizationDomains.addDomain),
  call("PATCH", domain, organizationOfPath, "userManagement", organizationDomains.updateDomain),
  call("DELETE", domain, organizationOfPath, "userManagement", organizationDomains.removeDomain),
  call("POST", `${domain}/check`, organizationOfPath, "userManagement", organizationDomains.checkDomain),
  call("POST", `${organization}/setup-links`, organizationOfPath, "userManagement", makeSetupLink),
  call("GET", provider, organizationOfPath, "userManagement", organizationProvider.getProvider),
  call("PUT", provider, organizationOfPath, "userManagement", organizationProvider.putProvider),
  call("DELETE", provider, organizationOfPath, "userManagement", organizationProvider.removeProvider),
  call("POST", `${provider}/test`, organizationOfPath, "userManagement", organizationProvider.testProvider),
  call("POST", `${provider}/confirm`, organizationOfPath, "userManagement", organizationProvider.confirmProvider),
  call(
    "GET",
    `${application}/users/:userId/organizations`,
    organizationsOfPath,
    "userManagement",
    organizations.listOrganizationsOfUser,
  ),

  ...oauth(
    call("POST", "/oauth2/token", anyClient, "authentication", openId.getTokens),
    ...reading(call("GET", "/oauth2/userinfo", userWithOpenId, "authentication", openId.getUserInfo)),
    call("POST", "/oauth2/userinfo", userWithOpenId, "authentication", openId.postUserInfo),
    call("POST", "/oauth2/introspect", confidentialClient, "authentication", openId.introspectToken),
    call("POST", "/oauth2/revoke", anyClient, "authentication", openId.revokeToken),
    call("POST", "/oauth2/par", pushingClient, "authentication", openId.pushAuthorizationRequest),
    call("POST", "/oauth2/device_authorization", pushingClient, "authentication", openId.authorizeDevice),
  ),
  ...browser(
    "everybody",
    ...reading(
      call("GET", "/.well-known/openid-configuration", anyone, undefined, getDiscovery),
      call("GET", "/.well-known/oauth-authorization-server", anyone, undefined, getServerMetadata),
    ),
  ),

  ...browser(
    "query",
    ...reading(
      call("GET", "/auth/verify-token", tokenOfNamedApp, "authentication", tokens.verifyToken),
      call("GET", "/api/user", queryUserWithProfile, "userManagement", profile.getUser),
    ),
    call("GET", "/api/config", namedApp, "applicationManagement", applications.getConfig),
  ),
  call("GET", "/oauth/:provider/authorize", appNamedByLink, "authentication", authorize),

  ...browser("everybody", call("GET", "/.well-known/jwks.json", anyone, undefined, tokens.getKeySet)),
  call("GET", "/.well-known/passkey-endpoints", anyone, undefined, service.getPasskeyEndpoints),
  call("GET", "/.well-known/webauthn", anyone, undefined, service.getRelatedOrigins),
  call(
    "GET",
    "/openapi.json",
    anyone,
    undefined,
    getOpenApi(() => apiRoutes),
  ),
  call("GET", "/healthz", anyone, undefined, service.getHealth),
  call("GET", "/readyz", anyone, undefined, service.getReadiness),
];

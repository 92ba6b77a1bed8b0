import { changePasswordHandler, passkeyEndpointsHandler } from "./account/routes.ts";
import { applicationHandler, publicConfigHandler, updateApplicationHandler } from "./applications/routes.ts";
import { assertionAlgorithms } from "./clients/jwks.ts";
import { countedApart, createGuards } from "./http/guards.ts";
import { createQueryGuards } from "./http/query-guards.ts";
import { anyone, browser, oauthRoute, pageRoute, route, type Route } from "./http/route.ts";
import { assetHandler, iconHandler, robotsHandler } from "./pages/assets/routes.ts";
import { groupRoutes } from "./group-routes.ts";
import { listMethodsHandler, removeMethodHandler } from "./methods/routes.ts";
import { docsHandler, openApiHandler } from "./openapi/routes.ts";
import { healthHandler, readinessHandler } from "./http/health.ts";
import { parHandler } from "./openid/par-routes.ts";
import { createClientGuards } from "./openid/client-guard.ts";
import { discoveryDocuments, documentHandler } from "./openid/discovery.ts";
import { introspectHandler, revokeHandler, tokenHandler, userInfoHandler } from "./openid/token-routes.ts";
import { createUserInfoGuard } from "./openid/userinfo.ts";
import type { Assets } from "./pages/assets/assets.ts";
import type { App } from "./app.ts";
import { userRoutes } from "./user-routes.ts";
import type { HostedPages } from "./hosted-pages.ts";
import { pollsPerMinute, revocationsHandler } from "./revocations/routes.ts";
import { authorizeHandler } from "./sign-in/providers/authorize-routes.ts";
import { addMethodHandler, callbackHandler, initiateHandler } from "./sign-in/routes.ts";
import { keySetHandler, logoutHandler, refreshHandler, validateHandler, verifyTokenHandler } from "./tokens/routes.ts";
import { currentUserHandler, deleteProfileHandler, profileHandler, updateProfileHandler } from "./users/routes.ts";
import {
  createEndpointHandler,
  endpointHandler,
  listEndpointsHandler,
  removeEndpointHandler,
  testEndpointHandler,
  updateEndpointHandler,
} from "./webhooks/routes.ts";

export type Pages = HostedPages & { assets: Assets };

/**
 * Every path of the service, with those of `group-routes.ts` and `user-routes.ts`: who may call,
 * from which browser pages, under which limit, and its handler. The router, the limiter and the
 * API documentation use it.
 */
export function routes(app: App, pages: Pages, isReady: () => boolean): Route[] {
  const { applications, publicConfig, users, authentication, tokens, signingKeys, signIn, redeem, profiles, methods } =
    app.services;
  const { claimSources, logout } = app.services;
  const { passkeys, webhooks, clients, clientAuthentication, tokenGrants, tokenState, userInfo, pushedRequests } =
    app.services;
  const { revocations } = app.services;
  const {
    hosted,
    authorizePages,
    endSessionPages,
    continuePages,
    visits,
    choose,
    steps,
    add,
    passwordPages,
    passkeyPages,
    oauthDepartures,
    oauthPages,
    takeOver,
    confirm,
    confirmLinks,
    resetPages,
    invitePages,
    account,
  } = pages;
  const check = {
    apiKey: applications.authenticate,
    accessToken: authentication.authenticate,
    application: (id: string) => applications.find(id),
    rateLimits: app.recentApplications.rateLimits,
    isOwnProgram: clients.isOwnProgram,
  };
  const guards = createGuards(check);
  const queryGuards = createQueryGuards(check);
  const { anyClient, confidentialClient } = createClientGuards(clientAuthentication, app.baseUrl);
  const userWithOpenId = createUserInfoGuard(check);
  const documents = discoveryDocuments(app.baseUrl, assertionAlgorithms);
  const session = "/sign-in/:sessionId";
  const profile = "/users/profile";
  const user = guards.userWith("profile");
  const userThemselves = guards.userThemselvesWith("profile");
  const application = "/applications/:appId";
  const endpoints = "/webhooks/endpoints";
  const ownServer = guards.serverOfPath("appId");
  // Visitors who start sign-ins must not use up what refreshes need (docs/spec/decisions.md, 12).
  const initiator = countedApart(guards.serverOrAllowedPublicClient, "initiate");
  const pushingClient = countedApart(anyClient, "initiate");
  const feedReader = countedApart(guards.serverOfItsApp, "feed", { authentication: pollsPerMinute });

  return [
    browser("public-client", route("POST", "/auth/initiate", initiator, "authentication", initiateHandler(signIn))),
    browser(
      "public-client",
      route("POST", "/auth/callback", guards.serverOrPublicClient, "authentication", callbackHandler(redeem)),
    ),
    browser(
      "public-client",
      route("POST", "/auth/refresh", guards.serverOrPublicClient, "authentication", refreshHandler(tokens)),
    ),
    browser(
      "user",
      route(
        "GET",
        "/auth/validate",
        guards.userOfNamedApp,
        "authentication",
        validateHandler(claimSources, check.isOwnProgram),
      ),
    ),
    browser("user", route("POST", "/auth/logout", guards.user, "authentication", logoutHandler(logout))),
    route("GET", "/auth/revocations", feedReader, "authentication", revocationsHandler(revocations)),

    browser(
      "user",
      route(
        "POST",
        "/users/auth-methods",
        userThemselves,
        "userManagement",
        addMethodHandler({ signIn, passkeys, application: check.application }),
      ),
    ),

    browser("user", route("GET", profile, user, "userManagement", profileHandler(profiles))),
    browser("user", route("PATCH", profile, userThemselves, "userManagement", updateProfileHandler(profiles))),
    browser("user", route("DELETE", profile, userThemselves, "userManagement", deleteProfileHandler(profiles))),
    browser("user", route("GET", "/users/auth-methods", user, "userManagement", listMethodsHandler(methods))),
    browser(
      "user",
      route("DELETE", "/users/auth-methods/:methodId", userThemselves, "userManagement", removeMethodHandler(methods)),
    ),

    route("GET", application, ownServer, "applicationManagement", applicationHandler(applications)),
    route("PATCH", application, ownServer, "applicationManagement", updateApplicationHandler(applications)),

    ...groupRoutes(app.services, ownServer),
    ...userRoutes(app.services, ownServer),

    route("POST", endpoints, guards.serverOfItsApp, "webhooks", createEndpointHandler(webhooks)),
    route("GET", endpoints, guards.serverOfItsApp, "webhooks", listEndpointsHandler(webhooks)),
    route("GET", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", endpointHandler(webhooks)),
    route("PATCH", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", updateEndpointHandler(webhooks)),
    route("DELETE", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", removeEndpointHandler(webhooks)),
    route("POST", `${endpoints}/:id/test`, guards.serverOfItsApp, "webhooks", testEndpointHandler(webhooks)),

    browser(
      "query",
      route("GET", "/auth/verify-token", queryGuards.tokenOfNamedApp, "authentication", verifyTokenHandler()),
    ),
    browser(
      "query",
      route("GET", "/api/user", queryGuards.userWith("profile"), "userManagement", currentUserHandler(users)),
    ),
    browser(
      "query",
      route("GET", "/api/config", queryGuards.namedApp, "applicationManagement", publicConfigHandler(publicConfig)),
    ),

    pageRoute(
      "GET",
      session,
      undefined,
      steps.page({ startProvider: oauthDepartures.startByVisit, takeOver: takeOver.page }),
    ),
    pageRoute("GET", `${session}/create-account`, undefined, choose.createAccountPage),
    pageRoute("GET", `${session}/cancel`, undefined, choose.cancel),
    pageRoute("POST", `${session}/password`, "authentication", passwordPages.signIn),
    pageRoute("POST", `${session}/create-account`, "authentication", passwordPages.createAccount),
    pageRoute("GET", `${session}/confirm`, undefined, confirm.page),
    pageRoute("POST", `${session}/confirm`, "authentication", confirm.byCode),
    pageRoute("POST", `${session}/confirm/again`, "authentication", confirm.again),
    pageRoute("GET", "/confirm/:token", undefined, confirmLinks.link),
    pageRoute("POST", "/confirm/:token", "authentication", confirmLinks.byLink),
    pageRoute("GET", `${session}/forgot-password`, undefined, resetPages.forgotPage),
    pageRoute("POST", `${session}/forgot-password`, "authentication", resetPages.ask),
    pageRoute("POST", `${session}/reset`, "authentication", resetPages.byCode),
    pageRoute("GET", "/reset/:token", undefined, resetPages.link),
    pageRoute("POST", "/reset/:token", "authentication", resetPages.byLink),
    pageRoute("GET", "/invite/:token", undefined, invitePages.link),
    pageRoute("POST", "/invite/:token", "authentication", invitePages.choose),
    pageRoute("POST", `${session}/passkey`, "authentication", passkeyPages.signIn),
    pageRoute("POST", `${session}/create-account/passkey`, "authentication", passkeyPages.createAccount),
    route("POST", `${session}/passkey/options`, anyone, "authentication", passkeyPages.signInOptions),
    route("POST", `${session}/create-account/passkey/options`, anyone, "authentication", passkeyPages.signUpOptions),
    pageRoute("POST", `${session}/step/passkey`, "authentication", steps.usePasskey),
    pageRoute("POST", `${session}/step/new-passkey`, "authentication", steps.newPasskey),
    pageRoute("POST", `${session}/step/take-over`, "authentication", takeOver.agree),
    pageRoute("POST", `${session}/continue`, "authentication", continuePages.continueAs),
    pageRoute("POST", `${session}/step/consent`, "authentication", continuePages.agree),
    pageRoute("POST", `${session}/step/deny`, "authentication", continuePages.deny),
    pageRoute("POST", `${session}/step/skip`, "authentication", steps.skip),
    route("POST", `${session}/step/passkey/options`, anyone, "authentication", steps.usePasskeyOptions),
    route("POST", `${session}/step/new-passkey/options`, anyone, "authentication", steps.newPasskeyOptions),
    pageRoute("POST", `${session}/add/passkey`, "authentication", add.passkey),
    pageRoute("POST", `${session}/add/password`, "authentication", add.password),
    pageRoute("POST", `${session}/add/oauth`, "authentication", oauthDepartures.addByForm),
    route("POST", `${session}/add/passkey/options`, anyone, "authentication", add.passkeyOptions),
    pageRoute("POST", `${session}/oauth/:provider`, "authentication", oauthDepartures.startByForm),
    pageRoute("GET", "/oauth/:provider/callback", "authentication", oauthPages.callback),
    pageRoute("POST", "/oauth/:provider/callback", "authentication", oauthPages.postedCallback),
    route(
      "GET",
      "/oauth/:provider/authorize",
      anyone,
      "authentication",
      authorizeHandler({ signIn, visits, oauthDepartures, application: check.application }),
    ),

    pageRoute("GET", "/oauth2/authorize", "authentication", authorizePages.authorize),
    pageRoute("POST", "/oauth2/authorize", "authentication", authorizePages.posted),
    oauthRoute("POST", "/oauth2/par", pushingClient, "authentication", parHandler(pushedRequests)),
    browser("client", oauthRoute("POST", "/oauth2/token", anyClient, "authentication", tokenHandler(tokenGrants))),
    browser(
      "client",
      oauthRoute("GET", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler(userInfo)),
    ),
    browser(
      "client",
      oauthRoute("POST", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler(userInfo)),
    ),
    browser(
      "client",
      oauthRoute("POST", "/oauth2/introspect", confidentialClient, "authentication", introspectHandler(tokenState)),
    ),
    browser("client", oauthRoute("POST", "/oauth2/revoke", anyClient, "authentication", revokeHandler(tokenState))),
    pageRoute("GET", "/oauth2/end-session", "authentication", endSessionPages.endSession),
    pageRoute("POST", "/oauth2/end-session", "authentication", endSessionPages.posted),
    pageRoute("POST", "/oauth2/end-session/confirm", "authentication", endSessionPages.confirm),

    pageRoute("GET", "/account", undefined, account.overview.overview),
    pageRoute("GET", "/account/signed-out", undefined, account.overview.signedOut),
    pageRoute("POST", "/account/sign-out", "authentication", account.logins.signOut),
    pageRoute("GET", "/account/profile", undefined, account.profile.form),
    pageRoute("POST", "/account/profile", "authentication", account.profile.save),
    pageRoute("GET", "/account/verify-email", undefined, account.verify.form),
    pageRoute("POST", "/account/verify-email", "authentication", account.verify.send),
    pageRoute("POST", "/account/verify-email/code", "authentication", account.verify.confirm),
    pageRoute("GET", "/account/email", undefined, account.address.form),
    pageRoute("POST", "/account/email", "authentication", account.address.ask),
    pageRoute("GET", "/account/email/code", undefined, account.address.codeForm),
    pageRoute("POST", "/account/email/code", "authentication", account.address.confirm),
    pageRoute("POST", "/account/email/again", "authentication", account.address.again),
    pageRoute("GET", "/restore/:token", undefined, account.restore.link),
    pageRoute("POST", "/restore/:token", "authentication", account.restore.restore),
    pageRoute("POST", "/account/add", "authentication", account.methods.add),
    pageRoute("GET", "/account/methods/:methodId/rename", undefined, account.methods.renameForm),
    pageRoute("POST", "/account/methods/:methodId/rename", "authentication", account.methods.rename),
    pageRoute("GET", "/account/methods/:methodId/remove", undefined, account.methods.removeForm),
    pageRoute("POST", "/account/methods/:methodId/remove", "authentication", account.methods.remove),
    pageRoute("POST", "/account/logins/:loginId/end", "authentication", account.logins.end),
    pageRoute("POST", "/account/logins/end-others", "authentication", account.logins.endOthers),
    pageRoute("POST", "/account/logins/end-all", "authentication", account.logins.endAll),
    pageRoute("POST", "/account/programs/:clientId/remove", "authentication", account.logins.removeProgram),
    pageRoute("GET", "/account/data", undefined, account.data.downloadForm),
    pageRoute("POST", "/account/data", "authentication", account.data.download),
    pageRoute("GET", "/account/delete", undefined, account.data.deleteForm),
    pageRoute("POST", "/account/delete", "authentication", account.data.remove),
    pageRoute("GET", "/account/deleted", undefined, account.data.deleted),

    pageRoute("GET", "/", undefined, hosted.home),
    route("GET", "/assets/:file", anyone, undefined, assetHandler(pages.assets)),
    route("GET", "/favicon.ico", anyone, undefined, iconHandler(pages.assets)),
    route("GET", "/robots.txt", anyone, undefined, robotsHandler()),

    route("GET", "/.well-known/change-password", anyone, undefined, changePasswordHandler(app.baseUrl)),
    route("GET", "/.well-known/passkey-endpoints", anyone, undefined, passkeyEndpointsHandler(app.baseUrl)),
    route("GET", "/.well-known/jwks.json", anyone, undefined, keySetHandler(signingKeys)),
    route("GET", "/.well-known/openid-configuration", anyone, undefined, documentHandler(documents.Discovery)),
    route(
      "GET",
      "/.well-known/oauth-authorization-server",
      anyone,
      undefined,
      documentHandler(documents.ServerMetadata),
    ),
    pageRoute("GET", "/docs", undefined, docsHandler(app.baseUrl, pages.assets.links)),
    route("GET", "/openapi.json", anyone, undefined, openApiHandler(app.baseUrl)),
    route("GET", "/healthz", anyone, undefined, healthHandler()),
    route(
      "GET",
      "/readyz",
      anyone,
      undefined,
      readinessHandler(app.storage.ping, async () => (await app.writability.look())?.reason, isReady),
    ),
  ];
}

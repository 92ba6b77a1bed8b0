import { applicationHandler, publicConfigHandler, updateApplicationHandler } from "./api/applications.ts";
import { authorizeHandler } from "./api/authorize.ts";
import { discoveryDocuments, documentHandler } from "./api/discovery.ts";
import { groupRoutes } from "./api/groups.ts";
import { listMethodsHandler, removeMethodHandler } from "./api/methods.ts";
import { docsHandler, openApiHandler } from "./api/openapi/routes.ts";
import { introspectHandler, revokeHandler, tokenHandler, userInfoHandler } from "./api/openid-tokens.ts";
import { parHandler } from "./api/par.ts";
import { currentUserHandler, deleteProfileHandler, profileHandler, updateProfileHandler } from "./api/profile.ts";
import { pollsPerMinute, revocationsHandler } from "./api/revocations.ts";
import { addMethodHandler, callbackHandler, initiateHandler } from "./api/sign-in.ts";
import { keySetHandler, logoutHandler, refreshHandler, validateHandler, verifyTokenHandler } from "./api/tokens.ts";
import { userRoutes } from "./api/users.ts";
import {
  createEndpointHandler,
  endpointHandler,
  listEndpointsHandler,
  removeEndpointHandler,
  testEndpointHandler,
  updateEndpointHandler,
} from "./api/webhooks.ts";
import { changePasswordHandler, passkeyEndpointsHandler } from "./api/well-known.ts";
import { assertionAlgorithms } from "./applications/clients/jwks.ts";
import { isOwnProgram } from "./applications/clients/own-programs.ts";
import * as recentApplications from "./applications/recent.ts";
import * as applications from "./applications/service.ts";
import { countedApart, createGuards } from "./http/guards.ts";
import { healthHandler, readinessHandler } from "./http/health.ts";
import { createQueryGuards } from "./http/query-guards.ts";
import { anyone, browser, oauthRoute, pageRoute, route, type Route } from "./http/route.ts";
import { clientGuards } from "./openid/client-guard.ts";
import { createUserInfoGuard } from "./openid/userinfo.ts";
import * as addressPages from "./pages/account/address-pages.ts";
import * as dataPages from "./pages/account/data-pages.ts";
import * as loginPages from "./pages/account/login-pages.ts";
import * as methodPages from "./pages/account/method-pages.ts";
import * as overviewPages from "./pages/account/overview-pages.ts";
import * as profilePages from "./pages/account/profile-pages.ts";
import * as restorePages from "./pages/account/restore-pages.ts";
import * as verifyPages from "./pages/account/verify-pages.ts";
import { assetHandler, iconHandler, robotsHandler } from "./pages/assets/routes.ts";
import * as hosted from "./pages/hosted/hosted.ts";
import * as authorizePages from "./pages/openid/authorize-pages.ts";
import * as endSessionPages from "./pages/openid/end-session-pages.ts";
import * as add from "./pages/sign-in/add-pages.ts";
import * as choose from "./pages/sign-in/choose-pages.ts";
import * as confirmLinkPages from "./pages/sign-in/confirm-link-pages.ts";
import * as confirm from "./pages/sign-in/confirm-pages.ts";
import * as continuePages from "./pages/sign-in/continue-pages.ts";
import * as invitePages from "./pages/sign-in/invite-pages.ts";
import * as oauthPages from "./pages/sign-in/oauth-pages.ts";
import * as departures from "./pages/sign-in/oauth-starts.ts";
import * as passkeyPages from "./pages/sign-in/passkey-pages.ts";
import * as passwordCheck from "./pages/sign-in/password-check.ts";
import * as passwordPages from "./pages/sign-in/password-pages.ts";
import * as resetPages from "./pages/sign-in/reset-pages.ts";
import * as steps from "./pages/sign-in/step-pages.ts";
import * as takeOverPages from "./pages/sign-in/take-over-pages.ts";
import type { Context } from "./runtime/context.ts";
import * as authentication from "./tokens/authentication.ts";

/**
 * Every path of the service, with those of `api/groups.ts` and `api/users.ts`: who may call,
 * from which browser pages, under which limit, and its handler. The router, the limiter and the
 * API documentation use it.
 */
export function routes(ctx: Context, isReady: () => boolean): Route[] {
  const check = {
    apiKey: (key: string) => applications.authenticate(ctx, key),
    accessToken: (token: string, appId: string | undefined) => authentication.authenticate(ctx, token, appId),
    application: (id: string) => applications.find(ctx, ctx.storage.reader, id),
    rateLimits: (appId: string) => recentApplications.rateLimits(ctx, appId),
    isOwnProgram: (clientId: string) => isOwnProgram(ctx, clientId),
  };
  const guards = createGuards(check);
  const queryGuards = createQueryGuards(check);
  const { anyClient, confidentialClient } = clientGuards(ctx);
  const userWithOpenId = createUserInfoGuard(check);
  const documents = discoveryDocuments(ctx.baseUrl, assertionAlgorithms);
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
    browser("public-client", route("POST", "/auth/initiate", initiator, "authentication", initiateHandler)),
    browser(
      "public-client",
      route("POST", "/auth/callback", guards.serverOrPublicClient, "authentication", callbackHandler),
    ),
    browser(
      "public-client",
      route("POST", "/auth/refresh", guards.serverOrPublicClient, "authentication", refreshHandler),
    ),
    browser("user", route("GET", "/auth/validate", guards.userOfNamedApp, "authentication", validateHandler)),
    browser("user", route("POST", "/auth/logout", guards.user, "authentication", logoutHandler)),
    route("GET", "/auth/revocations", feedReader, "authentication", revocationsHandler),

    browser("user", route("POST", "/users/auth-methods", userThemselves, "userManagement", addMethodHandler)),

    browser("user", route("GET", profile, user, "userManagement", profileHandler)),
    browser("user", route("PATCH", profile, userThemselves, "userManagement", updateProfileHandler)),
    browser("user", route("DELETE", profile, userThemselves, "userManagement", deleteProfileHandler)),
    browser("user", route("GET", "/users/auth-methods", user, "userManagement", listMethodsHandler)),
    browser(
      "user",
      route("DELETE", "/users/auth-methods/:methodId", userThemselves, "userManagement", removeMethodHandler),
    ),

    route("GET", application, ownServer, "applicationManagement", applicationHandler),
    route("PATCH", application, ownServer, "applicationManagement", updateApplicationHandler),

    ...groupRoutes(ownServer),
    ...userRoutes(ownServer),

    route("POST", endpoints, guards.serverOfItsApp, "webhooks", createEndpointHandler),
    route("GET", endpoints, guards.serverOfItsApp, "webhooks", listEndpointsHandler),
    route("GET", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", endpointHandler),
    route("PATCH", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", updateEndpointHandler),
    route("DELETE", `${endpoints}/:id`, guards.serverOfItsApp, "webhooks", removeEndpointHandler),
    route("POST", `${endpoints}/:id/test`, guards.serverOfItsApp, "webhooks", testEndpointHandler),

    browser(
      "query",
      route("GET", "/auth/verify-token", queryGuards.tokenOfNamedApp, "authentication", verifyTokenHandler),
    ),
    browser("query", route("GET", "/api/user", queryGuards.userWith("profile"), "userManagement", currentUserHandler)),
    browser("query", route("GET", "/api/config", queryGuards.namedApp, "applicationManagement", publicConfigHandler)),

    pageRoute("GET", session, undefined, steps.page),
    pageRoute("GET", `${session}/create-account`, undefined, choose.createAccount),
    pageRoute("GET", `${session}/cancel`, undefined, choose.cancel),
    pageRoute("POST", `${session}/password`, "authentication", passwordPages.signIn),
    pageRoute("POST", `${session}/create-account`, "authentication", passwordPages.createAccount),
    pageRoute("GET", `${session}/confirm`, undefined, confirm.page),
    pageRoute("POST", `${session}/confirm`, "authentication", confirm.byCode),
    pageRoute("POST", `${session}/confirm/again`, "authentication", confirm.again),
    pageRoute("GET", "/confirm/:token", undefined, confirmLinkPages.link),
    pageRoute("POST", "/confirm/:token", "authentication", confirmLinkPages.byLink),
    pageRoute("GET", `${session}/forgot-password`, undefined, resetPages.forgotPage),
    pageRoute("POST", `${session}/forgot-password`, "authentication", resetPages.ask),
    pageRoute("POST", `${session}/reset`, "authentication", resetPages.byCode),
    pageRoute("GET", "/reset/:token", undefined, resetPages.link),
    pageRoute("POST", "/reset/:token", "authentication", resetPages.byLink),
    // Counted apart: typing uses up nobody's sign-ins.
    route("POST", `${session}/password-check`, anyone, "userManagement", passwordCheck.inSession),
    route("POST", "/reset/:token/password-check", anyone, "userManagement", resetPages.checkByLink),
    pageRoute("GET", "/invite/:token", undefined, invitePages.link),
    pageRoute("POST", "/invite/:token", "authentication", invitePages.choose),
    pageRoute("POST", `${session}/passkey`, "authentication", passkeyPages.signIn),
    pageRoute("POST", `${session}/create-account/passkey`, "authentication", passkeyPages.createAccount),
    route("POST", `${session}/passkey/options`, anyone, "authentication", passkeyPages.signInOptions),
    route("POST", `${session}/create-account/passkey/options`, anyone, "authentication", passkeyPages.signUpOptions),
    pageRoute("POST", `${session}/step/passkey`, "authentication", steps.usePasskey),
    pageRoute("POST", `${session}/step/new-passkey`, "authentication", steps.newPasskey),
    pageRoute("POST", `${session}/step/take-over`, "authentication", takeOverPages.agree),
    pageRoute("POST", `${session}/continue`, "authentication", continuePages.continueAs),
    pageRoute("POST", `${session}/step/consent`, "authentication", continuePages.agree),
    pageRoute("POST", `${session}/step/deny`, "authentication", continuePages.deny),
    pageRoute("POST", `${session}/step/skip`, "authentication", steps.skip),
    route("POST", `${session}/step/passkey/options`, anyone, "authentication", steps.usePasskeyOptions),
    route("POST", `${session}/step/new-passkey/options`, anyone, "authentication", steps.newPasskeyOptions),
    pageRoute("POST", `${session}/add/passkey`, "authentication", add.passkey),
    pageRoute("POST", `${session}/add/password`, "authentication", add.password),
    pageRoute("POST", `${session}/add/oauth`, "authentication", departures.addByForm),
    route("POST", `${session}/add/passkey/options`, anyone, "authentication", add.passkeyOptions),
    pageRoute("POST", `${session}/oauth/:provider`, "authentication", departures.startByForm),
    pageRoute("GET", "/oauth/:provider/callback", "authentication", oauthPages.callback),
    pageRoute("POST", "/oauth/:provider/callback", "authentication", oauthPages.postedCallback),
    route("GET", "/oauth/:provider/authorize", anyone, "authentication", authorizeHandler),

    pageRoute("GET", "/oauth2/authorize", "authentication", authorizePages.authorize),
    pageRoute("POST", "/oauth2/authorize", "authentication", authorizePages.posted),
    browser("client", oauthRoute("POST", "/oauth2/par", pushingClient, "authentication", parHandler)),
    browser("client", oauthRoute("POST", "/oauth2/token", anyClient, "authentication", tokenHandler)),
    browser("client", oauthRoute("GET", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler)),
    browser("client", oauthRoute("POST", "/oauth2/userinfo", userWithOpenId, "authentication", userInfoHandler)),
    browser(
      "client",
      oauthRoute("POST", "/oauth2/introspect", confidentialClient, "authentication", introspectHandler),
    ),
    browser("client", oauthRoute("POST", "/oauth2/revoke", anyClient, "authentication", revokeHandler)),
    pageRoute("GET", "/oauth2/end-session", "authentication", endSessionPages.endSession),
    pageRoute("POST", "/oauth2/end-session", "authentication", endSessionPages.posted),
    pageRoute("POST", "/oauth2/end-session/confirm", "authentication", endSessionPages.confirm),

    pageRoute("GET", "/account", undefined, overviewPages.overview),
    pageRoute("GET", "/account/signed-out", undefined, overviewPages.signedOut),
    pageRoute("GET", "/account/forgot-password", undefined, overviewPages.forgotPassword),
    pageRoute("POST", "/account/sign-out", "authentication", loginPages.signOut),
    pageRoute("GET", "/account/profile", undefined, profilePages.form),
    pageRoute("POST", "/account/profile", "authentication", profilePages.save),
    pageRoute("GET", "/account/verify-email", undefined, verifyPages.form),
    pageRoute("POST", "/account/verify-email", "authentication", verifyPages.send),
    pageRoute("POST", "/account/verify-email/code", "authentication", verifyPages.confirm),
    pageRoute("GET", "/account/email", undefined, addressPages.form),
    pageRoute("POST", "/account/email", "authentication", addressPages.ask),
    pageRoute("GET", "/account/email/code", undefined, addressPages.codeForm),
    pageRoute("POST", "/account/email/code", "authentication", addressPages.confirm),
    pageRoute("POST", "/account/email/again", "authentication", addressPages.again),
    pageRoute("GET", "/restore/:token", undefined, restorePages.link),
    pageRoute("POST", "/restore/:token", "authentication", restorePages.restore),
    pageRoute("POST", "/account/add", "authentication", methodPages.add),
    pageRoute("GET", "/account/methods/:methodId/rename", undefined, methodPages.renameForm),
    pageRoute("POST", "/account/methods/:methodId/rename", "authentication", methodPages.rename),
    pageRoute("GET", "/account/methods/:methodId/remove", undefined, methodPages.removeForm),
    pageRoute("POST", "/account/methods/:methodId/remove", "authentication", methodPages.remove),
    pageRoute("POST", "/account/logins/:loginId/end", "authentication", loginPages.end),
    pageRoute("POST", "/account/logins/end-others", "authentication", loginPages.endOthers),
    pageRoute("POST", "/account/logins/end-all", "authentication", loginPages.endAll),
    pageRoute("POST", "/account/programs/:clientId/remove", "authentication", loginPages.removeProgram),
    pageRoute("GET", "/account/data", undefined, dataPages.downloadForm),
    pageRoute("POST", "/account/data", "authentication", dataPages.download),
    pageRoute("GET", "/account/delete", undefined, dataPages.deleteForm),
    pageRoute("POST", "/account/delete", "authentication", dataPages.remove),
    pageRoute("GET", "/account/deleted", undefined, dataPages.deleted),

    pageRoute("GET", "/", undefined, hosted.home),
    route("GET", "/assets/:file", anyone, undefined, assetHandler),
    route("GET", "/favicon.ico", anyone, undefined, iconHandler),
    route("GET", "/robots.txt", anyone, undefined, robotsHandler),

    route("GET", "/.well-known/change-password", anyone, undefined, changePasswordHandler),
    route("GET", "/.well-known/passkey-endpoints", anyone, undefined, passkeyEndpointsHandler),
    route("GET", "/.well-known/jwks.json", anyone, undefined, keySetHandler),
    route("GET", "/.well-known/openid-configuration", anyone, undefined, documentHandler(documents.Discovery)),
    route(
      "GET",
      "/.well-known/oauth-authorization-server",
      anyone,
      undefined,
      documentHandler(documents.ServerMetadata),
    ),
    pageRoute("GET", "/docs", undefined, docsHandler),
    route("GET", "/openapi.json", anyone, undefined, openApiHandler),
    route("GET", "/healthz", anyone, undefined, healthHandler),
    route("GET", "/readyz", anyone, undefined, readinessHandler(isReady)),
  ];
}

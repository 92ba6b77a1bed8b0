import { publicConfigHandler } from "./applications/routes.ts";
import { createGuards } from "./http/guards.ts";
import { createQueryGuards } from "./http/query-guards.ts";
import { anyone, browser, pageRoute, route, type Route } from "./http/route.ts";
import { assetHandler } from "./pages/asset-routes.ts";
import { healthHandler, readinessHandler } from "./http/health.ts";
import type { Assets } from "./pages/assets.ts";
import type { App } from "./app.ts";
import type { ChoosePages } from "./sign-in/choose-pages.ts";
import { authorizeHandler } from "./sign-in/authorize-routes.ts";
import type { Hosted } from "./sign-in/hosted.ts";
import type { OauthPages } from "./sign-in/oauth-pages.ts";
import type { PasskeyPages } from "./sign-in/passkey-pages.ts";
import type { PasswordPages } from "./sign-in/password-pages.ts";
import { callbackHandler, initiateHandler } from "./sign-in/routes.ts";
import {
  discoveryHandler,
  keySetHandler,
  logoutHandler,
  refreshHandler,
  validateHandler,
  verifyTokenHandler,
} from "./tokens/routes.ts";
import { currentUserHandler } from "./users/routes.ts";

export type Pages = {
  assets: Assets;
  hosted: Hosted;
  choose: ChoosePages;
  passwordPages: PasswordPages;
  passkeyPages: PasskeyPages;
  oauthPages: OauthPages;
};

/** Every path of the service: who may call (browsers from which pages), what it counts as, what answers. Router, limiter and API documentation read this. */
export function routes(app: App, pages: Pages, isReady: () => boolean): Route[] {
  const { applications, publicConfig, users, tokens, signingKeys, signIn, redeem } = app.services;
  const { hosted, choose, passwordPages, passkeyPages, oauthPages } = pages;
  const check = {
    apiKey: applications.authenticate,
    accessToken: tokens.authenticate,
    application: (id: string) => applications.find(id),
  };
  const guards = createGuards(check);
  const queryGuards = createQueryGuards(check);
  const session = "/sign-in/:sessionId";

  return [
    route("POST", "/auth/initiate", guards.server, "authentication", initiateHandler(signIn)),
    browser(
      "public-client",
      route("POST", "/auth/callback", guards.serverOrPublicClient, "authentication", callbackHandler(redeem)),
    ),
    browser(
      "public-client",
      route("POST", "/auth/refresh", guards.serverOrPublicClient, "authentication", refreshHandler(tokens)),
    ),
    browser("user", route("GET", "/auth/validate", guards.userOfNamedApp, "authentication", validateHandler())),
    browser("user", route("POST", "/auth/logout", guards.user, "authentication", logoutHandler(tokens))),

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

    pageRoute("GET", session, undefined, choose.signInPage(oauthPages.startByVisit)),
    pageRoute("GET", `${session}/create-account`, undefined, choose.createAccountPage),
    pageRoute("GET", `${session}/forgot-password`, undefined, choose.forgotPasswordPage),
    pageRoute("GET", `${session}/cancel`, undefined, choose.cancel),
    pageRoute("POST", `${session}/password`, "authentication", passwordPages.signIn),
    pageRoute("POST", `${session}/create-account`, "authentication", passwordPages.createAccount),
    pageRoute("POST", `${session}/passkey`, "authentication", passkeyPages.signIn),
    pageRoute("POST", `${session}/create-account/passkey`, "authentication", passkeyPages.createAccount),
    route("POST", `${session}/passkey/options`, anyone, "authentication", passkeyPages.signInOptions),
    route("POST", `${session}/create-account/passkey/options`, anyone, "authentication", passkeyPages.signUpOptions),
    pageRoute("POST", `${session}/oauth/:provider`, "authentication", oauthPages.startByForm),
    pageRoute("GET", "/oauth/:provider/callback", "authentication", oauthPages.callback),
    pageRoute("POST", "/oauth/:provider/callback", "authentication", oauthPages.postedCallback),
    route(
      "GET",
      "/oauth/:provider/authorize",
      anyone,
      "authentication",
      authorizeHandler({ signIn, hosted, oauthPages, application: check.application }),
    ),
    route("GET", "/assets/:file", anyone, undefined, assetHandler(pages.assets)),

    route("GET", "/.well-known/jwks.json", anyone, undefined, keySetHandler(signingKeys)),
    route("GET", "/.well-known/openid-configuration", anyone, undefined, discoveryHandler(app.baseUrl)),
    route("GET", "/healthz", anyone, undefined, healthHandler()),
    route("GET", "/readyz", anyone, undefined, readinessHandler(app.storage.ping, isReady)),
  ];
}

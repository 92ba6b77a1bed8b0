import { createGuards } from "./http/guards.ts";
import { anyone, pageRoute, route, type Route } from "./http/route.ts";
import { assetHandler } from "./pages/asset-routes.ts";
import { healthHandler, readinessHandler } from "./http/health.ts";
import type { Assets } from "./pages/assets.ts";
import type { App } from "./app.ts";
import type { ChoosePages } from "./sign-in/choose-pages.ts";
import type { PasskeyPages } from "./sign-in/passkey-pages.ts";
import type { PasswordPages } from "./sign-in/password-pages.ts";
import { callbackHandler, initiateHandler } from "./sign-in/routes.ts";
import { discoveryHandler, keySetHandler, logoutHandler, refreshHandler, validateHandler } from "./tokens/routes.ts";

export type Pages = { assets: Assets; choose: ChoosePages; passwordPages: PasswordPages; passkeyPages: PasskeyPages };

/** Every path of the service: who may call, what it counts as, what answers. Router, limiter and API documentation read this. */
export function routes(app: App, pages: Pages, isReady: () => boolean): Route[] {
  const { applications, tokens, signingKeys, signIn, redeem } = app.services;
  const { choose, passwordPages, passkeyPages } = pages;
  const guards = createGuards({
    apiKey: applications.authenticate,
    accessToken: tokens.authenticate,
    application: (id) => applications.find(id),
  });
  const session = "/sign-in/:sessionId";

  return [
    route("POST", "/auth/initiate", guards.server, "authentication", initiateHandler(signIn)),
    route("POST", "/auth/callback", guards.serverOrPublicClient, "authentication", callbackHandler(redeem)),
    route("POST", "/auth/refresh", guards.serverOrPublicClient, "authentication", refreshHandler(tokens)),
    route("GET", "/auth/validate", guards.userOfNamedApp, "authentication", validateHandler()),
    route("POST", "/auth/logout", guards.user, "authentication", logoutHandler(tokens)),

    pageRoute("GET", session, undefined, choose.signInPage),
    pageRoute("GET", `${session}/create-account`, undefined, choose.createAccountPage),
    pageRoute("GET", `${session}/forgot-password`, undefined, choose.forgotPasswordPage),
    pageRoute("GET", `${session}/cancel`, undefined, choose.cancel),
    pageRoute("POST", `${session}/password`, "authentication", passwordPages.signIn),
    pageRoute("POST", `${session}/create-account`, "authentication", passwordPages.createAccount),
    pageRoute("POST", `${session}/passkey`, "authentication", passkeyPages.signIn),
    pageRoute("POST", `${session}/create-account/passkey`, "authentication", passkeyPages.createAccount),
    route("POST", `${session}/passkey/options`, anyone, "authentication", passkeyPages.signInOptions),
    route("POST", `${session}/create-account/passkey/options`, anyone, "authentication", passkeyPages.signUpOptions),
    route("GET", "/assets/:file", anyone, undefined, assetHandler(pages.assets)),

    route("GET", "/.well-known/jwks.json", anyone, undefined, keySetHandler(signingKeys)),
    route("GET", "/.well-known/openid-configuration", anyone, undefined, discoveryHandler(app.baseUrl)),
    route("GET", "/healthz", anyone, undefined, healthHandler()),
    route("GET", "/readyz", anyone, undefined, readinessHandler(app.storage.ping, isReady)),
  ];
}

import { fieldOf, post, succeeded, withBody, type ApiCall, type Exchange } from "./api.ts";
import type { Facts } from "./facts.ts";
import type { CallName, FurtherCall, Walk } from "./walk.ts";

type Headers = Record<string, string>;
type Caller = { walk: Walk; facts: Facts; asServer: Headers; asUser: Headers };

const events = ["user.created", "user.login", "user.logout", "user.updated", "method.added", "method.removed"];

const calls: Record<FurtherCall, (caller: Caller) => ApiCall> = {
  wiki: ({ walk: { wiki }, facts }) => ({
    method: "POST",
    path: "/oauth2/token",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    form: {
      grant_type: "authorization_code",
      code: new URLSearchParams(wiki.returned).get("code") ?? "",
      redirect_uri: facts.callbackUrl,
      client_id: facts.wikiId,
      code_verifier: wiki.codeVerifier,
    },
  }),
  "wiki-userinfo": ({ walk }) => ({
    method: "GET",
    path: "/oauth2/userinfo",
    headers: { Authorization: `Bearer ${fieldOf(walk.exchanges.wiki, "access_token")}` },
  }),
  rename: ({ walk, asUser }) => withBody("PATCH", "/users/profile", asUser, { name: walk.personName }),
  "add-method": ({ walk, facts, asUser }) =>
    post("/users/auth-methods", asUser, {
      type: walk.addType,
      redirectUri: facts.callbackUrl,
      state: walk.addState,
    }),
  "remove-method": ({ walk, asUser }) => ({
    method: "DELETE",
    path: `/users/auth-methods/${encodeURIComponent(addedMethod(walk))}`,
    headers: asUser,
  }),
  application: ({ facts, asServer }) => ({ method: "GET", path: `/applications/${facts.appId}`, headers: asServer }),
  "rename-app": ({ walk, facts, asServer }) =>
    withBody("PATCH", `/applications/${facts.appId}`, asServer, { name: walk.appName }),
  endpoint: ({ walk, facts, asServer }) =>
    post("/webhooks/endpoints", asServer, {
      url: `${facts.hooksUrl}/${walk.hook.inbox}`,
      events,
      secret: walk.hook.secret,
    }),
  sample: ({ walk, asServer }) => ({ method: "POST", path: `${endpointOf(walk)}/test`, headers: asServer }),
  "remove-endpoint": ({ walk, asServer }) => ({ method: "DELETE", path: endpointOf(walk), headers: asServer }),
  config: ({ facts }) => query("/api/config", { app_id: facts.appId }),
  "verify-token": ({ walk, facts }) =>
    query("/auth/verify-token", { token: walk.tokens?.access ?? "", app_id: facts.appId }),
  "current-user": ({ walk }) => query("/api/user", { token: walk.tokens?.access ?? "" }),
};

export function isFurther(name: CallName): name is FurtherCall {
  return name in calls;
}

export function furtherCallFor(
  name: FurtherCall,
  walk: Walk,
  facts: Facts,
  headers: { asServer: Headers; asUser: Headers },
): ApiCall {
  return calls[name]({ walk, facts, ...headers });
}

/** Records what a further step's answer changes for later steps. */
export function recordFurther(walk: Walk, name: CallName, exchange: Exchange): void {
  if (name === "add-method" && succeeded(exchange)) {
    delete walk.added;
    delete walk.exchanges["remove-method"];
  }
  if (name === "endpoint" && succeeded(exchange)) {
    walk.hook.endpointId = fieldOf(exchange, "id");
    delete walk.exchanges.sample;
    delete walk.exchanges["remove-endpoint"];
  }
  // 404: the service was restarted, or somebody else removed the endpoint.
  const isGone = exchange.answer?.status === 404 || (name === "remove-endpoint" && succeeded(exchange));
  if (isGone && (name === "sample" || name === "remove-endpoint")) delete walk.hook.endpointId;
}

/** Where the second program sends the browser to sign in. */
export function wikiSignIn({ wiki }: Walk, { wikiId, callbackUrl }: Facts): string {
  return `/oauth2/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: wikiId,
    redirect_uri: callbackUrl,
    scope: "openid profile email",
    state: wiki.state,
    nonce: wiki.nonce,
    code_challenge: wiki.codeChallenge,
    code_challenge_method: "S256",
  })}`;
}

/** Where it sends the browser to sign out; "" if it is not signed in. */
export function wikiSignOut({ wiki, exchanges }: Walk, { callbackUrl }: Facts): string {
  const idToken = fieldOf(exchanges.wiki, "id_token");
  if (idToken === "" || wiki.isOver) return "";
  return `/oauth2/end-session?${new URLSearchParams({
    id_token_hint: idToken,
    post_logout_redirect_uri: callbackUrl,
    state: wiki.state,
  })}`;
}

/** The id of the added method; "" if there is none. */
export function addedMethod({ added }: Walk): string {
  return new URLSearchParams(added).get("methodId") ?? "";
}

function endpointOf({ hook }: Walk): string {
  return `/webhooks/endpoints/${encodeURIComponent(hook.endpointId ?? "")}`;
}

function query(path: string, parameters: Record<string, string>): ApiCall {
  return { method: "GET", path: `${path}?${new URLSearchParams(parameters)}`, headers: {} };
}

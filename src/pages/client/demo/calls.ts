import { post, type ApiCall } from "./api.ts";
import type { Facts } from "./facts.ts";
import { furtherCallFor, isFurther } from "./further-calls.ts";
import { parameterOf, type CallName, type Walk } from "./walk.ts";

/** The call that a button makes, filled in from the walk so far. */
export function callFor(name: CallName, walk: Walk, facts: Facts): ApiCall {
  const asServer = { Authorization: `Bearer ${facts.apiKey}`, "X-Service-App-ID": facts.appId };
  const { access = "", refresh = "", spent = "" } = walk.tokens ?? {};
  const asUser = { Authorization: `Bearer ${access}` };
  if (isFurther(name)) return furtherCallFor(name, walk, facts, { asServer, asUser });
  switch (name) {
    case "initiate":
      return post("/auth/initiate", asServer, {
        redirectUri: facts.callbackUrl,
        ...(walk.method === "any" ? {} : { authMethod: walk.method }),
        state: walk.state,
        ...(walk.pkce ? { codeChallenge: walk.codeChallenge } : {}),
      });
    case "callback":
      return post("/auth/callback", asServer, {
        code: parameterOf(walk, "code"),
        state: parameterOf(walk, "state"),
        sessionId: parameterOf(walk, "sessionId"),
        ...(walk.pkce ? { codeVerifier: walk.codeVerifier } : {}),
      });
    case "validate":
    case "dead-token":
      return { method: "GET", path: "/auth/validate", headers: { ...asUser, "X-Service-App-ID": facts.appId } };
    case "profile":
      return { method: "GET", path: "/users/profile", headers: asUser };
    case "methods":
      return { method: "GET", path: "/users/auth-methods", headers: asUser };
    case "refresh":
      return post("/auth/refresh", asServer, { refreshToken: refresh });
    case "old-refresh":
      return post("/auth/refresh", asServer, { refreshToken: spent });
    case "logout":
      return post("/auth/logout", asUser, {
        refreshToken: refresh,
        ...(walk.allSessions ? { allSessions: true } : {}),
      });
  }
}

/**
 * The call as a command for a POSIX shell. Within single quotes, only the single quote is special.
 */
export function curlFor({ method, path, headers, body, form }: ApiCall, { baseUrl }: Facts): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) options.push(`-d ${quoted(JSON.stringify(body, null, 2))}`);
  for (const [name, value] of Object.entries(form ?? {}))
    options.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  return [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(baseUrl + path)}`, ...options].join(" \\\n  ");
}

function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

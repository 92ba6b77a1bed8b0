import type { ApiCall } from "./api.ts";
import type { Facts } from "./facts.ts";
import { parameterOf, type CallName, type Walk } from "./walk.ts";

/** The call that a button makes, with everything that the walk knows by then. */
export function callFor(name: CallName, walk: Walk, facts: Facts): ApiCall {
  const asServer = { Authorization: `Bearer ${facts.apiKey}`, "X-Service-App-ID": facts.appId };
  const { access = "", refresh = "", spent = "" } = walk.tokens ?? {};
  const asUser = { Authorization: `Bearer ${access}` };
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

function post(path: string, headers: Record<string, string>, body: Record<string, unknown>): ApiCall {
  return { method: "POST", path, headers: { ...headers, "Content-Type": "application/json" }, body };
}

/** The call as a command for a POSIX shell. In single quotes a shell takes everything as it stands, but for a single quote. */
export function curlFor({ method, path, headers, body }: ApiCall, { baseUrl }: Facts): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) options.push(`-d ${quoted(JSON.stringify(body, null, 2))}`);
  return [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(baseUrl + path)}`, ...options].join(" \\\n  ");
}

function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

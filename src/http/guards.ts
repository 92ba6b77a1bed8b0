import type { Application } from "../applications/application.ts";
import { invalidApiKey, invalidAppId } from "../lib/errors.ts";
import type { Bearer } from "../tokens/service.ts";
import type { HttpRequest } from "./request.ts";
import type { Guard } from "./route.ts";

/** Reads a caller's credentials in the order of decision 3: API key or token first, then the App ID. */
export function createGuards(check: {
  apiKey(key: string): Promise<Application>;
  accessToken(token: string, appId: string | undefined): Promise<Bearer>;
  application(appId: string): Promise<Application | undefined>;
}) {
  function appIdOf(request: HttpRequest): string | undefined {
    return request.header("x-service-app-id");
  }

  const server: Guard<Application> = async (request) => {
    const application = await check.apiKey(bearerCredential(request) ?? "");
    if (appIdOf(request) !== application.id) throw invalidAppId();
    return { caller: application, countedAs: `app:${application.id}` };
  };

  return {
    /** A server of the app: API key, and the App ID that is the key's. */
    server,

    /** The app's server, or a public client: no Authorization header at all, only the App ID. What such a client may do is the service's question. */
    serverOrPublicClient: (async (request) => {
      if (request.header("authorization") !== undefined) {
        const { caller, countedAs } = await server(request);
        return { caller: { application: caller, withoutApiKey: false }, countedAs };
      }
      const application = await check.application(appIdOf(request) ?? "");
      // A caller without any credential lacks the key first; one with a wrong App ID cannot be told more either.
      if (!application) throw invalidApiKey();
      return { caller: { application, withoutApiKey: true }, countedAs: undefined };
    }) satisfies Guard<{ application: Application; withoutApiKey: boolean }>,

    /** A signed-in user. The App ID is checked when it is sent. */
    user: (async (request) => {
      const bearer = await check.accessToken(bearerCredential(request) ?? "", appIdOf(request));
      return { caller: bearer, countedAs: `user:${bearer.user.id}` };
    }) satisfies Guard<Bearer>,

    /** A signed-in user, asked about by an app that must name itself. */
    userOfNamedApp: (async (request) => {
      const bearer = await check.accessToken(bearerCredential(request) ?? "", appIdOf(request) ?? "");
      return { caller: bearer, countedAs: `user:${bearer.user.id}` };
    }) satisfies Guard<Bearer>,
  };
}

/** RFC 6750 §2.1. */
export function bearerCredential(request: HttpRequest): string | undefined {
  return /^Bearer ([^\s]+)$/iu.exec(request.header("authorization") ?? "")?.[1];
}

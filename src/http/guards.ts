import type { Application } from "../applications/application.ts";
import { insufficientScope, invalidApiKey, invalidAppId } from "../lib/errors.ts";
import type { Bearer } from "../tokens/service.ts";
import type { HttpRequest } from "./request.ts";
import type { Caller, Guard, RateLimits } from "./route.ts";

/** Reads a caller's credentials in the order of decision 3: API key or token first, then the App ID. */
export function createGuards(check: {
  apiKey(key: string): Promise<Application>;
  accessToken(token: string, appId: string | undefined): Promise<Bearer>;
  application(appId: string): Promise<Application | undefined>;
  rateLimits(appId: string): RateLimits | Promise<RateLimits>;
}) {
  function appIdOf(request: HttpRequest): string | undefined {
    return request.header("x-service-app-id");
  }

  const server: Guard<Application> = async (request) => {
    const application = await check.apiKey(bearerCredential(request) ?? "");
    if (appIdOf(request) !== application.id) throw invalidAppId();
    return asApplication(application);
  };

  /** A user's call, whose application is named or not. */
  async function asUser(request: HttpRequest, appId: string | undefined): Promise<Caller<Bearer>> {
    const bearer = await check.accessToken(bearerCredential(request) ?? "", appId);
    const limits = check.rateLimits(bearer.claims.aud);
    return {
      caller: bearer,
      countedAs: `user:${bearer.user.id}`,
      // Not waited for where they are known at once.
      limits: limits instanceof Promise ? await limits : limits,
    };
  }

  return {
    /** A server of the app: API key, and the App ID that is the key's. */
    server,

    /** The app's server, or a public client: no Authorization header at all, only the App ID. What such a client may do is the service's question. */
    serverOrPublicClient: (async (request) => {
      if (request.header("authorization") !== undefined) {
        const counted = await server(request);
        return { ...counted, caller: { application: counted.caller, withoutApiKey: false } };
      }
      const application = await check.application(appIdOf(request) ?? "");
      // A caller without any credential lacks the key first; one with a wrong App ID cannot be told more either.
      if (!application) throw invalidApiKey();
      return { caller: { application, withoutApiKey: true }, countedAs: undefined };
    }) satisfies Guard<{ application: Application; withoutApiKey: boolean }>,

    /** A server of whichever application its key is. The App ID is checked when it is sent. */
    serverOfItsApp: (async (request) => {
      const application = await check.apiKey(bearerCredential(request) ?? "");
      if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
      return asApplication(application);
    }) satisfies Guard<Application>,

    /** A server of the application that the path names. The App ID is checked when it is sent. */
    serverOfPath: (parameter: string) =>
      (async (request) => {
        const application = await check.apiKey(bearerCredential(request) ?? "");
        if (request.parameter(parameter) !== application.id) throw invalidAppId();
        if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
        return asApplication(application);
      }) satisfies Guard<Application>,

    /** A signed-in user. The App ID is checked when it is sent. */
    user: ((request) => asUser(request, appIdOf(request))) satisfies Guard<Bearer>,

    /** A signed-in user whose token has the scope. The App ID is checked when it is sent. */
    userWith: (scope: string) =>
      (async (request) => {
        const user = await asUser(request, appIdOf(request));
        return { ...user, refusal: user.caller.scopes.includes(scope) ? undefined : insufficientScope(scope) };
      }) satisfies Guard<Bearer>,

    /** A signed-in user, asked about by an app that must name itself. */
    userOfNamedApp: ((request) => asUser(request, appIdOf(request) ?? "")) satisfies Guard<Bearer>,
  };
}

function asApplication(application: Application): Caller<Application> {
  return { caller: application, countedAs: `app:${application.id}`, limits: application.settings.rateLimits };
}

const scheme = "bearer ";

/** RFC 6750 §2.1. What follows the scheme is whatever was sent: a credential is looked up or verified as a whole. */
export function bearerCredential(request: HttpRequest): string | undefined {
  const header = request.header("authorization");
  return header?.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length) : undefined;
}

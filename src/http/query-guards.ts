import type { Application } from "../applications/application.ts";
import { AppError, insufficientScope, invalidAppId, invalidRequest } from "../lib/errors.ts";
import type { Bearer } from "../tokens/service.ts";
import { bearerCredential } from "./guards.ts";
import type { HttpRequest } from "./request.ts";
import type { Guard } from "./route.ts";

/**
 * Who may call the query-style endpoints (group B of the contract): the App ID is the parameter `app_id`, the access token the parameter
 * `token` or the Authorization header. An application that has switched these endpoints off is answered like one that does not exist.
 */
export function createQueryGuards(check: {
  accessToken(token: string, appId: string | undefined): Promise<Bearer>;
  application(appId: string): Promise<Application | undefined>;
}) {
  async function openApplication(appId: string): Promise<Application> {
    const application = await check.application(appId);
    if (!application?.settings.queryEndpoints) throw invalidAppId();
    return application;
  }

  async function namedApplication(request: HttpRequest): Promise<Application> {
    const appId = request.query().get("app_id") ?? "";
    if ((request.header("x-service-app-id") ?? appId) !== appId) throw invalidAppId();
    return await openApplication(appId);
  }

  return {
    /** Anyone who names an application; counted by address. */
    namedApp: (async (request) => ({
      caller: await namedApplication(request),
      countedAs: undefined,
    })) satisfies Guard<Application>,

    /** Anyone who asks a named application's question about a token; undefined when it is not a good one of that application's users. */
    tokenOfNamedApp: (async (request) => {
      const application = await namedApplication(request);
      const bearer = await check.accessToken(credential(request), application.id).catch(undefinedWhenBad);
      const limits = application.settings.rateLimits;
      return { caller: bearer, countedAs: bearer && `user:${bearer.user.id}`, limits };
    }) satisfies Guard<Bearer | undefined>,

    /** A signed-in user whose token has the scope. The App ID is checked when it is sent, in the query or in the header. */
    userWith: (scope: string) =>
      (async (request) => {
        const bearer = await check.accessToken(credential(request), request.header("x-service-app-id"));
        const { aud } = bearer.claims;
        if ((request.query().get("app_id") ?? aud) !== aud) throw invalidAppId();
        const { rateLimits: limits } = (await openApplication(aud)).settings;
        const refusal = bearer.scopes.includes(scope) ? undefined : insufficientScope(scope);
        return { caller: bearer, countedAs: `user:${bearer.user.id}`, limits, refusal };
      }) satisfies Guard<Bearer>,
  };
}

/** Throws INVALID_REQUEST when two tokens are given that differ: which one counts would be a guess. */
function credential(request: HttpRequest): string {
  const inQuery = request.query().get("token");
  if (request.header("authorization") === undefined) return inQuery ?? "";
  const inHeader = bearerCredential(request) ?? "";
  if (inQuery !== undefined && inQuery !== inHeader) throw invalidRequest("token: not the one in Authorization");
  return inHeader;
}

/** Only what is wrong with the token becomes undefined: a storage that does not answer says nothing about it. */
function undefinedWhenBad(error: unknown): undefined {
  if (error instanceof AppError && (error.code === "INVALID_TOKEN" || error.code === "INVALID_APP_ID"))
    return undefined;
  throw error;
}

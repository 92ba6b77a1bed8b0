import { AppError, invalidAppId, invalidRequest } from "../lib/errors.ts";
import {
  bearerCredential,
  countedAsUser,
  ownerRefusal,
  type GuardedApplication,
  type GuardedBearer,
} from "./guards.ts";
import type { HttpRequest } from "./request.ts";
import type { Guard } from "./route.ts";

/**
 * Guards of the query-style endpoints (docs/spec/http-api.md, 4.6): the App ID is the parameter
 * `app_id`; the access token is the parameter `token` or the Authorization header. An application
 * that disabled these endpoints is treated as unknown.
 */
export function createQueryGuards<Application extends GuardedApplication, Bearer extends GuardedBearer>(check: {
  accessToken(token: string, appId: string | undefined): Promise<Bearer>;
  application(appId: string): Promise<Application | undefined>;
  isOwnProgram(clientId: string): Promise<boolean>;
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

    /**
     * Anyone who asks about a token of a named application; undefined if it is not a valid token of
     * that application's users.
     */
    tokenOfNamedApp: (async (request) => {
      const application = await namedApplication(request);
      const bearer = await check.accessToken(credential(request), application.id).catch(undefinedWhenBad);
      const limits = application.settings.rateLimits;
      return { caller: bearer, countedAs: bearer && countedAsUser(bearer), limits };
    }) satisfies Guard<Bearer | undefined>,

    /**
     * A signed-in user whose token has the scope. The App ID is checked if sent, in the query or
     * the header.
     */
    userWith: (scope: string) =>
      (async (request) => {
        const bearer = await check.accessToken(credential(request), request.header("x-service-app-id"));
        const { aud } = bearer.claims;
        if ((request.query().get("app_id") ?? aud) !== aud) throw invalidAppId();
        const { rateLimits: limits } = (await openApplication(aud)).settings;
        const refusal = await ownerRefusal(bearer, scope, check.isOwnProgram);
        return { caller: bearer, countedAs: countedAsUser(bearer), limits, refusal };
      }) satisfies Guard<Bearer>,
  };
}

/** Throws INVALID_REQUEST if two different tokens are given: using either would be a guess. */
function credential(request: HttpRequest): string {
  const inQuery = request.query().get("token");
  if (request.header("authorization") === undefined) return inQuery ?? "";
  const inHeader = bearerCredential(request) ?? "";
  if (inQuery !== undefined && inQuery !== inHeader) throw invalidRequest("token", "not the one in Authorization");
  return inHeader;
}

/** Only token errors become undefined; a failing storage says nothing about the token. */
function undefinedWhenBad(error: unknown): undefined {
  if (error instanceof AppError && (error.code === "INVALID_TOKEN" || error.code === "INVALID_APP_ID"))
    return undefined;
  throw error;
}

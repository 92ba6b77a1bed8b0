import {
  actsForUser,
  type AppError,
  insufficientScope,
  invalidApiKey,
  invalidAppId,
  notOwnProgram,
} from "../lib/errors.ts";
import type { RateLimits } from "../lib/rate-limits.ts";
import type { HttpRequest } from "./request.ts";
import type { Caller, Guard } from "./route.ts";

/** What guards need to know of an application, and of a user's access token. */
export type GuardedApplication = {
  id: string;
  settings: { rateLimits: RateLimits; queryEndpoints: boolean; publicClients?: boolean };
};
export type GuardedBearer = {
  user: { id: string };
  claims: { aud: string; client_id: string; act?: { sub: string } };
  scopes: string[];
};

/**
 * Checks credentials in the specified order (docs/spec/decisions.md, 3): API key or token, then the
 * App ID.
 */
export function createGuards<Application extends GuardedApplication, Bearer extends GuardedBearer>(check: {
  apiKey(key: string): Promise<Application>;
  accessToken(token: string, appId: string | undefined): Promise<Bearer>;
  application(appId: string): Promise<Application | undefined>;
  rateLimits(appId: string): Promise<RateLimits>;
  /** Whether an OpenID Connect client is the operator's own, and may act for its users. */
  isOwnProgram(clientId: string): Promise<boolean>;
}) {
  function appIdOf(request: HttpRequest): string | undefined {
    return request.header("x-service-app-id");
  }

  const server: Guard<Application> = async (request) => {
    const application = await check.apiKey(bearerCredential(request) ?? "");
    if (appIdOf(request) !== application.id) throw invalidAppId();
    return asApplication(application);
  };

  /** A user's call, with or without an App ID. */
  async function asUser(request: HttpRequest, appId: string | undefined): Promise<Caller<Bearer>> {
    const bearer = await check.accessToken(bearerCredential(request) ?? "", appId);
    const limits = await check.rateLimits(bearer.claims.aud);
    return { caller: bearer, countedAs: countedAsUser(bearer), limits };
  }

  /** A user's call on the account, with or without an App ID. */
  async function asOwner(request: HttpRequest, scope?: string): Promise<Caller<Bearer>> {
    const user = await asUser(request, appIdOf(request));
    return { ...user, refusal: await ownerRefusal(user.caller, scope, check.isOwnProgram) };
  }

  /** The same, but refuses a token with which somebody acts as the user. */
  async function asThemselves(request: HttpRequest, scope: string): Promise<Caller<Bearer>> {
    const owner = await asOwner(request, scope);
    return owner.caller.claims.act && !owner.refusal ? { ...owner, refusal: actsForUser() } : owner;
  }

  /** The app's server, or a public client: no Authorization header, and an app that `allows` it. */
  function serverOrPublic(
    allows: (application: Application) => boolean,
    details?: string,
  ): Guard<{ application: Application; withoutApiKey: boolean }> {
    return async (request) => {
      if (request.header("authorization") !== undefined) {
        const counted = await server(request);
        return { ...counted, caller: { application: counted.caller, withoutApiKey: false } };
      }
      const application = await check.application(appIdOf(request) ?? "");
      // Without any credential, the missing key is reported, also if the App ID is wrong.
      if (!application || !allows(application)) throw invalidApiKey(details);
      return { caller: { application, withoutApiKey: true }, countedAs: undefined };
    };
  }

  return {
    /** An app's server: an API key and its App ID. */
    server,

    /**
     * The app's server, or a public client, which sends only the App ID and no Authorization
     * header. The service decides what a public client may do.
     */
    serverOrPublicClient: serverOrPublic(() => true),

    /** The same, but only for an application that allows sign-ins to start without an API key. */
    serverOrAllowedPublicClient: serverOrPublic(
      ({ settings }) => settings.publicClients === true,
      "authorization: missing; only applications that allow public clients need no API key here",
    ),

    /** The server of the API key's application. The App ID is checked if sent. */
    serverOfItsApp: (async (request) => {
      const application = await check.apiKey(bearerCredential(request) ?? "");
      if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
      return asApplication(application);
    }) satisfies Guard<Application>,

    /** The server of the application in the path. The App ID is checked if sent. */
    serverOfPath: (parameter: string) =>
      (async (request) => {
        const application = await check.apiKey(bearerCredential(request) ?? "");
        if (request.parameter(parameter) !== application.id) throw invalidAppId();
        if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
        return asApplication(application);
      }) satisfies Guard<Application>,

    /** A signed-in user, in one of the operator's programs. The App ID is checked if sent. */
    user: ((request) => asOwner(request)) satisfies Guard<Bearer>,

    /** The same, whose token has the scope. */
    userWith: (scope: string) => ((request) => asOwner(request, scope)) satisfies Guard<Bearer>,

    /** For changes of the account: refuses a token with which somebody acts as the user. */
    userThemselvesWith: (scope: string) => ((request) => asThemselves(request, scope)) satisfies Guard<Bearer>,

    /** A signed-in user; the App ID is required. */
    userOfNamedApp: ((request) => asUser(request, appIdOf(request) ?? "")) satisfies Guard<Bearer>,
  };
}

/**
 * Why a token may not be used on its user's account: it lacks the scope, or belongs to a
 * program of other people, which has only what the user agreed to.
 */
export async function ownerRefusal(
  { claims: { aud, client_id: clientId }, scopes }: GuardedBearer,
  scope: string | undefined,
  isOwnProgram: (clientId: string) => Promise<boolean>,
): Promise<AppError | undefined> {
  if (scope !== undefined && !scopes.includes(scope)) return insufficientScope(scope);
  return clientId === aud || (await isOwnProgram(clientId)) ? undefined : notOwnProgram();
}

/**
 * Counts a user's calls by user and by client, so that a third-party program cannot use up what the
 * application needs to serve its user.
 */
export function countedAsUser({ user, claims: { aud, client_id: clientId } }: GuardedBearer): string {
  return clientId === aud ? `user:${user.id}` : `user:${user.id}:${clientId}`;
}

/**
 * The same guard; these calls are counted apart from the caller's others, by their own limit or the
 * same number. Calls that are counted by address are not counted apart.
 */
export function countedApart<T>(guard: Guard<T>, name: string, limits?: RateLimits): Guard<T> {
  return async (request) => {
    const admitted = await guard(request);
    const { countedAs } = admitted;
    return countedAs === undefined
      ? admitted
      : { ...admitted, countedAs: `${countedAs}:${name}`, limits: limits ?? admitted.limits };
  };
}

function asApplication<Application extends GuardedApplication>(application: Application): Caller<Application> {
  return { caller: application, countedAs: `app:${application.id}`, limits: application.settings.rateLimits };
}

const scheme = "bearer ";

/**
 * The credential after the scheme `Bearer`, unparsed (RFC 6750 §2.1): it is looked up or verified
 * as a whole.
 */
export function bearerCredential(request: HttpRequest): string | undefined {
  const header = request.header("authorization");
  return header?.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length) : undefined;
}

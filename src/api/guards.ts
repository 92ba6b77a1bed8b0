import { isOwnProgram } from "../applications/clients/own-programs.ts";
import type { Application } from "../applications/application.ts";
import * as recentApplications from "../applications/recent.ts";
import * as applications from "../applications/service.ts";
import { bearerCredential, countedAsUser } from "../http/guards.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Access, Caller, Guard } from "../http/route.ts";
import {
  actsForUser,
  confinedToOrganization,
  AppError,
  insufficientScope,
  invalidApiKey,
  invalidAppId,
  invalidRequest,
  notOwnProgram,
} from "../lib/errors.ts";
import type { Context } from "../runtime/context.ts";
import * as authentication from "../tokens/authentication.ts";
import type { Bearer, How, Presented } from "../tokens/authentication.ts";

// Guards check credentials in the specified order (docs/spec/decisions.md, 3): API key or token,
// then the App ID.

/** An app's server, or a public client, which sends only the App ID and no Authorization header. */
export type AppOrPublicClient = { application: Application; withoutApiKey: boolean };

/** The server of the API key's application. The App ID is checked if sent. */
export const serverOfItsApp: Guard<Application> = {
  access: "serverOfItsApp",
  async admit(ctx, request) {
    const application = await applications.authenticate(ctx, bearerCredential(request) ?? "");
    if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
    return { caller: application, countedAs: `app:${application.id}`, limits: application.settings.rateLimits };
  },
};

/** The app's server or a public client. The operation decides what a public client may do. */
export const serverOrPublicClient = serverOrPublic("serverOrPublicClient", () => true);

/** The same, but only for an application that allows sign-ins to start without an API key. */
export const serverOrAllowedPublicClient = serverOrPublic(
  "serverOrAllowedPublicClient",
  ({ settings }) => settings.publicClients === true,
  "authorization: missing; only applications that allow public clients need no API key here",
);

/**
 * A signed-in user, in one of the operator's programs, also one who is confined. The App ID is
 * checked if sent, and the organization of the token is not: ending a login is no use of it.
 */
export const user: Guard<Bearer> = {
  access: "user",
  async admit(ctx, request) {
    const admitted = await asUser(ctx, request, appIdOf(request), { asksOrganization: false, takesConfined: true });
    return { ...admitted, refusal: await ownerRefusal(ctx, admitted.caller, undefined) };
  },
};

/** The same, whose token has the scope `profile`. */
export const userWithProfile: Guard<Bearer> = {
  access: "userWithProfile",
  admit: (ctx, request) => asOwner(ctx, request, "profile"),
};

/** The same, also by a personal access token: for what changes nothing. */
export const readerOfProfile: Guard<Bearer> = {
  access: "userWithProfile",
  admit: (ctx, request) => asOwner(ctx, request, "profile", { takesPersonal: true }),
};

/** Like `userWithProfile`, but refuses a token with which somebody acts as the user (`act`). */
export const userThemselves: Guard<Bearer> = {
  access: "userWithProfile",
  async admit(ctx, request) {
    const owner = await asOwner(ctx, request, "profile");
    return owner.caller.claims.act && !owner.refusal ? { ...owner, refusal: actsForUser() } : owner;
  },
};

/** A signed-in user, also by a personal access token; the App ID is required. */
export const userOfNamedApp: Guard<Bearer> = {
  access: "userOfNamedApp",
  admit: (ctx, request) => asUser(ctx, request, appIdOf(request) ?? "", { takesPersonal: true, takesConfined: true }),
};

// For the query-style endpoints (docs/spec/http-api.md, 4.6): the App ID is the parameter `app_id`,
// the access token the parameter `token` or the Authorization header.

/** Anyone who names an application; counted by address. */
export const namedApp: Guard<Application> = {
  access: "namedApp",
  admit: async (ctx, request) => ({ caller: await namedApplication(ctx, request), countedAs: undefined }),
};

/** The same, for a link that a person opens: the error names the parameter. */
export const appNamedByLink: Guard<Application> = {
  access: "namedApp",
  admit: async (ctx, request) => ({
    caller: await namedApplication(ctx, request, "app_id: missing or not valid"),
    countedAs: undefined,
  }),
};

/**
 * Anyone who asks about a token of a named application; undefined if it is not a valid token of
 * that application's users.
 */
export const tokenOfNamedApp: Guard<Bearer | undefined> = {
  access: "tokenOfNamedApp",
  async admit(ctx, request) {
    const application = await namedApplication(ctx, request);
    const checked = authentication.authenticate(ctx, queryCredential(request), application.id);
    const bearer = await checked.catch(undefinedWhenBad);
    const limits = application.settings.rateLimits;
    return { caller: bearer, countedAs: bearer && countedAsUser(bearer), limits };
  },
};

/**
 * A signed-in user whose token has the scope `profile`. The App ID is checked if sent, in the query
 * or the header.
 */
export const queryUserWithProfile: Guard<Bearer> = {
  access: "queryUserWithProfile",
  async admit(ctx, request) {
    const bearer = await authentication.authenticate(ctx, queryCredential(request), appIdOf(request));
    const { aud } = bearer.claims;
    if ((request.query().get("app_id") ?? aud) !== aud) throw invalidAppId();
    const { rateLimits: limits } = (await openApplication(ctx, aud)).settings;
    return {
      caller: bearer,
      countedAs: countedAsUser(bearer),
      limits,
      refusal: await ownerRefusal(ctx, bearer, "profile"),
    };
  },
};

export function appIdOf(request: HttpRequest): string | undefined {
  return request.header("x-service-app-id");
}

/** `allows`: an application whose public clients may call. */
function serverOrPublic(
  access: Access,
  allows: (application: Application) => boolean,
  details?: string,
): Guard<AppOrPublicClient> {
  return {
    access,
    async admit(ctx, request) {
      if (request.header("authorization") !== undefined) {
        const server = await serverOfItsApp.admit(ctx, request);
        if (appIdOf(request) === undefined) throw invalidAppId();
        return { ...server, caller: { application: server.caller, withoutApiKey: false } };
      }
      const application = await applications.find(ctx, ctx.storage.reader, appIdOf(request) ?? "");
      // Without any credential, the error is the missing key, even if the App ID is wrong.
      if (!application || !allows(application)) throw invalidApiKey(details);
      return { caller: { application, withoutApiKey: true }, countedAs: undefined };
    },
  };
}

/** A user's call, with or without an App ID. */
async function asUser(
  ctx: Context,
  request: HttpRequest,
  appId: string | undefined,
  how: How = {},
): Promise<Caller<Bearer>> {
  const bearer = await authentication.authenticate(ctx, authentication.presentedIn(request), appId, how);
  const limits = await recentApplications.rateLimits(ctx, bearer.claims.aud);
  return { caller: bearer, countedAs: countedAsUser(bearer), limits };
}

/** A user's call on the account, with or without an App ID. */
async function asOwner(ctx: Context, request: HttpRequest, scope?: string, how: How = {}): Promise<Caller<Bearer>> {
  // Known and refused: it is a good token, but not for the account.
  const admitted = await asUser(ctx, request, appIdOf(request), { ...how, takesConfined: true });
  const refusal = admitted.caller.isConfined ? confinedToOrganization() : undefined;
  return { ...admitted, refusal: refusal ?? (await ownerRefusal(ctx, admitted.caller, scope)) };
}

/**
 * Why a token may not be used on its user's account: it lacks the scope, or belongs to a
 * third-party program, which may only use what the user consented to.
 */
async function ownerRefusal(
  ctx: Context,
  { claims: { aud, client_id: clientId }, scopes }: Bearer,
  scope: string | undefined,
): Promise<AppError | undefined> {
  if (scope !== undefined && !scopes.includes(scope)) return insufficientScope(scope);
  return clientId === aud || (await isOwnProgram(ctx, clientId)) ? undefined : notOwnProgram();
}

/** An application that disabled the query-style endpoints is treated as unknown. */
async function openApplication(ctx: Context, appId: string, details?: string): Promise<Application> {
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  if (!application?.settings.queryEndpoints) throw invalidAppId(details);
  return application;
}

async function namedApplication(ctx: Context, request: HttpRequest, details?: string): Promise<Application> {
  const appId = request.query().get("app_id") ?? "";
  if ((appIdOf(request) ?? appId) !== appId) throw invalidAppId(details);
  return await openApplication(ctx, appId, details);
}

/** Throws INVALID_REQUEST if two different tokens are given: using either would be a guess. */
function queryCredential(request: HttpRequest): Presented {
  const inQuery = request.query().get("token");
  if (request.header("authorization") === undefined) return { token: inQuery ?? "", proving: null };
  const inHeader = authentication.presentedIn(request);
  if (inQuery !== undefined && inQuery !== inHeader.token)
    throw invalidRequest("token", "not the one in Authorization");
  return inHeader;
}

/** Only token errors become undefined; a failing storage says nothing about the token. */
function undefinedWhenBad(error: unknown): undefined {
  if (error instanceof AppError && (error.code === "INVALID_TOKEN" || error.code === "INVALID_APP_ID"))
    return undefined;
  throw error;
}

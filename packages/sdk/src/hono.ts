import { checkedNeeds } from "./fresh.ts";
import {
  createHandler,
  type HandlerOptions,
  type Needs,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./handler.ts";
import type { NodeRequest } from "./node-messages.ts";
import type { SignedInUser } from "./sessions.ts";

export { protectResource } from "./resource-hono.ts";

/** On Node, `env` has the request of `node:http`. */
type HonoContext = { req: { raw: Request }; res: Response; env?: unknown };
type Next = () => Promise<void>;

/**
 * Sign-in for Hono: `app.use(auth.routes)`. On a server, start with `await auth.ready()`, which
 * finds wrong settings. Workers find them at the first request.
 * @throws AuthsvcError CONFIGURATION
 */
export function createAuth(options?: HandlerOptions) {
  const handler = createHandler(options);

  const requires =
    (needsOf: (context: never) => OrganizationNeeds) =>
    async (context: HonoContext, next: Next): Promise<Response | undefined> => {
      const user = await handler.requireOrganization(context.req.raw, needsOf(context as never));
      if (user instanceof Response) return user;
      await next();
      return undefined;
    };

  type Middleware = (context: HonoContext, next: Next) => Promise<Response | undefined>;
  const users =
    (needs: UserNeeds): Middleware =>
    async (context, next) => {
      const user = await handler.requireUser(context.req.raw, needs);
      if (user instanceof Response) return user;
      await next();
      return undefined;
    };
  function requireUser(needs: UserNeeds): Middleware;
  function requireUser(context: HonoContext, next: Next): Promise<Response | undefined>;
  function requireUser(first: UserNeeds | HonoContext, next?: Next) {
    return next ? users({})(first as HonoContext, next) : users(first as UserNeeds);
  }

  return {
    authsvc: handler.authsvc,
    ready: handler.ready,

    /** Middleware that handles sign-in, callback and sign-out, and keeps sessions. */
    async routes(context: HonoContext, next: Next): Promise<Response | undefined> {
      const request = context.req.raw;
      const response = await handler.handle(request, () => peerOf(context.env));
      if (response) return response;
      await next();
      const finished = await handler.finish(request, context.res);
      if (finished === context.res) return undefined;
      // Hono would add the old headers to a new response.
      context.res = undefined as unknown as Response;
      context.res = finished;
      return undefined;
    },

    /**
     * Middleware for what only signed-in users may do. Who is there for their organization only
     * gets 403, unless it is `requireUser({ confined: true })`.
     */
    requireUser,

    /** Middleware for what needs a recent sign-in, or a strong one. */
    requireFresh(needs: Needs) {
      checkedNeeds(needs);
      return async (context: HonoContext, next: Next): Promise<Response | undefined> => {
        const user = await handler.requireFresh(context.req.raw, needs);
        if (user instanceof Response) return user;
        await next();
        return undefined;
      };
    },

    /** Middleware for what needs an organization: any, or the one whose id `idOf` finds. */
    requireOrganization: <Context extends HonoContext>(idOf?: (context: Context) => unknown) =>
      requires((context: Context) => (idOf ? { id: idOf(context) } : {})),

    /** Middleware for what needs one of these roles in the organization. */
    requireRole: (...roles: [string, ...string[]]) => requires(() => ({ roles })),

    getOrganization: async (context: HonoContext): Promise<UserOrganization | undefined> =>
      await handler.getOrganization(context.req.raw),

    getUser: async (context: HonoContext): Promise<SignedInUser | undefined> => await handler.getUser(context.req.raw),

    getAccessToken: async (context: HonoContext): Promise<string | undefined> =>
      await handler.getAccessToken(context.req.raw),
  };
}

function peerOf(env: unknown): string | undefined {
  return (env as { incoming?: NodeRequest } | undefined)?.incoming?.socket?.remoteAddress;
}

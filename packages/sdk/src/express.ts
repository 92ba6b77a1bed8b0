import { checkedNeeds } from "./fresh.ts";
import type { HandlerOptions, Needs, UserNeeds, UserOrganization } from "./handler.ts";
import { createAuth as createNodeAuth } from "./node.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";
import type { SignedInUser } from "./sessions.ts";

export { protectResource } from "./resource-express.ts";

declare global {
  // As in the types of passport, so that both can be installed.
  namespace Express {
    interface User extends SignedInUser {}
    interface Request {
      user?: User | undefined;
    }
  }
}

type Next = (error?: unknown) => void;
type ExpressRequest = NodeRequest & { res?: NodeResponse; user?: SignedInUser };

/**
 * Sign-in for Express: `app.use(auth.routes)`. Waits until the settings have been checked.
 * @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the service
 */
export async function createAuth(options?: HandlerOptions) {
  const node = await createNodeAuth(options);

  /** Continues with the user, unless a response was sent. */
  async function goOn(request: ExpressRequest, next: Next, user: Promise<SignedInUser | undefined>): Promise<void> {
    let failure: unknown;
    try {
      request.user = await user;
      if (!request.user) return;
    } catch (error) {
      failure = error;
    }
    next(failure);
  }

  type Middleware = (request: ExpressRequest, response: NodeResponse, next: Next) => Promise<void>;
  const users =
    (needs: UserNeeds): Middleware =>
    async (request, response, next) =>
      await goOn(request, next, node.requireUser(request, response, needs));
  function requireUser(needs: UserNeeds): Middleware;
  function requireUser(request: ExpressRequest, response: NodeResponse, next: Next): Promise<void>;
  function requireUser(first: UserNeeds | ExpressRequest, response?: NodeResponse, next?: Next) {
    if (!response || !next) return users(first as UserNeeds);
    return users({})(first as ExpressRequest, response, next);
  }

  return {
    authsvc: node.authsvc,

    /** Middleware that responds to sign-in, callback and sign-out. */
    async routes(request: ExpressRequest, response: NodeResponse, next: Next): Promise<void> {
      let failure: unknown;
      try {
        if (await node.handle(request, response)) return;
      } catch (error) {
        failure = error;
      }
      next(failure);
    },

    /**
     * Middleware for what only signed-in users may do; sets `request.user`. Who is there for their
     * organization only gets 403, unless it is `requireUser({ confined: true })`.
     */
    requireUser,

    /** Such middleware for what needs a recent sign-in, or a strong one. */
    requireFresh(needs: Needs) {
      checkedNeeds(needs);
      return async (request: ExpressRequest, response: NodeResponse, next: Next): Promise<void> =>
        await goOn(request, next, node.requireFresh(request, response, needs));
    },

    /** Such middleware for what needs an organization: any, or the one whose id `idOf` finds. */
    requireOrganization<Request extends ExpressRequest>(idOf?: (request: Request) => unknown) {
      return async (request: Request, response: NodeResponse, next: Next): Promise<void> =>
        await goOn(request, next, node.requireOrganization(request, response, idOf ? { id: idOf(request) } : {}));
    },

    /** Such middleware for what needs one of these roles in the organization. */
    requireRole(...roles: [string, ...string[]]) {
      return async (request: ExpressRequest, response: NodeResponse, next: Next): Promise<void> =>
        await goOn(request, next, node.requireRole(request, response, ...roles));
    },

    getOrganization: async (request: ExpressRequest): Promise<UserOrganization | undefined> =>
      await node.getOrganization(request, responseOf(request)),

    getUser: async (request: ExpressRequest): Promise<SignedInUser | undefined> =>
      await node.getUser(request, responseOf(request)),

    getAccessToken: async (request: ExpressRequest): Promise<string | undefined> =>
      await node.getAccessToken(request, responseOf(request)),
  };
}

function responseOf({ res }: ExpressRequest): NodeResponse {
  if (!res) throw new TypeError("This is not a request of Express.");
  return res;
}

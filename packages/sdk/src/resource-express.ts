import type { NodeRequest, NodeResponse } from "./node-messages.ts";
import { protectResource as protect } from "./resource-node.ts";
import type { ResourceOptions } from "./resource.ts";

type Next = (error?: unknown) => void;

/**
 * Protects an API of Express: `app.use(api.routes)`. Waits until the settings have been checked.
 * @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the service
 */
export async function protectResource(options: ResourceOptions) {
  const node = await protect(options);

  /** Continues, unless a response was sent. */
  async function goOn(next: Next, isMine: Promise<boolean>): Promise<void> {
    let failure: unknown;
    try {
      if (!(await isMine)) return;
    } catch (error) {
      failure = error;
    }
    next(failure);
  }

  return {
    /** Middleware that answers requests for the metadata. */
    routes: async (request: NodeRequest, response: NodeResponse, next: Next): Promise<void> =>
      await goOn(
        next,
        node.handle(request, response).then((isDone) => !isDone),
      ),

    /** Middleware for what needs a token with these scopes. Sets `request.auth`. */
    requireToken(...scopes: readonly string[]) {
      node.checkedScopes(scopes);
      return async (request: NodeRequest, response: NodeResponse, next: Next): Promise<void> =>
        await goOn(
          next,
          node.requireToken(request, response, ...scopes).then((access) => access !== undefined),
        );
    },

    /** What `requireToken` found for this request. */
    access: node.access,
    requireScopes: node.requireScopes,
    close: node.close,
  };
}

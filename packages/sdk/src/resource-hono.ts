import { protectResource as protect, type Access, type ResourceOptions } from "./resource.ts";

type HonoContext = { req: { raw: Request } };
type Next = () => Promise<void>;

/**
 * Protects an API of Hono: `app.use(api.routes)`. On a server, start with `await api.ready()`,
 * which finds wrong settings. Workers find them at the first request.
 * @throws AuthsvcError CONFIGURATION
 */
export function protectResource(options: ResourceOptions) {
  const resource = protect(options);

  return {
    ready: resource.ready,

    /** Middleware that answers requests for the metadata. */
    async routes({ req }: HonoContext, next: Next): Promise<Response | undefined> {
      const answer = resource.metadata(req.raw);
      if (!answer) await next();
      return answer;
    },

    /** Middleware for what needs a token with these scopes. */
    requireToken(...scopes: readonly string[]) {
      resource.checkedScopes(scopes);
      return async ({ req }: HonoContext, next: Next): Promise<Response | undefined> => {
        const decided = await resource.requireToken(req.raw, scopes);
        if (decided instanceof Response) return decided;
        await next();
        return undefined;
      };
    },

    /** What `requireToken` found for this request. */
    access: ({ req }: HonoContext): Access => resource.access(req.raw),
    requireScopes: resource.requireScopes,
    close: resource.close,
  };
}

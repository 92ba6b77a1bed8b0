import { toRequest, type NodeRequest } from "./node-messages.ts";
import { protectResource as protect, type Access, type ResourceOptions } from "./resource.ts";

type FastifyRequest = { raw: NodeRequest & { auth?: Access } };
type FastifyReply = {
  header(name: string, value: string): unknown;
  code(status: number): { send(body?: string): unknown };
};
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
type Fastify = { addHook(name: "onRequest", hook: Hook): unknown };

/**
 * Protects an API of Fastify: `await app.register(api.plugin)`. Waits until the settings have been
 * checked. @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the
 * service
 */
export async function protectResource(options: ResourceOptions) {
  const resource = protect(options);
  await resource.ready();

  async function send(response: Response, reply: FastifyReply): Promise<unknown> {
    for (const [name, value] of response.headers) reply.header(name, value);
    reply.code(response.status).send(await response.text());
    return reply;
  }

  async function plugin(app: Fastify): Promise<void> {
    app.addHook("onRequest", async (request, reply) => {
      const answer = resource.metadata(toRequest(request.raw));
      return answer && (await send(answer, reply));
    });
  }

  return {
    /** Answers requests for the metadata, whatever the prefix of the plugin. */
    plugin: Object.assign(plugin, { [Symbol.for("skip-override")]: true }),

    /** A `preHandler` for what needs a token with these scopes. Sets `request.raw.auth`. */
    requireToken(...scopes: readonly string[]) {
      resource.checkedScopes(scopes);
      return async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
        const decided = await resource.requireToken(toRequest(raw), scopes, raw);
        if (decided instanceof Response) return await send(decided, reply);
        raw.auth = decided;
        return undefined;
      };
    },

    /** What `requireToken` found for this request. */
    access: ({ raw }: FastifyRequest): Access => resource.access(raw),
    requireScopes: resource.requireScopes,
    close: resource.close,
  };
}

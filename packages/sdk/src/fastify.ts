import { checkedNeeds } from "./fresh.ts";
import {
  createHandler,
  type HandlerOptions,
  type Needs,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./handler.ts";
import { toRequest, type NodeRequest } from "./node-messages.ts";
import { uncached } from "./pages.ts";
import type { Session, SignedInUser } from "./sessions.ts";

export { protectResource } from "./resource-fastify.ts";

type FastifyRequest = { raw: NodeRequest };
type FastifyReply = {
  sent: boolean;
  hasHeader(name: string): boolean;
  header(name: string, value: string | string[]): unknown;
  code(status: number): { send(body?: string): unknown };
};
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
type Fastify = { addHook(name: "onRequest", hook: Hook): unknown; addHook(name: "onSend", hook: Hook): unknown };

/**
 * Sign-in for Fastify: `await app.register(auth.plugin)`. Waits until the settings have been
 * checked. @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the
 * service
 */
export async function createAuth(options?: HandlerOptions) {
  const handler = createHandler(options);
  await handler.ready();
  /** Requests whose responses set a cookie. */
  const setting = new WeakSet<FastifyRequest>();

  async function send(response: Response, reply: FastifyReply): Promise<unknown> {
    for (const [name, value] of response.headers) if (name !== "set-cookie") reply.header(name, value);
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) reply.header("set-cookie", cookies);
    reply.code(response.status).send(await response.text());
    return reply;
  }

  async function sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<Session | undefined> {
    // A response that was already sent cannot carry a refreshed session.
    const { session, setCookies } = await handler.session(request, toRequest(request.raw), !reply.sent);
    if (reply.sent) return session;
    if (setCookies.length > 0) {
      reply.header("set-cookie", setCookies.splice(0));
      setting.add(request);
    }
    // Otherwise the back button shows the page after a sign-out.
    if (session && !reply.hasHeader("cache-control")) reply.header("cache-control", uncached);
    return session;
  }

  const requires =
    (needsOf: (request: never) => OrganizationNeeds) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const session = await sessionOf(request, reply);
      const answer = handler.withoutOrganization(toRequest(request.raw), session, needsOf(request as never));
      return answer && (await send(answer, reply));
    };

  const users =
    (needs: UserNeeds): Hook =>
    async (request, reply) => {
      const answer = handler.withoutUser(toRequest(request.raw), await sessionOf(request, reply), needs);
      return answer && (await send(answer, reply));
    };
  function requireUser(needs: UserNeeds): Hook;
  function requireUser(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  function requireUser(first: UserNeeds | FastifyRequest, reply?: FastifyReply) {
    return reply ? users({})(first as FastifyRequest, reply) : users(first as UserNeeds);
  }

  async function plugin(app: Fastify): Promise<void> {
    app.addHook("onRequest", async (request, reply) => {
      const response = await handler.handle(toRequest(request.raw), () => request.raw.socket?.remoteAddress);
      return response && (await send(response, reply));
    });
    // Nobody may get another's cookie from a cache, whatever the application says.
    app.addHook("onSend", async (request, reply) => {
      if (setting.has(request)) reply.header("cache-control", uncached);
    });
  }
  // Makes Fastify apply the hook to all routes, not only to those of this plugin.
  const forAll = Object.assign(plugin, { [Symbol.for("skip-override")]: true });

  return {
    authsvc: handler.authsvc,

    /** Handles sign-in, callback and sign-out. */
    plugin: forAll,

    /**
     * A `preHandler` for what only signed-in users may do. Who is there for their organization only
     * gets 403, unless it is `requireUser({ confined: true })`.
     */
    requireUser,

    /** A `preHandler` for what needs a recent sign-in, or a strong one. */
    requireFresh(needs: Needs) {
      checkedNeeds(needs);
      return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
        const answer = await handler.staleness(toRequest(request.raw), await sessionOf(request, reply), needs);
        return answer && (await send(answer, reply));
      };
    },

    /** A `preHandler` for what needs an organization: any, or the one whose id `idOf` finds. */
    requireOrganization: <Request extends FastifyRequest>(idOf?: (request: Request) => unknown) =>
      requires((request: Request) => (idOf ? { id: idOf(request) } : {})),

    /** A `preHandler` for what needs one of these roles in the organization. */
    requireRole: (...roles: [string, ...string[]]) => requires(() => ({ roles })),

    getOrganization: async (request: FastifyRequest, reply: FastifyReply): Promise<UserOrganization | undefined> =>
      (await sessionOf(request, reply))?.user.organization ?? undefined,

    getUser: async (request: FastifyRequest, reply: FastifyReply): Promise<SignedInUser | undefined> =>
      (await sessionOf(request, reply))?.user,

    getAccessToken: async (request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> =>
      (await sessionOf(request, reply))?.accessToken,
  };
}

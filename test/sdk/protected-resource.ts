import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { afterEach } from "vitest";
import { protectResource as protectExpress } from "../../packages/sdk/src/express.ts";
import { protectResource as protectFastify } from "../../packages/sdk/src/fastify.ts";
import { protectResource as protectHono } from "../../packages/sdk/src/hono.ts";
import { protectResource as protectNode } from "../../packages/sdk/src/node.ts";
import { protectResource, type Access, type ResourceOptions } from "../../packages/sdk/src/resource.ts";
import { freePort } from "../support/free-port.ts";
import { prove, type Prover } from "../support/dpop.ts";
import { codeFor, newParty, tokensFor } from "../support/openid-tokens.ts";
import { createResource } from "../support/resources.ts";
import type { TestService } from "../support/service.ts";

/** An API: `/write` needs the scope `write`, every other path any token. */
type Serving = { serve: RequestListener; close(): void };
type Framework = (options: ResourceOptions) => Promise<Serving>;

const needsOf = (path = "/"): string[] => (path.startsWith("/write") ? ["write"] : []);
const shown = ({ extra, scopes, clientId }: Access): string => JSON.stringify({ sub: extra.sub, scopes, clientId });

function toFetch({ url = "/", method, headers }: IncomingMessage): Request {
  return new Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string> });
}

async function answer(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}

export const frameworks: Record<string, Framework> = {
  async "node:http"(options) {
    const api = await protectNode(options);
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (await api.handle(request, response)) return;
      const access = await api.requireToken(request, response, ...needsOf(request.url));
      if (access) response.end(shown(access));
    };
    return { serve: (request, response) => void respond(request, response), close: api.close };
  },
  async Express(options) {
    const api = await protectExpress(options);
    const [any, write] = [api.requireToken(), api.requireToken("write")];
    return {
      serve(request, response) {
        const protect = needsOf(request.url).length > 0 ? write : any;
        void api.routes(request, response, () => {
          void protect(request, response, () => response.end(shown(api.access(request))));
        });
      },
      close: api.close,
    };
  },
  async Fastify(options) {
    const api = await protectFastify(options);
    type Hook = ReturnType<typeof api.requireToken>;
    const hooks: Hook[] = [];
    await api.plugin({ addHook: (_, hook) => hooks.push(hook) });
    const respond = async (raw: IncomingMessage, response: ServerResponse): Promise<void> => {
      const reply = {
        header: (name: string, value: string) => response.setHeader(name, value),
        code: (status: number) => ({ send: (body?: string) => (response.writeHead(status), response.end(body)) }),
      };
      for (const hook of [...hooks, api.requireToken(...needsOf(raw.url))]) if (await hook({ raw }, reply)) return;
      response.end(shown(api.access({ raw })));
    };
    return { serve: (request, response) => void respond(request, response), close: api.close };
  },
  async Hono(options) {
    const api = protectHono(options);
    await api.ready();
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const context = { req: { raw: toFetch(request) } };
      const pass = async (): Promise<void> => undefined;
      const refusal =
        (await api.routes(context, pass)) ?? (await api.requireToken(...needsOf(request.url))(context, pass));
      await answer(refusal ?? new Response(shown(api.access(context))), response);
    };
    return { serve: (request, response) => void respond(request, response), close: api.close };
  },
  async Fetch(options) {
    const api = protectResource(options);
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const asked = toFetch(request);
      const admitted = api.metadata(asked) ?? (await api.requireToken(asked, needsOf(request.url)));
      await answer(admitted instanceof Response ? admitted : new Response(shown(admitted)), response);
    };
    return { serve: (request, response) => void respond(request, response), close: api.close };
  },
};

/** APIs with people and programs that may call them. They stop after each test. */
export function protectedApis(current: () => TestService) {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** The API at `/mcp`, and what it asked the service. `blocked` calls find no service. */
  async function start({ framework = "Fetch", path = "/mcp", ...more }: Partial<ResourceOptions> & Parts = {}) {
    const service = current();
    const [app, port] = [await service.createApp(), await freePort()];
    const origin = `http://localhost:${port}`;
    const resource = await createResource(service, app, { identifier: origin + path });
    const calls: string[] = [];
    const blocked = new Set<string>();
    const { serve, close } = await (frameworks[framework] as Framework)({
      issuer: service.url,
      appId: app.id,
      apiKey: app.apiKey,
      resource,
      scopes: ["read", "write"],
      now: () => service.clock.now,
      async fetch(url, init) {
        const { pathname } = new URL(url);
        calls.push(pathname);
        if (blocked.has(pathname) || blocked.has("*")) throw new TypeError("fetch failed");
        return await fetch(url, init);
      },
      ...more,
    });
    const server = createServer(serve);
    await once(server.listen(port), "listening");
    stops.push(() => {
      close();
      server.closeAllConnections();
      server.close();
    });
    const party = await newParty(service, { resources: [resource] }, app);
    const metadata = `${origin}/.well-known/oauth-protected-resource${path === "/" ? "" : path}`;
    return {
      app,
      origin,
      resource,
      metadata,
      party,
      blocked,
      introspections: (): number => calls.filter((path) => path === "/oauth2/introspect").length,

      /** Tokens of the person for the API. */
      tokens: async (scope = "read") => await tokensFor(service, party, { resource, scope: `openid ${scope}` }),

      /** A token that is bound to the key. */
      async boundToken(key: Prover): Promise<string> {
        const form = await codeFor(service, party, { resource, scope: "openid read" });
        const { body } = await prove(service, party, form, await key.proof("POST", "/oauth2/token"));
        return String(body["access_token"]);
      },

      async ask(headers: Record<string, string> = {}, at = path, init: RequestInit = {}) {
        const response = await fetch(origin + at, { ...init, headers });
        const text = await response.text();
        const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
        return { status: response.status, challenge: response.headers.get("www-authenticate"), body, response };
      },
    };
  }
  type Parts = { framework?: string; path?: string };
  return { start };
}

import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters, type JWTPayload } from "jose";
import { afterEach } from "vitest";
import { protectResource as protectExpress } from "../../packages/sdk/src/express.ts";
import { protectResource as protectFastify } from "../../packages/sdk/src/fastify.ts";
import { protectResource as protectHono } from "../../packages/sdk/src/hono.ts";
import { protectResource as protectNode } from "../../packages/sdk/src/node.ts";
import { protectResource, type Access, type ResourceOptions } from "../../packages/sdk/src/resource.ts";
import { freePort } from "../support/free-port.ts";
import { newParty, tokensFor } from "../support/openid-tokens.ts";
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
      calls,
      blocked,

      /** Tokens of the person for the API. */
      tokens: async (scope = "read") => await tokensFor(service, party, { resource, scope: `openid ${scope}` }),

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

/** A client's key, and proofs by it. */
export async function newProofKey(alg = "ES256") {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const { crv, e, kty, n, x, y } = jwk;
  const thumbprint = hash("sha256", JSON.stringify({ crv, e, kty, n, x, y }), "base64url");
  let made = 0;

  async function prove(claims: JWTPayload & { token: string }, header: Partial<JWTHeaderParameters> = {}) {
    const { token, ...rest } = claims;
    made += 1;
    const payload = { ath: hash("sha256", token, "base64url"), jti: `proof ${made}`, htm: "GET", ...rest };
    return await new SignJWT(payload).setProtectedHeader({ typ: "dpop+jwt", alg, jwk, ...header }).sign(privateKey);
  }
  return { thumbprint, jwk, prove, privateJwk: await exportJWK(privateKey) };
}

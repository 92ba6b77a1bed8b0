import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createAuth as createExpressAuth } from "../../packages/sdk/src/express.ts";
import { createAuth as createFastifyAuth } from "../../packages/sdk/src/fastify.ts";
import { createHandler, type HandlerOptions } from "../../packages/sdk/src/handler.ts";
import { createAuth as createHonoAuth } from "../../packages/sdk/src/hono.ts";
import { createAuth as createNextAuth } from "../../packages/sdk/src/next.ts";
import { createAuth as createNodeAuth } from "../../packages/sdk/src/node.ts";
import { createAuth as createSvelteAuth } from "../../packages/sdk/src/sveltekit.ts";
import { useService } from "../support/one-service.ts";
import { signIn, startAppServer } from "./app-server.ts";

vi.mock("next/server", () => ({ NextResponse: { next: () => new Response("page", { headers: nextHeaders }) } }));

const current = useService();
/** What the application of Next.js says, whose response its proxy never sees. */
let nextHeaders: Record<string, string> = {};
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Asks who is signed in, and answers with these headers. */
type Application = (request: Request, headers: Record<string, string>) => Promise<Headers>;
type Serve = (request: IncomingMessage, response: ServerResponse, headers: Record<string, string>) => Promise<void>;

async function overHttp(request: Request, headers: Record<string, string>, serve: Serve): Promise<Headers> {
  const server = createServer(
    (asked, response) => void serve(asked, response, headers).catch(() => response.destroy()),
  );
  await once(server.listen(0), "listening");
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return (await fetch(`http://localhost:${port}/`, { headers: request.headers })).headers;
}

const applications: Record<string, (options: HandlerOptions) => Promise<Application>> = {
  "node:http, by setHeader": async (options) => {
    const auth = await createNodeAuth(options);
    return async (request, headers) =>
      await overHttp(request, headers, async (asked, response) => {
        await auth.getUser(asked, response);
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.end("page");
      });
  },
  "node:http, by writeHead": async (options) => {
    const auth = await createNodeAuth(options);
    return async (request, headers) =>
      await overHttp(request, headers, async (asked, response) => {
        await auth.getUser(asked, response);
        response.writeHead(200, "OK", headers).end("page");
      });
  },
  "node:http, by writeHead with an array": async (options) => {
    const auth = await createNodeAuth(options);
    return async (request, headers) =>
      await overHttp(request, headers, async (asked, response) => {
        await auth.getUser(asked, response);
        response.writeHead(200, Object.entries(headers).flat()).end("page");
      });
  },
  Express: async (options) => {
    const auth = await createExpressAuth(options);
    return async (request, headers) =>
      await overHttp(request, headers, async (asked, response) => {
        await auth.requireUser(Object.assign(asked, { res: response }), response, () => {
          for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
          response.end("page");
        });
      });
  },
  Fastify: async (options) => {
    const auth = await createFastifyAuth(options);
    return async ({ headers: sent }, headers) => {
      const kept = new Headers();
      const reply = {
        sent: false,
        hasHeader: (name: string) => kept.has(name),
        header(name: string, value: string | string[]) {
          kept.delete(name);
          for (const each of [value].flat()) kept.append(name, each);
        },
        code: () => ({ send: () => undefined }),
      };
      const request = { raw: { method: "GET", url: "/", headers: { host: "localhost", ...Object.fromEntries(sent) } } };
      type Hook = (given: typeof request, answered: typeof reply) => Promise<unknown>;
      const hooks = new Map<string, Hook>();
      await auth.plugin({ addHook: (name: string, hook: Hook) => void hooks.set(name, hook) });
      await hooks.get("onRequest")?.(request, reply);
      await auth.getUser(request, reply);
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      await hooks.get("onSend")?.(request, reply);
      return kept;
    };
  },
  Hono: async (options) => {
    const auth = createHonoAuth(options);
    return async (raw, headers) => {
      const context = { req: { raw }, res: new Response("page", { headers }) };
      await auth.routes(context, async () => void (await auth.getUser(context)));
      return context.res.headers;
    };
  },
  SvelteKit: async (options) => {
    const auth = createSvelteAuth(options);
    return async (request, headers) => {
      const resolve = async (event: { request: Request }): Promise<Response> => {
        await auth.getUser(event);
        return new Response("page", { headers });
      };
      return (await auth.handle({ event: { request }, resolve })).headers;
    };
  },
  "Next.js": async (options) => {
    const auth = createNextAuth(options);
    return async (request, headers) => {
      nextHeaders = headers;
      return (await auth.proxy(request)).headers;
    };
  },
};

describe.each(Object.keys(applications))("the session of an application of %s", (name) => {
  let url = "";
  let cookie = "";
  let now = 0;
  let options: HandlerOptions = {};
  let application: Application;

  beforeAll(async () => {
    const server = await startAppServer(current());
    url = server.url;
    now = current().clock.now;
    options = { ...server.options, feed: "on-demand", now: () => now };
    const { visitor } = await signIn(server);
    cookie = `${server.cookie}=${visitor.cookies.get(server.cookie)}`;
    application = await (applications[name] as (typeof applications)[string])(options);
    server.stop();
  });

  const asked = (headers: Record<string, string> = { cookie }): Request => new Request(`${url}/`, { headers });
  const isPublic = { "cache-control": "public, max-age=300" };

  test("is kept from caches, unless the application says otherwise", async () => {
    const plain = await application(asked(), {});
    expect([plain.get("cache-control"), plain.getSetCookie()]).toEqual(["private, no-store", []]);
    expect((await application(asked(), isPublic)).get("cache-control")).toBe(isPublic["cache-control"]);
  });

  test("is of a bearer token, too, which decides alone", async () => {
    const handler = createHandler(options);
    const accessToken = (await handler.getAccessToken(asked())) ?? "";
    const other = await application(asked({ authorization: `bearer ${accessToken}` }), {});
    expect([other.get("cache-control"), other.getSetCookie()]).toEqual(["private, no-store", []]);
  });

  test("a refreshed one never leaves in a response that a cache may keep, whatever the application says", async () => {
    now += 15 * 60_000 - 30_000;
    const refreshed = await application(asked(), isPublic);
    expect([refreshed.getSetCookie().length, refreshed.get("cache-control")]).toEqual([1, "private, no-store"]);
  });
});

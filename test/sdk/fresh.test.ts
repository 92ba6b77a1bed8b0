import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { createAuth as createExpressAuth } from "../../packages/sdk/src/express.ts";
import { createAuth as createFastifyAuth } from "../../packages/sdk/src/fastify.ts";
import { createHandler, type HandlerOptions, type Needs } from "../../packages/sdk/src/handler.ts";
import { createAuth as createHonoAuth } from "../../packages/sdk/src/hono.ts";
import { createAuth as createNextAuth } from "../../packages/sdk/src/next.ts";
import { createAuth as createSvelteAuth } from "../../packages/sdk/src/sveltekit.ts";
import * as factors from "../../src/factors/service.ts";
import { codeAt, keyIn, signedInWithTotp, signedUpWithTotp } from "../support/factors.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, Page, signedUp, Visitor } from "../support/person.ts";
import { updateApp } from "../support/service.ts";
import { appServers, signIn, userOf, type AppServer } from "./app-server.ts";
import { verifiers } from "./verifiers.ts";

const two = "urn:authsvc:acr:2";
const current = useService();
const start = appServers(current);
const { mint } = verifiers(current);

/** Opens a page as a browser does. `fetch` cannot say that it navigates. */
async function open(server: AppServer, { cookies }: Visitor, path: string, more: object = {}): Promise<Page> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const asked = httpRequest(server.url + path, { headers: { cookie, "sec-fetch-mode": "navigate", ...more } }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return new Page(
    server.url + path,
    answer.statusCode ?? 0,
    new Headers(answer.headers as Record<string, string>),
    text,
  );
}

let headersOfPage = new Headers();
let sentTo = "";
vi.mock("next/headers", () => ({ headers: async () => headersOfPage }));
vi.mock("next/server", () => ({ connection: async () => {} }));
vi.mock("next/navigation", () => ({
  redirect(path: string) {
    sentTo = path;
    throw new Error("redirected");
  },
}));

/** Follows a page request to the service's page. */
async function toService(server: AppServer, visitor: Visitor, path: string): Promise<{ start: Page; page: Page }> {
  const sent = await open(server, visitor, path);
  expect(sent.status).toBe(303);
  const begun = await visitor.get(sent.location.href);
  return { start: sent, page: await visitor.get(begun.location.href) };
}

describe("what needs a recent sign-in", () => {
  test("is open after one, and later sends the person to another and back to the page", async () => {
    const server = await start();
    const { visitor, email } = await signIn(server);
    expect(userOf(await open(server, visitor, "/recent"))?.email).toBe(email);
    current().clock.advance(300_000);
    expect((await open(server, visitor, "/recent")).status).toBe(200);
    current().clock.advance(1000);
    const { start: sent, page } = await toService(server, visitor, "/recent?tab=1");
    expect(sent.location.pathname + sent.location.search).toBe("/sign-in?returnTo=%2Frecent%3Ftab%3D1&maxAge=300");
    expect(page.text).not.toContain("/continue");
    const back = await visitor.submit(page, "/password", { email, password: goodPassword });
    const returned = await visitor.get(back.location.href);
    expect(returned.location.href).toBe(`${server.url}/recent?tab=1`);
    const user = userOf(await open(server, visitor, returned.location.pathname));
    expect([user?.email, user?.claims.auth_time]).toEqual([email, Math.floor(current().clock.now / 1000)]);
  });

  test("answers scripts with the challenge of RFC 9470, by cookie and by bearer token", async () => {
    const server = await start();
    const { visitor } = await signIn(server);
    const { accessToken } = await signedUp(current(), server.app);
    current().clock.advance(301_000);
    for (const refused of [
      await visitor.get(`${server.url}/recent`),
      await open(server, visitor, "/recent", { authorization: `Bearer ${accessToken}` }),
    ]) {
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer error="insufficient_user_authentication", max_age="300"',
      ]);
      expect(refused.json()).toMatchObject({ error: { code: "INSUFFICIENT_SCOPE" } });
      expect(refused.headers.get("cache-control")).toBe("private, no-store");
    }
  });

  test("answers nobody as every page does", async () => {
    const server = await start();
    const nobody = await new Visitor().get(`${server.url}/recent`);
    expect([nobody.status, nobody.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const sent = await open(server, new Visitor(), "/recent");
    expect(sent.location.searchParams.get("maxAge")).toBe("300");
  });
});

describe("what needs a strong sign-in", () => {
  test("asks for the factor, and brings the person back", async () => {
    const server = await start();
    const { visitor, email } = await signIn(server);
    await updateApp(current(), server.app, { settings: { secondFactor: "required" } });
    const { page } = await toService(server, visitor, "/strong");
    const proven = await visitor.submit(page, "/password", { email, password: goodPassword });
    const setUp = await visitor.get(proven.location.href);
    const key = keyIn(setUp);
    const shown = await visitor.submit(setUp, "/step/set-up", { code: codeAt(key, current().clock.now) });
    const asked = await visitor.get((await visitor.submit(shown, "/step/continue", {})).location.href);
    current().clock.advance(30_000);
    const back = await visitor.submit(asked, "/step/code", { code: codeAt(key, current().clock.now) });
    const returned = await visitor.get(back.location.href);
    expect(returned.location.href).toBe(`${server.url}/strong`);
    expect(userOf(await open(server, visitor, returned.location.pathname))?.claims.acr).toBe(two);
  });

  test("tells somebody without a factor, who stays signed in", async () => {
    const server = await start();
    const { visitor, email } = await signIn(server);
    const { page } = await toService(server, visitor, "/strong");
    const back = await visitor.submit(page, "/password", { email, password: goodPassword });
    const told = await visitor.get(back.location.href);
    expect([told.status, told.text]).toEqual([400, expect.stringContaining("which your account does not have")]);
    expect(told.text).toContain('href="/"');
    expect(userOf(await visitor.get(server.url))?.email).toBe(email);
  });

  test("M10: is closed as soon as the factor is removed, whatever the token still says", async () => {
    const server = await start();
    await updateApp(current(), server.app, { settings: { secondFactor: "required" } });
    const person = await signedUpWithTotp(current(), server.app);
    const { tokens } = await signedInWithTotp(current(), server.app, person);
    const ask = async (accessToken: string) =>
      await new Visitor().get(`${server.url}/strong`, { authorization: `Bearer ${accessToken}` });
    expect((await ask(person.tokens.accessToken)).headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_user_authentication", acr_values="${two}"`,
    );
    expect((await ask(tokens.accessToken)).status).toBe(200);
    const by = { actor: { kind: "cli", name: "test" } } as const;
    const options = { evenRequired: true };
    await factors.remove(current().server.app.ctx, String(tokens.user["id"]), by, options);
    expect((await ask(tokens.accessToken)).status).toBe(401);
  });
});

describe("the address of a sign-in", () => {
  test("takes no wishes that nobody can have", async () => {
    const server = await start();
    const begun = await new Visitor().get(`${server.url}/sign-in?acr=urn:other&maxAge=-1`);
    expect([begun.status, begun.location.origin]).toEqual([303, current().url]);
  });

  test("answers with a page where the application has no passkeys to ask for", async () => {
    const server = await start();
    await updateApp(current(), server.app, { authMethods: { passkey: { enabled: false } } });
    const refused = await new Visitor().get(`${server.url}/sign-in?acr=phr`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("passkey")]);
  });
});

describe("requireFresh", () => {
  test.each<[object]>([[{}], [{ maxAge: 59 }], [{ maxAge: 60.5 }], [{ acr: "2" }], [{ acr: "phr", maxAge: "300" }]])(
    "refuses %j where the route is made",
    async (needs) => {
      const auth = createHonoAuth((await start()).options);
      expect(() => auth.requireFresh(needs as Needs)).toThrow(expect.objectContaining({ code: "CONFIGURATION" }));
    },
  );

  /** Asks a route that needs a recent sign-in: the status, and the challenge if there is one. */
  type Ask = (authorization: string) => Promise<[status: number, challenge: string | null]>;
  const needs: Needs = { maxAge: 300 };

  const adapters: Record<string, (options: HandlerOptions) => Promise<Ask>> = {
    handler: async (options) => {
      const auth = createHandler(options);
      return async (authorization) => resultOf(await auth.requireFresh(requestWith(authorization), needs));
    },
    Express: async (options) => {
      const auth = await createExpressAuth(options);
      const guard = auth.requireFresh(needs);
      return async (authorization) => {
        const server = createServer(
          (request, response) => void guard(Object.assign(request, { res: response }), response, () => response.end()),
        );
        await once(server.listen(0), "listening");
        const { port } = server.address() as AddressInfo;
        const answer = await fetch(`http://localhost:${port}/`, { headers: { authorization } });
        server.close();
        return [answer.status, answer.headers.get("www-authenticate")];
      };
    },
    Fastify: async (options) => {
      const auth = await createFastifyAuth(options);
      const guard = auth.requireFresh(needs);
      return async (authorization) => {
        const kept = new Map<string, string>();
        let answered = 200;
        const reply = {
          sent: false,
          hasHeader: (name: string) => kept.has(name),
          header: (name: string, value: string | string[]) => void kept.set(name, String(value)),
          code: (status: number) => ({ send: () => (answered = status) }),
        };
        const headers = { host: "localhost", authorization };
        const result = await guard({ raw: { method: "GET", url: "/", headers } }, reply);
        expect(result).toBe(answered === 200 ? undefined : reply);
        return [answered, kept.get("www-authenticate") ?? null];
      };
    },
    Hono: async (options) => {
      const auth = createHonoAuth(options);
      const guard = auth.requireFresh(needs);
      return async (authorization) => {
        const context = { req: { raw: requestWith(authorization) }, res: new Response() };
        let went = false;
        const answer = await guard(context, async () => void (went = true));
        expect(went).toBe(answer === undefined);
        return resultOf(answer);
      };
    },
    SvelteKit: async (options) => {
      const auth = createSvelteAuth(options);
      return async (authorization) => resultOf(await auth.requireFresh({ request: requestWith(authorization) }, needs));
    },
  };

  function requestWith(authorization: string): Request {
    return new Request("http://localhost/", { headers: { authorization } });
  }

  function resultOf(answer: unknown): [number, string | null] {
    return answer instanceof Response ? [answer.status, answer.headers.get("www-authenticate")] : [200, null];
  }

  test.each(Object.keys(adapters))("of %s lets a recent sign-in pass, and challenges an old one", async (name) => {
    const server = await start();
    const options: HandlerOptions = { ...server.options, feed: "on-demand" };
    const ask = await (adapters[name] as (typeof adapters)[string])(options);
    const authorization = `Bearer ${(await signedUp(current(), server.app)).accessToken}`;
    current().clock.advance(300_000);
    expect(await ask(authorization)).toEqual([200, null]);
    current().clock.advance(1000);
    expect(await ask(authorization)).toEqual([401, 'Bearer error="insufficient_user_authentication", max_age="300"']);
  });

  test.each([60, 300, 4_000_000_000])(
    "with a maxAge of %d refuses a token that nobody signed in for, and without takes it",
    async (maxAge) => {
      const { app, options } = await start();
      const auth = createHandler({ ...options, feed: "on-demand" });
      const asked = requestWith(`Bearer ${await mint(app)}`);
      expect(await auth.requireUser(asked)).toMatchObject({ claims: { aud: app.id } });
      const weakest = { acr: "urn:authsvc:acr:1" } as const;
      for (const needs of [{ maxAge }, { ...weakest, maxAge }])
        expect(resultOf(await auth.requireFresh(asked, needs))).toEqual([
          401,
          expect.stringContaining(`max_age="${maxAge}"`),
        ]);
    },
  );

  test("of Next.js gives the user of a recent sign-in to the page, and sends an old one to another", async () => {
    const server = await start();
    const auth = createNextAuth({ ...server.options, feed: "on-demand" });
    const { email, accessToken } = await signedUp(current(), server.app);
    headersOfPage = new Headers({ host: "localhost", authorization: `Bearer ${accessToken}` });
    expect((await auth.requireFresh(needs, "/me")).email).toBe(email);
    current().clock.advance(301_000);
    await expect(auth.requireFresh(needs, "/me")).rejects.toThrow("redirected");
    expect(sentTo).toBe("/sign-in?returnTo=%2Fme&maxAge=300");
  });
});

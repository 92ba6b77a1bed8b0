import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach } from "vitest";
import type { AuthsvcError } from "../../packages/sdk/src/errors.ts";
import type { HandlerOptions, Needs, SignedInUser } from "../../packages/sdk/src/handler.ts";
import { createAuth } from "../../packages/sdk/src/node.ts";
import { freePort } from "../support/free-port.ts";
import { goodPassword, newEmail, Visitor, type Page } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

export const cookieSecret = "a secret of 32 characters or more";

/** `cookie`: the name of the session's. */
export type AppServer = {
  url: string;
  cookie: string;
  app: TestApp;
  options: HandlerOptions;
  server: Server;
  stop(): void;
};

/** Names differ between applications and ports, because browsers send cookies to all ports. */
export function sessionCookie(appId: string, origin: string): string {
  return `authsvc-${hash("sha256", `${appId} ${origin}`, "base64url").slice(0, 8)}-session`;
}

/** Paths that ask for more than a sign-in. */
const needsAt: Record<string, Needs> = { "/recent": { maxAge: 300 }, "/strong": { acr: "urn:authsvc:acr:2" } };

/**
 * A small application with the package's sessions: `/` for all, `/me` for signed-in users, and
 * those of `needsAt`.
 */
export async function startAppServer(
  service: TestService,
  given: HandlerOptions = {},
  otherRedirectUris: string[] = [],
): Promise<AppServer> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const app = await service.createApp({ redirectUris: [`${url}/callback`, ...otherRedirectUris] });
  const now = (): number => service.clock.now;
  const options = { issuer: service.url, appId: app.id, apiKey: app.apiKey, cookieSecret, now, ...given };
  const auth = await createAuth(options);
  const server = createServer((request, response) => {
    void (async () => {
      if (await auth.handle(request, response)) return;
      const path = request.url?.split("?")[0];
      const needs = needsAt[path ?? ""];
      if (needs) {
        const fresh = await auth.requireFresh(request, response, needs);
        if (fresh) response.end(JSON.stringify(fresh));
        return;
      }
      const user = path === "/me" ? await auth.requireUser(request, response) : await auth.getUser(request, response);
      if (!response.writableEnded) response.end(JSON.stringify(user ?? null));
    })().catch((error: unknown) => {
      response.writeHead((error as AuthsvcError).statusCode).end();
    });
  });
  await once(server.listen(port), "listening");
  return {
    url,
    cookie: sessionCookie(app.id, url),
    app,
    options,
    server,
    stop() {
      auth.authsvc.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts applications that stop after each test. */
export function appServers(
  current: () => TestService,
): (options?: HandlerOptions, uris?: string[]) => Promise<AppServer> {
  const servers: AppServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop();
  });
  return async (options, uris) => {
    const server = await startAppServer(current(), options, uris);
    servers.push(server);
    return server;
  };
}

/** From a page of the application to the service, and to the redirect that comes back. */
export async function untilRedirect(
  { url }: Pick<AppServer, "url">,
  visitor: Visitor,
  path = `/sign-in?returnTo=${encodeURIComponent("/me?tab=1")}`,
): Promise<{ back: string; email: string }> {
  const begun = await visitor.get(url + path);
  const email = newEmail();
  const page = await visitor.get(`${begun.location.href}/create-account`);
  const fields = { email, password: goodPassword, name: "Ada" };
  const done = await visitor.submit(page, "/create-account", fields);
  return { back: done.location.href, email };
}

export async function signIn(
  server: Pick<AppServer, "url">,
  visitor = new Visitor(),
): Promise<{ visitor: Visitor; email: string }> {
  const { back, email } = await untilRedirect(server, visitor);
  await visitor.get(back);
  return { visitor, email };
}

export function userOf(page: Page): SignedInUser | null {
  return JSON.parse(page.text) as SignedInUser | null;
}

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createAuth } from "../../packages/sdk/src/node.ts";
import type { AuthsvcError } from "../../packages/sdk/src/errors.ts";
import type { HandlerOptions } from "../../packages/sdk/src/handler.ts";
import { freePort } from "../support/free-port.ts";
import type { TestApp, TestService } from "../support/service.ts";

export const cookieSecret = "a secret of 32 characters or more";

export type AppServer = { url: string; app: TestApp; options: HandlerOptions; server: Server; stop(): void };

/** A small application with the package's sessions: `/` for all, `/me` for signed-in users. */
export async function startAppServer(service: TestService, given: HandlerOptions = {}): Promise<AppServer> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const app = await service.createApp({ redirectUris: [`${url}/callback`] });
  const options = { issuer: service.url, appId: app.id, apiKey: app.apiKey, cookieSecret, ...given };
  const auth = await createAuth(options);
  const server = createServer((request, response) => {
    void (async () => {
      if (await auth.handle(request, response)) return;
      const path = request.url?.split("?")[0];
      const user = path === "/me" ? await auth.requireUser(request, response) : await auth.getUser(request, response);
      if (!response.writableEnded) response.end(JSON.stringify(user ?? null));
    })().catch((error: unknown) => {
      response.writeHead((error as AuthsvcError).statusCode).end();
    });
  });
  await once(server.listen(port), "listening");
  return {
    url,
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

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server that is not the service: the app that people sign in to, or somebody who wishes them ill. */
export type Site = {
  port: number;
  origin: string;
  /** The queries with which browsers came back to `/callback`, oldest first. */
  callbacks: URLSearchParams[];
  /** Serves a page of the test's own; answers its address. */
  show(path: string, body: string): string;
  forget(): void;
  close(): Promise<void>;
};

/** Listens on every loopback name: `localhost`, `127.0.0.1` and names below `.localhost`, each an origin of its own. */
export async function openSite(): Promise<Site> {
  const callbacks: URLSearchParams[] = [];
  const pages = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/callback") callbacks.push(url.searchParams);
    const body = url.pathname === "/callback" ? "<h1>You are back at Acme</h1>" : pages.get(url.pathname);
    response.writeHead(body === undefined && url.pathname !== "/" ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(documentOf(body ?? "<h1>Acme</h1>"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  return {
    port,
    origin,
    callbacks,
    show(path, body) {
      pages.set(path, body);
      return `${origin}${path}`;
    },
    forget() {
      callbacks.length = 0;
      pages.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The empty icon keeps browsers from asking for one. */
function documentOf(body: string): string {
  return `<!doctype html><html lang="en"><head><title>Another site</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
}

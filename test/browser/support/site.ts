import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A web server that is not the service: the app that people sign in to, or somebody who wishes them
 * ill.
 */
export type Site = {
  port: number;
  origin: string;
  /** The queries or forms with which browsers came back to `/callback`, oldest first. */
  callbacks: URLSearchParams[];
  /** Serves a page of the test's own, or a file of another type; answers its address. */
  show(path: string, body: string, type?: string): string;
  /** Forgets who came back. */
  forget(): void;
  close(): Promise<void>;
};

/**
 * Listens on every loopback name: `localhost`, `127.0.0.1` and names below `.localhost`, each an
 * origin of its own.
 */
export async function openSite(): Promise<Site> {
  const callbacks: URLSearchParams[] = [];
  const pages = new Map<string, { body: string; type: string }>([["/", page("<h1>Acme</h1>")]]);
  pages.set("/callback", page("<h1>You are back at Acme</h1>"));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const posted = new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
      if (url.pathname === "/callback") callbacks.push(request.method === "POST" ? posted : url.searchParams);
      const shown = pages.get(url.pathname);
      response.writeHead(shown ? 200 : 404, { "content-type": shown?.type ?? html });
      response.end(shown?.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  return {
    port,
    origin,
    callbacks,
    show(path, body, type) {
      pages.set(path, type === undefined ? page(body) : { body, type });
      return `${origin}${path}`;
    },
    forget() {
      callbacks.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const html = "text/html; charset=utf-8";

/** The empty icon keeps browsers from asking for one. */
function page(body: string): { body: string; type: string } {
  const head = '<title>Another site</title><link rel="icon" href="data:,">';
  return { body: `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`, type: html };
}

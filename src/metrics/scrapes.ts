import type { IncomingMessage, RequestListener } from "node:http";
import type { Log } from "../lib/log.ts";
import { hostOf, isLoopbackHost } from "../lib/loopback.ts";
import type { Metrics } from "./metrics.ts";

/** Answers only GET /metrics. `hosts`: accepted Host names besides this machine's own. */
export function scrapeListener(metrics: Metrics, hosts: readonly string[], log: Log): RequestListener {
  const knownHosts = new Set(hosts.map(canonical));
  return (message, response) => {
    // DNS rebinding: a web page can point its own name at this address, but the Host header shows
    // that.
    if (!isAskedUnderKnownHost(message, knownHosts)) {
      const reason = "Host: not a name of this service; add it to metrics.hosts\n";
      response.writeHead(421, { "content-type": "text/plain" }).end(reason);
      return;
    }
    const [path] = (message.url ?? "").split("?");
    if (path !== "/metrics") {
      response.writeHead(404, { "content-type": "text/plain" }).end("see /metrics\n");
      return;
    }
    if (message.method !== "GET") {
      response.writeHead(405, { "content-type": "text/plain", allow: "GET" }).end("GET only\n");
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" }).end(text),
      (error: unknown) => {
        log.error("collecting metrics failed", error);
        response.writeHead(500, { "content-type": "text/plain" }).end("see the log\n");
      },
    );
  };
}

function isAskedUnderKnownHost(
  { headers, socket }: IncomingMessage,
  knownHosts: ReadonlySet<string | undefined>,
): boolean {
  const url = `http://${headers.host ?? ""}`;
  if (!URL.canParse(url)) return false;
  const host = hostOf(url);
  // On a socket that listens on ::, IPv4 addresses begin with ::ffff:.
  const isOwnAddress = host === socket.localAddress?.replace(/^::ffff:(?=\d+\.)/u, "");
  return isOwnAddress || isLoopbackHost(host) || knownHosts.has(host);
}

/** In the form that `hostOf` reads from a URL. */
function canonical(host: string): string | undefined {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`;
  return URL.canParse(url) ? hostOf(url) : undefined;
}

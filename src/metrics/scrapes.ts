import type { RequestListener } from "node:http";
import { knownHosts } from "../http/known-hosts.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "./metrics.ts";

/** Answers only GET /metrics. `hosts`: accepted Host names besides this machine's own. */
export function scrapeListener(metrics: Metrics, hosts: readonly string[], log: Log): RequestListener {
  const isKnownHost = knownHosts(hosts);
  return (message, response) => {
    if (!isKnownHost(message)) {
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

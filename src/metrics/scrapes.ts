import type { RequestListener } from "node:http";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "./metrics.ts";

/** Answers GET /metrics and nothing else. */
export function scrapeListener(metrics: Metrics, log: Log): RequestListener {
  return (message, response) => {
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
        log.error("metrics could not be read", error);
        response.writeHead(500, { "content-type": "text/plain" }).end("see the log\n");
      },
    );
  };
}

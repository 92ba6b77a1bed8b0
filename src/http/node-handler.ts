import type { H3 } from "h3";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { FastResponse } from "srvx";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import type { Log } from "../lib/log.ts";

/** Everything of an answer, as it goes out. `lines`: names and values of its headers, in turns. */
export type Outgoing = { status: number; reason: string | undefined; lines: string[]; body: string | Uint8Array };

/** A Response for h3, which still knows what it was made of. */
class Reply extends FastResponse {
  readonly outgoing: Outgoing;

  constructor(outgoing: Outgoing) {
    super(null, { status: outgoing.status });
    this.outgoing = outgoing;
  }
}

/** The same for h3. A body's answer to HEAD has no length, and goes out by srvx's own function. */
export function responseOf(outgoing: Outgoing, method: string): Response {
  if (method !== "HEAD" || outgoing.body === "") return new Reply(outgoing);
  const { status, reason, lines } = outgoing;
  const headers = new Headers();
  for (let at = 0; at < lines.length; at += 2)
    if (lines[at] !== "content-length") headers.append(lines[at] ?? "", lines[at + 1] ?? "");
  return new FastResponse(null, { status, statusText: reason ?? "", headers });
}

export type Router = {
  /** Finds the route of any request. */
  app: H3;
  /** Answers a request for exactly a route's path, without h3; undefined for any other. */
  answerExact(message: IncomingMessage): Promise<Outgoing> | undefined;
};

/**
 * Connects the router to Node's server. Answers that are ready in the same turn of the event loop are written one after the other at its end,
 * each in one write: a write that wakes its receiver costs as much as all the rest of a validate, and a receiver that is awake already
 * costs next to nothing (docs/decisions/0021).
 */
export function nodeHandler({ app, answerExact }: Router, log: Log): RequestListener {
  let ready: [response: ServerResponse, outgoing: Outgoing][] = [];

  function fail(response: ServerResponse, error: unknown): void {
    log.error("an answer could not be sent", error);
    response.destroy();
  }

  function flush(): void {
    const now = ready;
    ready = [];
    for (const [response, outgoing] of now) {
      try {
        send(response, outgoing);
      } catch (error) {
        // A header that cannot be sent is a mistake of ours, and must cost nobody else's answer.
        fail(response, error);
      }
    }
  }

  function put(response: ServerResponse, outgoing: Outgoing): void {
    if (ready.push([response, outgoing]) === 1) setImmediate(flush);
  }

  async function answerByRoute(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await app.fetch(new NodeRequest({ req: message, res: response }));
    if (reply instanceof Reply) put(response, reply.outgoing);
    else await sendNodeResponse(response, reply);
  }

  return (message, response) => {
    const answer = answerExact(message)?.then((outgoing) => put(response, outgoing));
    (answer ?? answerByRoute(message, response)).catch((error: unknown) => fail(response, error));
  };
}

function send(response: ServerResponse, { status, reason, lines, body }: Outgoing): void {
  response.writeHead(status, reason, lines);
  response.end(body);
}

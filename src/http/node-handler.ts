import type { H3 } from "h3";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { FastResponse } from "srvx";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import type { Log } from "../lib/log.ts";

/** Everything of an answer, as it goes out. */
type Outgoing = { status: number; reason: string | undefined; headers: [string, string][]; body: string | Uint8Array };

/** What the router answers: a Response for h3, which still knows what it was made of. */
export class Reply extends FastResponse {
  readonly outgoing: Outgoing;

  constructor(outgoing: Outgoing) {
    const { status, reason, headers, body } = outgoing;
    super(body === "" ? null : body, { status, statusText: reason, headers });
    this.outgoing = outgoing;
  }
}

/**
 * Connects the router to Node's server. Answers that are ready in the same turn of the event loop are written one after the other at its end,
 * each in one write: a write that wakes its receiver costs as much as all the rest of a validate, and a receiver that is awake already
 * costs next to nothing (docs/decisions/0021).
 */
export function nodeHandler(app: H3, log: Log): RequestListener {
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

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await app.fetch(new NodeRequest({ req: message, res: response }));
    if (!(reply instanceof Reply)) {
      await sendNodeResponse(response, reply);
      return;
    }
    if (ready.push([response, reply.outgoing]) === 1) setImmediate(flush);
  }

  return (message, response) => {
    answer(message, response).catch((error: unknown) => fail(response, error));
  };
}

function send(response: ServerResponse, { status, reason, headers, body }: Outgoing): void {
  const lines = ["content-length", String(Buffer.byteLength(body))];
  for (const [name, value] of headers) lines.push(name, value);
  response.writeHead(status, reason, lines);
  response.end(body);
}

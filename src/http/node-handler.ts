import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable, pipeline } from "node:stream";
import type { Log } from "../lib/log.ts";

/** An answer. `lines`: header names and values, alternating. `stream`: in place of the body. */
export type Outgoing = {
  status: number;
  reason: string | undefined;
  lines: string[];
  body: string | Uint8Array;
  stream?: AsyncIterable<string> | undefined;
};

/** Answers a request. Throws or rejects only for a bug. */
export type Router = (message: IncomingMessage) => Promise<Outgoing>;

/**
 * Connects the router to Node's server. Answers that are ready in the same event-loop turn are
 * written together at its end, each in one write. A write that wakes its receiver costs as much as
 * the rest of a validate; further ones cost little (docs/decisions/0021).
 */
export function nodeHandler(router: Router, log: Log): RequestListener {
  let ready: [response: ServerResponse, outgoing: Outgoing][] = [];

  function fail(response: ServerResponse, error: unknown): void {
    log.error("a response could not be sent", error);
    response.destroy();
  }

  function flush(): void {
    const now = ready;
    ready = [];
    for (const [response, outgoing] of now) {
      try {
        send(response, outgoing, log);
      } catch (error) {
        // An invalid header is our mistake and must not prevent other answers.
        fail(response, error);
      }
    }
  }

  function put(response: ServerResponse, outgoing: Outgoing): void {
    if (ready.push([response, outgoing]) === 1) setImmediate(flush);
  }

  return (message, response) => {
    try {
      router(message).then(
        (outgoing) => put(response, outgoing),
        (error: unknown) => fail(response, error),
      );
    } catch (error) {
      fail(response, error);
    }
  };
}

function send(response: ServerResponse, { status, reason, lines, body, stream }: Outgoing, log: Log): void {
  response.writeHead(status, reason, lines);
  if (stream) {
    // One batch at a time, as the client reads. An error cuts the connection, so that nobody takes
    // a part for the whole.
    pipeline(Readable.from(stream), response, (error) => {
      if (error && error.code !== "ERR_STREAM_PREMATURE_CLOSE") log.error("a response was cut", error);
    });
  } else if (body.length <= pieceBytes) response.end(body);
  // The client hung up: nobody to answer, and not our failure.
  else
    pipeline(Readable.from(piecesOf(typeof body === "string" ? Buffer.from(body) : body)), response, () => undefined);
}

/** Sent in pieces, so that connections.ts can see whether a slow client reads. */
const pieceBytes = 64 * 1024;

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

import { hash } from "node:crypto";
import type { AppError } from "../lib/errors.ts";
import type { HttpRequest } from "./request.ts";
import { withoutBlanks } from "../lib/text.ts";

/** A handler's answer. Header names are lower case; the server adds the common headers. */
export type Answer = {
  status: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string | Uint8Array;
  /** In place of the body, sent as it comes; for exports of the console only. */
  stream?: AsyncIterable<string>;
  /** The error behind a page that shows it in its own words, for log, metrics and audit. */
  error?: AppError;
};

export function json(value: unknown, status = 200): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify(value),
  };
}

/** 303: the browser follows with GET and never resends a form's body (RFC 9700 §4.12). */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": "no-store" }, body: "" };
}

/** Adds an ETag; answers 304 without a body if the client has it (RFC 9110 §13.1.2). */
export function unlessKnown(request: HttpRequest, answer: Answer): Answer {
  const tag = `"${hash("sha256", answer.body, "base64url").slice(0, 22)}"`;
  const headers: Record<string, string> = { ...answer.headers, etag: tag };
  const tags = request.header("if-none-match")?.split(",") ?? [];
  if (!tags.some((knownTag) => ["*", tag].includes(withoutBlanks(knownTag).replace(/^W\//u, ""))))
    return { ...answer, headers };
  const { "content-type": _type, "content-encoding": _encoding, ...kept } = headers;
  return { status: 304, headers: kept, body: "" };
}

/** Public and the same for everyone: caches may keep it. Its route is `browser("everybody", …)`. */
export function forEverybody(request: HttpRequest, { headers, ...answer }: Answer, maxAgeSeconds: number): Answer {
  const shared = { ...headers, "cache-control": `public, max-age=${maxAgeSeconds}` };
  return unlessKnown(request, { ...answer, headers: shared });
}

import type { AppError } from "../lib/errors.ts";

/** What a handler answers. Header names are lower-case; the server adds those that every answer carries. */
export type Answer = {
  status: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string | Uint8Array;
  /** What a page shows in words of its own, for the log, the metrics and the audit. */
  error?: AppError;
};

export function json(value: unknown, status = 200): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify(value),
  };
}

/** 303: the browser follows with GET, and never repeats the body of a form (RFC 9700 §4.12). */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": "no-store" }, body: "" };
}

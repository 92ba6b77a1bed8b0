import type { Route } from "../../../src/http/route.ts";
import type { RawAnswer } from "../../support/raw-http.ts";
import { canary } from "./values.ts";

/**
 * The closed list of codes, and their statuses
 * (docs/spec/http-api.md, 7; docs/spec/decisions.md, 3).
 */
const codes: Record<number, string[]> = {
  400: ["INVALID_REQUEST"],
  401: ["INVALID_APP_ID", "INVALID_API_KEY", "INVALID_TOKEN"],
  403: ["INSUFFICIENT_SCOPE"],
  404: ["INVALID_REQUEST", "USER_NOT_FOUND", "METHOD_NOT_FOUND"],
  405: ["INVALID_REQUEST"],
  408: ["INVALID_REQUEST"],
  409: ["INVALID_REQUEST"],
  410: ["INVALID_REQUEST"],
  413: ["INVALID_REQUEST"],
  415: ["INVALID_REQUEST"],
  429: ["RATE_LIMITED"],
  431: ["INVALID_REQUEST"],
};

/**
 * Every header that the service ever sends. One that is not here was written by whoever sent the
 * request.
 */
const knownHeaders = new Set(
  "access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers access-control-max-age allow cache-control connection content-disposition content-encoding content-length content-security-policy content-type cross-origin-opener-policy cross-origin-resource-policy date etag keep-alive location pragma referrer-policy retry-after set-cookie vary www-authenticate x-content-type-options x-frame-options x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-request-id".split(
    " ",
  ),
);

export type Sent = {
  route: Route;
  /** Whether nothing but this route can have answered. */
  isPlain: boolean;
  toHead: boolean;
  /** Where an answer may lead: beginnings of addresses. */
  mayLeadTo: string[];
};

/** What is wrong with an answer, in sentences; nothing when it is as the contract says. */
export function complaintsAbout(answer: RawAnswer, { route, isPlain, toHead, mayLeadTo }: Sent): string[] {
  const { status, headers, body } = answer;
  const complaints: string[] = [];
  const must = (holds: boolean, complaint: string): void => {
    if (!holds) complaints.push(complaint);
  };
  const type = headers.get("content-type") ?? "";
  must(status >= 200 && status < 500, `status ${status}`);
  must(/^req_[0-9a-f]{32}$/u.test(headers.get("x-request-id") ?? ""), "no X-Request-Id");
  for (const name of headers.keys()) must(knownHeaders.has(name), `the header ${name} is none of ours`);
  for (const [name, value] of headers)
    must(name === "location" || !value.includes(canary), `${name} repeats what was sent`);
  must(headers.get("x-content-type-options") === "nosniff", "no nosniff");
  must(headers.get("referrer-policy") === "no-referrer", "no Referrer-Policy");
  must(headers.get("cross-origin-resource-policy") === "same-origin", "no Cross-Origin-Resource-Policy");
  must(toHead || [204, 304].includes(status) || headers.has("content-length"), "no Content-Length");
  const location = headers.get("location");
  must(
    location === undefined || (status === 303 && mayLeadTo.some((start) => location.startsWith(start))),
    `leads to ${location}`,
  );
  if (toHead) return complaints;

  if (type.startsWith("text/html")) {
    must(route.errors === "page" || !isPlain, "a page where there is none");
    must(type === "text/html; charset=utf-8", "a page without its charset");
    must(/^<!doctype html>/iu.test(body), "a page that is none");
    must(!body.includes(`<${canary}`), "a page holds markup that was sent");
    must(headers.get("cache-control") === "no-store", "a page may be kept");
    must(headers.get("x-frame-options") === "DENY", "a page may be framed");
    must(/default-src 'none'.*frame-ancestors 'none'/u.test(headers.get("content-security-policy") ?? ""), "no policy");
    return complaints;
  }
  if (status < 400) {
    if (body !== "" && type.startsWith("application/json")) must(isJson(body), "an answer that is no JSON");
    return complaints;
  }
  must(!(route.errors === "page" && isPlain) || [400, 431].includes(status), "no page where a person waits for one");
  must(type === "application/json; charset=utf-8", `an error of type ${type}`);
  must(headers.get("cache-control") === "no-store", "an error may be kept");
  must(status !== 429 || headers.has("retry-after"), "no Retry-After");
  must(status !== 405 || headers.has("allow"), "no Allow");
  if (!isJson(body)) return [...complaints, `an error that is no JSON: ${body}`];
  const isOAuth = typeof (JSON.parse(body) as { error?: unknown } | null)?.error === "string";
  // What is no HTTP is refused before there is a route.
  must(
    isOAuth === (route.errors === "oauth") || !isPlain || [400, 408, 431].includes(status),
    "the other error object",
  );
  if (isOAuth) return [...complaints, ...complaintsAboutOAuthError(JSON.parse(body))];
  return [...complaints, ...complaintsAboutError(JSON.parse(body), status, headers.get("x-request-id"))];
}

/** The error object of RFC 6749 §5.2. */
function complaintsAboutOAuthError(body: unknown): string[] {
  const { error, error_description: description, ...others } = body as Record<string, unknown>;
  const complaints: string[] = [];
  if (!/^[a-z_]+$/u.test(String(error))) complaints.push(`the OAuth error ${String(error)}`);
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/u.test(String(description)))
    complaints.push("a description of other characters");
  if (Object.keys(others).length > 0) complaints.push("other fields");
  if (String(description).includes(canary)) complaints.push("repeats what was sent");
  return complaints;
}

/** The error object, to the letter (docs/spec/http-api.md, 7; docs/spec/decisions.md, 3). */
export function complaintsAboutError(body: unknown, status: number, requestId: string | undefined): string[] {
  const error = (body as { error?: Record<string, unknown> } | null)?.error;
  if (typeof error !== "object" || Object.keys(body as object).join() !== "error") return ["not the error object"];
  const { code, message, details } = error;
  const complaints: string[] = [];
  if (Object.keys(error).toSorted().join() !== "code,details,message,requestId") complaints.push("other fields");
  if (!codes[status]?.includes(String(code))) complaints.push(`${status} with the code ${String(code)}`);
  if (typeof message !== "string" || !/\S/u.test(message)) complaints.push("no message");
  if (typeof details !== "string") complaints.push("details that are no text");
  if (error["requestId"] !== requestId) complaints.push("another request id");
  const said = `${String(message)} ${String(details)}`;
  if (said.includes(canary)) complaints.push(`repeats what was sent: ${said}`);
  // The name of an unknown key or parameter is the sender's own, and is told back
  // (docs/spec/decisions.md, 3).
  const ours = said.replace(/unknown (?:key|parameter) (?:"(?:[^"\\]|\\.)*"(?:, )?)+/u, "unknown name");
  if (/https?:\/\/|\bselect\b.*\bfrom\b|\bat \S+:\d+|node_modules|\.ts\b/iu.test(ours))
    complaints.push(`tells of the inside: ${said}`);
  return complaints;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

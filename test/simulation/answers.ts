/** What every answer must be, whoever asked: as openapi.json and docs/spec/decisions.md, 3, say. */
import { createDescription } from "../support/openapi.ts";
import type { Got, Sent } from "./node.ts";

const description = createDescription();

/** The statuses of each code (docs/spec/http-api.md, 7, and docs/spec/decisions.md, 3). */
const statuses: Record<string, readonly number[]> = {
  INVALID_APP_ID: [401],
  INVALID_API_KEY: [401],
  INVALID_TOKEN: [401],
  INSUFFICIENT_SCOPE: [403],
  USER_NOT_FOUND: [404],
  METHOD_NOT_FOUND: [404],
  INVALID_REQUEST: [400, 404, 405, 409, 410, 413, 415],
  RATE_LIMITED: [429],
  SERVER_ERROR: [500],
};
/** Documents that are the same for everybody, which caches may keep. */
const isKept = /^\/(?:\.well-known\/|openapi\.json|api\/config|assets\/|pictures\/|console\/(?:assets|pictures)\/)/u;
const pagePolicy = ["default-src 'none'", "base-uri 'none'", "frame-ancestors"];

type Told = { path: string; operation: string | undefined; headers: Map<string, string>; body: unknown };

/** What is wrong with an answer; undefined if nothing is. */
export function problemOf(sent: Sent, got: Got): string | undefined {
  const { pathname: path } = new URL(sent.path, "http://localhost");
  const headers = new Map(got.headers);
  const isJson = headers.get("content-type")?.includes("json") === true;
  const operation = sent.listener === "service" ? description.operationOf(sent.method, path) : undefined;
  const told = { path, operation, headers, body: isJson && got.body !== "" ? JSON.parse(got.body) : undefined };
  return (
    problemOfHeaders(sent, got, told) ??
    problemOfCookies(got) ??
    (sent.listener === "doors" ? undefined : problemOfError(got, told)) ??
    (operation !== undefined && (isJson || got.body === "")
      ? description.problemOf(operation, got.status, told.body) || undefined
      : undefined)
  );
}

function problemOfHeaders(sent: Sent, { status, headers: lines }: Got, { path, headers }: Told): string | undefined {
  const isPage = headers.get("content-type")?.startsWith("text/html") === true;
  const policy = headers.get("content-security-policy") ?? "";
  const once = lines.filter(([name]) => name !== "set-cookie");
  if (new Set(once.map(([name]) => name)).size !== once.length) return "a header came twice";
  if (sent.listener === "doors") return undefined;
  if (!/^req_[0-9a-f]{32}$/u.test(headers.get("x-request-id") ?? "")) return "it has no request id";
  if (headers.get("x-content-type-options") !== "nosniff") return "its type may be guessed";
  if (headers.get("referrer-policy") === undefined) return "it says nothing about referrers";
  if (status === 401 && sent.listener === "service" && !isPage && !headers.has("www-authenticate"))
    return "it is 401 without a challenge";
  if (status === 405 && !headers.has("allow")) return "it does not say what is allowed";
  if (status === 429 && !headers.has("retry-after")) return "it does not say when to try again";
  if (isPage && !pagePolicy.every((part) => policy.includes(part))) return `a page may load anything: ${policy}`;
  if (!isKept.test(path) && status !== 304 && headers.get("cache-control")?.includes("no-store") !== true)
    return `it may be kept: ${headers.get("cache-control")}`;
  const limit = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
  if (limit.some((each) => each !== undefined) && !limit.every((each) => /^\d+$/u.test(each ?? "")))
    return `its limit is ${limit.join(", ")}`;
  return undefined;
}

function problemOfCookies({ headers }: Got): string | undefined {
  const cookies = headers.filter(([name]) => name === "set-cookie").map(([, line]) => line);
  const kept = cookies.filter((line) => !hasPart(line, "max-age=0"));
  const bad = kept.find((line) => !["httponly", "samesite=lax", "path=/"].every((part) => hasPart(line, part)));
  return bad === undefined ? undefined : `a cookie is ${bad.replace(/=[^;]*/u, "=…")}`;
}

function hasPart(line: string, part: string): boolean {
  return line.toLowerCase().split("; ").includes(part);
}

function problemOfError({ status }: Got, { path, headers, body }: Told): string | undefined {
  const error = (body as { error?: unknown } | undefined)?.error;
  if (status < 400 || body === undefined || path.startsWith("/oauth2/")) return undefined;
  const { code, details, message, requestId } = { ...(error as Record<string, string>) };
  if (code === undefined || statuses[code]?.includes(status) !== true) return `${status} is ${code}`;
  if (requestId !== headers.get("x-request-id")) return "its error is of another request";
  if (typeof details !== "string" || message === "") return "its error says nothing";
  return undefined;
}

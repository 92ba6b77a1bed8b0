import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { AppError, invalidRequest, oauthError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { clip, isStorable, withoutBlanks } from "../lib/text.ts";
import { isTimeZone, timeZoneCookie } from "../lib/time-zone.ts";
import { readTrace } from "../lib/trace.ts";
import { prefersHtml } from "./accept.ts";
import { parseCookies } from "./cookies.ts";
import { parseJson } from "./json-body.ts";
import { parsePairs, parseQuery } from "./query.ts";
import { whenClosed } from "./when-closed.ts";

/** Kinds of body that a route takes. Forms of the console post what they showed, too. */
const bodyBytes = { form: 16 * 1024, console: 256 * 1024 };

export type BodyKind = keyof typeof bodyBytes;

export const maxBodyBytes = bodyBytes.form;
/** Of a form with a file. Larger files are refused, but up to here by a page that says why. */
export const maxUploadBytes = Math.floor(2.1 * 2 ** 20);
/** The token is the first field of such a form. */
const maxBytesBeforeToken = 1024;

/** A request as handlers see it. Untrusted, except `id` and `ipAddress`. */
export class HttpRequest {
  readonly id: string;
  readonly ipAddress: string;
  /** The `:name` parts of the route's path, still percent-encoded. */
  readonly parameters: Record<string, string>;
  /** Milliseconds of the answer that were waited by design, such as by a long poll. */
  waited = 0;
  readonly #message: IncomingMessage;
  readonly #maxBytes: number;
  #form: Promise<Map<string, string>> | undefined;
  #file: Uint8Array | undefined;
  #cookies: Map<string, string> | undefined;

  constructor(
    id: string,
    message: IncomingMessage,
    ipAddress: string,
    {
      parameters,
      takes = "form",
    }: { parameters?: Record<string, string> | undefined; takes?: BodyKind | undefined } = {},
  ) {
    this.#maxBytes = bodyBytes[takes];
    this.id = id;
    this.#message = message;
    this.ipAddress = ipAddress;
    this.parameters = parameters ?? {};
  }

  get method(): string {
    return this.#message.method ?? "";
  }

  /** As requested: not decoded, with the query. */
  get path(): string {
    return this.#message.url ?? "";
  }

  /** The address of the socket's other end, to check whether it is a trusted proxy. */
  get peer(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  /** Identify the request in the log: our id and the caller's trace id, if any. */
  get logFields(): { requestId: string; traceId?: string } {
    const trace = readTrace(this.header("traceparent"), undefined);
    return trace ? { requestId: this.id, traceId: trace.traceId } : { requestId: this.id };
  }

  /** Load balancers request these over plain HTTP, from their own addresses. */
  get isHealthCheck(): boolean {
    return this.#message.url === "/healthz" || this.#message.url === "/readyz";
  }

  /**
   * Whether a browser navigates here. A credential header or a JSON body means a program: some HTTP
   * clients (Java's HttpURLConnection) prefer HTML by default.
   */
  get isNavigation(): boolean {
    if (this.header("authorization") !== undefined || this.header("x-service-app-id") !== undefined) return false;
    if (this.header("content-type")?.includes("json") === true) return false;
    return prefersHtml(this.header("accept") ?? "");
  }

  /** Link previews and prefetches must not have the effects of a person's visit. */
  get onlyLooks(): boolean {
    return this.method === "HEAD" || /prefetch|preview/u.test(this.header("sec-purpose") ?? "");
  }

  /** Waits for something that takes long by design, which does not count as slow. */
  async waitFor<T>(something: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await something;
    } finally {
      this.waited += performance.now() - startedAt;
    }
  }

  header(
    name:
      | "accept"
      | "accept-encoding"
      | "accept-language"
      | "access-control-request-method"
      | "authorization"
      | "content-type"
      | "cookie"
      | "dpop"
      | "host"
      | "hx-request"
      | "if-none-match"
      | "origin"
      | "sec-fetch-dest"
      | "sec-fetch-mode"
      | "sec-fetch-site"
      | "sec-purpose"
      | "traceparent"
      | "tracestate"
      | "turbo-frame"
      | "user-agent"
      | "webhook-id"
      | "webhook-signature"
      | "webhook-timestamp"
      | "x-console-live"
      | "x-forwarded-proto"
      | "x-requested-with"
      | "x-service-app-id",
  ): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** The received body. */
  get message(): IncomingMessage {
    return this.#message;
  }

  /** Calls `act` when the caller hangs up, unless the returned function was called before. */
  whenGone(act: () => void): () => void {
    return whenClosed(this.#message.socket, act);
  }

  parameter(name: string): string {
    return this.parameters[name] ?? "";
  }

  /** The query's parameters. Throws INVALID_REQUEST as `parseQuery` does. */
  query(): Map<string, string> {
    return parseQuery(this.#queryText());
  }

  /** The query's parameters, also repeated ones. Throws INVALID_REQUEST as `parsePairs` does. */
  queryPairs(): [name: string, value: string][] {
    return parsePairs(this.#queryText());
  }

  #queryText(): string {
    const address = this.#message.url ?? "";
    const start = address.indexOf("?");
    return start === -1 ? "" : address.slice(start + 1);
  }

  cookies(): Map<string, string> {
    return (this.#cookies ??= parseCookies(this.header("cookie") ?? ""));
  }

  /**
   * Parses the body by `schema`. Throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, or INVALID_REQUEST
   * naming the field and the rule.
   */
  async json<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
    this.#requireMediaType("application/json");
    return parseBody(schema, parseJson(await this.#bytes()));
  }

  /** The unparsed body of a JSON request, for verifying a signature. Throws as `json` does. */
  async jsonText(): Promise<string> {
    this.#requireMediaType("application/json");
    return Buffer.from(await this.#bytes()).toString("utf8");
  }

  /** Like `json`, but treats an empty body of any content type as an empty object. */
  async optionalJson<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
    const { "content-length": length = "0", "transfer-encoding": encoding } = this.#message.headers;
    if (length === "0" && encoding === undefined) return schema.parse({});
    this.#requireMediaType("application/json");
    const bytes = await this.#bytes();
    return parseBody(schema, bytes.length === 0 ? {} : parseJson(bytes));
  }

  /**
   * The fields of a posted HTML form; a guard and a handler may both ask. Throws INVALID_REQUEST
   * for a duplicate field.
   */
  form(): Promise<Map<string, string>> {
    this.#form ??= this.#readForm();
    return this.#form;
  }

  /**
   * The same for a form with a file, which may be large. Undefined if its token is not `isOurs`,
   * without keeping the rest.
   */
  async upload(isOurs: (token: string | undefined) => boolean): Promise<Map<string, string> | undefined> {
    this.#requireMediaType("multipart/form-data");
    const body = await this.#bytes(maxUploadBytes, (head) => isOurs(tokenAtStart(head)));
    if (body === undefined) return undefined;
    const headers = { "content-type": this.header("content-type") ?? "" };
    let parsed: FormData;
    try {
      // oxlint-disable-next-line typescript/no-deprecated -- its size is bounded
      parsed = await new Response(body, { headers }).formData();
    } catch (error) {
      throw invalidRequest("form", "not a complete multipart/form-data body", error);
    }
    const fields = new Map<string, string>();
    for (const [name, value] of parsed) {
      if (fields.has(name) || (typeof value !== "string" && this.#file))
        throw invalidRequest("form", "a field is given twice");
      if (typeof value !== "string") this.#file = new Uint8Array(await value.arrayBuffer());
      else if (isStorable(name + value)) fields.set(name, value);
      else throw invalidRequest("form", "a field contains NUL or an unpaired surrogate");
    }
    if (!isOurs(fields.get("token"))) return undefined;
    this.#form = Promise.resolve(fields);
    return fields;
  }

  /** The file of an upload. */
  get file(): Uint8Array | undefined {
    return this.#file;
  }

  async #readForm(): Promise<Map<string, string>> {
    const fields = new Map<string, string>();
    for (const [name, value] of await this.formPairs()) {
      // Omitted, as at the authorization endpoint.
      if (name === "resource" && value === "") continue;
      // RFC 8707 allows several resources, and an error for too many.
      if (fields.has(name) && name === "resource") throw oauthError("invalid_target", "resource: only one");
      if (fields.has(name)) throw invalidRequest("form", "a field is given twice");
      fields.set(name, value);
    }
    return fields;
  }

  /** The fields of a form, also repeated ones. Throws INVALID_REQUEST. */
  async formPairs(): Promise<[name: string, value: string][]> {
    this.#requireMediaType("application/x-www-form-urlencoded");
    const pairs = [...new URLSearchParams(Buffer.from(await this.#bytes()).toString("utf8"))];
    if (!pairs.flat().every(isStorable)) throw invalidRequest("form", "a field contains NUL or an unpaired surrogate");
    return pairs;
  }

  #requireMediaType(wanted: string): void {
    const [mediaType = "", ...parameters] = (this.header("content-type") ?? "")
      .split(";")
      .map((part) => withoutBlanks(part).toLowerCase());
    const utf8 = parameters.every(
      (parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/u.test(parameter),
    );
    if (this.#message.headers["content-encoding"] !== undefined) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The content encoding is not supported.", {
        details: "content-encoding: send the body uncompressed",
      });
    }
    if (mediaType !== wanted || !utf8) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The content type is not supported.", {
        details: `content-type: ${wanted}`,
      });
    }
  }

  async #bytes(): Promise<Uint8Array>;
  async #bytes(maxBytes: number, accepts: (head: Uint8Array) => boolean): Promise<Uint8Array<ArrayBuffer> | undefined>;
  async #bytes(maxBytes = this.#maxBytes, accepts?: (head: Uint8Array) => boolean): Promise<Uint8Array | undefined> {
    const message = this.#message;
    if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    if (message.destroyed && !message.readableEnded) throw invalidRequest("body", "ended early");
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isLookedAt = accepts === undefined;
    // Events instead of an iterator, for speed: every call with a body runs this.
    message.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      // Keep reading and drop the rest: unread data would block the next request on this
      // connection.
      else reject(bodyTooLarge(maxBytes));
      if (isLookedAt || size < maxBytesBeforeToken) return;
      isLookedAt = true;
      if (accepts?.(Buffer.concat(chunks).subarray(0, maxBytesBeforeToken)) !== false) return;
      size = Number.POSITIVE_INFINITY;
      resolve(undefined);
    });
    message.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The client hung up and will not read this, but the log must not show it as our failure.
    message.once("error", (error) => reject(invalidRequest("body", "ended early", error)));
    message.once("close", () => {
      if (!message.readableEnded) reject(invalidRequest("body", "ended early"));
    });
    return await promise;
  }
}

/** The first field of a multipart form, if it is the token. */
function tokenAtStart(head: Uint8Array): string | undefined {
  return /^--.*\r\n.*name="token"\r\n\r\n([\w.-]*)\r\n/iu.exec(Buffer.from(head).toString("latin1"))?.[1];
}

function bodyTooLarge(maxBytes: number): AppError {
  const message =
    maxBytes === maxUploadBytes
      ? "The file is too large. Make the picture smaller: 512 × 512 pixels are enough."
      : "The request body is too large.";
  return new AppError("BODY_TOO_LARGE", message, {
    details: `body: at most ${maxBytes} bytes`,
  });
}

/** The client details that are stored with a sign-in or an audit entry. */
export function sourceOf(request: HttpRequest): RequestSource {
  const userAgent = request.header("user-agent");
  return {
    ipAddress: request.ipAddress,
    userAgent: userAgent === undefined ? null : clip(userAgent, 512),
    timeZone: timeZoneOf(request) ?? null,
    requestId: request.id,
  };
}

/** The browser's time zone, as reported by the pages' script. */
export function timeZoneOf(request: HttpRequest): string | undefined {
  const name = request.cookies().get(timeZoneCookie);
  return name !== undefined && isTimeZone(name) ? name : undefined;
}

/**
 * Parses the body by `schema`; `null` for an optional field counts as omitted. Throws
 * INVALID_REQUEST.
 */
function parseBody<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  let result = schema.safeParse(value, { error: ownWords });
  if (!result.success && leaveOutNulls(value, result.error.issues))
    result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw issue ? refusalOf(issue) : invalidRequest("body", "not as documented");
}

/** Removes members that were rejected for being null; true if there were any. */
function leaveOutNulls(value: unknown, issues: z.core.$ZodIssue[]): boolean {
  let found = false;
  for (const { path } of issues) {
    let parent = value;
    for (const step of path.slice(0, -1)) parent = (parent as Record<PropertyKey, unknown> | undefined)?.[step];
    const name = path.at(-1);
    if (name === undefined || typeof parent !== "object" || parent === null || Array.isArray(parent)) continue;
    if ((parent as Record<PropertyKey, unknown>)[name] !== null) continue;
    Reflect.deleteProperty(parent, name);
    found = true;
  }
  return found;
}

/** For rules without a message: callers never see the library's text. */
function ownWords({ code, expected }: z.core.$ZodRawIssue): string | undefined {
  if (code === "unrecognized_keys") return undefined;
  return code === "invalid_type" && expected === "object" ? "must be a JSON object" : "not as documented";
}

/** The field and the rule of a zod issue, with no input except the names of unknown keys. */
function refusalOf(issue: z.core.$ZodIssue): AppError {
  const field = issue.path.length > 0 ? issue.path.join(".") : "body";
  if (issue.code !== "unrecognized_keys") return invalidRequest(field, issue.message);
  const keys = issue.keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 64)));
  return invalidRequest(field, `unknown key ${keys.join(", ")}`);
}

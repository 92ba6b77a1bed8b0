import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Origin } from "../audit/audit.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { clip, isStorable } from "../lib/text.ts";
import { readTrace } from "../lib/trace.ts";
import { parseJson } from "./json-body.ts";
import { parseQuery } from "./query.ts";

const mostBodyBytes = 16 * 1024;

/** One request, as handlers see it. Everything in it was chosen by a stranger, but for `id` and `ipAddress`. */
export class HttpRequest {
  readonly id: string;
  readonly ipAddress: string;
  /** Values of the `:name` parts of the route's path, still percent-encoded. */
  readonly parameters: Record<string, string>;
  readonly #message: IncomingMessage;

  constructor(id: string, message: IncomingMessage, ipAddress: string, parameters: Record<string, string> | undefined) {
    this.id = id;
    this.#message = message;
    this.ipAddress = ipAddress;
    this.parameters = parameters ?? {};
  }

  get method(): string {
    return this.#message.method ?? "";
  }

  /** As it was asked for: nothing decoded, and with the query. */
  get path(): string {
    return this.#message.url ?? "";
  }

  /** The address of the socket's other end, for the question whether it is a trusted proxy. */
  get peer(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  /** By which a log line is found again: our id and, where the caller traces its calls, theirs. */
  get logFields(): { requestId: string; traceId?: string } {
    const trace = readTrace(this.header("traceparent"), undefined);
    return trace ? { requestId: this.id, traceId: trace.traceId } : { requestId: this.id };
  }

  /** Load balancers ask for these over plain http, from addresses of their own. */
  get isHealthCheck(): boolean {
    return this.#message.url === "/healthz" || this.#message.url === "/readyz";
  }

  header(
    name:
      | "accept-encoding"
      | "accept-language"
      | "access-control-request-method"
      | "authorization"
      | "content-type"
      | "cookie"
      | "host"
      | "origin"
      | "sec-fetch-site"
      | "sec-purpose"
      | "traceparent"
      | "tracestate"
      | "user-agent"
      | "x-forwarded-proto"
      | "x-service-app-id",
  ): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  parameter(name: string): string {
    return this.parameters[name] ?? "";
  }

  /** The parameters of the query. Throws INVALID_REQUEST, for one that is given twice among others. */
  query(): Map<string, string> {
    const address = this.#message.url ?? "";
    const start = address.indexOf("?");
    return parseQuery(start === -1 ? "" : address.slice(start + 1));
  }

  /** In the order in which they were sent. */
  cookieNames(): string[] {
    return (this.header("cookie") ?? "").split(";").map((pair) => pair.split("=", 1)[0]?.trim() ?? "");
  }

  cookie(name: string): string | undefined {
    for (const pair of (this.header("cookie") ?? "").split(";")) {
      const separator = pair.indexOf("=");
      if (separator > 0 && pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
    }
    return undefined;
  }

  /** The body as `schema` wants it. Throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, INVALID_REQUEST naming the field and the rule. */
  async json<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
    this.#requireMediaType("application/json");
    const value = parseJson(await this.#bytes());
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const issue = result.error.issues[0];
    throw invalidRequest(issue ? describeIssue(issue) : "body: not as documented");
  }

  /** Like `json`; a request without a body counts as an empty object. */
  async optionalJson<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
    const {
      "content-length": length = "0",
      "content-type": type,
      "transfer-encoding": encoding,
    } = this.#message.headers;
    return length === "0" && encoding === undefined && type === undefined ? schema.parse({}) : await this.json(schema);
  }

  /** The fields of a posted HTML form. Throws INVALID_REQUEST for a field that is given twice. */
  async form(): Promise<Map<string, string>> {
    this.#requireMediaType("application/x-www-form-urlencoded");
    const fields = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(Buffer.from(await this.#bytes()).toString("utf8"))) {
      if (fields.has(name)) throw invalidRequest("form: a field is given twice");
      if (!isStorable(name) || !isStorable(value)) throw invalidRequest("form: a field holds NUL or half a character");
      fields.set(name, value);
    }
    return fields;
  }

  #requireMediaType(wanted: string): void {
    const [mediaType = "", ...parameters] = (this.header("content-type") ?? "")
      .split(";")
      .map((part) => part.trim().toLowerCase());
    const utf8 = parameters.every(
      (parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/u.test(parameter),
    );
    if (mediaType !== wanted || !utf8 || this.#message.headers["content-encoding"] !== undefined) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The content type is not supported.", {
        details: `content-type: ${wanted}`,
      });
    }
  }

  async #bytes(): Promise<Uint8Array> {
    const message = this.#message;
    if (Number(message.headers["content-length"] ?? 0) > mostBodyBytes) throw bodyTooLarge();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Events, not an iterator: every call with a body comes this way.
    message.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= mostBodyBytes) chunks.push(chunk);
      // The rest is still read, and dropped: left unread, it would block the next request on this connection.
      else reject(bodyTooLarge());
    });
    message.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Whoever hung up will not read this; it must not look like a failure of ours in the log.
    message.once("error", (error) => reject(invalidRequest("body: ended early", error)));
    message.once("close", () => {
      if (!message.readableEnded) reject(invalidRequest("body: ended early"));
    });
    return await promise;
  }
}

function bodyTooLarge(): AppError {
  return new AppError("BODY_TOO_LARGE", "The request body is too large.", {
    details: `body: at most ${mostBodyBytes} bytes`,
  });
}

/** Where a request came from, for what is remembered of it. */
export function originOf(request: HttpRequest): Origin {
  const userAgent = request.header("user-agent");
  return {
    ipAddress: request.ipAddress,
    userAgent: userAgent === undefined ? null : clip(userAgent, 512),
    requestId: request.id,
  };
}

/** The field and the rule of a zod issue, in words that hold nothing that was sent but the names of extra keys. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.length > 0 ? issue.path.join(".") : "body";
  if (issue.code === "unrecognized_keys")
    return `${field}: unknown key ${issue.keys
      .slice(0, 5)
      .map((key) => JSON.stringify(key.slice(0, 64)))
      .join(", ")}`;
  return `${field}: ${issue.message}`;
}

import type { ErrorCode, Operations } from "./api.ts";
import { AuthsvcError } from "./errors.ts";
import type { Settings } from "./settings.ts";

type Input<Name extends keyof Operations> = Omit<Operations[Name], "answer"> & CallOptions;

export type CallOptions = {
  /** A user's access token. Without one, the call is made with the API key. */
  accessToken?: string;
  /** Whether to retry the call if no response came. Default: only GET and PUT are retried. */
  isRepeatable?: boolean;
  signal?: AbortSignal;
  /** In seconds; overrides the setting. */
  timeoutSeconds?: number;
};

/** The input may be omitted if no field is required. */
type Arguments<Name extends keyof Operations> =
  Record<string, never> extends Omit<Operations[Name], "answer"> ? [input?: Input<Name>] : [input: Input<Name>];

export type Call = <Name extends keyof Operations>(
  operation: Name,
  ...input: Arguments<Name>
) => Promise<Operations[Name]["answer"]>;

const attempts = 3;
/** Longer pauses are left to the caller, because a person may be waiting. */
const maxPause = 3000;

/** Calls the service by method and path, typed from its OpenAPI document. */
export function createCall(settings: Settings): Call {
  const { issuer, appId, apiKey } = settings;

  return async (operation, ...rest) => {
    const input: Partial<{ path: object; query: object; body: unknown }> & CallOptions = rest[0] ?? {};
    const [method = "GET", template = ""] = operation.split(" ");
    const values: Record<string, unknown> = { appId, ...input.path };
    const path = template.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => encodeURIComponent(String(values[name])));
    const url = `${issuer}${path}${queryOf(input.query)}`;
    const headers: Record<string, string> = {
      accept: "application/json",
      authorization: `Bearer ${input.accessToken ?? apiKey}`,
      "x-service-app-id": appId,
    };
    if (input.body !== undefined) headers["content-type"] = "application/json";
    const request = { method, headers, ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }) };
    const isRepeatable = input.isRepeatable ?? (method === "GET" || method === "PUT");
    return (await sendRepeatedly(settings, url, request, isRepeatable, input)) as never;
  };
}

/** GET of a public document of the service. */
export async function getDocument(settings: Settings, path: string): Promise<unknown> {
  return await sendRepeatedly(settings, settings.issuer + path, { method: "GET" }, true, {});
}

/**
 * A call that got 429 had no effect, so it can always be repeated. A call without a response may
 * have had an effect.
 */
export async function sendRepeatedly(
  settings: Settings,
  url: string,
  request: RequestInit,
  isRepeatable: boolean,
  options: CallOptions,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(settings, url, request, options);
    } catch (error) {
      const pause = pauseBefore(attempt, error, isRepeatable);
      if (pause === undefined || options.signal?.aborted === true) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function pauseBefore(attempt: number, error: unknown, isRepeatable: boolean): number | undefined {
  if (attempt === attempts || !(error instanceof AuthsvcError)) return undefined;
  const { code, status = 0, retryAfter } = error;
  const isUnanswered = (code === "UNREACHABLE" && status === 0) || status >= 500;
  if (code !== "RATE_LIMITED" && !(isUnanswered && isRepeatable)) return undefined;
  // Random, so that many servers do not come back at the same moment.
  const pause = (retryAfter ?? 0) * 1000 || (0.5 + Math.random()) * 100 * 4 ** (attempt - 1);
  return pause <= maxPause ? pause : undefined;
}

async function send(settings: Settings, url: string, request: RequestInit, options: CallOptions): Promise<unknown> {
  const seconds = options.timeoutSeconds ?? settings.timeoutSeconds;
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let response: Response;
  let text: string;
  try {
    // A redirect would carry the credentials elsewhere.
    response = await settings.fetch(url, { ...request, signal, redirect: "manual" });
    text = await response.text();
  } catch (cause) {
    const reason = timeout.aborted ? `no answer within ${seconds} seconds` : reasonOf(cause);
    throw new AuthsvcError("UNREACHABLE", `No answer from ${settings.issuer} (AUTHSVC_ISSUER): ${reason}.`, { cause });
  }
  const body = parsed(text);
  if (response.ok && typeof body === "object" && body !== null) return body;
  throw refusal(settings, response, body);
}

function refusal({ issuer }: Settings, response: Response, body: unknown): AuthsvcError {
  const { status, headers } = response;
  const { error } = (body ?? {}) as { error?: { code?: ErrorCode; message?: string; details?: string } };
  const requestId = headers.get("x-request-id") ?? undefined;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const known = { status, requestId, ...(seconds >= 0 ? { retryAfter: seconds } : {}) };
  if (typeof error?.code === "string")
    return new AuthsvcError(error.code, error.message ?? error.code, { ...known, details: error.details });
  // From a proxy in between, or from another program.
  const code = status === 429 ? "RATE_LIMITED" : "UNREACHABLE";
  return new AuthsvcError(code, `${issuer} (AUTHSVC_ISSUER) answered ${status} without an authsvc error.`, known);
}

function queryOf(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? "unknown error";
}

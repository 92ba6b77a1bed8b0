/** A call of the service's API that was not made yet. */
export type ApiCall = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  headers: Record<string, string>;
  /** Sent as JSON. */
  body?: Record<string, unknown>;
  /** Sent as a form, as OAuth 2.0 has it. */
  form?: Record<string, string>;
};

export function post(path: string, headers: Record<string, string>, body: Record<string, unknown>): ApiCall {
  return withBody("POST", path, headers, body);
}

export function withBody(
  method: ApiCall["method"],
  path: string,
  headers: Record<string, string>,
  body: Record<string, unknown>,
): ApiCall {
  return { method, path, headers: { ...headers, "Content-Type": "application/json" }, body };
}

export type Answer = {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** Parsed, if it was JSON. */
  body: unknown;
  milliseconds: number;
};

/** A call that was made. `answer` is null if there was none. */
export type Exchange = { call: ApiCall; answer: Answer | null };

/** The headers that matter to integrators, in the contract's spelling. */
const shownHeaders = ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"];

/** Makes the call like a server, without the browser's cookies. */
export async function send(call: ApiCall): Promise<Exchange> {
  const { method, headers, body, form } = call;
  const start = performance.now();
  try {
    const response = await fetch(call.path, {
      method,
      headers,
      body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
    const text = await response.text();
    return {
      call,
      answer: {
        status: response.status,
        statusText: response.statusText,
        headers: shownHeaders.flatMap((name): [string, string][] => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
        body: parsed(text),
        milliseconds: Math.max(1, Math.round(performance.now() - start)),
      },
    };
  } catch {
    return { call, answer: null };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A text field of an answer; "" if missing. */
export function fieldOf(exchange: Exchange | undefined, name: string): string {
  const body = exchange?.answer?.body;
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function succeeded(exchange: Exchange | undefined): boolean {
  const status = exchange?.answer?.status;
  return status === 200 || status === 201;
}

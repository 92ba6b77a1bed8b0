/** One call of the service's API, before it is made. */
export type ApiCall = {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: Record<string, unknown>;
};

export type Answer = {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** Parsed, where it was JSON. */
  body: unknown;
  milliseconds: number;
};

/** A call that was made. `answer` is null when none came. */
export type Exchange = { call: ApiCall; answer: Answer | null };

/** The headers that tell an integrator something, in the contract's spelling. */
const shownHeaders = ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"];

/** Makes the call as a server would: without the browser's cookies. */
export async function send(call: ApiCall): Promise<Exchange> {
  const { method, headers, body } = call;
  const start = performance.now();
  try {
    const response = await fetch(call.path, {
      method,
      headers,
      body: body && JSON.stringify(body),
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

/** A text field of an answer; "" where it is missing. */
export function fieldOf(exchange: Exchange | undefined, name: string): string {
  const body = exchange?.answer?.body;
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function succeeded(exchange: Exchange | undefined): boolean {
  return exchange?.answer?.status === 200;
}

/** The request of `node:http`, and of every framework that builds on it. */
export type NodeRequest = {
  method?: string;
  url?: string;
  /** Express: the URL before a router removed its prefix. */
  originalUrl?: string;
  headers: Record<string, string | string[] | undefined>;
  socket?: { remoteAddress?: string | undefined };
};

export type NodeResponse = {
  statusCode: number;
  headersSent: boolean;
  appendHeader(name: string, value: string): unknown;
  setHeader(name: string, value: string): unknown;
  hasHeader(name: string): boolean;
  writeHead(status: number, ...rest: never[]): unknown;
  end(body?: string): unknown;
};

/**
 * The origin by the header Host, if that is a host and nothing else: `host/path?` would decide what
 * the path is.
 */
export function originOf(host: unknown): string {
  const origin = `http://${String(host)}`;
  const isHost = typeof host === "string" && /^[\w.:[\]-]+$/u.test(host) && URL.canParse(origin);
  return isHost ? origin : "http://localhost";
}

/** Converts to a Web standard `Request`, without the body. */
export function toRequest({ method = "GET", url = "/", originalUrl = url, headers }: NodeRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(":") ? [] : [[name, String(value)] as [string, string]],
  );
  const base = originOf(headers["host"]);
  // What frameworks route by, also of a request to a proxy (RFC 9112, section 3.2.2).
  const path = originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/iu, "");
  // Joined as text, because `//elsewhere/path` is a path here and not another host.
  const text = base + (/^[/?]/u.test(path) ? path : "/");
  // A malformed URL from a client must not be an error of the application.
  const address = URL.canParse(text) ? text : base;
  const isRefused = /^(?:connect|trace|track)$/iu.test(method);
  return new Request(address, { method: isRefused ? "OPTIONS" : method, headers: kept });
}

export async function send(response: Response, to: NodeResponse): Promise<void> {
  to.statusCode = response.status;
  // Others may be there already: `Cache-Control` of the session, those of CORS.
  for (const [name, value] of response.headers)
    if (name === "set-cookie") to.appendHeader(name, value);
    else to.setHeader(name, value);
  to.end(await response.text());
}

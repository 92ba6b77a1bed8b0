/** The path is kept in a cookie, and browsers limit a cookie to 4,096 bytes. */
const maxPath = 1000;

/** For responses that set a cookie, and by default for those to a signed-in user. */
export const uncached = "private, no-store";

/** A path of this site, or undefined: people are never sent elsewhere. */
export function localPath(text: string | null): string | undefined {
  if (text === null || !text.startsWith("/") || text.length > maxPath) return undefined;
  const base = "https://local.invalid";
  try {
    const url = new URL(text, base);
    const path = url.pathname + url.search + url.hash;
    // `//host` and `/\host` are other sites. `/..//host` becomes one when its dots are resolved.
    const isLocal = url.origin === base && !path.startsWith("//");
    return isLocal && path.length <= maxPath ? path : undefined;
  } catch {
    return undefined;
  }
}

/** A browser that shows the response as a page. */
export function isNavigation({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers.get("sec-fetch-mode");
  return mode === null ? (headers.get("accept") ?? "").includes("text/html") : mode === "navigate";
}

/** A browser that loads a link ahead of time. */
export function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/u.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "");
}

export function redirect(location: string, setCookies: string[]): Response {
  return withCookies(new Response(null, { status: 303, headers: { location } }), setCookies);
}

/**
 * For scripts, in the form of the service's errors. `challenge`: of somebody who is signed in, but
 * not as asked.
 */
export function answer(status: 401 | 403 | 409, message: string, challenge?: string): Response {
  const code = status !== 401 ? "INVALID_REQUEST" : challenge === undefined ? "INVALID_TOKEN" : "INSUFFICIENT_SCOPE";
  const headers = status === 401 ? { "www-authenticate": challenge ?? "Bearer" } : undefined;
  return withCookies(Response.json({ error: { code, message } }, { status, ...(headers && { headers }) }), []);
}

export function errorPage(status: number, message: string, href: string, setCookies: string[]): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><p>${escaped(message)}</p><p><a href="${escaped(href)}">Continue</a></p>`;
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'" };
  return withCookies(new Response(page, { status, headers }), setCookies);
}

function withCookies(response: Response, setCookies: string[]): Response {
  response.headers.set("cache-control", uncached);
  for (const line of setCookies) response.headers.append("set-cookie", line);
  return response;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Whether a request may reach the program behind a host: by host, group and session alone. */
import { assertionHeader, isPlainPath } from "../applications/clients/proxy.ts";
import { parseCookies } from "../http/cookies.ts";
import type { Context } from "../runtime/context.ts";
import { headerIn, plainName, type Asked, type Malformed } from "./asked.ts";
import { loginCookie } from "./cookies.ts";
import * as logins from "./logins.ts";
import type { ProtectedHost, ProxyLogin, Refusal } from "./logins.ts";

export const decisionHeader = "X-Authsvc-Decision";

export type Decision =
  /** The request's path is public. */
  | { kind: "public"; host: ProtectedHost }
  | { kind: "in"; host: ProtectedHost; login: ProxyLogin }
  | { kind: "out"; host: ProtectedHost }
  /** Signed in, and not allowed. */
  | { kind: "refused"; host: ProtectedHost; login: ProxyLogin; refusal: Refusal }
  /** The client sent a header that only an answer of ours may set. */
  | { kind: "forged"; header: string; value: string }
  /** No client has this host, or only a disabled one. */
  | ({ kind: "unknown" } & Malformed);

/** Whether a path is one of these or below, as every program reads it. */
export function isBelow(path: string, prefixes: readonly string[]): boolean {
  return isPlainPath(path) && prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** The headers that a 200 for this client may carry, without `Authorization` and `Cookie`. */
export function carriedHeaders({ headers }: ProtectedHost["proxy"]): string[] {
  const own = headers.map(({ name }) => name).filter((name) => name !== assertionHeader);
  return [...own, ...own.map((name) => `${name}-Omitted`), assertionHeader, decisionHeader];
}

function forgedIn(rawHeaders: readonly string[], host: ProtectedHost): Malformed | undefined {
  const carried = new Set(carriedHeaders(host.proxy).map(plainName));
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    const plain = plainName(name);
    if (carried.has(plain) || plain.startsWith("x-authsvc-")) return { header: name, value };
  }
  return undefined;
}

export async function decide(
  ctx: Context,
  asked: Asked,
  rawHeaders: readonly string[],
  now: number,
): Promise<Decision> {
  const cookie = parseCookies(headerIn(rawHeaders, "cookie") ?? "").get(loginCookie(asked.host));
  const found = await logins.at(ctx, asked.host, cookie, now);
  if (!found) return { kind: "unknown", header: "host", value: asked.host };
  const { host, login } = found;
  const forged = forgedIn(rawHeaders, host);
  if (forged) return { kind: "forged", ...forged };
  if (isBelow(asked.path, host.proxy.publicPaths)) return { kind: "public", host };
  if (!login) return { kind: "out", host };
  const refusal = await logins.refusalOf(ctx, host, login);
  return refusal === undefined ? { kind: "in", host, login } : { kind: "refused", host, login, refusal };
}

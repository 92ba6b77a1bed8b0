/** Whether a request may reach the program behind a host: by host, group and session alone. */
import { acrOf } from "../factors/assurance.ts";
import { parseCookies } from "../http/cookies.ts";
import type { Context } from "../runtime/context.ts";
import { headerIn, isBelow, plainName, type Asked, type Malformed } from "./asked.ts";
import { loginCookie } from "./cookies.ts";
import { presentedToken } from "./credentials.ts";
import { carriedHeaders } from "./headers.ts";
import * as logins from "./logins.ts";
import type { ProtectedHost, ProxyLogin, Refusal } from "./logins.ts";
import type { Person } from "./person.ts";
import { personOf } from "./token.ts";

export type Decision =
  /** The request's path is public. */
  | { kind: "public"; host: ProtectedHost }
  /** Without a login, by a token. */
  | { kind: "in"; host: ProtectedHost; person: Person; login: ProxyLogin | undefined }
  | { kind: "out"; host: ProtectedHost }
  /** Signed in, and not allowed. */
  | { kind: "refused"; host: ProtectedHost; login: ProxyLogin; refusal: Refusal }
  /** The client sent a header that only an answer of ours may set. */
  | { kind: "forged"; header: string; value: string }
  /** No client has this host, or only a disabled one. */
  | ({ kind: "unknown" } & Malformed);

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
  if (login) {
    const refusal = await logins.refusalOf(ctx, host, login);
    const person = { ...login, acr: acrOf(login) };
    return refusal === undefined ? { kind: "in", host, person, login } : { kind: "refused", host, login, refusal };
  }
  const token = presentedToken(rawHeaders);
  const person = token === undefined ? undefined : await personOf(ctx, host, asked, token);
  return person ? { kind: "in", host, person, login: undefined } : { kind: "out", host };
}

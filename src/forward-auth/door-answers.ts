/** What a door answers to somebody who may not go through. nginx asks for the page afterwards. */
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import { hostFrom } from "../applications/clients/proxy.ts";
import { addressOf, wayBackTo } from "../sign-in/proxy/start-state.ts";
import { headerIn, readAsked, type Asked, type Malformed } from "./asked.ts";
import { decide } from "./decision.ts";
import { headersOf } from "./headers.ts";
import * as logins from "./logins.ts";
import type { ProtectedHost, ProxyLogin, Refusal } from "./logins.ts";
import { navigationOf, type HeaderOf } from "./navigation.ts";
import type { OwnCall } from "./own-call.ts";
import { hostPage } from "./pages.ts";
import { refusedPage } from "./session-pages.ts";
import { forbiddenHeader, notAllowed, notSignedIn } from "./short-answers.ts";
import { toStart, unlessPage } from "./start-pages.ts";

/** `login` is undefined for a token. `missing`: what the identity rests on. */
export type TurnedAway = { host: ProtectedHost } & (
  | { kind: "out" }
  | { kind: "refused"; login: ProxyLogin | undefined; refusal: Refusal; missing?: string }
);

export async function turnedAway(
  ctx: Context,
  { door, method, uri }: Asked,
  decision: TurnedAway,
  request: HttpRequest,
): Promise<Answer> {
  const { host } = decision;
  const header: HeaderOf = (name) => request.header(name);
  if (decision.kind === "out") {
    // nginx adds the challenge of a check to the answer that it fetches next, which has its own.
    if (door === "nginx") return notSignedIn(host, request, { challenges: false });
    return (await unlessPage(ctx, { host, request }, { method, header })) ?? toStart(ctx, host, uri);
  }
  const { login, refusal, missing } = decision;
  if (door === "nginx" || !login || navigationOf(method, header) === "none") return notAllowed(refusal, missing);
  return await refusedPage(ctx, { host, request }, { login, refusal, uri, ...(missing !== undefined && { missing }) });
}

/** GET /.authsvc/refused, from nginx after a 403: decides again, for the page. */
export async function refused(ctx: Context, { host, request }: OwnCall): Promise<Answer> {
  const { rawHeaders } = request.message;
  const original = readAsked("nginx", rawHeaders);
  const isHere = "uri" in original && original.host === host.host;
  const { method, uri, path } = isHere ? original : { method: request.method, uri: "/", path: "/" };
  const asked: Asked = { door: "proxy", host: host.host, method, uri, path };
  const now = ctx.clock();
  const decision = await decide(ctx, asked, rawHeaders, now);
  if (decision.kind === "forged") return forbiddenHeader(decision.header);
  if (decision.kind === "out" || decision.kind === "refused") return await turnedAway(ctx, asked, decision, request);
  if (decision.kind === "in") {
    const { person, login } = decision;
    const headers = await headersOf(ctx, host, person, { rawHeaders, takesCookie: false }, now);
    if ("missing" in headers)
      return await turnedAway(ctx, asked, { kind: "refused", host, login, refusal: "identity", ...headers }, request);
  }
  // It was refused, and would not be now.
  return await hostPage(ctx, host, request, { kind: "foreign-form", home: addressOf(wayBackTo(host.host, uri)) });
}

/** For somebody who opened a host by http: why it is closed. Undefined for anything else. */
export async function reachedByHttp(
  ctx: Context,
  { header, value }: Malformed,
  request: HttpRequest,
): Promise<Answer | undefined> {
  if (header !== "x-forwarded-proto" || value.toLowerCase() !== "http") return undefined;
  const { rawHeaders } = request.message;
  const method = headerIn(rawHeaders, "x-forwarded-method") ?? "";
  if (navigationOf(method, (name) => request.header(name)) !== "page") return undefined;
  const host = hostFrom(headerIn(rawHeaders, "x-forwarded-host") ?? "");
  const found = host === undefined ? undefined : await logins.at(ctx, host, undefined, ctx.clock());
  if (!found) return undefined;
  const home = addressOf(wayBackTo(found.host.host, "/"));
  return await hostPage(ctx, found.host, request, { kind: "http", said: `X-Forwarded-Proto: ${value}`, home });
}

/** From a request of somebody who is not signed in to the sign-in, and back. */
import * as clients from "../applications/clients/service.ts";
import { clientUses } from "../applications/clients/uses.ts";
import { callbackOf, startOf } from "../applications/clients/host-addresses.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { minute, second } from "../lib/clock.ts";
import { digestOf, newSecret } from "../lib/random.ts";
import { withParameters } from "../lib/redirect-uris.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import type { Login } from "../sessions/login.ts";
import {
  addressOf,
  isInTime,
  openAccount,
  openLink,
  openState,
  sealLink,
  sealState,
  wayBackTo,
  type StartState,
  type WayBack,
} from "../sign-in/proxy/start-state.ts";
import { redeemForHost } from "../sign-in/redemption/redeem.ts";
import { readAsked } from "./asked.ts";
import { cookieLine, loginCookie } from "./cookies.ts";
import type { ProtectedHost, ProxyLogin } from "./logins.ts";
import { navigationOf, type HeaderOf } from "./navigation.ts";
import type { OwnCall } from "./own-call.ts";
import { hostPage } from "./pages.ts";
import { notSignedIn } from "./short-answers.ts";
import { browserOf, cameJustBack, startCookieIn, startCookieLine, startedCookie } from "./start-cookie.ts";
import { insertProxyLogin, removeReplaced } from "./store.ts";

type Place = { host: ProtectedHost; request: HttpRequest };

/**
 * The answer to somebody who is not signed in; undefined if a person opens a page, who then goes to
 * the sign-in. `method`, `header`: of the request to the program.
 */
export async function unlessPage(
  ctx: Context,
  { host, request }: Place,
  { method, header }: { method: string; header: HeaderOf },
): Promise<Answer | undefined> {
  const home = wayBackTo(host.host, "/");
  switch (navigationOf(method, header)) {
    case "page":
      return undefined;
    case "form":
      return await hostPage(ctx, host, request, { kind: "form", start: startAt(ctx, home) });
    case "frame":
      return await hostPage(ctx, host, request, { kind: "frame", top: addressOf(home) });
    case "none":
      return notSignedIn(host, request);
  }
}

/** Where somebody goes who opens a page at `/forward-auth` and is not signed in. */
export function toStart(ctx: Context, { host }: ProtectedHost, uri: string): Answer {
  return seeOther(startOf(host, sealLink(ctx, wayBackTo(host, uri))));
}

/** The original request: from our link if there is one, else from nginx's headers. */
function asked(ctx: Context, { host: { host }, request }: Place) {
  const link = openLink(ctx, request.query().get("s") ?? "", host);
  const original = readAsked("nginx", request.message.rawHeaders);
  const isHere = "uri" in original && original.host === host;
  const way: WayBack = link ?? wayBackTo(host, isHere ? original.uri : "/");
  const method = link || !isHere ? request.method : original.method;
  return { way, method, asksAgain: link?.asksAgain === true, isPressed: link?.isPressed === true };
}

/** GET /.authsvc/start */
export async function start(ctx: Context, { host, login, request }: OwnCall): Promise<Answer> {
  const { way, method, asksAgain, isPressed } = asked(ctx, { host, request });
  const header: HeaderOf = (name) => request.header(name);
  const other = await unlessPage(ctx, { host, request }, { method, header });
  if (other) return other;
  const before = startCookieIn(ctx, request.cookies(), host.host);
  const now = ctx.clock();
  if (before && !isPressed && cameJustBack(before, now)) return await repeated(ctx, { host, request }, way);
  const begun = startedCookie(ctx, before);
  // Another tab has signed in. If the door still answers 401, the next start shows a page.
  if (login && !asksAgain)
    return withCookies(seeOther(addressOf(way)), startCookieLine(ctx, { ...begun, callbackAt: now }, host.host));
  const state = sealState(ctx, { ...way, asksAgain, clientId: host.clientId, browser: browserOf(begun) });
  const parameters = {
    response_type: "code",
    client_id: host.clientId,
    redirect_uri: callbackOf(host.host),
    state,
  };
  const address = withParameters(`${ctx.baseUrl}/oauth2/authorize`, parameters);
  return withCookies(seeOther(address), startCookieLine(ctx, begun, host.host));
}

/** GET /.authsvc/callback */
export async function callback(ctx: Context, { host, login, request }: OwnCall): Promise<Answer> {
  const query = request.query();
  const text = query.get("state") ?? "";
  const state = openState(ctx, text);
  const place = { host, request };
  if (state?.host !== host.host || state.clientId !== host.clientId) return await again(ctx, place);
  if (!isInTime(ctx, state)) return await hostPage(ctx, host, request, { kind: "late", way: addressOf(state) });
  const before = startCookieIn(ctx, request.cookies(), host.host);
  if (!before) return await repeated(ctx, place, state);
  if (browserOf(before) !== state.browser || request.onlyLooks) return await again(ctx, place, state);
  const code = query.get("code");
  if (code === undefined) return await refusedAtSignIn(ctx, place, state, query.get("account"), text);
  const opened = await open(ctx, place, { code, state: text, login });
  if (!opened) return await again(ctx, place, state);
  const started = startCookieLine(ctx, { ...startedCookie(ctx, before), callbackAt: ctx.clock() }, host.host);
  const cookies = [opened, started];
  if (state.isTooLong) return await hostPage(ctx, host, request, { kind: "too-long", home: addressOf(state) }, cookies);
  return withCookies(seeOther(addressOf(state)), ...cookies);
}

/** Redeems the code. Returns the line of the host's cookie; undefined if the code is not good. */
async function open(
  ctx: Context,
  { host, request }: Place,
  { code, state, login: present }: { code: string; state: string; login: ProxyLogin | undefined },
): Promise<string | undefined> {
  const registration = await clients.find(ctx, ctx.storage.reader, host.clientId);
  if (!registration) return undefined;
  const lasts = host.proxy.sessionSeconds.absolute * second;
  const name = loginCookie(host.host);
  let value = newSecret(ctx.random);
  const call = {
    ...registration,
    code,
    state,
    redirectUri: callbackOf(host.host),
    source: sourceOf(request),
  };
  const login = await redeemForHost(ctx, call, {
    lasts: Math.min(lasts, host.proxy.sessionSeconds.idle * second),
    async open(tx, { id: loginId }: Login, now) {
      // Another tab may still get the present cookie, so it stays the browser's.
      if (present?.loginId === loginId) value = request.cookies().get(name) ?? value;
      const row = { digest: digestOf(value), loginId, clientId: host.clientId, host: host.host };
      await removeReplaced(tx, { ...row, before: now - minute });
      await insertProxyLogin(tx, { ...row, createdAt: now, lastUsedAt: now, expiresAt: now + lasts });
    },
  });
  if (!login) return undefined;
  clientUses(ctx).note(host.clientId, ctx.clock());
  // The browser lost its session here, or somebody else signed in.
  if (present && present.loginId !== login.id)
    await ends.endOne(
      ctx,
      { id: present.loginId },
      { reason: "other-user", by: { actor: { kind: "service", name: "sign-in" }, source: call.source } },
    );
  return cookieLine(name, value, lasts / second);
}

/** A link to our start, which a person presses. `asksAgain`: for another account. */
export function startAt(ctx: Context, way: WayBack, how: { asksAgain?: boolean } = {}): string {
  const { host, path, isTooLong } = way;
  return startOf(host, sealLink(ctx, { host, path, isTooLong }, { ...how, isPressed: true }));
}

/** Sets nothing. */
async function again(ctx: Context, { host, request }: Place, way?: WayBack): Promise<Answer> {
  const start = startAt(ctx, way ?? wayBackTo(host.host, "/"));
  return await hostPage(ctx, host, request, { kind: "again", start });
}

/** Never a redirect, or it would not end. With a cookie, the login ended just now. */
async function repeated(ctx: Context, { host, request }: Place, way: WayBack): Promise<Answer> {
  const kind = request.cookies().has(loginCookie(host.host)) ? "signed-out" : "repeated";
  return await hostPage(ctx, host, request, { kind, start: startAt(ctx, way) });
}

async function refusedAtSignIn(
  ctx: Context,
  { host, request }: Place,
  state: StartState,
  sealed: string | undefined,
  text: string,
): Promise<Answer> {
  const account = sealed === undefined ? undefined : openAccount(ctx, text, sealed);
  if (account === undefined)
    return await hostPage(ctx, host, request, { kind: "cancelled", start: startAt(ctx, state) });
  const other = startAt(ctx, state, { asksAgain: true });
  const refused = { kind: "refused", refusal: "groups", account, other, way: startAt(ctx, state) } as const;
  return await hostPage(ctx, host, request, refused);
}

function withCookies(answer: Answer, ...cookies: string[]): Answer {
  return { ...answer, cookies };
}

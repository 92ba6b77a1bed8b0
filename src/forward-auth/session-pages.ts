/** Somebody who is signed in at a protected host: signing out, and not being allowed in. */
import { timingSafeEqual } from "node:crypto";
import { providerDisplayName } from "../applications/providers/providers.ts";
import type { Answer } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import { findLogin } from "../sessions/login-store.ts";
import * as ends from "../sessions/login-ends.ts";
import { addressOf, wayBackTo } from "../sign-in/proxy/start-state.ts";
import { expiredLine, loginCookie, startCookie } from "./cookies.ts";
import type { ProtectedHost, ProxyLogin, Refusal } from "./logins.ts";
import type { OwnCall } from "./own-call.ts";
import { hostPage } from "./pages.ts";
import { startAt } from "./start-pages.ts";

/** Cookies of the program that a sign-out removes, and their length in all. */
const maxRemovedCookies = 50;
const maxRemovedCharacters = 4096;

function accountOf({ email, name, userId }: ProxyLogin): string {
  return email ?? name ?? userId;
}

/** Bound to the cookie: pages of a sibling host may post forms here, but do not know it. */
function formTokenOf(ctx: Context, { host, request }: Pick<OwnCall, "host" | "request">): string {
  const cookie = request.cookies().get(loginCookie(host.host)) ?? "";
  return ctx.keyring.mac("form", cookie, "proxy", host.host).toString("base64url");
}

function isToken(sent: string | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(sent ?? ""), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function signedOut(
  ctx: Context,
  { host, request }: Pick<OwnCall, "host" | "request">,
  provider?: string,
  cookies: string[] = [],
): Promise<Answer> {
  const start = startAt(ctx, wayBackTo(host.host, "/"));
  return await hostPage(ctx, host, request, { kind: "signed-out", start, provider }, cookies);
}

/** GET /.authsvc/sign-out */
export async function signOutForm(ctx: Context, call: OwnCall): Promise<Answer> {
  const { host, login, request } = call;
  if (!login) return await signedOut(ctx, call);
  const home = addressOf(wayBackTo(host.host, "/"));
  const form = { kind: "sign-out", account: accountOf(login), token: formTokenOf(ctx, call), home } as const;
  return await hostPage(ctx, host, request, form);
}

/** POST /.authsvc/sign-out: as on the account page, and the cookies of this host. */
export async function signOut(ctx: Context, call: OwnCall): Promise<Answer> {
  const { host, login, request } = call;
  const form = await request.form();
  const home = addressOf(wayBackTo(host.host, "/"));
  if (request.header("origin") !== `https://${host.host}`)
    return await hostPage(ctx, host, request, { kind: "foreign-form", home });
  if (!login) return await signedOut(ctx, call);
  if (!isToken(form.get("token"), formTokenOf(ctx, call)))
    return await hostPage(ctx, host, request, { kind: "foreign-form", home });
  const stored = await findLogin(ctx.storage.reader, login.loginId);
  const by = { actor: { kind: "user", name: login.userId }, source: sourceOf(request) } as const;
  if (stored?.browserSessionDigest) {
    const { appId, userId, browserSessionDigest: tie } = stored;
    await ends.endBrowser(ctx, { appId, userId, tie }, "logout", by);
  }
  const provider = stored?.provider ? providerDisplayName(stored.provider) : undefined;
  return await signedOut(ctx, call, provider, removedCookies(host, request));
}

/** Ours, and those of the program: it does not know that its visitor signed out. */
function removedCookies({ host }: ProtectedHost, request: HttpRequest): string[] {
  const ours = [loginCookie(host), startCookie(host)];
  const others = [...request.cookies().keys()].filter(
    (name) => !ours.includes(name) && /^[\w!#$%&'*+.^`|~-]{1,200}$/u.test(name),
  );
  let characters = 0;
  const removed = others.filter((name) => (characters += name.length) <= maxRemovedCharacters);
  return [...ours, ...removed.slice(0, maxRemovedCookies)].map(expiredLine);
}

/** The page for somebody who is signed in and not allowed. `uri`: of the request to the program. */
export async function refusedPage(
  ctx: Context,
  { host, request }: Pick<OwnCall, "host" | "request">,
  { login, refusal, uri, missing }: { login: ProxyLogin; refusal: Refusal; uri: string; missing?: string },
): Promise<Answer> {
  const way = wayBackTo(host.host, uri);
  const other = startAt(ctx, way, { asksAgain: true });
  const about = {
    refusal,
    account: accountOf(login),
    other,
    way: addressOf(way),
    ...(missing !== undefined && { missing }),
  };
  return await hostPage(ctx, host, request, { kind: "refused", ...about });
}

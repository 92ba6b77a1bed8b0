/** The cookie of a browser that signs in to a protected host: one for all its tabs. */
import { digestOf, newSecret } from "../lib/random.ts";
import { isOver, second } from "../lib/clock.ts";
import type { Context } from "../runtime/context.ts";
import { cookieLine, startCookie } from "./cookies.ts";
import { startLasts } from "../sign-in/proxy/start-state.ts";

type Sealing = Pick<Context, "keyring" | "clock" | "random">;

/** `callbackAt`: of its last callback, or 0. */
export type StartCookie = { value: string; callbackAt: number; at: number };

/** Signed out again this soon after a callback: another try would fail, too. */
const repeatedAfter = 10 * second;

/** Undefined if the browser has none, and for another host's or somebody else's. */
export function startCookieIn(
  ctx: Sealing,
  cookies: ReadonlyMap<string, string>,
  host: string,
): StartCookie | undefined {
  const text = ctx.keyring.openCursor(cookies.get(startCookie(host)) ?? "", "proxy-start", host);
  const cookie = text === undefined ? undefined : (JSON.parse(text) as StartCookie);
  return cookie && !isOver(cookie.at + startLasts, startLasts, ctx.clock()) ? cookie : undefined;
}

/** The cookie of a browser that starts: it keeps its value, so other tabs can end. */
export function startedCookie(ctx: Sealing, before: StartCookie | undefined): StartCookie {
  return { value: before?.value ?? newSecret(ctx.random), callbackAt: before?.callbackAt ?? 0, at: ctx.clock() };
}

export function startCookieLine(ctx: Sealing, cookie: StartCookie, host: string): string {
  const value = ctx.keyring.sealCursor(JSON.stringify(cookie), "proxy-start", host);
  return cookieLine(startCookie(host), value, startLasts / second);
}

export function browserOf({ value }: StartCookie): string {
  return digestOf(value);
}

/** Whether this browser came back signed in just now, and is signed out all the same. */
export function cameJustBack({ callbackAt }: StartCookie, now: number): boolean {
  return !isOver(callbackAt + repeatedAfter, repeatedAfter, now);
}

/**
 * What travels through the browser while somebody signs in to a protected host. It is sealed, so
 * nobody else begins a sign-in of a proxy client, and each tab keeps its own way back.
 */
import { day, isOver, minute } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";

/** Where somebody goes after the sign-in. `path`: as it was requested, byte for byte. */
export type WayBack = { host: string; path: string; isTooLong: boolean };

/** `asksAgain`: the person wants to use another account. */
type Start = WayBack & { at: number; asksAgain: boolean };

/** `isPressed`: a person presses it, so it cannot lead in circles. */
type Link = Start & { isPressed: boolean };

/** The `state` of an authorization request. `browser`: the digest of the start cookie's value. */
export type StartState = Start & { clientId: string; browser: string };

/** How long a sign-in may take from its start to its callback. */
export const startLasts = 10 * minute;
/** How long a sign-in that timed out keeps its way back. */
const wayBackLasts = day;

const maxPathBytes = 4096;
/** Of a sealed state. */
export const maxStateCharacters = 8192;

/** The path to return to: without our own pages, or it would never end. */
export function wayBackTo(host: string, path: string): WayBack {
  if (path.length > maxPathBytes) return { host, path: "/", isTooLong: true };
  const isUsable = path.startsWith("/") && !isOurs(path);
  return { host, path: isUsable ? path : "/", isTooLong: false };
}

/** As a browser normalises it: `/a/../.authsvc/` is ours, too. */
function isOurs(path: string): boolean {
  const address = `https://host.example${path}`;
  return !URL.canParse(address) || /^\/\.authsvc(?:\/|$)/u.test(new URL(address).pathname);
}

/** The address that a way back leads to. */
export function addressOf({ host, path }: WayBack): string {
  return `https://${host}${path}`;
}

type Sealing = Pick<Context, "keyring" | "clock">;

/** The parameter of a link to our start, which a door or a page makes. */
export function sealLink(ctx: Sealing, way: WayBack, { asksAgain = false, isPressed = false } = {}): string {
  const link: Link = { ...way, asksAgain, isPressed, at: ctx.clock() };
  return sealed(ctx, "proxy-link", link);
}

/** Undefined for anybody else's text, another host's link, and one that is too old. */
export function openLink(ctx: Sealing, text: string, host: string): Link | undefined {
  const link = opened<Link>(ctx, "proxy-link", text);
  return link?.host === host && !isOver(link.at + wayBackLasts, wayBackLasts, ctx.clock()) ? link : undefined;
}

export function sealState(ctx: Sealing, state: Omit<StartState, "at">): string {
  const start: StartState = { ...state, at: ctx.clock() };
  return sealed(ctx, "proxy-state", start);
}

/** Undefined for anybody else's text, and for one whose way back is over. See `isInTime`. */
export function openState(ctx: Sealing, text: string): StartState | undefined {
  const state = opened<StartState>(ctx, "proxy-state", text);
  return state && !isOver(state.at + wayBackLasts, wayBackLasts, ctx.clock()) ? state : undefined;
}

/** Whether a sign-in with this state may still end. */
export function isInTime(ctx: Sealing, { at }: StartState): boolean {
  return !isOver(at + startLasts, startLasts, ctx.clock());
}

/** The start of a sign-in session; undefined if another client's request began it. */
export function startOfSession(
  ctx: Sealing,
  { state, authorization }: { state: string | null; authorization: { clientId: string } | null },
): StartState | undefined {
  const start = openState(ctx, state ?? "");
  return start?.clientId === authorization?.clientId ? start : undefined;
}

/** Who was refused, for our own page at the host: no other client learns that. */
export function sealAccount(
  ctx: Sealing,
  session: Parameters<typeof startOfSession>[1],
  account: string,
): string | undefined {
  return startOfSession(ctx, session) && ctx.keyring.sealCursor(account, "proxy-account", session.state ?? "");
}

export function openAccount(ctx: Sealing, state: string, sealed: string): string | undefined {
  return ctx.keyring.openCursor(sealed, "proxy-account", state);
}

/** Escapes and letters beyond ASCII are longer when sealed. */
function sealed(ctx: Sealing, use: string, facts: Start): string {
  const text = ctx.keyring.sealCursor(JSON.stringify(facts), use);
  if (text.length <= maxStateCharacters) return text;
  return ctx.keyring.sealCursor(JSON.stringify({ ...facts, path: "/", isTooLong: true }), use);
}

function opened<T>(ctx: Sealing, use: string, text: string): T | undefined {
  const facts = text.length > maxStateCharacters ? undefined : ctx.keyring.openCursor(text, use);
  return facts === undefined ? undefined : (JSON.parse(facts) as T);
}

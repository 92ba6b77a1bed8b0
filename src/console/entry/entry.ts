import type { HttpRequest } from "../../http/request.ts";
import type { Answer } from "../../http/answer.ts";
import type { Route } from "../../http/route.ts";
import type { Context } from "../../runtime/context.ts";
import type { Operator } from "../operator.ts";

/** A browser's session in the console. `key` is secret: forms and notices are bound to it. */
export type ConsoleSession = { operator: Operator; key: string };

/** How somebody becomes a known operator: by the link of `authsvc console`, or by a passkey. */
export type Entry = {
  /** The console's origin, without a trailing slash. */
  origin(): string;
  /** False for `authsvc console`, whose operator is the one of the operating system. */
  isTeam: boolean;
  /** Whether requests from this address are allowed at all. */
  admits(ctx: Context, address: string): Promise<boolean>;
  /** `isUse`: whether it keeps the session alive, which a request by itself never does. */
  sessionOf(ctx: Context, request: HttpRequest, options?: { isUse?: boolean }): Promise<ConsoleSession | undefined>;
  /**
   * For a visitor without a session, or without a fresh proof; afterwards they return to `page`.
   */
  begin(ctx: Context, request: HttpRequest, page: string): Promise<Answer>;
  /** Where an operator signs in from another tab; undefined: by a command. */
  signInPath?: string;
  /** Ends the session of this browser. */
  end(ctx: Context, request: HttpRequest): Promise<void>;
  /** The requirements to enter. */
  routes: Route[];
};

/** The cookie with the key of this browser's session before the present one. It opens nothing. */
export const earlierKey = "console-before";

/** A cookie of the console. Lax: the sign-in begins on another site. */
export function cookieLine(origin: string, name: string, value: string, seconds?: number): string {
  const isSecure = origin.startsWith("https:");
  const lasts = seconds === undefined ? "" : `; Max-Age=${seconds}`;
  return `${nameIn(origin, name)}=${value}; Path=/${lasts}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function cookieOf(request: HttpRequest, origin: string, name: string): string | undefined {
  return request.cookies().get(nameIn(origin, name));
}

/** With the port, because browsers share cookies between the ports of a host. */
function nameIn(origin: string, name: string): string {
  const { port, protocol } = new URL(origin);
  const prefix = protocol === "https:" ? "__Host-" : "";
  return `${prefix}authsvc-${name}${port === "" ? "" : `-${port}`}`;
}

/**
 * Whether a live page sent the request by itself, which does not count as use of the session:
 * nobody may be there. Older browsers do not send Fetch Metadata, so the script sends a header too.
 */
export function isByItself(request: HttpRequest): boolean {
  return request.header("sec-fetch-dest") === "empty" || request.header("x-console-live") !== undefined;
}

/** The address as this browser knows it: a tunnel to `authsvc console` may have another port. */
export function ownOrigin({ entry, request }: { entry: Entry; request: HttpRequest }): string {
  return entry.isTeam ? entry.origin() : `http://${request.header("host")}`;
}

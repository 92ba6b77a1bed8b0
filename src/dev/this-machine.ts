import type { Guard } from "../http/route.ts";
import { AppError } from "../lib/errors.ts";

const names = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Lets a request in only when its Host names this machine; to every other there is nothing at the path. A website can point a name of
 * its own at 127.0.0.1 (DNS rebinding); its scripts could then read these pages, and the demo API key in them, as their own.
 * The hosts of `origins` (base URL, address listened on) count too: in development they are always this machine, and may be a name such as
 * acme.localhost, or 127.0.0.2.
 */
export function onThisMachine(...origins: string[]): Guard<undefined> {
  const ours = new Set([...names, ...origins.map((origin) => new URL(origin).hostname)]);
  return async (request) => {
    const host = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/u.exec(request.header("host") ?? "")?.[1];
    if (host === undefined || !ours.has(host.toLowerCase()))
      throw new AppError("UNKNOWN_PATH", "There is nothing at this path.");
    return { caller: undefined, countedAs: undefined };
  };
}

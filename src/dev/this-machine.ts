import type { Guard } from "../http/route.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";

const names = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Admits a request only if its Host names this machine; otherwise the path does not exist. With DNS
 * rebinding, a website could otherwise read these pages and the demo API key. The hosts of
 * `origins` (base URL, listening address) are also accepted: in development they are always this
 * machine, for example acme.localhost or 127.0.0.2.
 */
export function onThisMachine(...origins: string[]): Guard<undefined> {
  const ours = new Set([...names, ...origins.map((origin) => new URL(origin).hostname)]);
  return {
    access: "anyone",
    async admit(_ctx, request) {
      const host = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/u.exec(request.header("host") ?? "")?.[1];
      if (host === undefined || !ours.has(host.toLowerCase()))
        throw new AppError("UNKNOWN_PATH", "This path does not exist.");
      return { caller: undefined, countedAs: undefined };
    },
  };
}

/**
 * Also refuses calls that a page of another origin makes: such a page, in the developer's browser,
 * could sign people in or delete them. Programs send neither header.
 */
export function notFromOtherPages(guard: Guard<undefined>, ...origins: string[]): Guard<undefined> {
  const ours = new Set(origins.map((origin) => new URL(origin).origin));
  return {
    ...guard,
    async admit(ctx, request) {
      const admitted = await guard.admit(ctx, request);
      const origin = request.header("origin");
      const isOwnPage = (request.header("sec-fetch-site") ?? "same-origin") === "same-origin";
      if (!isOwnPage || (origin !== undefined && !ours.has(origin)))
        throw invalidRequest(
          "origin",
          "only pages of this service and programs, such as your test runner, may call this",
        );
      return admitted;
    },
  };
}

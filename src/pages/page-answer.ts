import type { Answer } from "../http/answer.ts";
import { render, type Html } from "../lib/html.ts";

export type PageOptions = {
  status?: number;
  headers?: Record<string, string>;
  cookies?: string[];
  /** Where a form's answer may lead, besides back to us: origins, or a private-use scheme. */
  formTargets?: string[];
  /** The one thing that a page shows from elsewhere: the origin of the app's logo. */
  logoOrigin?: string | undefined;
  /** The page shows text by a library that writes HTML: cleaned, but not by Trusted Types; and pictures that its stylesheet carries. */
  byLibrary?: boolean;
};

/** Every page of the service, under one policy: nothing inline, nothing from elsewhere but the app's logo, in nobody's frame, in no cache. */
export function pageAnswer(page: Html, options: PageOptions = {}): Answer {
  const { status = 200, headers = {}, cookies = [], formTargets = [], logoOrigin, byLibrary = false } = options;
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${byLibrary ? " data:" : ""}${logoOrigin === undefined ? "" : ` ${logoOrigin}`}`,
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    ...(byLibrary ? [] : ["require-trusted-types-for 'script'"]),
  ].join("; ");
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
      ...headers,
    },
    cookies,
    // As bytes: a page has letters beyond Latin 1, and as a string all of it would be copied again, at two bytes a letter, to stand behind its head.
    body: Buffer.from(render(page)),
  };
}

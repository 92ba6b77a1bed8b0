import type { Answer } from "../http/answer.ts";
import { render, type Html } from "../lib/html.ts";

/** As strict as for the hosted pages: pages that teach the contract show that nothing needs an exception. */
export function pageAnswer(page: Html, { status = 200, headers = {}, formTargets = [] }: PageOptions = {}): Answer {
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
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
    body: render(page),
  };
}

type PageOptions = {
  status?: number;
  headers?: Record<string, string>;
  /** Origins that its forms may lead to, besides its own. */
  formTargets?: string[];
};

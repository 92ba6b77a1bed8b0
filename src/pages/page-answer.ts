import type { Answer } from "../http/answer.ts";
import { render, type Html } from "../lib/html.ts";

/**
 * A keyword, a scheme, or an origin (optionally `*.`): nothing that could end a source or
 * directive.
 */
const sourceForm = /^(?:'self'|[a-z][a-z0-9+.-]*:|https?:\/\/(?:\*\.)?(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?)$/u;

export type PageOptions = {
  status?: number;
  headers?: Record<string, string>;
  cookies?: string[];
  /** Where forms may redirect, besides this service: origins, or a private-use scheme. */
  formTargets?: string[];
  /** The origin of the app's logo, the only other one that a page loads from. */
  logoOrigin?: string | undefined;
  /** It may frame pages of its own origin. */
  hasFrame?: boolean;
  /** Pages of its own origin may frame it. Its forms lead nowhere, and no script runs. */
  isPreview?: boolean;
  /** Any page may frame it: it shows nothing of anybody. */
  isFramed?: boolean;
};

/**
 * Responds with a page. One policy for all: nothing inline, nothing external but from the logo's
 * origin, no framing (with two exceptions), no caching.
 */
export function pageAnswer(page: Html, options: PageOptions = {}): Answer {
  const {
    status = 200,
    headers = {},
    cookies = [],
    formTargets = [],
    logoOrigin,
    hasFrame = false,
    isPreview = false,
    isFramed = false,
  } = options;
  const images = logoOrigin === undefined ? [] : [logoOrigin];
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": contentSecurityPolicy({ images, formTargets }, { hasFrame, isPreview, isFramed }),
      "cross-origin-opener-policy": "same-origin",
      ...(isFramed ? {} : { "x-frame-options": isPreview ? "SAMEORIGIN" : "DENY" }),
      ...headers,
    },
    cookies,
    // As bytes: pages have letters beyond Latin 1, so a string would be copied again at two bytes
    // per letter.
    body: Buffer.from(render(page)),
  };
}

/**
 * The header's value. Ambiguous sources are dropped, so the policy never allows more than intended.
 * `hasFrame`: it may frame pages of its own origin. `isPreview`: those may frame it, and it does
 * nothing.
 */
function contentSecurityPolicy(
  sources: { images: string[]; formTargets: string[] },
  {
    hasFrame = false,
    isPreview = false,
    isFramed = false,
  }: { hasFrame?: boolean; isPreview?: boolean; isFramed?: boolean } = {},
): string {
  const list = (given: string[]): string => ["'self'", ...given].filter((source) => sourceForm.test(source)).join(" ");
  return [
    "default-src 'none'",
    isPreview ? "script-src 'none'" : "script-src 'self'",
    "style-src 'self'",
    `img-src ${list(sources.images)}`,
    "connect-src 'self'",
    `form-action ${isPreview ? "'none'" : list(sources.formTargets)}`,
    ...(hasFrame ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${isFramed ? "*" : isPreview ? "'self'" : "'none'"}`,
    "require-trusted-types-for 'script'",
  ].join("; ");
}

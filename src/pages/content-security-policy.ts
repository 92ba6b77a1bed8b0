/**
 * A keyword, a scheme, or an origin (optionally `*.`): nothing that could end a source or
 * directive.
 */
const sourceForm = /^(?:'self'|[a-z][a-z0-9+.-]*:|https?:\/\/(?:\*\.)?(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?)$/u;

/**
 * The header's value. Ambiguous sources are dropped, so the policy never allows more than intended.
 */
export function contentSecurityPolicy(sources: { images: string[]; formTargets: string[] }): string {
  const list = (given: string[]): string => ["'self'", ...given].filter((source) => sourceForm.test(source)).join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${list(sources.images)}`,
    "connect-src 'self'",
    `form-action ${list(sources.formTargets)}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/**
 * A keyword, a scheme, or an origin (optionally `*.`): nothing that could end a source or
 * directive.
 */
const sourceForm = /^(?:'self'|[a-z][a-z0-9+.-]*:|https?:\/\/(?:\*\.)?(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?)$/u;

/**
 * The header's value. Ambiguous sources are dropped, so the policy never allows more than intended.
 * `hasFrame`: it may frame pages of its own origin. `isPreview`: those may frame it, and it does
 * nothing.
 */
export function contentSecurityPolicy(
  sources: { images: string[]; formTargets: string[] },
  { hasFrame = false, isPreview = false }: { hasFrame?: boolean; isPreview?: boolean } = {},
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
    `frame-ancestors ${isPreview ? "'self'" : "'none'"}`,
    "require-trusted-types-for 'script'",
  ].join("; ");
}

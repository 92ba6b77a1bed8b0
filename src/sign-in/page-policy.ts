import { logoUrl, type Look } from "../pages/frame.ts";

/** Nothing inline, nothing from elsewhere but the app's logo. `formTargets` are where a form's answer may lead, besides back to us. */
export function contentSecurityPolicy(look: Look, formTargets: string[] = []): string {
  const logo = logoUrl(look);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${logo ? ` ${logo.origin}` : ""}`,
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/**
 * Chromium and Safari hold form-action against every redirect that follows a form (w3c/webappsec-csp#8): the app's redirect address must be
 * in it, and the app's own domain, because many callbacks redirect on within it (api.acme.example to www.acme.example).
 */
export function formTargets(redirectUri: string, domain: string | null): string[] {
  const url = new URL(redirectUri);
  const target = url.protocol === "https:" || url.protocol === "http:" ? url.origin : url.protocol;
  return domain === null ? [target] : [...new Set([target, `https://${domain}`, `https://*.${domain}`])];
}

/**
 * Chromium and Safari hold form-action against every redirect that follows a form (w3c/webappsec-csp#8): the app's redirect address must be
 * in it, and the app's own domain, because many callbacks redirect on within it (api.acme.example to www.acme.example).
 */
export function formTargets(redirectUri: string, domain: string | null): string[] {
  const url = new URL(redirectUri);
  const target = url.protocol === "https:" || url.protocol === "http:" ? url.origin : url.protocol;
  return domain === null ? [target] : [...new Set([target, `https://${domain}`, `https://*.${domain}`])];
}

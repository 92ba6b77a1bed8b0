/**
 * Chromium and Safari apply form-action to every redirect after a form post (w3c/webappsec-csp#8).
 * So it must include the app's redirect address, and the app's domain, because callbacks often
 * redirect within it (api.acme.example to www.acme.example).
 */
export function formTargets(redirectUri: string, domain: string | null): string[] {
  const url = new URL(redirectUri);
  const target = url.protocol === "https:" || url.protocol === "http:" ? url.origin : url.protocol;
  return domain === null ? [target] : [...new Set([target, `https://${domain}`, `https://*.${domain}`])];
}

/**
 * The app's domain if the service's host is that domain or a subdomain; otherwise the service's
 * host (docs/spec/decisions.md, 8).
 */
export function relyingPartyId(serviceHost: string, domain: string | null): string {
  return domain !== null && (serviceHost === domain || serviceHost.endsWith(`.${domain}`)) ? domain : serviceHost;
}

/** Browsers support no passkeys for an IP address, and without TLS only on this machine. */
export function relyingPartyIsPossible(origin: URL): boolean {
  const isAddress = origin.hostname.startsWith("[") || /^[\d.]+$/u.test(origin.hostname);
  return (
    !isAddress &&
    (origin.protocol === "https:" || origin.hostname === "localhost" || origin.hostname.endsWith(".localhost"))
  );
}

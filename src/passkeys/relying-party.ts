/** Decision 8: the app's domain when the service's host is that domain or below it, else the service's host. */
export function relyingPartyId(serviceHost: string, domain: string | null): string {
  return domain !== null && (serviceHost === domain || serviceHost.endsWith(`.${domain}`)) ? domain : serviceHost;
}

/** Browsers know no passkeys for an address, and none without TLS but on this machine. */
export function relyingPartyIsPossible(origin: URL): boolean {
  const isAddress = origin.hostname.startsWith("[") || /^[\d.]+$/u.test(origin.hostname);
  return (
    !isAddress &&
    (origin.protocol === "https:" || origin.hostname === "localhost" || origin.hostname.endsWith(".localhost"))
  );
}

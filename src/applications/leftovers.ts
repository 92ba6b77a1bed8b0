import { hostOf, isLoopbackHost } from "../lib/loopback.ts";
import type { Application } from "./application.ts";
import type { ProviderRow } from "./providers/provider-store.ts";

/**
 * Recognises what development mode left in a database. None of it may be used without that mode.
 */

export const demoAppId = "app_demo";
/** The URLs of stand-ins are below this path. */
export const standInsPath = "/dev/providers/";

export function isDemoApp({ id, settings }: Application): boolean {
  return id === demoAppId && settings.development === true;
}

/** A client of a stand-in: in development, its URLs are on this machine. */
export function isStandIn({ issuer, authorizationUrl, tokenUrl }: ProviderRow): boolean {
  return [issuer, authorizationUrl, tokenUrl].some((address) => address !== null && isOurs(address, standInsPath));
}

function isOurs(address: string, path: string): boolean {
  if (!address.includes(path) || !URL.canParse(address)) return false;
  return isLoopbackHost(hostOf(address), "localhost and below") && new URL(address).pathname.startsWith(path);
}

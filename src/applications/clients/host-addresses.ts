/** Our own addresses at a protected host. `host`: with its port unless that is 443. */

export const ownFolder = "/.authsvc";

export function callbackOf(host: string): string {
  return `https://${host}${ownFolder}/callback`;
}

/** `link`: a sealed way back; without it, to the program's start. */
export function startOf(host: string, link?: string): string {
  return `https://${host}${ownFolder}/start${link === undefined ? "" : `?s=${link}`}`;
}

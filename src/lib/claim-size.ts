/** All claims of an application in one token: proxies accept headers of 8 KiB (docs/groups.md). */
export const maxClaimBytes = 4096;

/** The bytes that a claim adds to the JSON of a token. */
export function bytesOfClaim(claim: string, value: unknown): number {
  return Buffer.byteLength(JSON.stringify({ [claim]: value }));
}

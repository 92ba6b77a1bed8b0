import { parse } from "tldts";

/** Whether strangers can register names below it, such as `com`, `co.uk` and `github.io`. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true }).publicSuffix === domain;
}

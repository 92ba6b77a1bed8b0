import { isIP } from "node:net";
import { parse } from "tldts";

/** Whether strangers can register names below it, such as `com`, `co.uk` and `github.io`. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true }).publicSuffix === domain;
}

/** `example` of `www.example.co.uk`; null if nothing is before the public suffix. */
export function nameBeforeSuffix(host: string): string | null {
  const { domainWithoutSuffix: name } = parse(host, { allowPrivateDomains: true });
  return name === "" ? null : name;
}

/** Whether a text contains the name of a host, which mail programs turn into a link. */
export function namesHost(text: string): boolean {
  // Without joiners, which nobody sees.
  const words = text
    .normalize("NFKC")
    .replaceAll("\u3002", ".")
    .replaceAll(/[\u200C\u200D]/gu, "")
    .split(/[^\p{L}\p{M}\p{N}.-]+/u);
  return words.some((word) => {
    if (!word.includes(".")) return false;
    const { domain, isIcann } = parse(word);
    return isIP(word) !== 0 || (domain !== null && isIcann === true);
  });
}

import { Resolver } from "node:dns/promises";
import type { CoreContext } from "../../runtime/context.ts";
import type { DomainAnswer } from "../../storage/column-types.ts";

/** For each name server. A lost packet is an unknown answer, which does no harm. */
const patience = 2000;
/** Of records that anybody may have written. */
const maxShown = 10;
const maxShownCharacters = 255;

/** The name of the TXT record that proves a domain. */
export function challengeName(domain: string): string {
  return `_authsvc-challenge.${domain}`;
}

/** Whether the domain's record has exactly this value, apart from space around it. */
export async function lookUp(ctx: CoreContext, domain: string, value: string): Promise<DomainAnswer> {
  const first = await ask(ctx, challengeName(domain));
  if ("reason" in first) return { result: "unknown", reason: first.reason, values: [], isDoubled: false };
  const values = first.values.slice(0, maxShown).map((text) => shownText(text));
  if (first.values.includes(value)) return { result: "found", reason: null, values, isDoubled: false };
  const doubled = await ask(ctx, challengeName(`${domain}.${domain}`));
  const isDoubled = "values" in doubled && doubled.values.includes(value);
  return { result: "missing", reason: null, values, isDoubled };
}

/** Without control characters, which PostgreSQL stores only in part. */
function shownText(text: string): string {
  return text.slice(0, maxShownCharacters).replaceAll(/\p{Cc}/gu, "\uFFFD");
}

/**
 * By c-ares, which asks again by TCP if an answer was cut. The system's look-up would use the
 * threads that hash passwords.
 */
async function ask({ config: { dns } }: CoreContext, name: string): Promise<{ values: string[] } | { reason: string }> {
  const resolver = new Resolver({ timeout: patience, tries: 1 });
  if (dns.servers.length > 0) resolver.setServers(dns.servers);
  try {
    const records = await resolver.resolveTxt(name);
    return { values: records.map((strings) => strings.join("").trim()) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "EUNKNOWN";
    return code === "ENOTFOUND" || code === "ENODATA" ? { values: [] } : { reason: code };
  }
}

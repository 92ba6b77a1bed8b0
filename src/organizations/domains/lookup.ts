import { Resolver } from "node:dns/promises";
import type { CoreContext } from "../../runtime/context.ts";

/** What the name servers say about the TXT record that proves a domain. */
export type Lookup = {
  /** `unknown`: no definite answer, such as SERVFAIL or a timeout. */
  answer: "found" | "missing" | "unknown";
  /** The values of the records at that name. */
  values: string[];
  /** The record is at `….acme.com.acme.com`: the zone was added to a name that had it already. */
  isDoubled: boolean;
  /** Why the answer is unknown, such as `ESERVFAIL`. */
  reason: string | undefined;
};

/** For each name server; a lost packet is an unknown answer, which does no harm. */
const patience = 2000;
/** What is shown of records that somebody else wrote. */
const maxShown = 10;

export function challengeName(domain: string): string {
  return `_authsvc-challenge.${domain}`;
}

/** Whether the challenge of the domain has exactly this value, apart from space around it. */
export async function lookUp(ctx: CoreContext, domain: string, value: string): Promise<Lookup> {
  const first = await ask(ctx, challengeName(domain));
  if ("reason" in first) return { answer: "unknown", values: [], isDoubled: false, reason: first.reason };
  const values = first.values.slice(0, maxShown).map((text) => text.slice(0, 255));
  if (first.values.includes(value)) return { answer: "found", values, isDoubled: false, reason: undefined };
  const doubled = await ask(ctx, challengeName(`${domain}.${domain}`));
  const isDoubled = "values" in doubled && doubled.values.includes(value);
  return { answer: "missing", values, isDoubled, reason: undefined };
}

/**
 * By c-ares: the system's look-up would use the threads that hash passwords. It asks again by TCP
 * if an answer was cut.
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

import type { SecretReference } from "../config/state-file.ts";
import type { DesiredApplication, DesiredState } from "../config/state-schema.ts";

/** Source and purpose of a secret in the file, and the host that gets it (null: none). */
export type UsedReference = {
  reference: string;
  field: string;
  application: string;
  name: string | null;
  host: string | null;
};

/** `tokenUrlOf`: the built-in token endpoint of a provider name. */
export function usedReferences(
  { applications = [] }: DesiredState,
  references: readonly SecretReference[],
  tokenUrlOf: (provider: string) => string | undefined,
): UsedReference[] {
  return references.flatMap(({ reference, path }) => {
    const [, index, list, position, field] = path;
    const application = applications[Number(index)];
    if (application === undefined) return [];
    const named: Record<string, string> = { apiKeys: "apiKey", clients: "clientSecret" };
    const used = { reference, field: named[String(list)] ?? String(field), application: application.id };
    return [{ ...used, ...recipientOf(application, String(list), Number(position), String(field), tokenUrlOf) }];
  });
}

function recipientOf(
  { providers = [], webhooks = [], clients = [] }: DesiredApplication,
  list: string,
  position: number,
  field: string,
  tokenUrlOf: (provider: string) => string | undefined,
): Pick<UsedReference, "name" | "host"> {
  // The first are compared with what clients send, the second only sign: neither is sent.
  if (list === "clients") return { name: clients[position]?.id ?? null, host: null };
  if (list === "webhooks") return { name: webhooks[position]?.id ?? null, host: null };
  const provider = list === "providers" ? providers[position] : undefined;
  if (provider === undefined) return { name: null, host: null };
  const name = provider.name.toLowerCase();
  // An issuer's discovery document names the token endpoint.
  const url = provider.tokenUrl ?? tokenUrlOf(name) ?? provider.issuer;
  const isSent = field === "clientSecret" && url !== undefined && URL.canParse(url);
  return { name, host: isSent ? new URL(url).host : null };
}

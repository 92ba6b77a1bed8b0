import { recipientsOf } from "../../applications/providers/provider.ts";
import type { SecretReference } from "./state-file.ts";
import type { DesiredApplication, DesiredProvider, DesiredState } from "./state-schema.ts";
import { invalidRequest } from "../../lib/errors.ts";

/**
 * The hosts that would newly get a stored secret, or tokens obtained with it: of one provider, with
 * its settings before and after.
 */
export function newRecipients(before: DesiredProvider, after: DesiredProvider): string[] {
  const origins = (provider: DesiredProvider): string[] =>
    Object.values(recipientsOf(provider)).map((url) => (URL.canParse(url) ? new URL(url).origin : url));
  const originsBefore = origins(before);
  return [...new Set(origins(after))].filter((origin) => !originsBefore.includes(origin));
}

/** Source and purpose of a secret in the file, and the host that gets it (null: none). */
export type UsedReference = {
  reference: string;
  field: string;
  application: string;
  name: string | null;
  host: string | null;
};

export function usedReferences(
  { applications = [] }: DesiredState,
  references: readonly SecretReference[],
): UsedReference[] {
  return references.flatMap(({ reference, path }) => {
    const [, index, list, position, field] = path;
    const application = applications[Number(index)];
    if (application === undefined) return [];
    const named: Record<string, string> = { apiKeys: "apiKey", clients: "clientSecret" };
    const used = { reference, field: named[String(list)] ?? String(field), application: application.id };
    return [{ ...used, ...recipientOf(application, String(list), Number(position)) }];
  });
}

/**
 * Throws INVALID_REQUEST for a variable whose value would go to a host that only the file names:
 * its author could send themselves any variable (docs/decisions/0080).
 */
export function refuseOtherHosts(
  state: DesiredState,
  references: readonly SecretReference[],
  allowed: readonly string[],
): void {
  for (const reference of references) {
    const [{ host, name } = { host: null, name: null }] = usedReferences(state, [reference]);
    if (!reference.reference.startsWith("env:") || host === null || allowed.includes(host)) continue;
    if (host === hostOf(recipientsOf({ name: name ?? "" }).secret)) continue;
    const [, index, , position, field] = reference.path.map(String);
    throw invalidRequest(
      `applications[${index}].providers[${position}].${field}`,
      `the variable would be sent to ${host}, which the file names; allow that with --secrets-to ${host}`,
    );
  }
}

function hostOf(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : null;
}

function recipientOf(
  { providers = [], webhooks = [], clients = [] }: DesiredApplication,
  list: string,
  position: number,
): Pick<UsedReference, "name" | "host"> {
  // The first are compared with what clients send, the second only sign: neither is sent.
  if (list === "clients") return { name: clients[position]?.id ?? null, host: null };
  if (list === "webhooks") return { name: webhooks[position]?.id ?? null, host: null };
  const provider = list === "providers" ? providers[position] : undefined;
  if (provider === undefined) return { name: null, host: null };
  const name = provider.name.toLowerCase();
  const { secret: url } = recipientsOf({ ...provider, name });
  // Only Apple's key signs; of any other provider either field is the secret that is sent.
  return { name, host: name === "apple" ? null : hostOf(url) };
}

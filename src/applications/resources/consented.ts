import { organizationScope } from "../clients/client.ts";
import { isSame, standardScopes, type Resource } from "./resource.ts";

/** A user's consent for a resource. */
export type ConsentedResource = Pick<Resource, "identifier" | "name" | "scopes">;

type Consented = { scopes: string[]; resources: ConsentedResource[] };

/** How a consent names a resource and its scopes, whose names others may have (record 0057). */
export function entriesOf(identifier: string, scopes: readonly string[]): string[] {
  return [identifier, ...scopes.map((scope) => `${identifier} ${scope}`)];
}

/** What a consent still allows: a resource or scope that was deleted is left out. */
export function consented(
  { scopes: entries, updatedAt }: { scopes: readonly string[]; updatedAt: number },
  resources: readonly Resource[],
): Consented {
  return {
    scopes: entries.filter((entry) => standardScopes.includes(entry) || entry === organizationScope),
    resources: resources
      .filter((resource) => entries.includes(resource.identifier) && isSame(resource, updatedAt))
      .map(({ identifier, name, scopes }) => ({
        identifier,
        name,
        scopes: scopes.filter((scope) => entries.includes(`${identifier} ${scope.name}`)),
      })),
  };
}

/** The same for operators, in one line. */
export function consentedText({ scopes, resources }: Consented): string {
  const ofResources = resources.map(({ name, scopes: own }) =>
    own.length === 0 ? name : `${name}: ${own.map(({ sentence }) => sentence).join(", ")}`,
  );
  return [...(scopes.length === 0 ? [] : [scopes.join(" ")]), ...ofResources].join("; ");
}

import { standardScopes, type Resource } from "./resource.ts";

/** What somebody allowed at a resource. */
export type ConsentedResource = Pick<Resource, "identifier" | "name" | "scopes">;

type Consented = { scopes: string[]; resources: ConsentedResource[] };

/** How a consent names a resource and its scopes, whose names others may have (record 0057). */
export function entriesOf(identifier: string, scopes: readonly string[]): string[] {
  return [identifier, ...scopes.map((scope) => `${identifier} ${scope}`)];
}

/**
 * What the entries of a consent allow. Scopes that a resource no longer has allow nothing, and are
 * left out.
 */
export function consented(entries: readonly string[], resources: readonly Resource[]): Consented {
  return {
    scopes: entries.filter((entry) => standardScopes.includes(entry)),
    resources: resources
      .filter(({ identifier }) => entries.includes(identifier))
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

import { isDeepStrictEqual } from "node:util";

export type ObjectKind =
  | "application"
  | "group"
  | "provider"
  | "webhook"
  | "resource"
  | "client"
  | "clientSecret"
  | "apiKey";

/** An object of the state, with its fields by dotted names. */
export type StateObject = {
  kind: ObjectKind;
  application: string;
  /**
   * Of a group, provider, webhook, resource or client; for a client secret, that of its client.
   * Undefined for applications, and for API keys, which have no chosen name.
   */
  name?: string | undefined;
  fields: Map<string, unknown>;
};

export type FieldChange = { field: string } & ({ before: unknown; after: unknown } | { secret: true });

/** The change of one object. Values as in the file; `null` for a missing one. */
export type Change = {
  action: "create" | "update" | "delete";
  kind: ObjectKind;
  application: string;
  name?: string | undefined;
  /** The number of users deleted with an application. */
  users?: number;
  /** The number of a provider's identities that stay linked although its endpoints change. */
  keptIdentities?: number;
  fields: FieldChange[];
};

/** Objects by `objectKey`. */
export type StateObjects = Map<string, StateObject>;

/**
 * The changes from `before` to `after`, deletions last. By object key: `secrets` set, identities
 * `kept`.
 */
export function differences(
  before: StateObjects,
  after: StateObjects,
  { secrets, kept: keptIdentities }: { secrets: Map<string, string>; kept: Map<string, number> },
): Change[] {
  const kept = [...after].flatMap(([key, object]): Change[] => {
    const old = before.get(key);
    const secret = secrets.get(key);
    const fields = [
      ...changedFields(old?.fields ?? new Map<string, unknown>(), object.fields),
      ...(secret === undefined ? [] : [{ field: secret, secret: true } as const]),
    ];
    const { kind, application, name } = object;
    if (old && fields.length === 0) return [];
    const identities = keptIdentities.get(key);
    const kept = identities === undefined ? {} : { keptIdentities: identities };
    return [{ action: old ? "update" : "create", kind, application, name, ...kept, fields }];
  });
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, object]) => object);
  const goneApplications = gone.filter(({ kind }) => kind === "application").map(({ application }) => application);
  const deleted = gone
    // Deleting an application implies the deletion of its parts.
    .filter(({ kind, application }) => kind === "application" || !goneApplications.includes(application))
    .map(({ kind, application, name }): Change => ({ action: "delete", kind, application, name, fields: [] }));
  return [...kept, ...deleted];
}

function changedFields(before: Map<string, unknown>, after: Map<string, unknown>): FieldChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field): FieldChange[] => {
    const [old, next] = [before.get(field) ?? null, after.get(field) ?? null];
    return isDeepStrictEqual(old, next) ? [] : [{ field, before: old, after: next }];
  });
}

/**
 * `{ passkey: { enabled: true } }` becomes `passkey.enabled` with its value. Lists are one value.
 */
export function fieldsOf(value: object, above = ""): Map<string, unknown> {
  const entries = Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    if (member === undefined) return [];
    if (typeof member !== "object" || member === null || Array.isArray(member)) return [[above + name, member]];
    return [...fieldsOf(member, `${above}${name}.`)];
  });
  return new Map(entries);
}

import { isDeepStrictEqual } from "node:util";

export type ObjectKind = "application" | "provider" | "webhook" | "apiKey";

/** One object of the state with its fields by their dotted names. */
export type StateObject = {
  kind: ObjectKind;
  application: string;
  /** Of a provider or webhook; undefined for applications and for API keys, which have no name of anybody's choice. */
  name?: string | undefined;
  fields: Map<string, unknown>;
};

export type FieldChange = { field: string } & ({ before: unknown; after: unknown } | { secret: true });

/** What becomes of one object. Values as the file spells them; `null` where there was or will be none. */
export type Change = {
  action: "create" | "update" | "delete";
  kind: ObjectKind;
  application: string;
  name?: string | undefined;
  /** How many users go with an application that is deleted. */
  users?: number;
  fields: FieldChange[];
};

/** Objects by a key of their own. */
export type StateObjects = Map<string, StateObject>;

/** What leads from the objects before to those after. `secrets`: which of an object's was set, by the object's key. What is deleted comes last. */
export function differences(before: StateObjects, after: StateObjects, secrets: Map<string, string>): Change[] {
  const kept = [...after].flatMap(([key, object]): Change[] => {
    const old = before.get(key);
    const secret = secrets.get(key);
    const fields = [
      ...changedFields(old?.fields ?? new Map<string, unknown>(), object.fields),
      ...(secret === undefined ? [] : [{ field: secret, secret: true } as const]),
    ];
    const { kind, application, name } = object;
    if (old && fields.length === 0) return [];
    return [{ action: old ? "update" : "create", kind, application, name, fields }];
  });
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, object]) => object);
  const goneApplications = gone.filter(({ kind }) => kind === "application").map(({ application }) => application);
  const deleted = gone
    // What an application has goes with it, and need not be told.
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

/** `{ passkey: { enabled: true } }` as `passkey.enabled` and its value. Lists are one value. */
export function fieldsOf(value: object, above = ""): Map<string, unknown> {
  const entries = Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    if (member === undefined) return [];
    if (typeof member !== "object" || member === null || Array.isArray(member)) return [[above + name, member]];
    return [...fieldsOf(member, `${above}${name}.`)];
  });
  return new Map(entries);
}

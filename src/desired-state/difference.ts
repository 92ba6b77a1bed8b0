import { isDeepStrictEqual } from "node:util";

export type ObjectKind = "application" | "provider" | "webhook" | "apiKey";

/** One object of the state with its fields by their dotted names, and its secrets, which are compared and never shown. */
export type StateObject = {
  kind: ObjectKind;
  application: string;
  /** Of a provider or webhook; undefined for applications and for API keys, which have no name of anybody's choice. */
  name?: string | undefined;
  fields: Map<string, unknown>;
  secrets: Map<string, string>;
};

export type FieldChange = { field: string } & ({ before: unknown; after: unknown } | { secret: true });

/** What becomes of one object. Values as the file spells them; `null` where there was or will be none. */
export type Change = {
  action: "create" | "update" | "delete";
  kind: ObjectKind;
  application: string;
  name?: string | undefined;
  fields: FieldChange[];
};

/** What makes of the objects before the ones after; both by a key of their own. In the order of the objects. */
export function differences(before: Map<string, StateObject>, after: Map<string, StateObject>): Change[] {
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Change[] => {
    const [old, next] = [before.get(key), after.get(key)];
    const { kind, application, name } = (next ?? old) as StateObject;
    const action = old === undefined ? "create" : next === undefined ? "delete" : "update";
    const fields = action === "delete" ? [] : changedFields(old, next);
    return action === "update" && fields.length === 0 ? [] : [{ action, kind, application, name, fields }];
  });
  return [...changes.filter(({ action }) => action !== "delete"), ...changes.filter(({ action }) => action === "delete")];
}

function changedFields(before: StateObject | undefined, after: StateObject | undefined): FieldChange[] {
  const names = new Set([...(before?.fields.keys() ?? []), ...(after?.fields.keys() ?? [])]);
  const fields = [...names].flatMap((field): FieldChange[] => {
    const [old, next] = [before?.fields.get(field) ?? null, after?.fields.get(field) ?? null];
    return isDeepStrictEqual(old, next) ? [] : [{ field, before: old, after: next }];
  });
  const secrets = [...(after?.secrets ?? [])].flatMap(([field, secret]): FieldChange[] =>
    before?.secrets.get(field) === secret ? [] : [{ field, secret: true }],
  );
  return [...fields, ...secrets];
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

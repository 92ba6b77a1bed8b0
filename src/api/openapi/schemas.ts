import { z } from "zod";
import type { ApiRoute, Keywords, Named } from "../operation.ts";

export type Json = Record<string, unknown>;

/** Every schema of the document by name, in a form that code generators understand. */
export function componentSchemas(calls: readonly ApiRoute[], others: Named[]): Json {
  const answered = calls.flatMap(({ operation }) => operation.answer.schema ?? []);
  // Built at import, so that each is in the registry with its parts.
  for (const each of [...answered, ...others]) each.schema.meta();
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: simplify,
  });
  const components: Json = {};
  // Answers may gain fields, so clients must ignore unknown ones.
  for (const [id, schema] of Object.entries(schemas)) components[id] = mapped(unnamed(schema), plain);
  const bodies = new Map(
    calls.toReversed().flatMap((call) => (call.operation.body ? [[call.operation.body, call]] : [])),
  );
  for (const [{ name, schema, fields }, { method, path }] of [...bodies].toReversed()) {
    const body = z.toJSONSchema(schema, { override: simplify }) as Json & { properties?: Record<string, Json> };
    for (const [field, keywords] of Object.entries(fields)) merge(body.properties?.[field], keywords);
    const description = `The body of \`${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}\`.`;
    components[name] = shared({ description, ...(mapped(unnamed(body), plain, true) as Json) }, components);
  }
  return components;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Rewrites correct output of zod that breaks some generators. */
const simplify: Override = ({ jsonSchema: part }) => {
  // Redundant: the format implies the pattern, and these bounds hold for every number.
  if (part.format === "date-time" || part.format === "email") delete part.pattern;
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
  if (part.const !== undefined) {
    part.enum = [part.const];
    delete part.const;
  }
};

/** Removes the name, which its place among the components already gives. */
function unnamed({ $schema: _schema, $id: _id, id: _name, ...rest }: Json): Json {
  return rest;
}

function plain(part: Json): Json {
  return nullable(discriminated(part));
}

/** Rewrites `anyOf` of a plain type and null to a type with two names. */
function nullable(part: Json): Json {
  const { anyOf, ...rest } = part as { anyOf?: Json[] };
  if (anyOf?.length !== 2 || anyOf[1]?.["type"] !== "null") return part;
  const [{ type, ...other } = {}] = anyOf;
  if (typeof type !== "string") return part;
  const values = other["enum"] as unknown[] | undefined;
  return { ...other, ...rest, type: [type, "null"], ...(values && { enum: [...values, null] }) };
}

const discriminators: Record<string, { propertyName: string; mapping: Record<string, string> }> = {
  PasskeyMethod: {
    propertyName: "type",
    mapping: { passkey: "PasskeyMethod", oauth: "OAuthMethod", password: "PasswordMethod" },
  },
  EcKey: { propertyName: "kty", mapping: { EC: "EcKey", OKP: "OkpKey", RSA: "RsaKey" } },
};

function discriminated(part: Json): Json {
  const { anyOf, oneOf, ...rest } = part as { anyOf?: Json[]; oneOf?: Json[] };
  const [first] = oneOf ?? anyOf ?? [];
  const discriminator = discriminators[String(first?.["$ref"]).split("/").at(-1) ?? ""];
  if (!discriminator || (oneOf ?? anyOf ?? []).length < 3) return part;
  const mapping = Object.fromEntries(
    Object.entries(discriminator.mapping).map(([value, name]) => [value, `#/components/schemas/${name}`]),
  );
  return { ...rest, oneOf: oneOf ?? anyOf, discriminator: { propertyName: discriminator.propertyName, mapping } };
}

/**
 * Transforms every object of a schema, inner ones first; `closed`: keeps
 * `additionalProperties: false`.
 */
function mapped(value: unknown, change: (part: Json) => Json, closed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change, closed));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, value]) => closed || key !== "additionalProperties" || value !== false)
    .map(([key, each]) => [key, mapped(each, change, closed)]);
  return change(Object.fromEntries(entries) as Json);
}

/** Adds rules that the handler checks outside its schema, as keywords. */
function merge(target: Json | undefined, keywords: string | Keywords): void {
  if (!target) return;
  const { about, inner = {}, items, ...rest } = typeof keywords === "string" ? { about: keywords } : keywords;
  Object.assign(target, { description: about }, rest);
  if (items !== undefined) merge(target["items"] as Json, items);
  const components = target["properties"] as Record<string, Json> | undefined;
  for (const [name, each] of Object.entries(inner)) merge(components?.[name], each);
}

/** Makes a body refer to the enumerations that answers use. */
function shared(body: Json, schemas: Json): unknown {
  const enums = new Map(
    ["AuthMethodType", "Scope", "WebhookEventKind"].map((name) => [
      JSON.stringify((schemas[name] as Json)["enum"]),
      `#/components/schemas/${name}`,
    ]),
  );
  const refer = (part: Json): Json => {
    const $ref = enums.get(JSON.stringify(part["enum"]));
    const description = part["description"];
    return $ref === undefined ? part : { $ref, ...(description === undefined ? {} : { description }) };
  };
  return mapped(body, refer, true);
}

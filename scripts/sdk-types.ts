// `npm run sdk-types`: writes packages/sdk/src/api.ts from the OpenAPI document. With `--check`,
// the exit code tells whether it is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "../src/api/openapi/document.ts";
import { apiRoutes } from "../src/api/routes.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
};
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = {
  tags: string[];
  summary: string;
  parameters?: { name?: string; in?: "path" | "query"; required?: boolean; description: string; schema: Schema }[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Calls of other libraries, of pages, and of operators. */
const leftOut = new Set(["OpenID Connect", "Query-style", "Service"]);

const file = path.resolve(import.meta.dirname, "../packages/sdk/src/api.ts");
const document = openApiDocument(apiRoutes, "https://auth.example.com") as unknown as Document;
const written = typesOf(document);

if (!process.argv.includes("--check")) writeFileSync(file, written);
else if (readFileSync(file, "utf8") !== written) {
  console.error("packages/sdk/src/api.ts is out of date. Run: npm run sdk-types");
  process.exitCode = 1;
}

function typesOf({ paths, components }: Document): string {
  const used = new Set<string>(["ErrorCode", "WebhookEvent", "KeySet"]);
  const operations = Object.entries(paths).flatMap(([place, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.some((tag) => leftOut.has(tag)))
      .map(([method, operation]) => operationType(`${method.toUpperCase()} ${place}`, operation, used)),
  );
  const types: string[] = [];
  // The set grows while it is read: a schema names others.
  for (const name of used) {
    const schema = components.schemas[name];
    if (!schema) throw new Error(`the document has no schema ${name}`);
    types.push(`${comment(schema.description)}export type ${name} = ${typeOf(schema, used)};\n`);
  }
  return [
    "// Generated from the OpenAPI document by `npm run sdk-types`. Do not edit.\n",
    `/** Every call of the service by method and path. */\nexport type Operations = {\n${operations.join("")}};\n`,
    ...types,
  ].join("\n");
}

function operationType(name: string, operation: Operation, used: Set<string>): string {
  const { summary, parameters = [], requestBody, responses } = operation;
  // createAuthsvc fills in the App ID.
  const placed = (place: string) => parameters.filter((each) => each.in === place && each.name !== "appId");
  const answer = schemaOf(responses["200"] ?? responses["201"]);
  const fields = [
    ...["path", "query"].flatMap((place) => {
      const found = placed(place);
      if (found.length === 0) return [];
      const isOptional = !found.some(({ required }) => required === true);
      const each = found.map((one) => `${one.name}${one.required === true ? "" : "?"}: ${typeOf(one.schema, used)}`);
      return [`${place}${isOptional ? "?" : ""}: { ${each.join("; ")} }`];
    }),
    ...(requestBody ? [`body${requestBody.required ? "" : "?"}: ${typeOf(schemaOf(requestBody) ?? {}, used)}`] : []),
    `answer: ${answer ? typeOf(answer, used) : "undefined"}`,
  ];
  return `  /** ${summary}. */\n  "${name}": { ${fields.join("; ")} };\n`;
}

function schemaOf(holder: Content | undefined): Schema | undefined {
  return Object.values(holder?.content ?? {})[0]?.schema;
}

function typeOf(schema: Schema, used: Set<string>, indent = ""): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    used.add(name);
    return name;
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((each) => typeOf(each, used, indent)).join(" | ");
  const names = [schema.type ?? "object"].flat();
  return names.map((name) => plainType(name, schema, used, indent)).join(" | ");
}

function plainType(name: string, schema: Schema, used: Set<string>, indent: string): string {
  if (name === "integer") return "number";
  if (name === "array") {
    const items = typeOf(schema.items ?? {}, used, indent);
    return /[ |]/u.test(items) ? `(${items})[]` : `${items}[]`;
  }
  if (name !== "object") return name;
  if (!schema.properties) {
    const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    return `Record<string, ${values && Object.keys(values).length > 0 ? typeOf(values, used, indent) : "unknown"}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([key, each]) => {
    const mark = schema.required?.includes(key) === true ? "" : "?";
    const named = /^\w+$/u.test(key) ? key : JSON.stringify(key);
    return `${comment(each.description, inner)}${inner}${named}${mark}: ${typeOf(each, used, inner)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function comment(text: string | undefined, indent = ""): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

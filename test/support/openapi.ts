import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument, operations } from "./routes.ts";

type Json = Record<string, unknown>;
type Responses = Record<string, { $ref?: string; content?: Record<string, { schema: { $ref: string } }> }>;
export type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Responses }>>;
  webhooks: Json;
  components: { schemas: Record<string, Json>; responses: Responses; headers: Record<string, Json> };
};

/**
 * Holds answers against the service's own description of them. A field that is answered but not
 * described is a mistake here, although clients have to bear with it.
 */
export function createDescription() {
  const document = openApiDocument("https://auth.example.com") as Document;
  const described = new Map(
    Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((each) => [each.operationId, each] as const),
    ),
  );
  const paths = operations.map(({ id, method, path }) => ({
    id,
    method,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/gu, "[^/]+")}$`, "u"),
  }));
  // test/http/contract/openapi.test.ts validates the document once; a worker need not do it again.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  const { schemas } = document.components;
  // Not the document itself: what it holds is for whoever reads it.
  const strictSchemas = Object.entries(schemas).map(([name, schema]) => [
    name,
    name === "OpenApi" ? schema : strict(schema),
  ]);
  ajv.addSchema({ $id: "https://openapi.test/", components: { schemas: Object.fromEntries(strictSchemas) as Json } });
  const compiled = new Map<string, ValidateFunction>();

  function validatorOf(schema: string): ValidateFunction | undefined {
    const known = compiled.get(schema);
    if (known || !schemas[schema]) return known;
    const validate = ajv.compile({ $ref: `https://openapi.test/#/components/schemas/${schema}` });
    compiled.set(schema, validate);
    return validate;
  }

  /** What is wrong with an answer of an operation: nothing, or a sentence. */
  function problemOf(operationId: string, status: number, body: unknown): string {
    const operation = described.get(operationId);
    if (!operation) return `no operation ${operationId}`;
    const named = operation.responses[status];
    if (!named) return `${operationId} does not answer ${status}`;
    const response = document.components.responses[named.$ref?.split("/").at(-1) ?? ""] ?? named;
    const schema = response.content?.["application/json"]?.schema.$ref.split("/").at(-1);
    if (schema === undefined) return body === undefined ? "" : `${operationId} has no body with ${status}`;
    const validate = validatorOf(schema);
    if (!validate) return `${operationId} has no schema for ${status}`;
    return validate(body) ? "" : ajv.errorsText(validate.errors);
  }

  return {
    document,
    problemOf,
    /** The operation that a call is; undefined for pages, and for what is not there. */
    operationOf: (method: string, pathname: string): string | undefined =>
      paths.find((each) => each.method === method && each.pattern.test(pathname))?.id,
  };
}

function strict(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    const isObject = typeof value === "object" && value !== null && "properties" in value && key !== "properties";
    return isObject ? { additionalProperties: false, ...value } : value;
  }) as Json;
}

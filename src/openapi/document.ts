import { z } from "zod";
import packageFile from "../../package.json" with { type: "json" };
import { accessDocs, securitySchemes } from "./access.ts";
import { answers } from "./answers.ts";
import { commonResponses, errorResponses } from "./errors.ts";
import { examples } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { requests } from "./requests.ts";

type Json = Record<string, unknown>;

const endpointLimit = { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 };

/** The HTTP API as an OpenAPI 3.1 document. `baseUrl` without a trailing slash. */
export function openApiDocument(baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/gu, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "authsvc",
      version: packageFile.version,
      summary: "Self-hosted sign-in for your applications.",
      description:
        "Bodies are JSON of at most 16 KiB. A field that is not named here is refused. Times are ISO 8601 in UTC. Every answer carries `X-Request-Id`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas: schemas(), responses: commonResponses(), headers, securitySchemes },
  };
}

function operationObject(operation: Operation): Json {
  const { id, tag, summary, description, access, limit, request, answer } = operation;
  const { security } = accessDocs[access];
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security,
    ...(limit === undefined
      ? {}
      : { "x-rate-limit": { type: limit, callsPerMinute: endpointLimit[limit], note: "unless configured otherwise" } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: requestBody(request) }),
    responses: {
      [answer.status ?? 200]: {
        description: answer.about,
        headers: headersOf(operation),
        ...(answer.name === undefined ? {} : { content: content(answer.name, { example: examples[answer.name] }) }),
      },
      ...(operation.path === "/readyz"
        ? { 503: { description: "It cannot.", content: content("Health", { example: { status: "unavailable" } }) } }
        : {}),
      ...errorResponses(operation),
    },
  };
}

function requestBody(name: keyof typeof requests): Json {
  const doc: { optional?: true; example: unknown } = requests[name];
  return { required: doc.optional !== true, content: content(name, { example: doc.example }) };
}

function content(name: string, rest: Json): Json {
  return { "application/json": { schema: { $ref: `#/components/schemas/${name}` }, ...rest } };
}

function parametersOf({ access, parameters = [] }: Operation): Json[] {
  const own = parameters.map(({ name, in: place, required, about }) => ({
    name,
    in: place,
    required: place === "path" || required === true,
    description: about,
    schema: { type: "string" },
  }));
  const appId = {
    name: "X-Service-App-ID",
    in: "header",
    required: false,
    description: "The App ID, checked when it is sent.",
    schema: { type: "string" },
  };
  return accessDocs[access].optionalAppId ? [...own, appId] : own;
}

function headersOf({ limit, answer }: Operation): Json {
  const names = [
    "X-Request-Id",
    ...(limit === undefined ? [] : ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]),
    ...(answer.status === 303 ? ["Location"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const integer = { type: "integer" };
const headers = {
  "X-Request-Id": { description: "Names this call in the service's log.", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Calls a minute.", schema: integer },
  "X-RateLimit-Remaining": { description: "Calls left in this minute.", schema: integer },
  "X-RateLimit-Reset": { description: "When the next minute begins, in Unix time (seconds).", schema: integer },
  "Retry-After": { description: "Seconds until a retry can succeed.", schema: integer },
  Location: { description: "Where to go.", schema: { type: "string", format: "uri" } },
};

function schemas(): Json {
  const found: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(answers)) found[name] = answerSchema(schema);
  for (const [name, { schema, fields }] of Object.entries(requests)) {
    const described: Json & { properties?: Record<string, Json> } = jsonSchema(schema);
    for (const [field, about] of Object.entries(fields)) {
      const property = described.properties?.[field];
      if (property) property["description"] = about;
    }
    found[name] = described;
  }
  return found;
}

/** Clients must bear with fields that they do not know: an answer may gain some. */
function answerSchema(schema: z.ZodType): Json {
  return JSON.parse(
    JSON.stringify(jsonSchema(schema), (key, value: unknown) => (key === "additionalProperties" ? undefined : value)),
  ) as Json;
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    override({ jsonSchema: part }) {
      // The format says it, and what bounds every number says nothing.
      if (part.format === "date-time") delete part.pattern;
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
    },
  });
  return rest;
}

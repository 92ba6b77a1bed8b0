import packageFile from "../../../package.json" with { type: "json" };
import { accessDocs, securitySchemes } from "./access.ts";
import { commonResponses, errorResponses, rateLimitHeaders } from "./errors.ts";
import { examples } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { requests } from "./requests.ts";
import { componentSchemas, type Json } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";

const endpointLimit = { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 };

/** The HTTP API as an OpenAPI 3.1 document. `baseUrl` has no trailing slash. */
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
        "Request bodies are JSON of at most 16 KiB. Unknown fields are rejected. OpenID Connect endpoints take forms, and ignore unknown fields. Times are ISO 8601 in UTC. Every response has the header `X-Request-Id`.",
      contact: { name: "The operator of this service", url: baseUrl },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(),
    components: { schemas: componentSchemas(), responses: commonResponses(), parameters, headers, securitySchemes },
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
    description,
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
      ...(answer.hasTag === true ? { 304: notModified(operation) } : {}),
      ...(operation.path === "/readyz"
        ? { 503: { description: "The service cannot do its work.", content: content("Health", { example: degraded }) } }
        : {}),
      ...errorResponses(operation),
    },
  };
}

const degraded = { status: "degraded", reason: "the database is read-only" };

function notModified(operation: Operation): Json {
  return {
    description: "Not modified: `If-None-Match` matches the `ETag`.",
    headers: headersOf(operation),
  };
}

function requestBody(name: keyof typeof requests): Json {
  const doc: { isForm?: true; optional?: true; example: unknown } = requests[name];
  const type = doc.isForm === true ? "application/x-www-form-urlencoded" : "application/json";
  return { required: doc.optional !== true, content: content(name, { example: doc.example }, type) };
}

function content(name: string, rest: Json, type = "application/json"): Json {
  return { [type]: { schema: { $ref: `#/components/schemas/${name}` }, ...rest } };
}

function parametersOf({ parameters: own = [] }: Operation): Json[] {
  return own.map(({ name, in: place, required, about, schema = { type: "string" } }) =>
    name === "app_id" && required === true
      ? { $ref: "#/components/parameters/AppId" }
      : { name, in: place, required: place === "path" || required === true, description: about, schema },
  );
}

const parameters = {
  AppId: { name: "app_id", in: "query", required: true, description: "The App ID.", schema: { type: "string" } },
};

function headersOf({ limit, answer }: Operation): Json {
  const names = [
    "X-Request-Id",
    ...(limit === undefined ? [] : rateLimitHeaders),
    ...(answer.status === 303 ? ["Location"] : []),
    ...(answer.hasTag === true ? ["ETag"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const tags: Record<Operation["tag"] | "Events", string> = {
  Authentication: "From the start of a sign-in to its end. Called by the application's server, or by a public client.",
  Profile: "The signed-in user's own data.",
  "Sign-in methods": "The signed-in user's ways to sign in.",
  Applications: "The application itself, for its server.",
  Groups: "Groups and metadata of users, for the application's server.",
  Users: "The application's users, for its server.",
  Webhooks: "Endpoints that receive events.",
  Events: "What the service sends to webhook endpoints.",
  "OpenID Connect": "For OpenID Connect libraries. Request bodies are forms. Errors follow RFC 6749 and RFC 6750.",
  "Query-style": "Calls that take the App ID and the token in the query string.",
  Service: "Information about the service itself. Public, without rate limits.",
};

const integer = { type: "integer", minimum: 0 };
const headers = {
  "X-Request-Id": {
    description: "Identifies this call in the service's log.",
    schema: { type: "string", pattern: "^req_[0-9a-f]{32}$" },
  },
  "X-RateLimit-Limit": { description: "Allowed calls per minute.", schema: integer },
  "X-RateLimit-Remaining": { description: "Calls left in this minute.", schema: integer },
  "X-RateLimit-Reset": { description: "When the next minute begins, in Unix time (seconds).", schema: integer },
  "Retry-After": { description: "Seconds until a retry can succeed.", schema: integer },
  "WWW-Authenticate": {
    description: "The required credential (RFC 6750, section 3).",
    schema: { type: "string", examples: ['Bearer realm="authsvc"'] },
  },
  ETag: { description: "Identifies this version, for `If-None-Match`.", schema: { type: "string" } },
  Location: { description: "Where to send the browser.", schema: { type: "string", format: "uri" } },
};

import packageFile from "../../../package.json" with { type: "json" };
import { methodType } from "../answers.ts";
import type { ApiRoute, Body, Named } from "../operation.ts";
import { accessDocs, securitySchemes } from "./access.ts";
import { commonResponses, errorAnswer, errorResponses, oauthErrorAnswer, rateLimitHeaders } from "./errors.ts";
import { componentSchemas, type Json } from "./schemas.ts";
import { webhookEvent, webhooks } from "./webhooks.ts";

const endpointLimit = { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 };

/** The calls of the HTTP API as an OpenAPI 3.1 document. `baseUrl` has no trailing slash. */
export function openApiDocument(routes: readonly ApiRoute[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const call of routes) {
    const path = call.path.replaceAll(/:(\w+)/gu, "{$1}");
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationObject(call) };
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
    components: {
      schemas: componentSchemas(routes, [methodType, errorAnswer, oauthErrorAnswer, webhookEvent]),
      responses: commonResponses(),
      parameters,
      headers,
      securitySchemes,
    },
  };
}

function operationObject(call: ApiRoute): Json {
  const { guard, limit, operation } = call;
  const { id, tag, summary, description, body, answer } = operation;
  const { security } = accessDocs[guard.access];
  const parameters = parametersOf(call);
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
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      [answer.status ?? 200]: {
        description: answer.about,
        headers: headersOf(call),
        ...(answer.schema && { content: content(answer.schema) }),
      },
      ...(answer.hasTag === true ? { 304: notModified(call) } : {}),
      ...(answer.schema &&
        answer.otherwise && {
          [answer.otherwise.status]: {
            description: answer.otherwise.about,
            content: content({ name: answer.schema.name, example: answer.otherwise.example }),
          },
        }),
      ...errorResponses(call),
    },
  };
}

function notModified(call: ApiRoute): Json {
  return {
    description: "Not modified: `If-None-Match` matches the `ETag`.",
    headers: headersOf(call),
  };
}

function requestBody(body: Body): Json {
  const type = body.isForm === true ? "application/x-www-form-urlencoded" : "application/json";
  return { required: body.optional !== true, content: content(body, type) };
}

function content({ name, example }: Pick<Named | Body, "name" | "example">, type = "application/json"): Json {
  return { [type]: { schema: { $ref: `#/components/schemas/${name}` }, example } };
}

/** Those of paths mean the same in each. */
const pathParameters: Record<string, string> = {
  appId: "The App ID of the API key.",
  id: "`whe_…`",
  methodId: "`mth_…`",
  tokenId: "`ptk_…`",
  invitationId: "`inv_…`",
  domain: "A domain of the organization, such as `acme.com`.",
  orgId: "An organization of the application, `org_…`.",
  name: "The group's name, percent-encoded.",
  provider: "google, github, facebook, …; letter case does not matter",
  userId: "A user of the application, `usr_…`.",
};

function parametersOf({ path, operation: { query = {} } }: ApiRoute): Json[] {
  const string = { type: "string" };
  return [
    ...[...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      description: pathParameters[name],
      schema: string,
    })),
    ...Object.entries(query).map(([name, { required = false, about, schema = string }]) =>
      name === "app_id" && required
        ? { $ref: "#/components/parameters/AppId" }
        : { name, in: "query", required, description: about, schema },
    ),
  ];
}

const parameters = {
  AppId: { name: "app_id", in: "query", required: true, description: "The App ID.", schema: { type: "string" } },
};

function headersOf({ limit, operation: { answer } }: ApiRoute): Json {
  const names = [
    "X-Request-Id",
    ...(limit === undefined ? [] : rateLimitHeaders),
    ...(answer.status === 303 ? ["Location"] : []),
    ...(answer.hasTag === true ? ["ETag"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const tags: Record<ApiRoute["operation"]["tag"] | "Events", string> = {
  Authentication: "From the start of a sign-in to its end. Called by the application's server, or by a public client.",
  Profile: "The signed-in user's own data.",
  "Sign-in methods": "The signed-in user's ways to sign in.",
  Applications: "The application itself, for its server.",
  Groups: "Groups and metadata of users, for the application's server.",
  Organizations: "Organizations of users, whose members have roles: for customers that are companies.",
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
  "X-RateLimit-Reset": { description: "When the next minute begins. Unix time (seconds).", schema: integer },
  "Retry-After": { description: "Seconds until a retry can succeed.", schema: integer },
  "WWW-Authenticate": {
    description: "The required credential (RFC 6750, section 3; RFC 9449, section 7.1; RFC 9470, section 3).",
    schema: { type: "string", examples: ['Bearer realm="authsvc"'] },
  },
  "DPoP-Nonce": {
    description: "With `use_dpop_nonce`: what the next proof must have as `nonce`.",
    schema: { type: "string" },
  },
  ETag: { description: "Identifies this version, for `If-None-Match`.", schema: { type: "string" } },
  Location: { description: "Where to send the browser.", schema: { type: "string", format: "uri" } },
};

import { accessDocs } from "./access.ts";
import type { Operation } from "./operation.ts";

type Refused = { status: number; code: string; when: string };

/** The contract's statuses (section 7). */
const statuses: Record<string, number> = {
  INVALID_REQUEST: 400,
  INVALID_API_KEY: 401,
  INVALID_APP_ID: 401,
  INVALID_TOKEN: 401,
  INSUFFICIENT_SCOPE: 403,
  USER_NOT_FOUND: 404,
  METHOD_NOT_FOUND: 404,
  RATE_LIMITED: 429,
  SERVER_ERROR: 500,
};

/** What many operations have in common, by its name among the document's responses. */
const common = {
  BodyTooLarge: { status: 413, code: "INVALID_REQUEST", when: "The body is over 16 KiB." },
  UnsupportedMediaType: {
    status: 415,
    code: "INVALID_REQUEST",
    when: "The body is not sent as `application/json`.",
  },
  TooManyCalls: { status: 429, code: "RATE_LIMITED", when: "Too many calls in this minute." },
  ServerError: {
    status: 500,
    code: "SERVER_ERROR",
    when: "Something went wrong here. The log has it under the request's id.",
  },
} satisfies Record<string, Refused>;

/** Every error that a call can be answered with, by its cause. */
function errorsOf({ access, limit, request, parameters = [], errors = [] }: Operation): Refused[] {
  const withStatus = ({ code, when, status }: { code: string; when: string; status?: number }): Refused => ({
    status: status ?? statuses[code] ?? 500,
    code,
    when,
  });
  const badBody = "The body is not JSON, or a field is missing, unknown or not as described.";
  const badQuery = "A parameter is missing, given twice or not as described.";
  const hasQuery = parameters.some((parameter) => parameter.in === "query");
  return [
    ...accessDocs[access].refusals.map(withStatus),
    ...(request === undefined
      ? []
      : [withStatus({ code: "INVALID_REQUEST", when: badBody }), common.BodyTooLarge, common.UnsupportedMediaType]),
    ...(hasQuery ? [withStatus({ code: "INVALID_REQUEST", when: badQuery })] : []),
    ...errors.map(withStatus),
    ...(limit === undefined ? [] : [common.TooManyCalls]),
    common.ServerError,
  ];
}

/** The same as `responses` of an operation: one for each status, with an example for each code. */
export function errorResponses(operation: Operation): Record<number, unknown> {
  const responses: Record<number, unknown> = {};
  for (const [status, refused] of Map.groupBy(errorsOf(operation), (error) => error.status)) {
    const [name] = Object.entries(common).find(([, each]) => refused.length === 1 && refused[0] === each) ?? [];
    responses[status] = name === undefined ? response(refused) : { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

export function commonResponses(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(common).map(([name, refused]) => [name, response([refused])]));
}

function response(refused: Refused[]): Record<string, unknown> {
  return {
    description: refused.map(({ code, when }) => `\`${code}\`: ${when}`).join("\n\n"),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      ...(refused[0]?.status === 429 ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : {}),
    },
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples: examplesOf(refused) } },
  };
}

function examplesOf(refused: Refused[]): Record<string, unknown> {
  return Object.fromEntries(
    refused.map(({ code, when: message }) => [
      code,
      { value: { error: { code, message, details: "", requestId: "req_5f0c7a1e9b3d4c6f" } } },
    ]),
  );
}

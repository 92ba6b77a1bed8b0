import { z } from "zod";
import { text } from "../fields.ts";
import { named, type ApiRoute } from "../operation.ts";
import { accessDocs, takesProof } from "./access.ts";

const requestId = "req_5f0c7a1e9b3d4c6f8a2e1d0b9c7f6e5a";

const errorCode = named("ErrorCode", "The error code, for programs.", () =>
  z.enum([
    "INVALID_APP_ID",
    "INVALID_API_KEY",
    "INVALID_TOKEN",
    "INSUFFICIENT_SCOPE",
    "USER_NOT_FOUND",
    "METHOD_NOT_FOUND",
    "INVALID_REQUEST",
    "RATE_LIMITED",
    "SERVER_ERROR",
  ]),
);

const errorDetail = named("ErrorDetail", "What went wrong.", () =>
  z.strictObject({
    code: errorCode.schema,
    message: text("A human-readable message. Never contains what was sent."),
    details: text("For an invalid value: the field and the rule. Otherwise empty, or a hint."),
    requestId: text("The same as `X-Request-Id`. The service's log contains it."),
  }),
);

export const errorAnswer = named(
  "Error",
  "Every error has this shape.",
  () => z.strictObject({ error: errorDetail.schema }),
  { error: { code: "INVALID_REQUEST", message: "The request is not valid.", details: "", requestId } },
);

export const oauthErrorAnswer = named("OAuthError", "An error of OAuth 2.0.", () =>
  z.strictObject({
    error: text("An error code of RFC 6749, section 5.2, or RFC 6750, section 3.1."),
    error_description: text("What is wrong; for developers."),
  }),
);

type Refused = { status: number; code: string; when: string };

/** The contract's statuses (docs/spec/http-api.md, 7). */
const statuses: Record<string, number> = {
  INVALID_REQUEST: 400,
  INVALID_API_KEY: 401,
  INVALID_APP_ID: 401,
  INVALID_CLIENT: 401,
  INVALID_TOKEN: 401,
  INSUFFICIENT_SCOPE: 403,
  USER_NOT_FOUND: 404,
  METHOD_NOT_FOUND: 404,
  RATE_LIMITED: 429,
  SERVER_ERROR: 500,
};

/** On every answer of a rate limited operation, errors included. */
export const rateLimitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** The errors of OAuth routes instead (RFC 6749 §5.2, RFC 6750 §3.1). */
const oauthCodes: Record<string, string> = {
  INVALID_CLIENT: "invalid_client",
  INVALID_TOKEN: "invalid_token",
  INSUFFICIENT_SCOPE: "insufficient_scope",
  RATE_LIMITED: "temporarily_unavailable",
  SERVER_ERROR: "server_error",
};

/** Responses that many operations share, by name. */
const common = {
  BodyTooLarge: { status: 413, code: "INVALID_REQUEST", when: "The body is over 16 KiB." },
  UnsupportedMediaType: {
    status: 415,
    code: "INVALID_REQUEST",
    when: "The content type is not `application/json`.",
  },
  TooManyCalls: { status: 429, code: "RATE_LIMITED", when: "Too many calls in this minute." },
  ServerError: {
    status: 500,
    code: "SERVER_ERROR",
    when: "An internal error. The service's log has the details, under the request ID.",
  },
} satisfies Record<string, Refused>;

/** Every possible error of an operation, by cause. */
function errorsOf({ guard, limit, operation }: ApiRoute): Refused[] {
  const { body, query, errors = [] } = operation;
  const withStatus = ({ code, when, status }: { code: string; when: string; status?: number }): Refused => ({
    status: status ?? statuses[code] ?? 500,
    code,
    when,
  });
  const badBody = "The body is not JSON, or a field is missing, unknown or invalid.";
  const badQuery = "A parameter is missing, given twice or invalid.";
  return [
    withStatus({ code: "INVALID_REQUEST", when: "The call reached the proxy without HTTPS." }),
    ...accessDocs[guard.access].refusals.map(withStatus),
    ...(body === undefined
      ? []
      : [withStatus({ code: "INVALID_REQUEST", when: badBody }), common.BodyTooLarge, common.UnsupportedMediaType]),
    ...(query ? [withStatus({ code: "INVALID_REQUEST", when: badQuery })] : []),
    ...errors.map(withStatus),
    ...(limit === undefined ? [] : [common.TooManyCalls]),
    common.ServerError,
  ];
}

/** An operation's error `responses`: one per status, with an example for each code. */
export function errorResponses(call: ApiRoute): Record<number, unknown> {
  const responses: Record<number, unknown> = {};
  for (const [status, refused] of Map.groupBy(errorsOf(call), (error) => error.status)) {
    const [name] = Object.entries(common).find(([, each]) => refused.length === 1 && refused[0] === each) ?? [];
    const isLimited = call.limit !== undefined;
    const isOAuth = call.errors === "oauth";
    const givesNonce = takesProof(call) && status === (call.operation.takesProof ? 400 : 401);
    responses[status] =
      name === undefined || !isLimited || isOAuth
        ? response(isOAuth ? refused.map(inOAuth) : refused, { isLimited, isOAuth, givesNonce })
        : { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

export function commonResponses(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(common).map(([name, refused]) => [
      name,
      response([refused], { isLimited: true, isOAuth: false, givesNonce: false }),
    ]),
  );
}

function inOAuth({ code, when, ...rest }: Refused): Refused {
  const form = when
    .replace("not JSON, or a field", "not a form, or a parameter")
    .replace("unknown or", "given twice or");
  const said = form.replace("application/json", "application/x-www-form-urlencoded");
  return { ...rest, code: oauthCodes[code] ?? "invalid_request", when: said };
}

function response(
  refused: Refused[],
  { isLimited, isOAuth, givesNonce }: { isLimited: boolean; isOAuth: boolean; givesNonce: boolean },
): Record<string, unknown> {
  const headers = [
    "X-Request-Id",
    ...(isLimited ? rateLimitHeaders : []),
    ...(refused[0]?.status === 429 ? ["Retry-After"] : []),
    ...(refused[0]?.status === 401 || refused.some(({ when }) => when.includes("`WWW-Authenticate`"))
      ? ["WWW-Authenticate"]
      : []),
    ...(givesNonce ? ["DPoP-Nonce"] : []),
  ];
  return {
    description: refused.map(({ code, when }) => `\`${code}\`: ${when}`).join("\n\n"),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${(isOAuth ? oauthErrorAnswer : errorAnswer).name}` },
        examples: isOAuth ? oauthExamplesOf(refused) : examplesOf(refused),
      },
    },
  };
}

function examplesOf(refused: Refused[]): Record<string, unknown> {
  // The last one of each code: the first INVALID_REQUEST is the rarest.
  return Object.fromEntries(
    refused.map(({ code, when: message }) => [code, { value: { error: { code, message, details: "", requestId } } }]),
  );
}

function oauthExamplesOf(refused: Refused[]): Record<string, unknown> {
  return Object.fromEntries(
    refused.map(({ code, when }) => [code, { value: { error: code, error_description: when.replaceAll("`", "'") } }]),
  );
}

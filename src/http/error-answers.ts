import { AppError, withoutCredential, type ErrorCode, type OAuthErrorCode } from "../lib/errors.ts";
import { json, type Answer } from "./answer.ts";

/** The only mapping of errors to public codes and statuses (docs/spec/http-api.md, 7). */
const answers: Record<ErrorCode, { status: number; code: string }> = {
  INVALID_APP_ID: { status: 401, code: "INVALID_APP_ID" },
  INVALID_API_KEY: { status: 401, code: "INVALID_API_KEY" },
  INVALID_TOKEN: { status: 401, code: "INVALID_TOKEN" },
  INVALID_CLIENT: { status: 401, code: "INVALID_REQUEST" },
  INSUFFICIENT_SCOPE: { status: 403, code: "INSUFFICIENT_SCOPE" },
  USER_NOT_FOUND: { status: 404, code: "USER_NOT_FOUND" },
  METHOD_NOT_FOUND: { status: 404, code: "METHOD_NOT_FOUND" },
  INVALID_REQUEST: { status: 400, code: "INVALID_REQUEST" },
  RATE_LIMITED: { status: 429, code: "RATE_LIMITED" },
  SERVER_ERROR: { status: 500, code: "SERVER_ERROR" },
  BUSY: { status: 429, code: "RATE_LIMITED" },
  UNKNOWN_PATH: { status: 404, code: "INVALID_REQUEST" },
  METHOD_NOT_ALLOWED: { status: 405, code: "INVALID_REQUEST" },
  BODY_TOO_LARGE: { status: 413, code: "INVALID_REQUEST" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: "INVALID_REQUEST" },
  CURSOR_GONE: { status: 410, code: "INVALID_REQUEST" },
  APP_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  KEY_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  LOGIN_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  TOKEN_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  WEBHOOK_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  CLIENT_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  RESOURCE_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  DOMAIN_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  GROUP_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  ORGANIZATION_NOT_FOUND: { status: 404, code: "INVALID_REQUEST" },
  CONFLICT: { status: 409, code: "INVALID_REQUEST" },
  INVALID_CONFIG: { status: 500, code: "SERVER_ERROR" },
  UNUSABLE_STORAGE: { status: 500, code: "SERVER_ERROR" },
};

/** The public form of an error: an AppError's own words, a fixed sentence for everything else. */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError && answers[error.code].code !== "SERVER_ERROR") return error;
  return new AppError("SERVER_ERROR", "Something went wrong on our side. Try again in a moment.", { cause: error });
}

export function statusOf(error: AppError): number {
  return answers[error.code].status;
}

/** The contract's code of an error. */
export function codeOf(error: AppError): string {
  return answers[error.code].code;
}

/** The contract's error object. */
export function errorAnswer(error: AppError, requestId: string): Answer {
  const { status, code } = answers[error.code];
  const answer = json({ error: { code, message: error.message, details: error.details, requestId } }, status);
  if (error.retryAfterSeconds !== undefined) answer.headers["retry-after"] = String(error.retryAfterSeconds);
  Object.assign(answer.headers, error.headers);
  return answer;
}

/** For errors that do not name theirs; all others are `invalid_request`. */
const oauthCodes: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  INVALID_CLIENT: "invalid_client",
  INVALID_API_KEY: "invalid_client",
  INVALID_APP_ID: "invalid_client",
  INVALID_TOKEN: "invalid_token",
  INSUFFICIENT_SCOPE: "insufficient_scope",
  RATE_LIMITED: "temporarily_unavailable",
  BUSY: "temporarily_unavailable",
  SERVER_ERROR: "server_error",
};

/** The error object of RFC 6749 §5.2, with the challenges of RFC 6750 §3 and RFC 9110 §11.6.1. */
export function oauthErrorAnswer(error: AppError): Answer {
  const code = error.oauth ?? oauthCodes[error.code] ?? "invalid_request";
  const description = `${error.message} ${error.details}`.trim().replaceAll(notInDescriptions, "'");
  const answer = json({ error: code, error_description: description }, statusOf(error));
  if (error.retryAfterSeconds !== undefined) answer.headers["retry-after"] = String(error.retryAfterSeconds);
  const challenge = challengeOf(code, error);
  if (challenge !== undefined) answer.headers["www-authenticate"] = challenge;
  Object.assign(answer.headers, error.headers);
  return answer;
}

/** RFC 6749 §5.2: printable ASCII without quotation marks and backslashes. */
const notInDescriptions = /[^\u0020\u0021\u0023-\u005b\u005d-\u007e]/gu;

function challengeOf(code: OAuthErrorCode, error: AppError): string | undefined {
  if (code === "invalid_client") return 'Basic realm="authsvc"';
  if (code !== "invalid_token" && code !== "insufficient_scope") return undefined;
  // RFC 6750 §3.1: without a credential, the challenge has no error.
  return `Bearer realm="authsvc"${error.cause === withoutCredential ? "" : `, error="${code}"`}`;
}

/** Every way in which a call can fail on purpose. HTTP statuses come from `http/error-answers.ts`, exit codes from `cli/exit-codes.ts`. */
export type ErrorCode =
  | "INVALID_APP_ID"
  | "INVALID_API_KEY"
  | "INVALID_TOKEN"
  | "INSUFFICIENT_SCOPE"
  | "USER_NOT_FOUND"
  | "METHOD_NOT_FOUND"
  | "INVALID_REQUEST"
  | "RATE_LIMITED"
  | "SERVER_ERROR"
  /** The hash queue is full: answered as RATE_LIMITED. */
  | "BUSY"
  // HTTP only: answered as INVALID_REQUEST with a status of their own.
  | "UNKNOWN_PATH"
  | "METHOD_NOT_ALLOWED"
  | "BODY_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  // Commands only.
  | "APP_NOT_FOUND"
  | "KEY_NOT_FOUND"
  | "LOGIN_NOT_FOUND"
  | "WEBHOOK_NOT_FOUND"
  | "CONFLICT"
  | "INVALID_CONFIG"
  | "UNUSABLE_STORAGE";

/**
 * A failure with a reason that the caller may see.
 * `message` and `details` are public: they never hold a value that was sent, a URL, SQL or a stack. What is for the log goes into `cause`.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: string;
  /** Whole seconds until a retry can succeed; only with RATE_LIMITED and BUSY. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: string; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? "";
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** One wording each: a caller must not be able to tell which check refused it. */
export function invalidApiKey(): AppError {
  return new AppError("INVALID_API_KEY", "The API key is missing or not valid.");
}

export function invalidAppId(): AppError {
  return new AppError("INVALID_APP_ID", "The App ID is missing or not valid.");
}

/** The cause of an INVALID_TOKEN that is one no longer, which is what every client sends now and then. */
export const expired = "expired";

/** The token is good, but not for this. */
export function insufficientScope(scope: string): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The access token lacks a scope.", { details: `scope: ${scope}` });
}

/** A good token, or a command, for a user whose row is gone. */
export function userNotFound(): AppError {
  return new AppError("USER_NOT_FOUND", "The user does not exist.");
}

/** A refused value: `details` names the field and the rule, never the value. */
export function invalidRequest(details: string, cause?: unknown): AppError {
  return new AppError("INVALID_REQUEST", "The request is not valid.", { details, cause });
}

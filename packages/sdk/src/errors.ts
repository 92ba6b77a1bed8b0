import type { ErrorCode } from "./api.ts";

/** UNREACHABLE: no response. CONFIGURATION: a wrong setting; the message names it and the fix. */
export type AuthsvcErrorCode = ErrorCode | "UNREACHABLE" | "CONFIGURATION";

/** Every failure of this package. Decide by `code`; messages may change. */
export class AuthsvcError extends Error {
  override readonly name = "AuthsvcError";
  declare readonly code: AuthsvcErrorCode;
  /** The HTTP status, if the service responded. */
  declare readonly status: number | undefined;
  /** Identifies the call in the service's log. */
  declare readonly requestId: string | undefined;
  /** Seconds to wait, if the service said so. */
  declare readonly retryAfter: number | undefined;
  declare readonly details: string | undefined;
  /** The status of an unhandled error in frameworks. Never 401: nobody is signed out. */
  declare readonly statusCode: number;

  constructor(
    code: AuthsvcErrorCode,
    message: string,
    rest: { status?: number; requestId?: string; retryAfter?: number; details?: string; cause?: unknown } = {},
  ) {
    const { cause, ...known } = rest;
    super(message, cause === undefined ? undefined : { cause });
    // Fewer bytes in a page than a line each.
    Object.assign(this, known, { code, statusCode: code === "UNREACHABLE" || code === "RATE_LIMITED" ? 503 : 500 });
  }
}

/** A token, login or session that is not valid, or no longer. */
export function isInvalidToken(error: unknown): boolean {
  return error instanceof AuthsvcError && error.code === "INVALID_TOKEN";
}

/** A call whose fields the service does not accept. */
export function isInvalidRequest(error: unknown): boolean {
  return error instanceof AuthsvcError && error.code === "INVALID_REQUEST";
}

/** A user who may not use the organization. */
export function isRefused(error: unknown): boolean {
  return error instanceof AuthsvcError && error.code === "INSUFFICIENT_SCOPE";
}

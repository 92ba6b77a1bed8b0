import type { ErrorCode } from "../lib/errors.ts";

/** The meaning of exit codes for scripts. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  difference: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeOf: Record<ErrorCode, ExitCode> = {
  INVALID_CONFIG: exitCodes.usage,
  INVALID_REQUEST: exitCodes.usage,
  APP_NOT_FOUND: exitCodes.notFound,
  KEY_NOT_FOUND: exitCodes.notFound,
  LOGIN_NOT_FOUND: exitCodes.notFound,
  TOKEN_NOT_FOUND: exitCodes.notFound,
  WEBHOOK_NOT_FOUND: exitCodes.notFound,
  CLIENT_NOT_FOUND: exitCodes.notFound,
  GROUP_NOT_FOUND: exitCodes.notFound,
  DOMAIN_NOT_FOUND: exitCodes.notFound,
  ORGANIZATION_NOT_FOUND: exitCodes.notFound,
  RESOURCE_NOT_FOUND: exitCodes.notFound,
  USER_NOT_FOUND: exitCodes.notFound,
  METHOD_NOT_FOUND: exitCodes.notFound,
  CONFLICT: exitCodes.refused,
  INSUFFICIENT_SCOPE: exitCodes.refused,
  INVALID_TOKEN: exitCodes.failed,
  INVALID_APP_ID: exitCodes.failed,
  INVALID_API_KEY: exitCodes.failed,
  INVALID_CLIENT: exitCodes.failed,
  RATE_LIMITED: exitCodes.failed,
  BUSY: exitCodes.failed,
  SERVER_ERROR: exitCodes.failed,
  UNUSABLE_STORAGE: exitCodes.failed,
  UNKNOWN_PATH: exitCodes.failed,
  METHOD_NOT_ALLOWED: exitCodes.failed,
  BODY_TOO_LARGE: exitCodes.failed,
  UNSUPPORTED_MEDIA_TYPE: exitCodes.failed,
  CURSOR_GONE: exitCodes.failed,
};

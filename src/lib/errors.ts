/**
 * Every expected failure. `http/error-answers.ts` maps codes to HTTP statuses, `cli/exit-codes.ts`
 * to exit codes.
 */
export type ErrorCode =
  | "INVALID_APP_ID"
  | "INVALID_API_KEY"
  | "INVALID_TOKEN"
  | "INSUFFICIENT_SCOPE"
  /** OAuth routes only: the client is unknown, or did not authenticate. */
  | "INVALID_CLIENT"
  | "USER_NOT_FOUND"
  | "METHOD_NOT_FOUND"
  | "INVALID_REQUEST"
  | "RATE_LIMITED"
  | "SERVER_ERROR"
  /** The hash queue is full. Answered as RATE_LIMITED. */
  | "BUSY"
  // HTTP only: answered as INVALID_REQUEST with their own status.
  | "UNKNOWN_PATH"
  | "METHOD_NOT_ALLOWED"
  | "BODY_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "CURSOR_GONE"
  // Commands only.
  | "APP_NOT_FOUND"
  | "KEY_NOT_FOUND"
  | "LOGIN_NOT_FOUND"
  | "TOKEN_NOT_FOUND"
  | "WEBHOOK_NOT_FOUND"
  | "CLIENT_NOT_FOUND"
  | "GROUP_NOT_FOUND"
  | "RESOURCE_NOT_FOUND"
  | "DOMAIN_NOT_FOUND"
  | "ORGANIZATION_NOT_FOUND"
  | "CONFLICT"
  | "INVALID_CONFIG"
  | "UNUSABLE_STORAGE";

/**
 * RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 7009 §2.2.1, RFC 8628 §3.5, RFC 8707 §2, RFC 9126
 * §2.3, RFC 9449 §12.2, OpenID Connect Core 1.0 §3.1.2.6.
 */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_token_type"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "invalid_token"
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "insufficient_scope"
  | "access_denied"
  | "server_error"
  | "temporarily_unavailable"
  | "login_required"
  | "consent_required"
  | "interaction_required"
  | "unmet_authentication_requirements"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported";

/**
 * A failure whose reason the caller may see. `message` and `details` are public: they never contain
 * a submitted value, a URL, SQL or a stack trace. `cause` is for the log.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: string;
  /** Whole seconds until a retry can succeed; only with RATE_LIMITED and BUSY. */
  readonly retryAfterSeconds: number | undefined;
  /** For callers that name the field differently: a flag, or a place in a file. */
  readonly rejected: { field: string; rule: string } | undefined;
  /** The OAuth error, if the code alone does not determine it. */
  readonly oauth: OAuthErrorCode | undefined;
  /** Further headers of the response, by lower-case names. */
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: string;
      rejected?: { field: string; rule: string };
      cause?: unknown;
      retryAfterSeconds?: number;
      oauth?: OAuthErrorCode;
      headers?: Record<string, string>;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? "";
    this.rejected = options.rejected;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.oauth = options.oauth;
    this.headers = options.headers ?? {};
  }
}

/** One wording for all causes: a caller must not learn which check failed. */
export function invalidApiKey(details?: string): AppError {
  return new AppError(
    "INVALID_API_KEY",
    "The API key is missing or not valid.",
    details === undefined ? {} : { details },
  );
}

/**
 * `details` names the place of the id in the request. Unknown and foreign ids get the same error.
 */
export function invalidAppId(details?: string): AppError {
  return new AppError(
    "INVALID_APP_ID",
    "The App ID is missing or not valid.",
    details === undefined ? {} : { details },
  );
}

/**
 * The `cause` of INVALID_TOKEN for an expired token, which every client sends from time to time.
 */
export const expired = "expired";

/** The `cause` of INVALID_TOKEN for a call that sent no token at all. */
export const withoutCredential = "without credential";

/** The token is valid but lacks this scope. */
export function insufficientScope(scope: string): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The access token lacks a scope.", { details: `scope: ${scope}` });
}

/** The token is valid, but its client has no access to its user's account. */
export function notOwnProgram(): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The access token does not allow this.", {
    details: "client: only the application and its own programs may do this",
  });
}

/** The token is valid, but somebody else acts as the user with it. */
export function actsForUser(): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The access token does not allow this.", {
    details: "act: somebody who acts as the user cannot change the account",
  });
}

/** The token is valid, but rests on the provider of an organization alone. */
export function confinedToOrganization(): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The access token does not allow this.", {
    details: "org_confined: this login is for its organization only",
  });
}

export function applicationNotFound(): AppError {
  return new AppError("APP_NOT_FOUND", "There is no application with this id.");
}

export function addressTaken(cause?: unknown): AppError {
  return new AppError("CONFLICT", "A user of this application already has this address.", { cause });
}

/** A valid token or a command names a user who no longer exists. */
export function userNotFound(): AppError {
  return new AppError("USER_NOT_FOUND", "The user does not exist.");
}

/**
 * A rejected value: its field (`redirectUris[1]`) and the rule that it breaks, never the value.
 * Callers read both in `details`.
 */
export function invalidRequest(field: string, rule: string, cause?: unknown): AppError {
  const rejected = { field, rule };
  return new AppError("INVALID_REQUEST", "The request is not valid.", {
    details: `${field}: ${rule}`,
    rejected,
    cause,
  });
}

/** An error of the OAuth routes. The message never contains a submitted value. */
export function oauthError(oauth: Exclude<OAuthErrorCode, "invalid_client">, message: string): AppError {
  return new AppError("INVALID_REQUEST", message, { oauth });
}

/** One wording for all causes. `cause` names the failed check, for the log. */
export function invalidClient(cause?: string): AppError {
  return new AppError("INVALID_CLIENT", "The client is unknown or did not authenticate.", { cause });
}

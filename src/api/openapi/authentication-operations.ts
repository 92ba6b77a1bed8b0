import type { Operation } from "./operation.ts";

/** From the start of a sign-in to its end. */
export const authenticationOperations: Operation[] = [
  {
    method: "POST",
    path: "/auth/initiate",
    id: "initiate",
    tag: "Authentication",
    summary: "Start a sign-in",
    description:
      "Send the browser to `authUrl`. It returns to `redirectUri` with `code`, `state` and `sessionId`, or with `error`. Without an API key, `codeChallenge` is required, and the application must allow public clients (`app update --public-clients on`).",
    access: "serverOrAllowedPublicClient",
    limit: "authentication",
    request: "InitiateRequest",
    answer: { name: "Session", about: "A sign-in session, valid for ten minutes." },
  },
  {
    method: "POST",
    path: "/auth/callback",
    id: "callback",
    tag: "Authentication",
    summary: "Exchange the code of the redirect for tokens",
    description:
      "A code works once: of several calls with it, one succeeds. A second use ends the login that the first one began.",
    access: "serverOrPublicClient",
    limit: "authentication",
    request: "CallbackRequest",
    answer: { name: "TokensAndUser", about: "The tokens of a new login." },
  },
  {
    method: "POST",
    path: "/auth/refresh",
    id: "refresh",
    tag: "Authentication",
    summary: "Exchange a refresh token for new tokens",
    description:
      "A refresh token works once. For ten seconds after its use, it returns the same successor again, so a client can retry after a lost response. Using it later ends the login.",
    access: "serverOrPublicClient",
    limit: "authentication",
    request: "RefreshRequest",
    answer: { name: "Tokens", about: "New tokens of the same login." },
    errors: [
      {
        code: "INVALID_TOKEN",
        when: "The refresh token is unknown, expired or used, or belongs to another application.",
      },
    ],
  },
  {
    method: "GET",
    path: "/auth/validate",
    id: "validate",
    tag: "Authentication",
    summary: "Check whether an access token is valid",
    description: "A logout, and disabling or deleting the user, take effect at once.",
    access: "userOfNamedApp",
    limit: "authentication",
    answer: { name: "Validation", about: "The token is valid." },
  },
  {
    method: "GET",
    path: "/auth/revocations",
    id: "listRevocations",
    tag: "Authentication",
    summary: "Read the revocation feed",
    description:
      "For servers that verify access tokens themselves. Start without `after`, then always send the cursor of the last response. A logout is in the feed as soon as its call returns.",
    access: "serverOfItsApp",
    limit: "authentication",
    parameters: [
      {
        name: "after",
        in: "query",
        about: "The `cursor` of the last response. Without it, the call returns the current cursor at once.",
      },
      {
        name: "wait",
        in: "query",
        about: "How many seconds to wait for an entry, if there is none.",
        schema: { type: "integer", minimum: 0, maximum: 25, default: 0 },
      },
    ],
    answer: { name: "Revocations", about: "The new entries for this application." },
    errors: [
      {
        code: "INVALID_REQUEST",
        status: 410,
        when: "The cursor is too old, or from another database. Start again without `after`, and validate every login once.",
      },
    ],
  },
  {
    method: "POST",
    path: "/auth/logout",
    id: "logout",
    tag: "Authentication",
    summary: "End one login or all logins of the user",
    description:
      "By default, ends the login of the access token. With `allSessions`, ends every login of the user; with `refreshToken`, the login of that token. If that token is unknown, belongs to another user or its login has already ended, the login of the access token ends instead. Success always means that a login ended.",
    access: "user",
    limit: "authentication",
    request: "LogoutRequest",
    answer: { name: "Done", about: "The login has ended. Its tokens are rejected from the next call on." },
  },
];

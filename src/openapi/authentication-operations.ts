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
      "Send the browser to `authUrl`. It comes back to `redirectUri` with `code`, `state` and `sessionId`, or with `error`. Without an API key: only with `codeChallenge`, and only if the application allows public clients (`app update --public-clients on`).",
    access: "serverOrAllowedPublicClient",
    limit: "authentication",
    request: "InitiateRequest",
    answer: { name: "Session", about: "A sign-in session of ten minutes." },
  },
  {
    method: "POST",
    path: "/auth/callback",
    id: "callback",
    tag: "Authentication",
    summary: "Exchange the code of the redirect for tokens",
    description: "Of several calls with one code one succeeds. A second use ends the login that the first one began.",
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
    summary: "Replace a refresh token",
    description:
      "A refresh token is good once. For ten seconds after it was used it returns the same successor, so that a lost answer can be asked for again; later, its use ends the login.",
    access: "serverOrPublicClient",
    limit: "authentication",
    request: "RefreshRequest",
    answer: { name: "Tokens", about: "New tokens of the same login." },
    errors: [
      { code: "INVALID_TOKEN", when: "The refresh token is unknown, expired, used, or of another application." },
    ],
  },
  {
    method: "GET",
    path: "/auth/validate",
    id: "validate",
    tag: "Authentication",
    summary: "Ask whether an access token is valid now",
    description: "Sees a logout, a disabled and a deleted user at once.",
    access: "userOfNamedApp",
    limit: "authentication",
    answer: { name: "Validation", about: "The token holds." },
  },
  {
    method: "GET",
    path: "/auth/revocations",
    id: "listRevocations",
    tag: "Authentication",
    summary: "Read the revocation feed",
    description:
      "For servers that verify access tokens themselves. Start without `after`, then always send the cursor of the last answer. An entry is there as soon as the logout is answered.",
    access: "serverOfItsApp",
    limit: "authentication",
    parameters: [
      {
        name: "after",
        in: "query",
        about: "The `cursor` of the last answer. Without it, the answer is the current cursor, at once.",
      },
      {
        name: "wait",
        in: "query",
        about: "How many seconds to wait for an entry, if there is none.",
        schema: { type: "integer", minimum: 0, maximum: 25, default: 0 },
      },
    ],
    answer: { name: "Revocations", about: "What is new for this application." },
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
    summary: "End the login of this token, of a refresh token, or all of them",
    description:
      "With `allSessions` every login of the user ends, with `refreshToken` the one that it belongs to. If it is unknown, belongs to another user or its login has ended, the login of the access token ends, as without one. A success always means that a login ended.",
    access: "user",
    limit: "authentication",
    request: "LogoutRequest",
    answer: { name: "Done", about: "Ended, for every call from now on." },
  },
];

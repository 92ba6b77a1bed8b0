import type { Access } from "../../http/route.ts";
import type { ApiRoute } from "../operation.ts";

type Refusal = {
  code: "INVALID_API_KEY" | "INVALID_CLIENT" | "INVALID_APP_ID" | "INVALID_TOKEN" | "INSUFFICIENT_SCOPE";
  when: string;
};

/**
 * The credentials of a caller, as a document's `security`, and the errors for missing or wrong
 * ones, in the order of the checks.
 */
export type AccessDoc = {
  security: Record<string, string[]>[];
  refusals: Refusal[];
  /** An access token may be bound to a key; then the call has a proof. */
  takesProof?: true;
};

const noKey: Refusal = { code: "INVALID_API_KEY", when: "The API key is missing, unknown or revoked." };
const noApp: Refusal = {
  code: "INVALID_APP_ID",
  when: "The App ID is missing or unknown, or does not match the credential.",
};
const otherApp: Refusal = { code: "INVALID_APP_ID", when: "The App ID was sent, but does not match the credential." };
const noToken: Refusal = {
  code: "INVALID_TOKEN",
  when: "The access token is missing, invalid or expired, its login has ended, its user is disabled or deleted, or it is bound to a key and the proof is missing or wrong.",
};
const noScope: Refusal = {
  code: "INSUFFICIENT_SCOPE",
  when: "The access token lacks the scope `profile`, or was issued to an OpenID Connect client that asks for consent.",
};
const notOwn: Refusal = {
  code: "INSUFFICIENT_SCOPE",
  when: "The access token was issued to an OpenID Connect client that asks for consent.",
};

const noClient: Refusal = {
  code: "INVALID_CLIENT",
  when: "The client is unknown or disabled, or its secret or assertion is wrong.",
};

const user: Omit<AccessDoc, "refusals"> = {
  // The App ID is optional, but checked if sent.
  security: [{ accessToken: [] }, { accessToken: [], appId: [] }],
  takesProof: true,
};

export const accessDocs: Record<Access, AccessDoc> = {
  anyone: { security: [], refusals: [] },
  namedApp: { security: [], refusals: [noApp] },
  tokenOfNamedApp: { security: [{ queryToken: [] }, { accessToken: [] }], refusals: [noApp], takesProof: true },
  queryUserWithProfile: {
    security: [{ queryToken: [] }, { accessToken: [] }],
    refusals: [noToken, otherApp, noScope],
    takesProof: true,
  },
  serverOrPublicClient: { security: [{ apiKey: [], appId: [] }, { appId: [] }], refusals: [noKey, noApp] },
  serverOrAllowedPublicClient: {
    security: [{ apiKey: [], appId: [] }, { appId: [] }],
    refusals: [
      {
        ...noKey,
        when: "The API key is unknown or revoked. Or it is missing, and the application does not allow public clients.",
      },
      noApp,
    ],
  },
  serverOfItsApp: { security: [{ apiKey: [] }, { apiKey: [], appId: [] }], refusals: [noKey, otherApp] },
  managerOfItsApp: {
    security: [{ apiKey: [] }, { apiKey: [], appId: [] }, { managementToken: [] }],
    refusals: [
      noKey,
      {
        code: "INVALID_TOKEN",
        when: "The management token is invalid or expired, or its client, credential or resource was removed or disabled.",
      },
      otherApp,
      { code: "INSUFFICIENT_SCOPE", when: "The token is for this service, but lacks the scope `management`." },
    ],
  },
  user: { ...user, refusals: [noToken, otherApp, notOwn] },
  userWithProfile: { ...user, refusals: [noToken, otherApp, noScope] },
  userOfNamedApp: { security: [{ accessToken: [], appId: [] }], refusals: [noToken, noApp], takesProof: true },
  client: { security: [{ clientSecret: [] }, {}], refusals: [noClient] },
  userWithOpenId: {
    security: [{ accessToken: [] }],
    refusals: [noToken, { ...noScope, when: "The access token lacks the scope `openid`." }],
    takesProof: true,
  },
};

/** Whether a call may have a DPoP proof. */
export function takesProof({ guard, operation }: ApiRoute): boolean {
  return operation.takesProof ?? accessDocs[guard.access].takesProof ?? false;
}

export const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "The application's API key. For servers only." },
  appId: { type: "apiKey", in: "header", name: "X-Service-App-ID", description: "The App ID." },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A user's access token. One that is bound to a key (RFC 9449) is sent with the scheme `DPoP`, and with a new proof in the header `DPoP`.",
  },
  managementToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token of a machine for this service, with the scope `management`, in place of an API key.",
  },
  clientSecret: {
    type: "http",
    scheme: "basic",
    description:
      "Client ID and secret, each form-urlencoded. They can also be sent in the form, or replaced by an assertion.",
  },
  queryToken: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "A user's access token in the query string. Prefer the Authorization header.",
  },
};

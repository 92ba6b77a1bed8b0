import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { acrValues } from "../factors/assurance.ts";
import { invalidRequest } from "../lib/errors.ts";
import { checkedEmail } from "../lib/user-fields.ts";
import type { Acr, MethodType } from "../storage/column-types.ts";
import { namedOrganization } from "./organization-choice.ts";
import { allScopes } from "./session.ts";

const text = (most: number) => z.string("must be a string").max(most, `at most ${most} characters`);

/** The body of POST /auth/initiate (docs/spec/http-api.md, 4.1; docs/spec/decisions.md, 4). */
export const initiateBody = z.strictObject({
  redirectUri: z.string("required, a string"),
  authMethod: z.enum(["passkey", "oauth", "password"], "one of passkey, oauth, password").optional(),
  provider: text(64).optional(),
  state: text(2048).optional(),
  scopes: z
    .array(z.enum(allScopes, "one of profile, email, groups"), "must be an array")
    .min(1, "at least one")
    .max(allScopes.length, `at most ${allScopes.length}`)
    .optional(),
  codeChallenge: z
    .string("must be a string")
    .regex(/^[A-Za-z0-9_-]{43}$/u, "the base64url SHA-256 of the code verifier, 43 characters")
    .optional(),
  loginHint: text(254).optional(),
  maxAge: z
    .int("must be a whole number of seconds")
    .min(0, "at least 0")
    .max(2_147_483_647, "at most 2147483647")
    .optional(),
  acr: z.enum(acrValues, `one of ${acrValues.join(", ")}`).optional(),
  locale: text(35).optional(),
  organization: namedOrganization.nullable().optional(),
});

export type InitiateBody = z.output<typeof initiateBody>;

export type SignInRequest = {
  redirectUri: string;
  authMethod: MethodType | null;
  provider: string | null;
  state: string | null;
  scopes: string[];
  codeChallenge: string | null;
  loginHint: string | null;
  locale: string | null;
  maxAge: number | null;
  acr: Acr | null;
};

/** The body as a request for this application. Throws INVALID_REQUEST naming the field. */
export function signInRequest(body: InitiateBody, application: Application): SignInRequest {
  if (!application.redirectUris.includes(body.redirectUri))
    throw invalidRequest("redirectUri", "not registered for this application");
  const { authMethod, provider } = body;
  if (authMethod !== undefined && !application.authMethods[authMethod].enabled)
    throw invalidRequest("authMethod", "not enabled for this application");
  if (authMethod === "oauth" && provider === undefined)
    throw invalidRequest("provider", "required with authMethod oauth");
  if (authMethod !== "oauth" && provider !== undefined) throw invalidRequest("provider", "only with authMethod oauth");
  if (provider !== undefined && !application.authMethods.oauth.providers.includes(provider.toLowerCase())) {
    throw invalidRequest("provider", "not enabled for this application");
  }
  if (body.acr === "phr" && !application.authMethods.passkey.enabled)
    throw invalidRequest("acr", "phr needs passkeys, which are not enabled for this application");
  const loginHint = body.loginHint === undefined ? null : checkedEmail(body.loginHint, "loginHint");
  const granted = allScopes.filter((scope) => application.settings.scopes.includes(scope));
  if (body.scopes?.some((scope) => !granted.includes(scope)))
    throw invalidRequest("scopes", "not granted to this application");
  return {
    redirectUri: body.redirectUri,
    authMethod: authMethod ?? null,
    provider: provider?.toLowerCase() ?? null,
    state: body.state ?? null,
    scopes: granted.filter((scope) => body.scopes?.includes(scope) ?? true),
    codeChallenge: body.codeChallenge ?? null,
    loginHint,
    locale: body.locale ?? null,
    maxAge: body.maxAge ?? null,
    // Every sign-in has one factor.
    acr: body.acr === undefined || body.acr === acrValues[0] ? null : body.acr,
  };
}

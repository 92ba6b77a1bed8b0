import { z } from "zod";
import type { Application } from "../../applications/application.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { MethodType } from "../../storage/column-types.ts";

const text = (most: number) => z.string("must be a string").max(most, `at most ${most} characters`);

/** The body of POST /users/auth-methods (docs/spec/http-api.md, 4.3). */
export const addMethodBody = z.strictObject({
  type: z.enum(["passkey", "oauth", "password"], "one of passkey, oauth, password"),
  provider: text(64).optional(),
  redirectUri: z.string("required, a string"),
  state: text(2048).optional(),
  locale: text(35).optional(),
});

export type AddMethodBody = z.output<typeof addMethodBody>;

export type AddMethodRequest = {
  redirectUri: string;
  state: string | null;
  locale: string | null;
  adds: MethodType;
  addsProvider: string | null;
};

/** The body as a request for this application. Throws INVALID_REQUEST naming the field. */
export function addMethodRequest(body: AddMethodBody, application: Application): AddMethodRequest {
  const { redirectUris, authMethods } = application;
  const { type, redirectUri, state = null, locale = null } = body;
  const provider = body.provider?.toLowerCase();
  if (!redirectUris.includes(redirectUri)) throw invalidRequest("redirectUri", "not registered for this application");
  if (!authMethods[type].enabled) throw invalidRequest("type", "not enabled for this application");
  if ((type === "oauth") !== (provider !== undefined))
    throw invalidRequest("provider", `${type === "oauth" ? "required" : "only"} with type oauth`);
  if (provider !== undefined && !authMethods.oauth.providers.includes(provider))
    throw invalidRequest("provider", "not enabled for this application");
  return { redirectUri, state, locale, adds: type, addsProvider: provider ?? null };
}

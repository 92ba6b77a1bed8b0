import { maxPasswordCharacters } from "../credentials/passwords/rules.ts";
import { pictureAddress } from "../lib/stored-picture.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import type { AuthMethods, Branding } from "../storage/column-types.ts";
import type { Application } from "./application.ts";
import * as providers from "./providers/provider-clients.ts";
import { providerDisplayName } from "./providers/providers.ts";

/**
 * Public information about an application (docs/spec/decisions.md, 10): enough for a sign-in
 * button, and nothing about its users, keys or addresses.
 */
export type PublicConfigAnswer = {
  id: string;
  name: string;
  domain: string | null;
  branding: Branding;
  authMethods: Omit<AuthMethods, "oauth"> & {
    oauth: { enabled: boolean; providers: { name: string; displayName: string; authorizeUrl: string }[] };
  };
  /** Whether a mailed code signs in: on, and a mail server is set. */
  emailCode: boolean;
  passwordRules: { minLength: number; maxLength: number };
  issuer: string;
  jwksUri: string;
  scopes: string[];
};

/** Lists each field, so that new ones stay private until they are added here. */
export async function publicConfig(ctx: Context, application: Application): Promise<PublicConfigAnswer> {
  const { id, name, domain, branding, authMethods, settings } = application;
  const { passkey, oauth, password } = authMethods;
  const { primaryColor, companyName } = branding;
  const logo = pictureAddress(ctx.baseUrl, branding.logo);
  const unusable = oauth.enabled && oauth.providers.length > 0 ? await providers.unusable(ctx, id) : [];
  const offered = oauth.enabled ? oauth.providers.filter((provider) => !unusable.includes(provider)) : [];
  const authorizable = offered.map((provider) => ({
    name: provider,
    displayName: providerDisplayName(provider),
    // Complete except for redirect_uri, which the caller chooses.
    authorizeUrl: `${ctx.baseUrl}/oauth/${provider}/authorize?app_id=${encodeURIComponent(id)}`,
  }));
  return {
    id,
    name,
    domain,
    branding: { logo, primaryColor, companyName },
    authMethods: {
      passkey: { enabled: passkey.enabled, required: passkey.required },
      oauth: { enabled: oauth.enabled, providers: authorizable },
      password: { enabled: password.enabled },
    },
    emailCode: settings.emailCode === true && mail.available(ctx),
    passwordRules: { minLength: settings.passwordMinLength, maxLength: maxPasswordCharacters },
    issuer: ctx.baseUrl,
    jwksUri: `${ctx.baseUrl}/.well-known/jwks.json`,
    scopes: settings.scopes,
  };
}

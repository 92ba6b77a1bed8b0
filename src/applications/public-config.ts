import type { Application, AuthMethods, Branding } from "./application.ts";

/** What anybody may know of an application (decision 10): enough to draw a sign-in button, and nothing about its users, keys or addresses. */
export type PublicConfigAnswer = {
  id: string;
  name: string;
  domain: string | null;
  branding: Branding;
  authMethods: Omit<AuthMethods, "oauth"> & {
    oauth: { enabled: boolean; providers: { name: string; displayName: string; authorizeUrl: string }[] };
  };
  passwordRules: { minLength: number; maxLength: number };
  issuer: string;
  jwksUri: string;
  scopes: string[];
};

export type PublicConfig = ReturnType<typeof createPublicConfig>;

/** Each field is named: what an application gains later stays private until somebody adds it here. */
export function createPublicConfig(service: {
  issuer: string;
  mostPasswordCharacters: number;
  displayNameOf(provider: string): string;
}) {
  const { issuer, mostPasswordCharacters, displayNameOf } = service;

  return ({ id, name, domain, branding, authMethods, settings }: Application): PublicConfigAnswer => {
    const { passkey, oauth, password } = authMethods;
    const { logo, primaryColor, companyName } = branding;
    const providers = (oauth.enabled ? oauth.providers : []).map((provider) => ({
      name: provider,
      displayName: displayNameOf(provider),
      // Complete but for redirect_uri, which is the caller's choice.
      authorizeUrl: `${issuer}/oauth/${provider}/authorize?app_id=${encodeURIComponent(id)}`,
    }));
    return {
      id,
      name,
      domain,
      branding: { logo, primaryColor, companyName },
      authMethods: {
        passkey: { enabled: passkey.enabled, required: passkey.required },
        oauth: { enabled: oauth.enabled, providers },
        password: { enabled: password.enabled },
      },
      passwordRules: { minLength: settings.passwordMinLength, maxLength: mostPasswordCharacters },
      issuer,
      jwksUri: `${issuer}/.well-known/jwks.json`,
      scopes: settings.scopes,
    };
  };
}

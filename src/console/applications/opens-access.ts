/** Which settings ask for the passkey of a team's operator: those that open access. */
import type { ApplicationChange } from "../../applications/settings.ts";
import type { ClientChange } from "../../applications/clients/settings.ts";
import type { Context } from "../../runtime/context.ts";
import { before, entered } from "../parts/fields.ts";
import type { AsksIf, Post } from "../route.ts";
import { changedSettings, type Setting } from "./setting.ts";

/** For each field of a change, down to the members of its objects. A new field must choose. */
export type AccessOf<Change> = { [Field in keyof Change]-?: ChoiceOf<NonNullable<Change[Field]>> };
type ChoiceOf<Value> = Value extends readonly unknown[] ? boolean : Value extends object ? AccessOf<Value> : boolean;

/**
 * True: it decides who gets in and how, what their tokens say, or to which addresses people, tokens
 * and data are sent.
 */
export const applicationAccess: AccessOf<ApplicationChange> = {
  name: false,
  domain: true,
  redirectUris: true,
  addedRedirectUris: true,
  removedRedirectUris: true,
  authMethods: {
    passkey: { enabled: true, required: true },
    oauth: { enabled: true, providers: true },
    password: { enabled: true },
  },
  branding: {
    logo: false,
    primaryColor: false,
    companyName: false,
    termsUrl: false,
    privacyUrl: false,
    supportUrl: false,
    homeUrl: false,
  },
  claims: true,
  settings: {
    signUp: true,
    emailCode: true,
    passwordMinLength: true,
    scopes: true,
    signingAlgorithm: false,
    queryEndpoints: true,
    publicClients: true,
    relyingPartyId: true,
    mailName: false,
    secondFactor: true,
    trustBrowsersDays: true,
    singleSignOnSeconds: true,
    refreshGraceSeconds: true,
    clientDocuments: true,
    rateLimits: { authentication: true, userManagement: false, applicationManagement: false, webhooks: false },
  },
};

export const clientAccess: AccessOf<ClientChange> = {
  name: false,
  redirectUris: true,
  postLogoutRedirectUris: true,
  backchannelLogoutUri: true,
  scopes: true,
  consent: true,
  requirePkce: true,
  idTokenAlg: false,
  idTokenClaims: true,
  assertionAudience: true,
  refreshTokens: true,
  allowedGroups: true,
  deviceGrant: true,
  secondFactor: true,
  resources: true,
  resourceScopes: true,
  exchangeTo: true,
  audienceOf: true,
  dpop: true,
  dpopNonce: true,
  profile: true,
  jwks: true,
  trusts: true,
  enabled: true,
};

/** Whether a change has a field that opens access. */
function opens(access: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof access === "object" && access !== null && typeof value === "object" && value !== null)
    return Object.entries(value).some(([field, each]) => opens(access[field as keyof typeof access], each));
  // What no table knows opens access.
  return access !== false;
}

/** For an act that saves such settings: asks if what the form changes opens access. */
export function ifItOpensAccess<Change extends object>(
  access: AccessOf<Change>,
  settingsOf: (ctx: Context, post: Post) => Promise<readonly Setting<never, Change>[]>,
): AsksIf {
  return async (ctx, post) => {
    if (post.form.has("check")) return false;
    const settings = await settingsOf(ctx, post);
    const values = entered(settings, post);
    return changedSettings(settings, values, before(settings, post)).some(({ name, change }) => {
      try {
        return opens(access, change(values[name] ?? ""));
      } catch {
        // The act says what is wrong with the value, after the passkey.
        return true;
      }
    });
  };
}

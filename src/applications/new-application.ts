import { checkedId } from "../lib/names.ts";
import type { MethodType } from "../storage/column-types.ts";
import type { Application } from "./application.ts";
import { changedApplication, type KnowsProvider } from "./change.ts";
import { applicationSettings, type ApplicationChange } from "./settings.ts";

/** `methods` are the initial ones; `authMethods` overrides their details. */
export type NewApplication = ApplicationChange & {
  id?: string;
  name: string;
  methods?: MethodType[];
  development?: true;
};

/** The application that `input` describes. Throws INVALID_REQUEST naming the field. */
export function applicationFrom(
  input: NewApplication,
  newId: string,
  knowsProvider: KnowsProvider,
  now: number,
): Application {
  const methods = input.methods ?? ["passkey", "password"];
  const bare: Application = {
    id: checkedId(input.id ?? newId),
    name: input.name,
    domain: null,
    redirectUris: [],
    authMethods: {
      passkey: { enabled: methods.includes("passkey"), required: false },
      oauth: { enabled: methods.includes("oauth"), providers: [] },
      password: { enabled: methods.includes("password") },
    },
    branding: { logo: null, primaryColor: null, companyName: null },
    settings: {
      signUp: applicationSettings["settings.signUp"].default,
      passwordMinLength: applicationSettings["settings.passwordMinLength"].default,
      scopes: [...applicationSettings["settings.scopes"].default],
      signingAlgorithm: applicationSettings["settings.signingAlgorithm"].default,
      queryEndpoints: applicationSettings["settings.queryEndpoints"].default,
      relyingPartyId: applicationSettings["settings.relyingPartyId"].default,
      mailName: applicationSettings["settings.mailName"].default,
      rateLimits: {},
      ...(input.development && { development: true }),
    },
    claims: null,
    createdAt: now,
    updatedAt: now,
  };
  return changedApplication(bare, input, knowsProvider);
}

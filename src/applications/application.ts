import type { EndpointType } from "../http/route.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { changedApplication, type ApplicationChange, type KnowsProvider } from "./change.ts";

export type SignInMethod = "passkey" | "oauth" | "password";

export type AuthMethods = {
  passkey: { enabled: boolean; required: boolean };
  oauth: { enabled: boolean; providers: string[] };
  password: { enabled: boolean };
};

export type Branding = { logo: string | null; primaryColor: string | null; companyName: string | null };

export type Scope = "profile" | "email";

export type AppSettings = {
  /** Whether a stranger may create an account. */
  signUp: "open" | "closed";
  passwordMinLength: number;
  /** What the application's sign-ins may ask for. */
  scopes: Scope[];
  signingAlgorithm: "ES256" | "EdDSA" | "RS256";
  /** Group B of the contract: the query-style endpoints. */
  queryEndpoints: boolean;
  /** Whose passkeys these are, where it is neither the domain nor the service's host (WebAuthn related origins); null leaves it to those. */
  relyingPartyId: string | null;
  /** Calls a minute, where they are not those of the configuration. */
  rateLimits: Partial<Record<EndpointType, number>>;
};

/** A client application. Instants are epoch milliseconds. */
export type Application = {
  id: string;
  name: string;
  /** Host name whose passkeys are shared, when the service's host lies in it. */
  domain: string | null;
  redirectUris: string[];
  authMethods: AuthMethods;
  branding: Branding;
  settings: AppSettings;
  createdAt: number;
  updatedAt: number;
};

/** `methods` are those to begin with; `authMethods` says more about them. */
export type NewApplication = ApplicationChange & { id?: string; name: string; methods?: SignInMethod[] };

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

/** The application that `input` describes; throws INVALID_REQUEST naming the field. */
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
      signUp: "open",
      passwordMinLength: 15,
      scopes: ["profile", "email"],
      signingAlgorithm: "ES256",
      queryEndpoints: true,
      relyingPartyId: null,
      rateLimits: {},
    },
    createdAt: now,
    updatedAt: now,
  };
  return changedApplication(bare, input, knowsProvider);
}

function checkedId(id: string): string {
  if (!idForm.test(id))
    throw invalidRequest("id: 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or digit");
  return id;
}

export function applicationNotFound(): AppError {
  return new AppError("APP_NOT_FOUND", "There is no application with this id.");
}

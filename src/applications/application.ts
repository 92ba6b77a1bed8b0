import { isIP } from "node:net";
import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";
import { redirectUriProblem } from "./redirect-uris.ts";

export type SignInMethod = "passkey" | "oauth" | "password";

export type AuthMethods = {
  passkey: { enabled: boolean; required: boolean };
  oauth: { enabled: boolean; providers: string[] };
  password: { enabled: boolean };
};

export type Branding = { logo: string | null; primaryColor: string | null; companyName: string | null };

export type AppSettings = {
  /** Whether a stranger may create an account. */
  signUp: "open" | "closed";
  passwordMinLength: number;
  signingAlgorithm: "ES256" | "EdDSA" | "RS256";
  /** Group B of the contract: the query-style endpoints. */
  queryEndpoints: boolean;
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

export type NewApplication = {
  id?: string;
  name: string;
  domain?: string | null;
  redirectUris?: string[];
  methods?: SignInMethod[];
  branding?: Partial<Branding>;
};

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;
const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;
const mostRedirectUris = 50;

/** The application that `input` describes; throws INVALID_REQUEST naming the field. */
export function applicationFrom(input: NewApplication, newId: string, now: number): Application {
  const methods = input.methods ?? ["passkey", "password"];
  return {
    id: checkedId(input.id ?? newId),
    name: checkedName(input.name),
    domain: checkedDomain(input.domain ?? null),
    redirectUris: checkedRedirectUris(input.redirectUris ?? []),
    authMethods: {
      passkey: { enabled: methods.includes("passkey"), required: false },
      oauth: { enabled: methods.includes("oauth"), providers: [] },
      password: { enabled: methods.includes("password") },
    },
    branding: checkedBranding(input.branding ?? {}),
    settings: { signUp: "open", passwordMinLength: 15, signingAlgorithm: "ES256", queryEndpoints: true },
    createdAt: now,
    updatedAt: now,
  };
}

function checkedId(id: string): string {
  if (!idForm.test(id))
    throw invalidRequest("id: 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or digit");
  return id;
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > 200) throw invalidRequest("name: 1 to 200 characters");
  if (!isStorable(trimmed) || /\p{Cc}/u.test(trimmed)) throw invalidRequest("name: no control characters");
  return trimmed;
}

function checkedDomain(domain: string | null): string | null {
  if (domain !== null && (!hostName.test(domain) || isIP(domain) !== 0)) {
    throw invalidRequest("domain: a lower-case host name, such as example.com");
  }
  return domain;
}

/** Shown on every page: nothing in it may be more than a colour, a name and an address of a picture. */
function checkedBranding({ logo = null, primaryColor = null, companyName = null }: Partial<Branding>): Branding {
  if (logo !== null && !(logo.length <= 2048 && URL.canParse(logo) && new URL(logo).protocol === "https:")) {
    throw invalidRequest("branding.logo: an https address of at most 2048 characters");
  }
  if (primaryColor !== null && !/^#[0-9a-f]{6}$/iu.test(primaryColor))
    throw invalidRequest("branding.primaryColor: #rrggbb");
  if (
    companyName !== null &&
    (companyName.trim() === "" || companyName.length > 200 || !isStorable(companyName) || /\p{Cc}/u.test(companyName))
  ) {
    throw invalidRequest("branding.companyName: 1 to 200 characters");
  }
  return { logo, primaryColor, companyName };
}

/** The addresses, each once. Throws INVALID_REQUEST naming the first that is not fit to be one. */
export function checkedRedirectUris(uris: string[]): string[] {
  if (uris.length > mostRedirectUris) throw invalidRequest(`redirectUris: at most ${mostRedirectUris}`);
  for (const [position, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalidRequest(`redirectUris[${position}]: ${problem}`);
  }
  return [...new Set(uris)];
}

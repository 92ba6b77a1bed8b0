import { nearest } from "../../lib/nearest.ts";
import { capitalized } from "../../lib/text.ts";

/** The source of an identity, which determines what its "verified" means. */
export type IdentitySource = "id-token" | "github" | "discord" | "facebook";

export type Endpoints = {
  authorizationUrl: string;
  tokenUrl: string;
  /** Undefined if the id_token has everything. */
  userinfoUrl: string | undefined;
  jwksUrl: string | undefined;
  /** `{tenantid}` stands for the token's own `tid` (Microsoft's multi-tenant issuer). */
  issuer: string | undefined;
  /** The provider always sends its issuer (RFC 9207), so an answer without it is not its own. */
  namesItself?: boolean;
  /** It takes the client secret nowhere else. */
  secretIn?: "body";
  /** The words of `prompt` that its discovery names; undefined: it names none. */
  promptsNamed?: unknown[];
};

export type KnownProvider = {
  displayName: string;
  endpoints: Endpoints;
  scopes: string[];
  source: IdentitySource;
  /**
   * Whether an address that the provider calls verified belongs to its user. Microsoft tenants
   * choose their users' addresses freely (nOAuth), and Facebook makes no statement.
   */
  provesEmail: boolean;
  /**
   * Google hosts the mailboxes of gmail.com and of the account's domain (`hd`): only these link
   * automatically.
   */
  linksHostedOnly?: boolean;
  /** The words of `prompt` that it takes; an unknown one is an error page at some. */
  prompts: ("login" | "select_account")[];
  /** Whether it takes several of them at once. */
  combinesPrompts?: true;
  /** Whether it takes `login_hint`, an address. */
  takesLoginHint: boolean;
  /** How the client secret is sent to the token endpoint (RFC 6749 §2.3.1). */
  secretIn: "header" | "body";
  /** Apple answers with a cross-site POST if a name or address is requested. */
  responseMode?: "form_post";
  /** Origins on the way to the provider's first page, which form-action must allow. */
  hops: string[];
};

const google: KnownProvider = {
  displayName: "Google",
  endpoints: {
    authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    userinfoUrl: undefined,
    jwksUrl: "https://www.googleapis.com/oauth2/v3/certs",
    issuer: "https://accounts.google.com",
  },
  scopes: ["openid", "email", "profile"],
  source: "id-token",
  provesEmail: true,
  linksHostedOnly: true,
  prompts: ["select_account"],
  takesLoginHint: true,
  secretIn: "body",
  hops: [],
};

const github: KnownProvider = {
  displayName: "GitHub",
  endpoints: {
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    userinfoUrl: "https://api.github.com/user",
    jwksUrl: undefined,
    issuer: undefined,
  },
  scopes: ["read:user", "user:email"],
  source: "github",
  provesEmail: true,
  prompts: ["select_account"],
  takesLoginHint: false,
  secretIn: "body",
  hops: [],
};

const microsoft: KnownProvider = {
  displayName: "Microsoft",
  endpoints: {
    authorizationUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    userinfoUrl: undefined,
    jwksUrl: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
    issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
  },
  scopes: ["openid", "email", "profile"],
  source: "id-token",
  provesEmail: false,
  prompts: ["login", "select_account"],
  takesLoginHint: true,
  secretIn: "body",
  hops: ["https://login.live.com"],
};

const apple: KnownProvider = {
  displayName: "Apple",
  endpoints: {
    authorizationUrl: "https://appleid.apple.com/auth/authorize",
    tokenUrl: "https://appleid.apple.com/auth/token",
    userinfoUrl: undefined,
    jwksUrl: "https://appleid.apple.com/auth/keys",
    issuer: "https://appleid.apple.com",
  },
  scopes: ["name", "email"],
  source: "id-token",
  provesEmail: true,
  prompts: [],
  takesLoginHint: false,
  secretIn: "body",
  responseMode: "form_post",
  hops: [],
};

const discord: KnownProvider = {
  displayName: "Discord",
  endpoints: {
    authorizationUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    userinfoUrl: "https://discord.com/api/users/@me",
    jwksUrl: undefined,
    issuer: undefined,
  },
  scopes: ["identify", "email"],
  source: "discord",
  provesEmail: true,
  prompts: [],
  takesLoginHint: false,
  secretIn: "header",
  hops: [],
};

const facebook: KnownProvider = {
  displayName: "Facebook",
  endpoints: {
    authorizationUrl: "https://www.facebook.com/v23.0/dialog/oauth",
    tokenUrl: "https://graph.facebook.com/v23.0/oauth/access_token",
    userinfoUrl: "https://graph.facebook.com/v23.0/me?fields=id,name,email,picture",
    jwksUrl: undefined,
    issuer: undefined,
  },
  scopes: ["email", "public_profile"],
  source: "facebook",
  provesEmail: false,
  prompts: [],
  takesLoginHint: false,
  secretIn: "body",
  hops: ["https://*.facebook.com"],
};

const knownProviders: ReadonlyMap<string, KnownProvider> = new Map(
  Object.entries({ google, github, microsoft, apple, discord, facebook }),
);

/** The defaults of a custom OpenID Connect issuer; discovery provides its endpoints. */
const genericOpenId: Omit<KnownProvider, "displayName" | "endpoints"> = {
  scopes: ["openid", "email", "profile"],
  source: "id-token",
  provesEmail: true,
  prompts: ["login", "select_account"],
  combinesPrompts: true,
  takesLoginHint: true,
  secretIn: "header",
  hops: [],
};

export const providerNameForm = /^[a-z][a-z0-9-]{0,31}$/u;

export function isKnownProvider(name: string): boolean {
  return knownProviders.has(name);
}

/** The known provider most similar to a name. */
export function nearestKnownProvider(name: string): string | undefined {
  return nearest(name, knownProviders.keys());
}

/** "Google"; a custom name gets a capital letter. */
export function providerDisplayName(name: string): string {
  return knownProviders.get(name)?.displayName ?? capitalized(name);
}

/**
 * A provider from the table. A name that is not in it is an OpenID Connect issuer without endpoints
 * yet.
 */
export function providerTemplate(name: string): Omit<KnownProvider, "endpoints"> & { endpoints: Partial<Endpoints> } {
  return knownProviders.get(name) ?? { ...genericOpenId, displayName: providerDisplayName(name), endpoints: {} };
}

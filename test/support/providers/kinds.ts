/** Somebody at a provider. `verified` undefined: the provider does not say. */
export type Person = {
  subject: string;
  email?: string | undefined;
  verified?: boolean | undefined;
  name?: string | undefined;
  /**
   * Put over what the provider would say: wrong types, missing fields (undefined), extra claims.
   */
  raw?: Record<string, unknown>;
  /** GitHub: instead of its list of addresses. */
  emails?: unknown;
};

export type KindName = "google" | "github" | "microsoft" | "apple" | "discord" | "facebook" | "openid";

/** What is peculiar to a provider, written from its documentation and not from our table. */
export type Kind = {
  displayName: string;
  scope: string;
  secretIn: "header" | "body";
  /** Its facts about a person: claims of an id_token, or the answers of its API by path. */
  claims?(person: Person): Record<string, unknown>;
  api?(person: Person): Record<string, unknown>;
  responseMode?: "form_post";
  /** The issuer's path, below the provider's origin. */
  issuerPath?: string;
};

export const tenant = "9188040d-6c67-4c5b-b112-36a304b66dad";

const openidClaims = ({ subject, email, verified, name, raw }: Person) => ({
  sub: subject,
  email,
  email_verified: verified,
  name,
  ...raw,
});

export const kinds: Record<KindName, Kind> = {
  google: {
    displayName: "Google",
    scope: "openid email profile",
    secretIn: "body",
    // An account of Google Workspace, unless a test says otherwise.
    claims: (person) => ({ hd: person.email?.trim().toLowerCase().split("@")[1], ...openidClaims(person) }),
  },
  openid: { displayName: "Corp", scope: "openid email profile", secretIn: "header", claims: openidClaims },
  microsoft: {
    displayName: "Microsoft",
    scope: "openid email profile",
    secretIn: "body",
    issuerPath: "/{tenantid}/v2.0",
    // It says nothing about verified addresses; a tenant's administrator could add any such claim.
    claims: (person) => ({ ...openidClaims(person), tid: tenant, xms_edov: person.verified, ...person.raw }),
  },
  apple: {
    displayName: "Apple",
    scope: "name email",
    secretIn: "body",
    responseMode: "form_post",
    // Strings for flags, and never a name.
    claims: ({ subject, email, verified, raw }) => ({
      sub: subject,
      email,
      email_verified: verified === undefined ? undefined : String(verified),
      is_private_email: "false",
      ...raw,
    }),
  },
  github: {
    displayName: "GitHub",
    scope: "read:user user:email",
    secretIn: "body",
    api: ({ subject, email, verified, name, raw, emails }) => ({
      "/user": { id: Number(subject), login: `user-${subject}`, name: name ?? null, email: null, ...raw },
      "/user/emails": emails ?? [
        { email: `second.${subject}@example.org`, primary: false, verified: true, visibility: null },
        ...(email === undefined ? [] : [{ email, primary: true, verified: verified ?? false, visibility: "private" }]),
      ],
    }),
  },
  discord: {
    displayName: "Discord",
    scope: "identify email",
    secretIn: "header",
    api: ({ subject, email, verified, name, raw }) => ({
      "/user": { id: subject, username: `user-${subject}`, global_name: name, email, verified, ...raw },
    }),
  },
  facebook: {
    displayName: "Facebook",
    scope: "email public_profile",
    secretIn: "body",
    // An attacker may hope that somebody reads a "verified" here: it was about the account, never
    // about the address.
    api: ({ subject, email, verified, name, raw }) => ({ "/user": { id: subject, name, email, verified, ...raw } }),
  },
};

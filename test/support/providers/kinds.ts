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

/** What a test's provider does beyond its stand-in. */
export type Kind = {
  /** The scopes that the service must ask for, no more and no less. */
  scope: string;
  /** Put over what the stand-in says about a person. */
  says?(person: Person): Record<string, unknown>;
};

const emailVerified = ({ verified }: Person) => ({ email_verified: verified });

export const kinds: Record<KindName, Kind> = {
  google: { scope: "openid email profile", says: emailVerified },
  openid: { scope: "openid email profile", says: emailVerified },
  // It says nothing about verified addresses; a tenant's administrator could add any such claim.
  microsoft: {
    scope: "openid email profile",
    says: ({ verified }) => ({ email_verified: verified, xms_edov: verified }),
  },
  apple: {
    scope: "name email",
    says: ({ verified }) => ({ email_verified: verified === undefined ? undefined : String(verified) }),
  },
  github: { scope: "read:user user:email" },
  discord: { scope: "identify email", says: ({ verified }) => ({ verified }) },
  // An attacker may hope that somebody reads a "verified" here: it was about the account, never
  // about the address.
  facebook: { scope: "email public_profile", says: ({ verified, name }) => ({ verified, name }) },
};

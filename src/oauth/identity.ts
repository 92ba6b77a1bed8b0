import { canonicalEmail } from "../lib/email.ts";
import { displayName } from "../lib/text.ts";
import type { IdentitySource } from "./providers.ts";
import { ProviderFailure } from "./provider-fetch.ts";

/** Who signed in at a provider. `subject` is the provider's own and never changes; the address is only what it says today. */
export type ProviderIdentity = {
  subject: string;
  /** Canonical; null when the provider gave none, or one that is no address. */
  email: string | null;
  /** The provider's word; false when its word proves nothing (see the table). */
  emailVerified: boolean;
  /** The provider says in so many words that the address is not verified. */
  emailRefuted: boolean;
  name: string | null;
};

type Facts = Record<string, unknown>;

/** The claims of an id_token that was verified, as OpenID Connect, Apple and Microsoft write them. Throws ProviderFailure. */
export function identityFromClaims(
  claims: Facts,
  provesEmail: boolean,
  name: unknown = claims["name"],
): ProviderIdentity {
  const verified = claims["email_verified"];
  return identity({
    subject: claims["sub"],
    email: claims["email"],
    // Apple has sent the string.
    verified: verified === true || verified === "true",
    refuted: verified === false || verified === "false",
    provesEmail,
    name,
  });
}

/** GitHub: `user` from /user, `emails` from /user/emails, of which the primary one counts. Throws ProviderFailure. */
export function identityFromGithub(user: Facts, emails: unknown[]): ProviderIdentity {
  const primary = emails.find(
    (entry): entry is Facts =>
      typeof entry === "object" && entry !== null && "primary" in entry && entry.primary === true,
  );
  const id = user["id"];
  return identity({
    // Zero is what an empty answer is read as elsewhere: one account for everybody (GHSA-wpfr-6297-9v57).
    subject: typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? String(id) : undefined,
    email: primary?.["email"],
    verified: primary?.["verified"] === true,
    refuted: primary !== undefined && primary["verified"] !== true,
    provesEmail: true,
    name: user["name"] ?? user["login"],
  });
}

/** Discord (/users/@me) and Facebook (/me). Throws ProviderFailure. */
export function identityFromUserinfo(
  source: Exclude<IdentitySource, "id-token" | "github">,
  user: Facts,
  provesEmail: boolean,
): ProviderIdentity {
  return identity({
    subject: user["id"],
    email: user["email"],
    verified: user["verified"] === true,
    refuted: source === "discord" && user["verified"] === false,
    provesEmail,
    name: user["global_name"] ?? user["name"] ?? user["username"],
  });
}

function identity(facts: {
  subject: unknown;
  email: unknown;
  verified: boolean;
  refuted: boolean;
  provesEmail: boolean;
  name: unknown;
}): ProviderIdentity {
  const { subject, verified, refuted, provesEmail } = facts;
  if (typeof subject !== "string" || subject === "" || subject.length > 255 || /[\p{Cc}\p{Cs}]/u.test(subject)) {
    throw new ProviderFailure("no subject of the right form");
  }
  const email = typeof facts.email === "string" ? (canonicalEmail(facts.email) ?? null) : null;
  const name = typeof facts.name === "string" ? (displayName(facts.name) ?? null) : null;
  return {
    subject,
    email,
    emailVerified: email !== null && verified && provesEmail,
    emailRefuted: refuted && provesEmail,
    name,
  };
}

/** What to do with somebody who comes from a provider (decision 9). */
export type LinkDecision =
  /** This identity is known: it signs its user in, whatever its address is today. */
  | "sign-in"
  /** Both sides have proven the address. */
  | "link"
  /** The provider proves an address that nobody had proven here: what was put on it unproven goes first. */
  | "take-over-unproven"
  | "create"
  /** Somebody here has this address, and the provider's word does not prove it: sign in the existing way first. */
  | "existing-method-first"
  | "no-email"
  | "unverified-email";

/** `local` is the user with the provider's address in this application. Pure, so that every cell of the table can be a test. */
export function decideLink(facts: {
  identityKnown: boolean;
  email: string | null;
  emailVerified: boolean;
  emailRefuted: boolean;
  local: { emailVerified: boolean } | undefined;
}): LinkDecision {
  if (facts.identityKnown) return "sign-in";
  if (facts.email === null) return "no-email";
  if (facts.emailRefuted) return "unverified-email";
  if (!facts.local) return "create";
  if (!facts.emailVerified) return "existing-method-first";
  return facts.local.emailVerified ? "link" : "take-over-unproven";
}

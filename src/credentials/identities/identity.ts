import type { IdentitySource, KnownProvider } from "../../applications/providers/providers.ts";
import { second } from "../../lib/clock.ts";
import { canonicalDomain, canonicalEmail } from "../../lib/email.ts";
import { clip, displayName, isHttpsAddress, maxNameCharacters } from "../../lib/text.ts";
import { emailRule } from "../../lib/user-fields.ts";
import { ProviderFailure } from "./provider-fetch.ts";

/**
 * A user of a provider. `subject` is assigned by the provider and never changes; the address may.
 */
export type ProviderIdentity = {
  subject: string;
  /** Canonical; null if the provider gave none or an invalid one. */
  email: string | null;
  /** The rule that the provider's address breaks; null without an address, or for a valid one. */
  brokenEmailRule: string | null;
  /** As stated by the provider; false if that proves nothing (see the table). */
  emailVerified: boolean;
  /**
   * Whether its address links it automatically to the account with that address; needs
   * `emailVerified`.
   */
  linksByEmail: boolean;
  /** The provider explicitly says that the address is not verified. */
  emailRefuted: boolean;
  name: string | null;
  /** An https URL, used when the account is created. */
  picture: string | null;
};

/**
 * An identity with the directory of its subject. `hasSecondFactor`: the provider used two factors,
 * by a claim that the operator trusts. `provenAt`: when the provider authenticated the person; 0:
 * unknown.
 */
export type KnownIdentity = ProviderIdentity & { issuer: string; hasSecondFactor: boolean; provenAt: number };

type Facts = Record<string, unknown>;

/**
 * Reads the claims of a verified id_token, as OpenID Connect, Apple and Microsoft write them.
 * Throws ProviderFailure.
 */
export function identityFromClaims(
  claims: Facts,
  provider: Pick<KnownProvider, "provesEmail" | "linksHostedOnly"> & { emailClaim?: string | null },
  shown: Pick<Facts, "name" | "picture"> = { name: nameIn(claims), picture: claims["picture"] },
): ProviderIdentity {
  // It describes `email`, and no other claim.
  const verified = (provider.emailClaim ?? null) === null ? claims["email_verified"] : undefined;
  const { provesEmail, linksHostedOnly = false } = provider;
  const hosted = typeof claims["hd"] === "string" ? claims["hd"] : undefined;
  return identity({
    subject: claims["sub"],
    email: claims[provider.emailClaim ?? "email"],
    // Apple has sent strings instead of booleans.
    verified: verified === true || verified === "true",
    refuted: verified === false || verified === "false",
    provesEmail,
    hostedBy: linksHostedOnly ? ["gmail.com", hosted === undefined ? undefined : canonicalDomain(hosted)] : undefined,
    ...shown,
  });
}

/** The name, or its parts joined (OpenID Connect Core §5.1). */
export function nameIn(claims: Facts): unknown {
  const parts = [claims["given_name"], claims["middle_name"], claims["family_name"]];
  const whole = parts.filter((part) => typeof part === "string" && part.trim() !== "").join(" ");
  const { name } = claims;
  return typeof name === "string" && name.trim() !== "" ? name : whole === "" ? undefined : whole;
}

/** Whether a verified ID token has the claim that the operator trusts, written `amr=mfa`. */
export function hasTrustedClaim(claims: Facts, trusted: string | null): boolean {
  if (trusted === null) return false;
  const at = trusted.indexOf("=");
  const value = claims[trusted.slice(0, at)];
  return [value].flat().includes(trusted.slice(at + 1));
}

/** As for an ID token's `exp`: how far a provider's clock may differ from ours. */
const clockTolerance = 60 * second;

/**
 * `auth_time` of a verified ID token by our clock; 0 if missing or invalid. Its age counts from
 * `iat`, the provider's clock, unless `iat` is too old for a new token: Entra dates its tokens back
 * by five minutes (docs/decisions/0074).
 */
export function authTime({ auth_time: said, iat = 0 }: { auth_time?: unknown; iat?: number }, now: number) {
  if (said === undefined || said === null) return 0;
  if (typeof said !== "number" || !Number.isFinite(said) || said <= 0) return "it is not a number of seconds";
  const issuedAt = iat * second;
  const at = said * second;
  if (at > Math.max(issuedAt, now) + clockTolerance) return "it is in the future";
  const clock = issuedAt >= now - clockTolerance ? issuedAt : now;
  return Math.max(0, Math.floor(now - Math.max(0, clock - at)));
}

/**
 * GitHub: `user` from /user, `emails` from /user/emails; the primary one counts. Throws
 * ProviderFailure.
 */
export function identityFromGithub(user: Facts, emails: unknown[]): ProviderIdentity {
  const primary = emails.find(
    (entry): entry is Facts =>
      typeof entry === "object" && entry !== null && "primary" in entry && entry.primary === true,
  );
  const id = user["id"];
  return identity({
    // An empty answer could be read as id 0, which would be one account for everyone
    // (GHSA-wpfr-6297-9v57).
    subject: typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? String(id) : undefined,
    email: primary?.["email"],
    verified: primary?.["verified"] === true,
    refuted: primary !== undefined && primary["verified"] !== true,
    provesEmail: true,
    name: user["name"] ?? user["login"],
    picture: user["avatar_url"],
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
    picture: source === "discord" ? discordPicture(user) : facebookPicture(user),
  });
}

function identity(facts: {
  subject: unknown;
  email: unknown;
  verified: boolean;
  refuted: boolean;
  provesEmail: boolean;
  /**
   * The domains whose mailboxes the provider hosts. For other domains, "verified" proves nothing.
   */
  hostedBy?: unknown[] | undefined;
  name?: unknown;
  picture?: unknown;
}): ProviderIdentity {
  const { subject, verified, refuted, provesEmail } = facts;
  if (typeof subject !== "string" || subject === "" || subject.length > 255 || /[\p{Cc}\p{Cs}]/u.test(subject)) {
    throw new ProviderFailure("the subject is not a text of 1 to 255 characters");
  }
  const given = typeof facts.email === "string" ? facts.email.trim() : "";
  const email = canonicalEmail(given) ?? null;
  const name =
    typeof facts.name === "string" ? (displayName(clip(facts.name.trim(), maxNameCharacters)) ?? null) : null;
  const emailVerified = email !== null && verified && provesEmail;
  return {
    subject,
    email,
    brokenEmailRule: email === null && given !== "" ? emailRule(given) : null,
    emailVerified,
    linksByEmail: emailVerified && (facts.hostedBy?.includes(email.slice(email.indexOf("@") + 1)) ?? true),
    emailRefuted: refuted && provesEmail,
    name,
    picture: typeof facts.picture === "string" && isHttpsAddress(facts.picture) ? facts.picture : null,
  };
}

/** The URL of a Discord avatar: https://discord.com/developers/docs/reference#image-formatting */
function discordPicture({ id, avatar }: Facts): string | undefined {
  if (typeof id !== "string" || typeof avatar !== "string" || !/^\w{1,64}$/u.test(avatar)) return undefined;
  return `https://cdn.discordapp.com/avatars/${encodeURIComponent(id)}/${avatar}.png`;
}

function facebookPicture({ picture }: Facts): unknown {
  return (picture as { data?: { url?: unknown } | null } | null | undefined)?.data?.url;
}

/** What to do with an identity from a provider (docs/spec/decisions.md, 9). */
export type LinkDecision =
  /** The identity is known and signs its user in, whatever its current address. */
  | "sign-in"
  /** Both sides have verified the address. */
  | "link"
  /**
   * The provider verifies an address that was unverified here: unproven methods are removed first.
   */
  | "take-over-unproven"
  | "create"
  /**
   * A user has this address, and the provider does not prove it: sign in with an existing method
   * first.
   */
  | "existing-method-first"
  | "no-email"
  | "unsupported-email"
  | "unverified-email";

/**
 * `local` is the user with the provider's address in this application. Pure, so that every cell of
 * the table can be tested.
 */
export function decideLink(facts: {
  identityKnown: boolean;
  email: string | null;
  brokenEmailRule: string | null;
  linksByEmail: boolean;
  emailRefuted: boolean;
  local: { emailVerified: boolean } | undefined;
}): LinkDecision {
  if (facts.identityKnown) return "sign-in";
  if (facts.brokenEmailRule !== null) return "unsupported-email";
  if (facts.email === null) return "no-email";
  if (facts.emailRefuted) return "unverified-email";
  if (!facts.local) return "create";
  if (!facts.linksByEmail) return "existing-method-first";
  return facts.local.emailVerified ? "link" : "take-over-unproven";
}

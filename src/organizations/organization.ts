/** An organization, and the rules of its fields. */
import { day, isoTime, second } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { checkedName } from "../lib/names.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { namesHost } from "../lib/public-suffixes.ts";
import type { By } from "../records/audit/audit.ts";
import type { Metadata, SecondFactorPolicy } from "../storage/column-types.ts";
import type { Row } from "../storage/storage.ts";
import type { User } from "../users/user.ts";

export type Organization = Row<"organizations">;

/**
 * Who acts in an organization: the application's server or an operator, or one of its members.
 * `throughServer`: the server names the member, which is no proof, so an owner counts as an admin.
 * `isNew`: a mail made their first method within a day, and they count alike.
 * `dryRun`: checks everything and changes nothing.
 */
export type Acting = By & { member?: { userId: string; throughServer: boolean; isNew?: boolean }; dryRun?: boolean };

/** A member who acts by an own proof. */
export function asMember(userId: string, source?: RequestSource): Acting {
  const actor = { kind: "user", name: userId } as const;
  return { actor, ...(source && { source }), member: { userId, throughServer: false } };
}

/** The same, of a page: who runs their mailbox may have made the method just now. */
export function asPerson(
  { id: userId, mailedMethodAt }: Pick<User, "id" | "mailedMethodAt">,
  source: RequestSource,
  now: number,
): Acting {
  const isNew = mailedMethodAt !== null && now < mailedMethodAt + day;
  return { ...asMember(userId, source), member: { userId, throughServer: false, isNew } };
}

export const maxOrganizations = 100_000;
export const maxMembers = 10_000;
export const maxOrganizationsOfUser = 100;
const maxSlugChanges = 3;

/** Words that paths and programs use, and those that would mislead. */
const reservedSlugs = new Set(
  "none new create edit delete all any null undefined me self account admin api app apps auth billing console help login logout members oauth oauth2 organization organizations owner root settings sign-in sign-out sign-up signin signup status support system team teams www".split(
    " ",
  ),
);

export function organizationNotFound(): AppError {
  return new AppError("ORGANIZATION_NOT_FOUND", "The application has no organization with this ID or slug.");
}

/** `period`: after so long at the latest, it can be tried again. */
export function tooMany(message: string, period: number): AppError {
  return new AppError("RATE_LIMITED", message, { details: "too many", retryAfterSeconds: period / second });
}

/** A member without the right. */
export function notAllowed(): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "The member may not do this in the organization.", {
    details: "by: the member's roles do not allow this",
  });
}

/** The name stands in mails, so it must not be an address. Throws INVALID_REQUEST. */
export function checkedOrganizationName(name: string, provedDomains: readonly string[] = []): string {
  const checked = checkedName("name", name, 64);
  if (namesHost(checked) && !provedDomains.includes(checked.toLowerCase()))
    throw invalidRequest("name", "nothing that looks like a web address, except a proved domain of the organization");
  return checked;
}

/** Throws INVALID_REQUEST. */
export function checkedSlug(slug: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])$/u.test(slug))
    throw invalidRequest("slug", "2 to 48 of a–z, 0–9 and '-', without '-' at the ends");
  if (reservedSlugs.has(slug)) throw invalidRequest("slug", "this word is reserved");
  return slug;
}

/** A slug made of a name; undefined if too little is left of it. */
export function slugOf(name: string): string | undefined {
  const letters = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = letters
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/gu, "");
  return slug.length < 2 || reservedSlugs.has(slug) ? undefined : slug;
}

/** `slugs`: all that it has or had. Throws CONFLICT. */
export function refuseManySlugs(slugs: readonly string[]): void {
  if (slugs.length > maxSlugChanges)
    throw new AppError("CONFLICT", `The slug of an organization can be changed ${maxSlugChanges} times.`);
}

/** What `organizations.maxMembers` may be. Throws INVALID_REQUEST. */
export function checkedMaxMembers(value: number | null): number | null {
  if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= maxMembers))
    throw invalidRequest("maxMembers", `a whole number from 1 to ${maxMembers}, or null`);
  return value;
}

export type OrganizationAnswer = {
  id: string;
  name: string;
  slug: string;
  secondFactor: SecondFactorPolicy;
  maxMembers: number | null;
  publicMetadata: Metadata;
  createdAt: string;
  updatedAt: string;
  disabledAt: string | null;
  /** When an owner's deletion takes effect. */
  deletesAt: string | null;
};

export function organizationAnswer(organization: Organization): OrganizationAnswer {
  const { id, name, slug, secondFactor, maxMembers, publicMetadata, createdAt, updatedAt } = organization;
  const { disabledAt, deletesAt } = organization;
  return {
    id,
    name,
    slug,
    secondFactor: secondFactor ?? "off",
    maxMembers,
    publicMetadata: publicMetadata ?? {},
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    disabledAt: disabledAt === null ? null : isoTime(disabledAt),
    deletesAt: deletesAt === null ? null : isoTime(deletesAt),
  };
}

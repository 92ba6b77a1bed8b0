/** The acts on one organization, and the fields of their forms. */
import type { Application } from "../../applications/application.ts";
import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import type { Organization, OrganizationAnswer } from "../../organizations/organization.ts";
import { rolesToGive } from "../../organizations/rights.ts";
import type { OrganizationChange } from "../../organizations/service.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { domainJoins, secondFactorPolicies, type DomainJoin } from "../../storage/column-types.ts";
import { optionOf, secondFactorOptions, wholeNumber } from "../applications/setting.ts";
import type { ActButton } from "../parts/act-form.ts";
import type { Edit, Setting } from "../parts/edit.ts";
import { listOf, type Field, type FieldForm } from "../parts/fields.ts";

export type OrganizationAct =
  | "change"
  | "disable"
  | "enable"
  | "remove"
  | "addMember"
  | "changeRoles"
  | "removeMember"
  | "invite"
  | "withdraw"
  | "addDomain"
  | "vouch"
  | "changeJoin"
  | "checkDomain"
  | "removeDomain"
  | "testProvider"
  | "confirmProvider"
  | "removeProvider"
  | "relink"
  | "agreeRelink"
  | "makeSetupLink"
  | "endSetupLink";

/** The form of an act on this organization; nothing if the operator may not do it. */
export type FormOf = (
  act: OrganizationAct,
  form: Omit<FieldForm, "fields" | "values" | "answered"> & { fields?: readonly Field[]; values?: FieldForm["values"] },
) => ActButton | undefined;

export const settings: readonly Setting<OrganizationAnswer, OrganizationChange>[] = [
  {
    name: "name",
    label: "Name",
    hint: "Mails show it, so it must not look like a web address, except a proved domain.",
    of: ({ name }) => name,
    change: (name) => ({ name }),
    words: (name) => ["--name", name],
  },
  {
    name: "slug",
    label: "Slug",
    hint: "2 to 48 of a–z, 0–9 and -. It can be changed three times.",
    of: ({ slug }) => slug,
    change: (slug) => ({ slug }),
    words: (slug) => ["--slug", slug],
  },
  {
    name: "secondFactor",
    label: "Second factor",
    hint: "Required: its members need one.",
    kind: "one-of",
    options: secondFactorOptions,
    of: ({ secondFactor }) => secondFactor,
    change: (value) => ({ secondFactor: optionOf("secondFactor", value, secondFactorPolicies) }),
    words: (value) => ["--second-factor", value],
  },
  {
    name: "maxMembers",
    label: "Member limit",
    hint: "Empty: 10,000.",
    kind: "number",
    empty: "10,000",
    of: ({ maxMembers }) => (maxMembers === null ? "" : String(maxMembers)),
    change: (value) => ({ maxMembers: value === "" ? null : wholeNumber(value) }),
    words: (value) => ["--max-members", value],
  },
];

export function rolesField({
  settings: { organizationRoles = [] },
}: Application): Edit<readonly string[], { roles?: string[] }> {
  return {
    name: "roles",
    label: "Roles",
    kind: "some-of",
    options: rolesToGive("server", organizationRoles ?? []).map((role) => [role, role]),
    of: (roles) => roles.join(","),
    change: (value) => ({ roles: listOf(value) }),
  };
}

/** A user that does not exist is a wrong value of this field. Throws INVALID_REQUEST. */
export async function naming<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "USER_NOT_FOUND") throw error;
    throw invalidRequest(field, "a user of this application, by ID or address");
  }
}

/** Says which provider is meant: it may have been changed since. */
export const issuer: Field = { name: "issuer", label: "Issuer", hint: "The one that waits" };
export const email: Field = { name: "email", label: "Address", hint: "Of who sets it up" };
export const who: Field = { name: "who", label: "Who", hint: "A user's address or ID" };
export const addresses: Field = {
  name: "addresses",
  label: "Addresses",
  hint: "One a line, at most 50.",
  kind: "lines",
  refusedAs: "invitations",
};

const joinWords: Record<DomainJoin, string> = {
  off: "Nobody",
  ask: "People with a verified address there, if they want to",
  on: "New accounts by themselves, others if they want to",
};

export const join: Edit<OrganizationDomain, { join: DomainJoin }> = {
  name: "join",
  label: "Who joins by it",
  kind: "one-of",
  options: domainJoins.map((each) => [each, joinWords[each]]),
  of: (domain) => domain.join,
  change: (value) => ({ join: optionOf("join", value, domainJoins) }),
};
export const domain: Field = { name: "domain", label: "Domain", hint: "Such as acme.com, without its subdomains" };

export function confirmation({ name }: Pick<Organization, "name">): Field {
  const hint = `Type ${escapeUnseen(name)}`;
  return { name: "confirmation", label: "Confirmation", hint, refusedAs: "Confirmation" };
}

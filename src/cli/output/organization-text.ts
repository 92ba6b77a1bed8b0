import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import type { InvitationAnswer, InviteResult } from "../../organizations/invitations.ts";
import type { MemberAnswer } from "../../organizations/members.ts";
import type { OrganizationAnswer } from "../../organizations/organization.ts";
import { timeOr, type Screen } from "./screen.ts";
import type { Columns } from "./table.ts";
import { facts } from "./text.ts";

/** `counts`: how many members and owners, if known. */
export function organizationText(
  { id, name, slug, secondFactor, maxMembers, createdAt, disabledAt, deletesAt }: OrganizationAnswer,
  screen: Screen,
  counts?: { members: number; owners: number },
): string {
  return facts([
    ["Organization ID", id],
    ["Name", name],
    ["Slug", slug],
    ["Second factor", secondFactor],
    ["Most members", maxMembers === null ? "no own limit" : String(maxMembers)],
    ["Created", screen.moment(createdAt)],
    ["Disabled", disabledAt === null ? undefined : screen.moment(disabledAt)],
    ["Will be deleted", deletesAt === null ? undefined : screen.moment(deletesAt)],
    ["Members", counts && `${counts.members}, ${counts.owners} of them owners`],
  ]);
}

export const organizationColumns: Columns<OrganizationAnswer> = {
  "ORGANIZATION ID": ({ id }) => id,
  SLUG: ({ slug }) => slug,
  NAME: ({ name }) => name,
  STATE: ({ disabledAt, deletesAt }) => (deletesAt !== null ? "deleted" : disabledAt === null ? "active" : "disabled"),
  CREATED: ({ createdAt }, screen) => screen.time(createdAt),
};

export const memberColumns: Columns<MemberAnswer> = {
  "USER ID": ({ id }) => id,
  EMAIL: ({ email }) => email ?? "-",
  ROLES: ({ roles }) => roles.join(", "),
  STATE: ({ disabled }) => (disabled ? "disabled" : "active"),
  JOINED: ({ joinedAt }, screen) => screen.time(joinedAt),
};

export const domainColumns: Columns<OrganizationDomain> = {
  DOMAIN: ({ domain }) => domain,
  STATE: ({ state }) => state,
  JOIN: ({ join }) => join,
  CHECKED: ({ checkedAt }, screen) => timeOr("-", checkedAt, screen),
  DNS: ({ answer }) => answer?.reason ?? answer?.result ?? "-",
};

export const openInvitationColumns: Columns<InvitationAnswer> = {
  INVITED: ({ email }) => email,
  ROLES: ({ roles }) => roles.join(", "),
  ENDS: ({ expiresAt }, screen) => screen.time(expiresAt),
};

export const invitationColumns: Columns<InviteResult> = {
  EMAIL: ({ email }) => email,
  RESULT: ({ error }) => (error ? error.details || error.message : "invited"),
};

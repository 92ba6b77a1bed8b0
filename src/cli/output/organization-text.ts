import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import type { InvitationAnswer, InviteResult } from "../../organizations/invitations.ts";
import type { MemberAnswer } from "../../organizations/members.ts";
import type { RelinkAnswer } from "../../companies/relinks.ts";
import type { ProviderAnswer, Providers } from "../../companies/service.ts";
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

/** The one that works, and one that waits. */
export function providerText({ callbackUrl, provider, waiting }: Providers, screen: Screen): string {
  return facts([
    ["Redirect URI", callbackUrl],
    ...(provider ? linesOf("Provider", provider, screen) : []),
    ...(waiting ? linesOf("Waiting", waiting, screen) : []),
  ]);
}

function linesOf(label: string, one: ProviderAnswer, screen: Screen): [string, string | undefined][] {
  const time = (at: string | null) => (at === null ? undefined : screen.moment(at));
  return [
    [label, one.issuer],
    ["Client ID", one.clientId],
    ["Fixed addresses", one.fixedAddresses ? "yes" : "no"],
    ["Trusts second factor", one.trustsSecondFactor ?? undefined],
    ["Sign-in lasts", `${one.sessionSeconds} seconds`],
    ["Required since", time(one.requiredSince)],
    ["Tried", time(one.triedAt) ?? "not yet"],
    ["Works from", time(one.worksAt)],
    ["Failing since", time(one.failingSince)],
    ["Reason", one.failure ?? undefined],
  ];
}

export const relinkColumns: Columns<RelinkAnswer> = {
  "USER ID": ({ userId }) => userId,
  UNTIL: ({ expiresAt }, screen) => screen.time(expiresAt),
  "OWNER'S WORD": ({ asksOwner, agreedAt }) => (!asksOwner ? "not needed" : agreedAt === null ? "needed" : "given"),
};

/** One organization on one page. */
import type { Application } from "../../applications/application.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import type { InvitationAnswer } from "../../organizations/invitations.ts";
import type { MemberAnswer } from "../../organizations/members.ts";
import type { Member } from "../../organizations/membership-store.ts";
import { organizationAnswer, type Organization } from "../../organizations/organization.ts";
import type { DomainState } from "../../storage/column-types.ts";
import { applicationPath } from "../applications/application-frame.ts";
import { actColumn, actList, type PageActs } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { amount, facts, instant, part, shortId, shown, state } from "../parts/data.ts";
import { valuesOf } from "../parts/edit.ts";
import { explained, valueText } from "../parts/fields.ts";
import { pageWith } from "../parts/page-address.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../route.ts";
import * as fields from "./forms.ts";
import type { FormOf } from "./forms.ts";
import { stateIn, stateLabels } from "./list.ts";
import { personLink, providerPart, type ShownProvider } from "./provider-part.ts";

export type Shown = {
  application: Application;
  organization: Organization;
  owners: Member[];
  /** How many there are. */
  memberCount: number;
  members: MemberAnswer[];
  nextMember: string | null;
  invitations: InvitationAnswer[];
  nextInvitation: string | null;
  domains: OrganizationDomain[];
  provider: ShownProvider;
  /** Their ids. */
  machines: string[];
  /** Of people and machines, by id. */
  names: ReadonlyMap<string, string>;
};

export function stateWord(of: Parameters<typeof stateIn>[0]): Html {
  const word = stateIn(of);
  const kind = word === "active" ? "good" : word === "new" ? "quiet" : "bad";
  return state(stateLabels[word].toLowerCase(), kind);
}

export function organizationPath({ appId, id }: Pick<Organization, "appId" | "id">): string {
  return applicationPath({ id: appId }, `/organizations/${encodeURIComponent(id)}`);
}

export function organizationActs({ application, organization, owners }: Shown, form: FormOf): PageActs {
  const { name, slug, appId, disabledAt, deletesAt } = organization;
  const command = (verb: string): string[] => ["organization", verb, slug, "--app", appId];
  const isOwnerless = owners.length === 0;
  const adding = form("addMember", {
    label: isOwnerless ? "Appoint an owner" : "Add a member",
    about: "Adds a user of the application without asking. To ask, invite them.",
    fields: [fields.who, fields.rolesField(application)],
    values: { roles: isOwnerless ? "owner" : "member" },
    command: ["organization", "member", "add", slug, "USER", "--app", appId, "--roles", "ROLES"],
  });
  const enabling = form("enable", {
    label: deletesAt === null ? "Enable" : "Keep the organization",
    about: deletesAt === null ? "Tokens may name it again." : "Undoes the deletion that an owner began.",
    command: command("enable"),
  });
  const disabling = form("disable", {
    label: "Disable",
    about: "From the next second on, no token names it. Its members stay users.",
    command: command("disable"),
    isGrave: true,
  });
  const removing = form("remove", {
    label: "Delete the organization",
    about: `Deletes ${organization.id} at once, with its machines and domains. Its members stay users.`,
    fields: [fields.confirmation({ name })],
    command: command("delete"),
    isGrave: true,
  });
  return disabledAt === null
    ? { primary: adding, more: [disabling, removing] }
    : { primary: enabling, more: [adding, removing] };
}

export function organizationBody(visit: Visit, shown: Shown, form: FormOf): Html {
  return html`<div class="columns wide-first">
    <div>
      ${membersPart(visit, shown, form)} ${invitationsPart(visit, shown, form)} ${domainsPart(visit, shown, form)}
      ${providerPart(shown, form)}
    </div>
    <div>${factsPart(shown, form)} ${machinesPart(shown)}</div>
  </div>`;
}

function factsPart({ organization, owners, memberCount, names }: Shown, form: FormOf): Html {
  const { id, createdAt, creatorId, disabledAt, deletesAt, publicMetadata } = organization;
  const values = valuesOf(fields.settings, organizationAnswer(organization));
  const maxShown = 5;
  const ownerLinks = owners
    .slice(0, maxShown)
    .map(({ userId, name, email }) => [personLink(userId, name ?? email ?? userId), " "]);
  return part(
    "Organization",
    facts([
      ["Organization ID", copyable(id)],
      ...fields.settings.map((setting): [string, HtmlValue] => [
        setting.label,
        explained(setting, values[setting.name] ?? ""),
      ]),
      ["Members", amount(memberCount)],
      [
        "Owners",
        owners.length === 0
          ? html`<span class="quiet">none</span>`
          : html`${ownerLinks} ${owners.length > maxShown && `and ${owners.length - maxShown} more`}`,
      ],
      [
        "Created",
        html`${instant(createdAt)}
        ${creatorId !== null && html`by ${personLink(creatorId, names.get(creatorId) ?? creatorId)}`}`,
      ],
      ["Disabled", disabledAt === null ? undefined : instant(disabledAt)],
      ["Will be deleted", deletesAt === null ? undefined : instant(deletesAt)],
      [
        "Public metadata",
        publicMetadata === null ? undefined : html`<pre>${JSON.stringify(publicMetadata, null, 2)}</pre>`,
      ],
    ]),
    actList([
      form("change", {
        label: "Change",
        title: "Settings",
        press: "Save",
        about: "Takes effect at once.",
        fields: fields.settings,
        values,
        check: "Check",
      }),
    ]),
  );
}

function membersPart(visit: Visit, { application, organization, members, nextMember }: Shown, form: FormOf): Html {
  const { slug, appId } = organization;
  const roles = fields.rolesField(application);
  return part(
    "Members",
    html`${table<MemberAnswer>(
      "Members",
      members,
      [
        { heading: "Name", cell: ({ id, name, email }) => personLink(id, name ?? email ?? id) },
        { heading: "Address", leaves: 2, cell: ({ name, email }) => name !== null && email !== null && shown(email) },
        {
          heading: "Roles",
          cell: (member) => html`${shown(member.roles.join(", "))} ${member.disabled && state("disabled", "bad")}`,
        },
        { heading: "Joined by", fit: "state", leaves: 1, cell: ({ joinedBy }) => joinedBy },
        { heading: "Joined", fit: "time", leaves: 3, cell: ({ joinedAt }) => instant(joinedAt) },
        ...actColumn(members, (member) => [
          form("changeRoles", {
            parameters: { userId: member.id },
            label: "Change the roles",
            about: "A role that is taken away ends at the next call, one that is given comes with the next refresh.",
            fields: [roles],
            values: { roles: roles.of(member.roles) },
            command: ["organization", "member", "update", slug, member.id, "--app", appId, "--roles", "ROLES"],
          }),
          form("removeMember", {
            parameters: { userId: member.id },
            label: "Remove",
            about: "They stay a user, and join again only by an invitation or by the server. Ends what they invited.",
            command: ["organization", "member", "remove", slug, member.id, "--app", appId],
            isGrave: true,
          }),
        ]),
      ],
      "It has no members.",
    )}
    ${nextMember !== null && html`<p class="pages"><a href="${pageWith(visit, { after: nextMember, open: undefined })}">Next page</a></p>`}`,
  );
}

function invitationsPart(
  visit: Visit,
  { application, organization, invitations, nextInvitation, names }: Shown,
  form: FormOf,
): Html {
  const { slug, appId } = organization;
  return part(
    "Open invitations",
    html`${table<InvitationAnswer>(
      "Open invitations",
      invitations,
      [
        { heading: "Address", cell: ({ email }) => shown(email) },
        { heading: "Roles", leaves: 2, cell: (invitation) => shown(invitation.roles.join(", ")) },
        {
          heading: "By",
          leaves: 1,
          cell: ({ inviterId }) =>
            inviterId === null ? "the application" : personLink(inviterId, names.get(inviterId) ?? inviterId),
        },
        { heading: "Ends", fit: "time", leaves: 3, cell: ({ expiresAt }) => instant(expiresAt) },
        ...actColumn(invitations, ({ id }) => [
          form("withdraw", {
            parameters: { invitationId: id },
            label: "Withdraw",
            about: "The mailed link no longer works.",
            isGrave: true,
          }),
        ]),
      ],
      "There is no open invitation.",
    )}
    ${nextInvitation !== null && html`<p class="pages"><a href="${pageWith(visit, { invited: nextInvitation, open: undefined })}">More invitations</a></p>`}`,
    actList([
      form("invite", {
        label: "Invite people",
        about: "Mails a link to each address. It works for 7 days, and only for the person with this address.",
        fields: [fields.addresses, fields.rolesField(application)],
        values: { roles: "member" },
        command: ["organization", "invite", slug, "ADDRESS", "--app", appId, "--roles", "ROLES"],
      }),
    ]),
  );
}

const domainStates: Record<DomainState, [word: string, kind: "good" | "warn" | "bad" | "quiet"]> = {
  pending: ["not proved yet", "quiet"],
  waiting: ["held by another", "warn"],
  proved: ["proved", "good"],
  lapsed: ["lost", "bad"],
};

function domainsPart(visit: Visit, { organization, domains }: Shown, form: FormOf): Html {
  const { slug, appId } = organization;
  const commandOf = (verb: string, name: string, ...more: string[]): string[] =>
    ["organization", "domain", verb, slug, name, "--app", appId].concat(more);
  return part(
    "Domains",
    table<OrganizationDomain>(
      "Domains",
      domains,
      [
        { heading: "Domain", cell: (claim) => shown(claim.domain) },
        {
          heading: "State",
          cell: (claim) =>
            html`${state(...domainStates[claim.state])}
            ${claim.misses > 0 && html`<span class="quiet">record missing</span>`}`,
        },
        { heading: "Joining", fit: "state", leaves: 2, cell: (claim) => claim.join },
        ...actColumn(domains, (claim) => [
          claim.record
            ? form("checkDomain", {
                parameters: { domain: claim.domain },
                label: "Ask DNS now",
                about: `Asks for the record of ${claim.domain}, at most 10 times a minute.`,
                command: commandOf("check", claim.domain),
              })
            : undefined,
          form("changeJoin", {
            parameters: { domain: claim.domain },
            label: "Change who joins",
            about: "People who are members stay members.",
            fields: [fields.join],
            values: { join: claim.join },
            command: commandOf("add", claim.domain, "--join", "JOIN"),
          }),
          claim.record && claim.state !== "waiting"
            ? form("vouch", {
                parameters: { domain: claim.domain },
                label: "Vouch for it",
                about: "It counts as proved, and DNS is not asked any more.",
                command: commandOf("add", claim.domain, "--proved"),
              })
            : undefined,
          form("removeDomain", {
            parameters: { domain: claim.domain },
            label: "Remove",
            about: "Nobody joins by it any more. An organization that waits for it gets it.",
            command: commandOf("remove", claim.domain),
            isGrave: true,
          }),
        ]),
      ],
      "It claims no domain.",
      { visit, idOf: (claim) => claim.domain, of: domainDetails },
    ),
    actList([
      form("addDomain", {
        label: "Add a domain",
        about: "It is proved by a TXT record, which is asked for every hour for 14 days.",
        fields: [fields.domain, fields.join],
        values: { join: "off" },
        command: commandOf("add", "DOMAIN"),
      }),
    ]),
  );
}

function domainDetails(claim: OrganizationDomain): Html {
  const { record, provedAt, worksAt, checkedAt, createdAt, misses } = claim;
  return facts([
    ["Record", record ? html`TXT ${copyable(record.name)}` : "none: an operator vouches for it"],
    ["Its value", record ? copyable(record.value) : undefined],
    ["DNS said", record ? html`${answerWords(claim)} ${checkedAt !== null && instant(checkedAt)}` : undefined],
    ["Days without it", misses === 0 ? undefined : `${misses} of 3`],
    ["Who joins by it", valueText(fields.join, claim.join)],
    ["Joining works from", worksAt === null ? undefined : instant(worksAt)],
    ["Claimed", instant(createdAt)],
    ["Proved", provedAt === null ? undefined : instant(provedAt)],
  ]);
}

function answerWords({ domain, record, answer }: OrganizationDomain): HtmlValue {
  if (answer === null || record === null) return "Nothing: it was not asked yet.";
  if (answer.result === "found") return "The record is there.";
  if (answer.result === "unknown") return html`Nothing definite (${answer.reason}), which changes nothing.`;
  if (answer.isDoubled)
    return html`The record is at ${shown(`${record.name}.${domain}`)}: enter its name without the domain.`;
  return answer.values.length === 0
    ? "There is no such record."
    : html`There is another value: ${shown(answer.values.join(", "))}`;
}

function machinesPart({ application, machines, names }: Shown): Html {
  return part(
    "Machines",
    table<string>(
      "Machines",
      machines,
      [
        {
          heading: "Name",
          cell: (id) =>
            html`<a href="${applicationPath(application, `/clients/${encodeURIComponent(id)}`)}"
              >${shown(names.get(id) ?? id)}</a
            >`,
        },
        { heading: "Client ID", cell: (id) => shortId(id) },
      ],
      "It has no machines.",
    ),
  );
}

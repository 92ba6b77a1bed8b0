/** A person's logins, consents, groups and mails. */
import { consentedText } from "../../applications/resources/consented.ts";
import { html, type Html } from "../../lib/html.ts";
import { segmentOf } from "../../lib/path-segments.ts";
import type { LoginAnswer } from "../../sessions/login-administration.ts";
import { mailWords } from "../parts/action-words.ts";
import { browserWords } from "../parts/browser-words.ts";
import { facts, instant, instantOrNever, part, shortId, shown, state } from "../parts/data.ts";
import { organizationPath } from "../organizations/organization-page.ts";
import { actColumn, actList } from "../parts/act-list.ts";
import { selectField } from "../parts/fields.ts";
import type { Visit } from "../route.ts";
import type { FormOf } from "./person-forms.ts";
import { maxLogins, type Person } from "./person.ts";
import { table } from "../parts/table.ts";
import { endWords } from "./time-line-words.ts";

const maxShown = 50;

export function loginsPart(visit: Visit, { logins, user }: Person, form: FormOf): Html {
  return part(
    "Logins",
    html`${table(
      "Live logins, newest first",
      logins.slice(0, maxLogins),
      [
        {
          heading: "Browser",
          cell: ({ userAgent, ipAddress, endedAt }) =>
            html`${browserWords(userAgent)}${ipAddress !== null && html` <span class="quiet">${shown(ipAddress)}</span>`}${endedAt !== null && html` ${state("ended")}`}`,
        },
        { heading: "With", leaves: 2, cell: loginWords },
        { heading: "Started", fit: "time", leaves: 1, cell: ({ createdAt }) => instant(createdAt) },
        { heading: "Last seen", fit: "time", cell: ({ lastSeenAt }) => instant(lastSeenAt) },
        ...actColumn(logins, ({ id, endedAt }) => [
          endedAt === null
            ? form("endLogin", {
                parameters: { loginId: id },
                label: "End",
                about: "Signs the user out in this browser and in every program that it opened.",
                command: ["token", "revoke", "--login", id],
                isGrave: true,
              })
            : undefined,
        ]),
      ],
      "Not signed in anywhere.",
      { visit, idOf: ({ id }) => id, of: loginDetails },
    )}
    ${logins.length > maxLogins && html`<p class="hint">And ${logins.length - maxLogins} older ones.</p>`}`,
    logins.length > 0 &&
      actList([
        form("revokeLogins", {
          label: "End every login",
          about: "Signs the user out everywhere: all their tokens are refused from the next call on.",
          command: ["user", "revoke-logins", user.id],
          isGrave: true,
        }),
      ]),
  );
}

function loginDetails(login: LoginAnswer): Html {
  const { id, clientId, hosts, scopes, createdAt, lastSeenAt, expiresAt, endedAt, endReason, userAgent } = login;
  return facts([
    ["Login ID", shortId(id)],
    ["Program", clientId === null ? "the application itself" : shown(clientId)],
    ...(hosts ? ([["Hosts", hosts.join(", ")]] satisfies Parameters<typeof facts>[0]) : []),
    ["May read", shown(scopes.join(", "))],
    ["Started", instant(createdAt)],
    ["Last seen", instant(lastSeenAt)],
    endedAt === null ? ["Ends", instant(expiresAt)] : ["Ended", html`${instant(endedAt)} ${endWords(endReason)}`],
    [
      "What happened",
      html`<a href="/console/audit?${new URLSearchParams({ user: login.userId }).toString()}">in the audit log</a>`,
    ],
    ["Browser", userAgent === null ? "unknown" : shown(userAgent)],
  ]);
}

function loginWords({ actor, provider, signedInWith }: LoginAnswer): Html | string {
  if (actor !== null) return html`${shown(actor.name)} acts as them: ${shown(actor.reason)}`;
  return provider ?? signedInWith;
}

/** `all`: the application's groups, to choose from. */
export function groupsPart({ groups, user }: Person, all: string[], form: FormOf): Html {
  const { id, appId } = user;
  const others = all.filter((name) => !groups.includes(name));
  return part(
    "Groups",
    table(
      "Groups",
      groups,
      [
        {
          heading: "Group",
          cell: (name) =>
            html`<a href="/console/people?${new URLSearchParams({ app: appId, group: name }).toString()}"
              >${shown(name)}</a
            >`,
        },
        ...actColumn(groups, (name) => [
          form("removeFromGroup", {
            parameters: { group: name },
            label: "Remove",
            about: "Revokes what the group allows, in new tokens and in programs that check it.",
            command: ["group", "remove", name, id, "--app", appId],
            isGrave: true,
          }),
        ]),
      ],
      "In no group.",
    ),
    others.length > 0 &&
      actList([
        form("addToGroup", {
          label: "Add to a group",
          about: "Grants what the group allows, in new tokens and in programs that check it.",
          fields: (entered) => groupChoice(others, entered("group")),
          command: ["group", "add", "GROUP", id, "--app", appId],
        }),
      ]),
  );
}

/** Of an application that has them. */
export function organizationsPart({ organizations, application }: Person): Html | undefined {
  if (application.settings.organizations === undefined) return undefined;
  return part(
    "Organizations",
    table(
      "Organizations",
      organizations,
      [
        {
          heading: "Organization",
          cell: ({ organizationId: id, appId, name, disabledAt }) =>
            html`<a href="${organizationPath({ id, appId })}">${shown(name)}</a>
              ${disabledAt !== null && state("disabled", "bad")}`,
        },
        { heading: "Roles", cell: ({ roles }) => shown(roles.join(", ")) },
        { heading: "Joined", fit: "time", leaves: 1, cell: ({ joinedAt }) => instant(joinedAt) },
      ],
      "In no organization.",
    ),
  );
}

/** What the mail server took for them. */
export function mailsPart({ sentMails }: Person): Html | undefined {
  if (sentMails.length === 0) return undefined;
  return part(
    "Mails to them",
    table(
      "Mails of the last 30 days, newest first",
      sentMails,
      [
        { heading: "Mail", cell: ({ kind }) => mailWords(kind) },
        { heading: "Answer of the mail server", leaves: 3, cell: ({ answer }) => shown(answer) },
        { heading: "Sent", fit: "time", cell: ({ sentAt }) => instant(sentAt) },
      ],
      "",
    ),
  );
}

export function groupChoice(names: readonly string[], chosen: string): Html {
  const options = names.map((name) => [name, name] as const);
  return selectField("Group", "group", options, chosen);
}

export function grantsPart({ grants, user }: Person, form: FormOf): Html | undefined {
  if (grants.length === 0) return undefined;
  return part(
    "Programs with access",
    table(
      "Programs with access",
      grants.slice(0, maxShown),
      [
        { heading: "Program", cell: ({ name }) => shown(name) },
        {
          heading: "Allowed",
          cell: ({ allowed }) =>
            allowed === null ? "without asking" : html`${shown(consentedText(allowed))}, ${instant(allowed.at)}`,
        },
        {
          heading: "Signed in",
          fit: "time",
          leaves: 2,
          cell: ({ signedInAt }) => (signedInAt === null ? "no" : instant(signedInAt)),
        },
        ...actColumn(grants, ({ clientId }) => [
          form("removeConsent", {
            parameters: { clientId: segmentOf(clientId) },
            label: "Remove",
            about: "Removes the consent, and ends the logins of this program. It asks again at the next sign-in.",
            command: ["user", "consents", user.id, "--end", clientId],
            isGrave: true,
          }),
        ]),
      ],
      "",
    ),
  );
}

/** Of somebody who has any. */
export function tokensPart({ tokens, user }: Person, form: FormOf): Html | undefined {
  if (tokens.length === 0) return undefined;
  return part(
    "Personal access tokens",
    table(
      "Live personal access tokens, newest first",
      tokens,
      [
        { heading: "Token", cell: ({ name }) => shown(name) },
        { heading: "Allows", leaves: 2, cell: ({ scopes, hosts }) => shown([...scopes, ...hosts].join(" ")) },
        {
          heading: "For",
          leaves: 3,
          cell: ({ resource }) => (resource === null ? "the application" : shown(resource)),
        },
        { heading: "Last used", fit: "time", cell: ({ lastUsedAt }) => instantOrNever(lastUsedAt) },
        { heading: "Ends", fit: "time", leaves: 1, cell: ({ expiresAt }) => instant(expiresAt) },
        ...actColumn(tokens, ({ id }) => [
          form("endToken", {
            parameters: { tokenId: id },
            label: "End",
            about: "The program that has this token is refused from the next call on. It cannot be undone.",
            command: ["user", "tokens", user.id, "--end", id],
            isGrave: true,
          }),
        ]),
      ],
      "",
    ),
    actList([
      form("endTokens", {
        label: "End every token",
        about: "All programs that have a token of this person are refused from the next call on. It cannot be undone.",
        command: ["user", "tokens", user.id, "--end-all"],
        isGrave: true,
      }),
    ]),
  );
}

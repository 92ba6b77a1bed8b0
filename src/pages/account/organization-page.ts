import { html, type Html } from "../../lib/html.ts";
import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import type { SetupLinkAnswer } from "../../companies/setup-links.ts";
import type { InvitationAnswer } from "../../organizations/invitations.ts";
import type { MemberAnswer, MembershipAnswer } from "../../organizations/members.ts";
import type { Organization } from "../../organizations/organization.ts";
import { mayChangeRoles, type Rank } from "../../organizations/rights.ts";
import { domainJoins, type DomainState } from "../../storage/column-types.ts";
import { momentOf } from "../../look/dates.ts";
import { waitingTime } from "../../look/duration.ts";
import { caution, field, organizationNameForm, postForm, problemSummary, submitButton } from "../parts/form-parts.ts";
import type { Frame } from "../parts/frame.ts";
import {
  accountFrame,
  accountPath,
  actionButton,
  doneNotice,
  organizationRows,
  part,
  row,
  type AccountPlace,
  type ListedOrganization,
} from "./parts.ts";

/** The page of one organization, or of all that a person has. */
export function organizationPath(appId: string, id?: string): string {
  const query = id === undefined ? "" : `&organization=${encodeURIComponent(id)}`;
  return `/organization?app_id=${encodeURIComponent(appId)}${query}`;
}

/** The last act: done, or why not. */
export type OrganizationNotice = {
  kind: "done" | "not-invited" | "refused" | "conflict" | "changed" | "too-many-tries" | undefined;
  /** The form that was refused, to send it again. */
  sent?: ReadonlyMap<string, string>;
  /** Those that were not invited, to send them again. */
  addresses?: string[];
  retryAfterSeconds?: number;
};

export type OrganizationListData = AccountPlace & {
  memberships: MembershipAnswer[];
  invitations: ListedOrganization[];
  mayCreate: boolean;
  /** Why none was created. */
  problem?: "name" | "too-many" | undefined;
};

export function organizationListPage(frame: Frame, data: OrganizationListData): Html {
  const { texts } = frame;
  const { appId, token, memberships, invitations, mayCreate, problem } = data;
  const body = html`<h1>${texts.organizations}</h1>
    ${problem === "too-many" && problemSummary({ summary: texts.organizationTooMany })}
    ${memberships.length + invitations.length === 0 && html`<p>${texts.organizationsNone}</p>`}
    ${organizationRows(memberships.map(({ id, name, slug }) => ({ name, slug, path: organizationPath(appId, id) })))}
    ${invitations.length > 0 && part("invitations", texts.organizationInvitations, organizationRows(invitations))}
    ${
      mayCreate &&
      part(
        "create",
        texts.organizationCreate,
        postForm(organizationPath(appId), token, { act: "create" }, organizationNameForm(frame, problem === "name")),
      )
    }
    <div class="end"><a class="quiet" href="${accountPath(appId)}">${texts.continueToAccount}</a></div>`;
  return accountFrame(frame, {
    base: frame.assets.organizationStylesheet,
    title: texts.organizations,
    body,
    problem: problem !== undefined,
  });
}

export type OrganizationData = AccountPlace & {
  organization: Organization;
  userId: string;
  rank: Rank;
  roles: string[];
  /** An owner deleted it, and it can still be kept. */
  isDeleted: boolean;
  /** The roles that the person may give. */
  given: string[];
  /** The application's own, as it has them. */
  added: readonly string[];
  members: MemberAnswer[];
  nextCursor: string | null;
  invitations: InvitationAnswer[];
  domains: OrganizationDomain[];
  /** Undefined: none can be made. */
  setupLinks?: SetupLinkAnswer[] | undefined;
  /** Whether it may have a provider of its own. */
  hasCompanySignIn: boolean;
  /** The newest first; empty for those who may not see it. */
  activity: OrganizationEvent[];
  notice: OrganizationNotice;
};

/** `by`, `about`: people; by undefined: the application. `at`: epoch milliseconds. */
export type OrganizationEvent = { action: string; at: number; by: string | undefined; about: string | undefined };

export function organizationPage(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  const { appId, organization, rank, roles, isDeleted } = data;
  const { name, slug } = organization;
  const manages = rank !== "member" && !isDeleted;
  const body = html`<h1><bdi>${name}</bdi></h1>
    ${noticeOf(frame, data)}
    <p class="hint"><bdi>${slug}</bdi></p>
    ${isDeleted && restorePart(frame, data)}
    ${
      !isDeleted &&
      html`<p>
        ${texts.organizationOwnRoles} <strong><bdi>${shownRoles(frame, roles)}</bdi></strong>
      </p>`
    }
    ${manages && membersPart(frame, data)} ${manages && invitationsPart(frame, data)}
    ${manages && domainsPart(frame, data)}
    ${rank === "owner" && manages && data.hasCompanySignIn && providerPart(frame, data)}
    ${data.setupLinks && setupLinksPart(frame, data, data.setupLinks)} ${manages && settingsPart(frame, data)}
    ${data.activity.length > 0 && activityPart(frame, data)}
    ${!isDeleted && part("leave", texts.organizationLeave, button(frame, data, { act: "leave" }, texts.organizationLeave))}
    ${!isDeleted && rank === "owner" && deletePart(frame, data)}
    <div class="end"><a class="quiet" href="${organizationPath(appId)}">${texts.organizations}</a></div>`;
  return accountFrame(frame, {
    base: frame.assets.organizationStylesheet,
    title: name,
    body,
    problem: !["done", undefined].includes(data.notice.kind),
  });
}

function noticeOf({ texts, lang }: Frame, data: OrganizationData): Html | undefined {
  const { kind, addresses = [], retryAfterSeconds = 60 } = data.notice;
  if (kind === undefined || isBeside(data)) return undefined;
  if (kind === "done") return doneNotice(texts.organizationSaved);
  const summaries = {
    "not-invited": texts.organizationNotInvited(addresses.join(", ")),
    refused: texts.organizationRefused,
    conflict: texts.organizationConflict,
    changed: texts.organizationRefused,
    "too-many-tries": texts.tooManyTries(waitingTime(retryAfterSeconds, lang)),
  };
  return problemSummary({ summary: summaries[kind] });
}

/** Whether a field says why the act was refused: its form is on the page. */
function isBeside({ notice: { kind, sent }, rank, isDeleted }: OrganizationData): boolean {
  const act = sent?.get("act") ?? "";
  if (isDeleted || !(rank === "owner" || (rank === "admin" && act === "name"))) return false;
  if (kind === "refused" || kind === "conflict") return ["name", "slug", "add-domain"].includes(act);
  return kind === "changed";
}

type Entered = { value: string; beside?: string | undefined };

/** What a field shows: the stored value, or what was sent with the reason of its refusal. */
function enteredIn(
  { texts }: Frame,
  data: OrganizationData,
  { act, name, domain }: { act: string; name: string; domain?: string },
  stored: { value: string; label?: string },
  refused?: string,
): Entered {
  const { kind, sent } = data.notice;
  if (sent?.get("act") !== act || (domain !== undefined && sent.get("domain") !== domain)) return stored;
  const why = kind === "changed" ? texts.organizationChanged(stored.label ?? stored.value) : refused;
  return { value: sent.get(name) ?? "", beside: isBeside(data) ? why : undefined };
}

function roleName({ texts }: Frame, role: string): string {
  const built: Record<string, string> = {
    owner: texts.organizationOwner,
    admin: texts.organizationAdmin,
    member: texts.organizationMember,
  };
  return built[role] ?? role;
}

function shownRoles(frame: Frame, roles: readonly string[]): string {
  return roles.map((role) => roleName(frame, role)).join(", ");
}

/** Every form names the organization in its address, and what it does. */
function form(data: OrganizationData, fields: Record<string, string>, content: Html): Html {
  return postForm(organizationPath(data.appId, data.organization.id), data.token, fields, content);
}

function saveButton({ texts }: Frame): Html {
  return actionButton({ label: texts.save, busy: texts.saving, look: "small" });
}

function button(
  { texts }: Frame,
  data: OrganizationData,
  fields: Record<string, string>,
  label: string,
  { look = "small", name }: { look?: "small" | "danger" | "main"; name?: string | undefined } = {},
): Html {
  return form(data, fields, actionButton({ label, busy: texts.saving, look, name }));
}

function textField(frame: Frame, name: "name" | "slug" | "domain", label: string, { value, beside }: Entered): Html {
  return field(
    frame,
    { name, label, type: name === "name" ? "text" : "url-part", autocomplete: "off", value },
    beside === undefined ? undefined : { field: name, beside },
  );
}

type Option = { name: string; value?: string; label: string; isChosen: boolean };

/** `beside`: why what was chosen was refused. */
function choices(legend: string, type: "radio" | "checkbox", options: readonly Option[], beside?: string): Html {
  const isRefused = beside !== undefined;
  return html`<fieldset class="options" ${isRefused && html`aria-describedby="choice-problem"`}>
    <legend>${legend}</legend>
    ${isRefused && html`<p class="beside" id="choice-problem">${beside}</p>`}
    ${options.map(
      ({ name, value = "on", label, isChosen }) =>
        html`<label
          ><input
            type="${type}"
            name="${name}"
            value="${value}"
            ${isChosen && html`checked`}
            ${isChosen && isRefused && html`autofocus`}
          />
          <bdi>${label}</bdi></label
        >`,
    )}
  </fieldset>`;
}

function roleChoice(frame: Frame, label: string, roles: readonly string[], chosen: readonly string[]): Html {
  const options = roles.map((role) => {
    return { name: `role.${role}`, label: roleName(frame, role), isChosen: chosen.includes(role) };
  });
  return choices(label, "checkbox", options);
}

/** A box to tick. */
export function tick(name: string, label: string, isChecked: boolean): Html {
  return html`<fieldset class="options">
    <label><input type="checkbox" name="${name}" ${isChecked && html`checked`} /> <span>${label}</span></label>
  </fieldset>`;
}

/** Whether somebody may do without the company's provider, which owners say. */
function exemptTick({ texts }: Frame, { rank, hasCompanySignIn }: OrganizationData, isExempt: boolean): Html | false {
  return rank === "owner" && hasCompanySignIn && tick("exempt", texts.ownProviderExempt, isExempt);
}

function membersPart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  const { appId, organization, members, nextCursor } = data;
  const more = `${organizationPath(appId, organization.id)}&after=${encodeURIComponent(nextCursor ?? "")}`;
  return part(
    "members",
    texts.organizationMembers,
    html`<ul class="rows" role="list">
        ${members.map((member) => memberRow(frame, data, member))}
      </ul>
      ${nextCursor !== null && html`<p><a href="${more}">${texts.organizationMore}</a></p>`}`,
  );
}

function memberRow(frame: Frame, data: OrganizationData, member: MemberAnswer): Html {
  const { texts } = frame;
  const { rank, given, userId, added } = data;
  const { id, email, name, roles } = member;
  const shown = name ?? email ?? id;
  const isOwn = id === userId;
  const mayRemove = !isOwn && mayChangeRoles(rank, { before: roles, after: [], isOwn, added });
  const mayChange = mayChangeRoles(rank, { before: roles, after: roles, isOwn, added });
  // A role that the person may not take stays, as a hidden field.
  const kept = roles.filter((role) => !given.includes(role));
  const isExempt = member.providerExempt === true;
  return html`<li class="row">
    <div>
      <p class="title"><bdi>${shown}</bdi></p>
      ${name !== null && email !== null && html`<p class="hint"><bdi>${email}</bdi></p>`}
      <p class="hint"><bdi>${shownRoles(frame, roles)}</bdi></p>
      ${isExempt && html`<p class="hint">${texts.ownProviderExempt}</p>`}
      ${
        mayChange &&
        html`<details>
          <summary class="button small" aria-label="${texts.organizationRolesOf(shown)}">
            ${texts.organizationRoles}
          </summary>
          ${form(
            data,
            {
              act: "roles",
              user: id,
              was: roles.join(" "),
              wasExempt: isExempt ? "on" : "",
              ...Object.fromEntries(kept.map((role) => [`role.${role}`, "on"])),
            },
            html`${roleChoice(frame, texts.organizationRolesOf(shown), given, roles)}
            ${exemptTick(frame, data, isExempt)} ${saveButton(frame)}`,
          )}
        </details>`
      }
    </div>
    <div class="acts">
      ${mayRemove && button(frame, data, { act: "remove", user: id }, texts.remove, { name: texts.removeNamed(shown) })}
    </div>
  </li>`;
}

function invitationsPart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  const { invitations, rank, given, added, notice } = data;
  return part(
    "invitations",
    texts.organizationInvitations,
    html`<ul class="rows" role="list">
        ${invitations.map(({ id, email, roles }) => {
          const mayWithdraw = mayChangeRoles(rank, { before: roles, after: [], isOwn: false, added });
          const fields = { act: "withdraw", invitation: id };
          return row({
            title: email,
            facts: [[shownRoles(frame, roles)]],
            acts: mayWithdraw && button(frame, data, fields, texts.organizationWithdraw(email)),
          });
        })}
      </ul>
      ${form(
        data,
        { act: "invite" },
        html`<div class="field">
            <label for="addresses">${texts.organizationAddresses}</label>
            <div class="control">
              <textarea id="addresses" name="addresses" rows="3" required dir="ltr">
${(notice.addresses ?? []).join("\n")}</textarea>
            </div>
          </div>
          ${roleChoice(frame, texts.organizationRoles, given, ["member"])}
          ${exemptTick(frame, data, notice.sent?.has("exempt") === true)}
          ${submitButton({ label: texts.organizationSendInvitations, busy: texts.saving, look: "main" })}`,
      )}`,
  );
}

/** An admin sees them, an owner changes them. */
function domainsPart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  const fields = { act: "add-domain", name: "domain" };
  const entered = enteredIn(frame, data, fields, { value: "" }, texts.organizationDomainRefused);
  const add = html`${textField(frame, "domain", texts.organizationDomain, entered)}
  ${submitButton({ label: texts.organizationDomainAdd, busy: texts.saving, look: "main" })}`;
  return part(
    "domains",
    texts.organizationDomains,
    html`<p class="hint">${texts.organizationDomainsNext}</p>
      <ul class="rows" role="list">
        ${data.domains.map((domain) => domainRow(frame, data, domain))}
      </ul>
      ${data.rank === "owner" && form(data, { act: "add-domain" }, add)}`,
  );
}

/** Somebody else adds domain and provider. */
function setupLinksPart(frame: Frame, data: OrganizationData, links: readonly SetupLinkAnswer[]): Html {
  const { texts } = frame;
  const email = { name: "email", label: texts.email, type: "email", autocomplete: "off" } as const;
  return part(
    "setup-links",
    texts.setupAsk,
    html`<p class="hint">${texts.setupAskNext}</p>
      <ul class="rows" role="list">
        ${links.map(({ id, email }) =>
          row({
            title: email,
            facts: [],
            acts: button(frame, data, { act: "end-setup-link", link: id }, texts.setupEnd(email)),
          }),
        )}
      </ul>
      ${form(
        data,
        { act: "setup-link" },
        html`${field(frame, email, undefined)}
        ${submitButton({ label: texts.setupSend, busy: texts.saving, look: "main" })}`,
      )}`,
  );
}

function providerPart({ texts }: Frame, { appId, organization: { id } }: OrganizationData): Html {
  const path = organizationPath(appId, id).replace("/organization?", "/organization/provider?");
  const link = html`<p><a class="button small" href="${path}">${texts.ownProvider}</a></p>`;
  return part(
    "provider",
    texts.ownProvider,
    html`<p class="hint">${texts.ownProviderLead}</p>
      ${link}`,
  );
}

function domainRow(frame: Frame, data: OrganizationData, claim: OrganizationDomain): Html {
  const { texts } = frame;
  const { domain, state, join, record } = claim;
  const joins = { off: texts.organizationJoinOff, ask: texts.organizationJoinAsk, on: texts.organizationJoinOn };
  const stored = { value: join, label: joins[join] };
  const entered = enteredIn(frame, data, { act: "join-domain", name: "join", domain }, stored);
  const options = domainJoins.map((value) => {
    return { name: "join", value, label: joins[value], isChosen: value === entered.value };
  });
  const choice = html`${choices(texts.organizationDomainJoin(domain), "radio", options, entered.beside)}
  ${saveButton(frame)}`;
  const act = (act: string, label: string, name?: string): Html =>
    button(frame, data, { act, domain }, label, { name });
  return html`<li class="row">
    <div>
      <p class="title"><bdi>${domain}</bdi></p>
      <p class="hint">${domainStates(frame)[state]}</p>
      ${
        record !== null &&
        state !== "proved" &&
        html`<p class="hint">${texts.organizationDomainRecord}</p>
          <p dir="ltr"><code>${record.name}</code></p>
          <p dir="ltr"><code>${record.value}</code></p>
          ${answerOf(frame, claim).map((line) => html`<p class="hint">${line}</p>`)}`
      }
      ${data.rank === "owner" && form(data, { act: "join-domain", domain, was: join }, choice)}
    </div>
    <div class="acts">
      ${
        data.rank === "owner" &&
        html`${claim.setupLinkId !== null && act("confirm-domain", texts.setupConfirmDomain(domain))}
        ${record !== null && act("check-domain", texts.organizationDomainCheck(domain))}
        ${act("remove-domain", texts.remove, texts.removeNamed(domain))}`
      }
    </div>
  </li>`;
}

export function domainStates({ texts }: Frame): Record<DomainState, string> {
  return {
    pending: texts.organizationDomainPending,
    waiting: texts.organizationDomainWaiting,
    proved: texts.organizationDomainProved,
    lapsed: texts.organizationDomainLapsed,
  };
}

/** What DNS said last, if it is not what proves the domain. */
export function answerOf({ texts }: Frame, { domain, record, answer }: OrganizationDomain): string[] {
  if (answer === null || record === null || answer.result === "found") return [];
  if (answer.result === "unknown") return [texts.organizationDomainUnknown(answer.reason ?? "")];
  return [
    texts.organizationDomainMissing,
    ...(answer.values.length > 0 ? [texts.organizationDomainFound(answer.values.join(", "))] : []),
    ...(answer.isDoubled ? [texts.organizationDomainDoubled(`${record.name}.${domain}`)] : []),
  ];
}

function settingsPart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  const { name, slug, secondFactor } = data.organization;
  const stored = secondFactor ?? "off";
  const policies = {
    off: texts.organizationPolicyOff,
    optional: texts.optional,
    required: texts.organizationPolicyRequired,
  };
  const save = saveButton(frame);
  const named = enteredIn(frame, data, { act: "name", name: "name" }, { value: name }, texts.organizationNameRefused);
  const short = enteredIn(frame, data, { act: "slug", name: "slug" }, { value: slug }, texts.organizationSlugRefused);
  const policy = { value: stored, label: policies[stored] };
  const chosen = enteredIn(frame, data, { act: "policy", name: "secondFactor" }, policy);
  const options = Object.entries(policies).map(([value, label]) => {
    return { name: "secondFactor", value, label, isChosen: value === chosen.value };
  });
  const choice = choices(texts.secondStep, "radio", options, chosen.beside);
  return part(
    "settings",
    texts.organizationSettings,
    html`${form(data, { act: "name", was: name }, html`${textField(frame, "name", texts.organizationName, named)} ${save}`)}
    ${
      data.rank === "owner" &&
      html`${form(data, { act: "slug", was: slug }, html`${textField(frame, "slug", texts.organizationSlug, short)} ${save}`)}
      ${form(data, { act: "policy", was: stored }, html`${choice} ${save}`)}`
    }`,
  );
}

function activityPart(frame: Frame, { activity }: OrganizationData): Html {
  const { texts, look } = frame;
  const labels: Record<string, string> = {
    "organization.create": texts.organizationDidCreate,
    "organization.update": texts.organizationDidUpdate,
    "organization.disable": texts.organizationDidDisable,
    "organization.enable": texts.organizationDidEnable,
    "organization.ownerless": texts.organizationDidLoseOwner,
    "organization.invite": texts.organizationDidInvite,
    "organization.invitation.withdraw": texts.organizationDidWithdraw,
    "organization.invitation.accept": texts.organizationDidAccept,
    "organization.invitation.refuse": texts.organizationDidDecline,
    "organization.member.add": texts.organizationDidAdd,
    "organization.member.update": texts.organizationDidSetRoles,
    "organization.member.leave": texts.organizationDidLeave,
    "organization.member.remove": texts.organizationDidRemove,
    "organization.domain.add": texts.organizationDidAddDomain,
    "organization.domain.update": texts.organizationDidUpdateDomain,
    "organization.domain.remove": texts.organizationDidRemoveDomain,
    "organization.domain.proved": texts.organizationDidProveDomain,
    "organization.domain.lost": texts.organizationDidLoseDomain,
    "organization.identity.link": texts.ownProviderDidLink,
    "organization.setup-link.make": texts.setupLinkDidMail,
    "organization.setup-link.open": texts.setupLinkDidOpen,
    "organization.setup-link.end": texts.setupLinkDidEnd,
    "token.mint": texts.byOperator(look.name),
  };
  const labelOf = (action: string): string =>
    labels[action] ?? (action.startsWith("organization.provider.") ? texts.ownProviderDid : action);
  const item = ({ action, at, by = look.name, about }: OrganizationEvent): Html =>
    row({
      title: labelOf(action),
      facts: [[...(about === undefined ? [] : [about]), texts.organizationBy(by), momentOf(at, frame)]],
    });
  return part(
    "activity",
    texts.organizationActivity,
    html`<ul class="rows" role="list">
      ${activity.map(item)}
    </ul>`,
  );
}

function deletePart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  return part(
    "delete",
    texts.organizationDelete,
    html`${caution(texts.organizationDeleteNext)}
    ${button(frame, data, { act: "delete" }, texts.organizationDelete, { look: "danger" })}`,
  );
}

/** On it, an owner can keep the organization and do nothing else. */
function restorePart(frame: Frame, data: OrganizationData): Html {
  const { texts } = frame;
  return html`${caution(texts.organizationDeletedNext)}
  ${button(frame, data, { act: "restore" }, texts.organizationKeep, { look: "main" })}`;
}

/** The page on which a person chooses an organization. Its answer comes to `continue-pages.ts`. */
import * as mailbox from "../../companies/mailbox.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { listProvedDomainsOf } from "../../organizations/domains/store.ts";
import { noOrganization } from "../../organizations/gate.ts";
import { forwardGlyph } from "../../look/glyphs.ts";
import type { Context } from "../../runtime/context.ts";
import * as organizationChoice from "../../sign-in/organization-choice.ts";
import { later, type Choices } from "../../sign-in/organization-choice.ts";
import type { User } from "../../users/user.ts";
import { caution, organizationNameForm, pageEnd, postForm, problemSummary, submitButton } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** Of more, the page has a filter. */
const maxWithoutFilter = 8;
const maxFilterCharacters = 64;

/** Why an act on the page was refused. */
export type OrganizationProblem = "full" | "name" | "too-many";

/** `user`: the proven person. */
export async function show(ctx: Context, visit: Visit, user: User, problem?: OrganizationProblem): Promise<Answer> {
  const { reader } = ctx.storage;
  const { currentBrowserSession } = visits.forProof(ctx, visit);
  const place = { ...visit, currentBrowserSession };
  const { memberships, offer, invited, ...rest } = await organizationChoice.choices(ctx, reader, place, user);
  const inviting = invited.map(({ organization }) => organization.id);
  const all = [...memberships.map(({ organizationId }) => organizationId), ...inviting];
  const domains = await listProvedDomainsOf(reader, all);
  const filter = (visit.request.query().get("filter") ?? "").slice(0, maxFilterCharacters).trim();
  const choices = memberships.map(({ organizationId, name, slug }) => {
    return { id: organizationId, name, slug, domain: domains.get(organizationId) };
  });
  const { settings } = visit.application;
  const joins = invited.length > 0 || offer !== undefined;
  const body = organizationPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    account: await accountNames.nameOf(ctx, visit, user),
    choices: choices.filter((choice) => fits(choice, filter)),
    filter: memberships.length > maxWithoutFilter ? filter : undefined,
    offer: offer && { ...offer, id: offer.organizationId },
    invitations: invited.map(({ invitation, organization: { id, name, slug } }) => {
      return { id: invitation.id, name, slug, domain: domains.get(id) };
    }),
    mayCreate: settings.organizationCreation === "people" && user.emailVerified,
    warns: joins && (await mailbox.isWorthWarning(reader, visit.application, user.id)),
    problem,
    ...rest,
  });
  return visits.page(ctx, visit, body, problem === undefined ? 200 : 422);
}

function fits({ name, slug, domain = "" }: Choice, filter: string): boolean {
  return [name, slug, domain].some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

/** `id`: of the organization, or of the invitation. */
type Choice = { id: string; name: string; slug: string; domain: string | undefined };

export type OrganizationData = Pick<Choices, "isLost" | "isNeeded" | "mayWait" | "mayGoWithout"> & {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  account: string;
  choices: Choice[];
  /** Undefined: there are too few for one. */
  filter: string | undefined;
  /** The organization of the person's domain, which they may join. */
  offer: Choice | undefined;
  invitations: Choice[];
  mayCreate: boolean;
  /** Of what who runs their mail can do, because they may join another organization. */
  warns: boolean;
  problem?: OrganizationProblem | undefined;
};

export function organizationPage(frame: Frame, data: OrganizationData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, account, choices, filter, isLost, isNeeded, offer, invitations, problem } = data;
  const { mayWait, mayGoWithout } = data;
  // Only the invitations brought the page up.
  const isInvited = invitations.length > 0 && !isNeeded && !isLost && (mayWait || choices.length === 0);
  const title = isNeeded
    ? texts.organizationNeededTitle
    : isInvited
      ? texts.organizationInvitedTitle
      : texts.organizationTitle;
  const needed = data.mayCreate ? texts.organizationNeededOrCreate : texts.organizationNeededNext;
  const lead = isNeeded
    ? needed(look.name)
    : isInvited
      ? texts.organizationInvitedLead
      : texts.organizationLead(look.name);
  const summary = { full: texts.organizationInviteFull, name: undefined, "too-many": texts.organizationTooMany };
  const notNow = isInvited ? texts.notNow : texts.organizationWithout;
  const otherAccount = submitButton({ label: texts.useAnotherAccount, busy: texts.continuing, look: "plain" });
  const body = html`<h1>${title}</h1>
    ${problem !== undefined && problem !== "name" && problemSummary({ summary: summary[problem] })}
    ${isLost && caution(texts.organizationLost)}
    <p>${lead}</p>
    <p class="hint"><bdi>${account}</bdi></p>
    ${filter !== undefined && filterForm(frame, sessionPath, filter)}
    ${filter !== undefined && choices.length === 0 && html`<p>${texts.organizationNoMatch}</p>`}
    ${!(isInvited && mayWait) && choices.map((choice) => choiceForm(frame, data, choice))}
    ${invitations.length > 0 && choices.length > 0 && !isInvited && html`<h2>${texts.organizationInvitations}</h2>`}
    ${data.warns && caution(texts.companyOrganizations)}
    ${invitations.map((invitation) => invitationForms(frame, data, invitation))}
    ${offer && html`<p>${texts.organizationOffer(offer.domain ?? "")}</p>`} ${offer && choiceForm(frame, data, offer)}
    ${isNeeded && data.mayCreate && stepForm(data, { act: "create" }, organizationNameForm(frame, problem === "name"))}
    ${
      ((isInvited && mayWait) || (mayGoWithout && filter === undefined)) &&
      stepForm(
        data,
        { organization: mayGoWithout ? noOrganization : later },
        submitButton({ label: notNow, busy: texts.continuing, look: "plain" }),
      )
    }
    ${postForm(`${sessionPath}/step/other-account`, token, {}, otherAccount)} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, sessionPath, problem: problem !== undefined });
}

function stepForm({ sessionPath, token }: OrganizationData, fields: Record<string, string>, content: Html): Html {
  return postForm(`${sessionPath}/step/organization`, token, fields, content);
}

function choiceForm(
  { texts }: Frame,
  data: OrganizationData,
  { id, name, slug, domain }: Choice,
  fields: Record<string, string> = { organization: id },
  label: string = name,
): Html {
  return stepForm(
    data,
    fields,
    html`<button class="button main second who" data-busy="${texts.continuing}">
      <b>
        <span><bdi>${label}</bdi></span>
        <small><bdi>${slug}</bdi>${domain !== undefined && html` · <bdi>${domain}</bdi>`}</small>
      </b>
      ${forwardGlyph}
    </button>`,
  );
}

function invitationForms(frame: Frame, data: OrganizationData, invitation: Choice): Html {
  const { texts } = frame;
  const { id, name } = invitation;
  const decline = html`<button
    class="button plain"
    data-busy="${texts.continuing}"
    aria-label="${texts.organizationDeclineNamed(name)}"
  >
    <span>${texts.organizationDecline}</span>
  </button>`;
  return html`<div class="invitation">
    ${choiceForm(frame, data, invitation, { invitation: id }, texts.organizationJoinNamed(name))}
    ${stepForm(data, { invitation: id, answer: "no" }, decline)}
  </div>`;
}

function filterForm({ texts }: Frame, sessionPath: string, filter: string): Html {
  return html`<form method="get" action="${sessionPath}">
    <div class="field">
      <label for="filter">${texts.organizationFilter}</label>
      <div class="control">
        <input id="filter" name="filter" type="search" value="${filter}" autocomplete="off" dir="auto" />
      </div>
    </div>
    ${submitButton({ label: texts.organizationFind, busy: texts.continuing, look: "plain" })}
  </form>`;
}

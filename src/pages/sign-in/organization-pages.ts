/** The page on which a person chooses an organization. Its answer comes to `continue-pages.ts`. */
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { listProvedDomainsOf } from "../../organizations/domains/store.ts";
import { noOrganization } from "../../organizations/gate.ts";
import { forwardGlyph } from "../../look/glyphs.ts";
import type { Context } from "../../runtime/context.ts";
import * as organizationChoice from "../../sign-in/organization-choice.ts";
import type { User } from "../../users/user.ts";
import { caution, pageEnd, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** Of more, the page has a filter. */
const maxWithoutFilter = 8;
const maxFilterCharacters = 64;

/** `user`: the proven person. */
export async function show(ctx: Context, visit: Visit, user: User): Promise<Answer> {
  const { reader } = ctx.storage;
  const { currentBrowserSession } = visits.forProof(ctx, visit);
  const place = { ...visit, currentBrowserSession };
  const { memberships, isLost, offer } = await organizationChoice.choices(ctx, reader, place, user);
  const domains = await listProvedDomainsOf(
    reader,
    memberships.map(({ organizationId }) => organizationId),
  );
  const filter = (visit.request.query().get("filter") ?? "").slice(0, maxFilterCharacters).trim();
  const choices = memberships.map(({ organizationId, name, slug }) => {
    return { id: organizationId, name, slug, domain: domains.get(organizationId) };
  });
  const body = organizationPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    account: await accountNames.nameOf(ctx, visit, user),
    choices: choices.filter((choice) => fits(choice, filter)),
    filter: memberships.length > maxWithoutFilter ? filter : undefined,
    isLost,
    offer: offer && { ...offer, id: offer.organizationId },
    isNeeded: memberships.length === 0 && visit.application.settings.organizations === "required",
  });
  return visits.page(ctx, visit, body);
}

function fits({ name, slug, domain = "" }: Choice, filter: string): boolean {
  return [name, slug, domain].some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

type Choice = { name: string; slug: string; domain: string | undefined };

type OrganizationData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  account: string;
  choices: (Choice & { id: string })[];
  /** Undefined: there are too few for one. */
  filter: string | undefined;
  /** Whether the organization of last time is not among them. */
  isLost: boolean;
  /** Whether the person has none, and the application requires one. */
  isNeeded: boolean;
  /** The organization of the person's domain, which they may join. */
  offer: (Choice & { id: string }) | undefined;
};

export function organizationPage(frame: Frame, data: OrganizationData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, account, choices, filter, isLost, isNeeded, offer } = data;
  const title = isNeeded ? texts.organizationNeededTitle : texts.organizationTitle;
  const lead = isNeeded ? texts.organizationNeededNext(look.name) : texts.organizationLead(look.name);
  const body = html`<h1>${title}</h1>
    ${isLost && caution(texts.organizationLost)}
    <p>${lead}</p>
    <p class="hint"><bdi>${account}</bdi></p>
    ${filter !== undefined && filterForm(frame, sessionPath, filter)}
    ${filter !== undefined && choices.length === 0 && html`<p>${texts.organizationNoMatch}</p>`}
    ${choices.map((choice) => choiceForm(frame, data, choice))}
    ${offer && html`<p>${texts.organizationOffer(offer.domain ?? "")}</p>`} ${offer && choiceForm(frame, data, offer)}
    ${filter === undefined && choices.length === 0 && !isNeeded && withoutForm(frame, data)}
    <form method="post" action="${sessionPath}/step/other-account">
      ${tokenField(token)} ${submitButton({ label: texts.useAnotherAccount, busy: texts.continuing, look: "plain" })}
    </form>
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, sessionPath });
}

function choiceForm(
  { texts }: Frame,
  { sessionPath, token }: OrganizationData,
  choice: OrganizationData["choices"][number],
) {
  const { id, name, slug, domain } = choice;
  return html`<form method="post" action="${sessionPath}/step/organization">
    ${tokenField(token)}
    <input type="hidden" name="organization" value="${id}" />
    <button class="button main second who" data-busy="${texts.continuing}">
      <b>
        <span><bdi>${name}</bdi></span>
        <small><bdi>${slug}</bdi>${domain !== undefined && html` · <bdi>${domain}</bdi>`}</small>
      </b>
      ${forwardGlyph}
    </button>
  </form>`;
}

function withoutForm({ texts }: Frame, { sessionPath, token }: OrganizationData): Html {
  return html`<form method="post" action="${sessionPath}/step/organization">
    ${tokenField(token)}
    <input type="hidden" name="organization" value="${noOrganization}" />
    ${submitButton({ label: texts.organizationWithout, busy: texts.continuing, look: "plain" })}
  </form>`;
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

/** The pages of a sign-in by the provider of an organization. */
import { html, type Html } from "../../lib/html.ts";
import { forwardGlyph } from "../../look/glyphs.ts";
import { factsIn } from "../account/parts.ts";
import { emailField } from "../parts/email-field.ts";
import { caution, field, pageEnd, postForm, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import type { ProblemWords } from "../parts/problems.ts";

type Place = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
};

/** `domain`: one that it proved, because its name can be anything. `host`: of its provider. */
export type NamedCompany = { id: string; name: string; domain: string | undefined; host: string };

function ownWays({ texts }: Frame, sessionPath: string): Html {
  return html`<a class="button plain" href="${sessionPath}?own=1">${texts.companyOwnWays}</a>`;
}

/** Below a heading; the name only where no other words of the page have it. */
function companyPart({ name, domain }: NamedCompany, isNamed: boolean): Html | undefined {
  const shown = [isNamed ? undefined : name, domain].filter((each) => each !== undefined);
  return shown.length === 0 ? undefined : html`<p class="hint">${factsIn(shown)}</p>`;
}

/** Asks for an address, whose domain leads to a company. */
export function companyAddressPage(
  frame: Frame,
  data: Place & { email: string; problem?: ProblemWords | undefined },
): Html {
  const { texts } = frame;
  const { sessionPath, token, email, problem } = data;
  const body = html`<h1>${texts.companySignIn}</h1>
    ${problemSummary(problem)}
    <p>${texts.companyAddressNext}</p>
    <form method="post" action="${sessionPath}/company" novalidate>
      ${tokenField(token)} ${emailField(frame, email, problem)}
      ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>
    ${ownWays(frame, sessionPath)} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, {
    title: texts.companySignIn,
    body,
    script: true,
    problem: problem !== undefined,
    sessionPath,
  });
}

/**
 * Before the browser is sent to the provider. `email`: the typed address, which can be changed.
 * `isRequired`: the person is signed in, and the organization wants more.
 */
export function companyBeforePage(
  frame: Frame,
  data: Place & {
    company: NamedCompany;
    email: string | undefined;
    isRequired: boolean;
    problem?: string | undefined;
    action?: string;
  },
): Html {
  const { texts } = frame;
  const { sessionPath, token, company, email, isRequired, problem, action = `${sessionPath}/company` } = data;
  const title = texts.companyBeforeTitle(company.name);
  const body = html`<h1>${title}</h1>
    ${companyPart(company, true)} ${problem !== undefined && problemSummary({ summary: problem })}
    <p>${isRequired ? texts.companyRequired(company.name) : texts.companyBeforeNext(company.host)}</p>
    <form method="post" action="${action}" novalidate>
      ${tokenField(token)} <input type="hidden" name="organization" value="${company.id}" />
      ${email !== undefined && emailField(frame, email, undefined)}
      ${submitButton({ label: texts.continueTo(company.host), busy: texts.continuing, look: "main" })}
    </form>
    ${
      isRequired
        ? postForm(
            `${sessionPath}/company/leave`,
            token,
            {},
            submitButton({ label: texts.useAnotherAccount, busy: texts.continuing, look: "plain" }),
          )
        : sessionPath !== "" && ownWays(frame, sessionPath)
    }
    ${sessionPath !== "" && pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: problem !== undefined, sessionPath });
}

/** What a person whom the provider named has to do. */
export type CompanyStep =
  /** They are known, or new, or proved their account. `joins`: they become a member. */
  | { kind: "agree"; joins: boolean; links: boolean; asksFactor: boolean }
  /** Their account is proved first, by a method of its own or by its mailbox. */
  | { kind: "prove"; replaces: boolean; mails: boolean }
  /** The provider does not say that the address is theirs. */
  | { kind: "mailbox" };

export function companyArrivalPage(
  frame: Frame,
  data: Place & {
    company: NamedCompany;
    /** The address, and the name if there is one. */
    person: { email: string; name: string | null };
    step: CompanyStep;
    problem?: ProblemWords | undefined;
  },
): Html {
  const { texts, look } = frame;
  const { sessionPath, token, company, person, step, problem } = data;
  const title = step.kind === "agree" ? texts.companyAfterTitle(company.name) : texts.companyProveTitle;
  const body = html`<h1>${title}</h1>
    ${companyPart(company, step.kind !== "mailbox")} ${problemSummary(problem)}
    <p>${texts.companySays(company.host)}</p>
    <p>
      <strong><bdi>${person.email}</bdi></strong>
      ${person.name !== null && html`<br /><span class="hint"><bdi>${person.name}</bdi></span>`}
    </p>
    ${stepPart()}
    ${postForm(
      `${sessionPath}/company/leave`,
      token,
      {},
      submitButton({ label: texts.useAnotherAccount, busy: texts.continuing, look: "plain" }),
    )}
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: problem !== undefined, sessionPath });

  function stepPart(): Html {
    const mail = (label: "main" | "second"): Html =>
      postForm(
        `${sessionPath}/company/mail`,
        token,
        {},
        submitButton({ label: texts.emailMeCode, busy: texts.sending, look: label }),
      );
    if (step.kind === "mailbox")
      return html`<p>${texts.companyMailbox}</p>
        ${mail("main")}`;
    if (step.kind === "prove")
      return html`<p>
          ${step.replaces ? texts.companyRelink(company.name) : texts.companyLink(look.name, company.name)}
        </p>
        <a class="button main" href="${sessionPath}?own=1">${texts.signInTo(look.name)}</a>
        ${step.mails && mail("second")}`;
    return html`${step.joins && html`<p>${texts.companyJoins(company.name)}</p>`}
      ${step.links && html`<p>${texts.companyLinks(company.name)}</p>`} ${caution(texts.companyOpens(company.name))}
      <form method="post" action="${sessionPath}/company/agree" novalidate>
        ${tokenField(token)} ${step.asksFactor && codeField(frame, problem)}
        <button class="button main" data-busy="${texts.continuing}">
          <span>${texts.continue}</span>
          ${forwardGlyph}
        </button>
      </form>`;
  }
}

function codeField(frame: Frame, problem: ProblemWords | undefined): Html {
  const { texts, look } = frame;
  const shown = { label: texts.code, hint: texts.factorHint, autocomplete: "one-time-code" };
  return html`<p>${texts.factorNext(look.name)}</p>
    ${field(frame, { name: "code", type: "code", ...shown }, problem)}`;
}

/** Why the person does not come in, and what to do. */
export function companyRefusedPage(
  frame: Frame,
  data: { sessionPath: string; name: string; why: string; again: boolean },
): Html {
  const { texts } = frame;
  const { sessionPath, name, why, again } = data;
  const title = texts.companyRefusedTitle(name);
  const body = html`<h1>${title}</h1>
    ${problemSummary({ summary: why })}
    ${again && html`<a class="button main" href="${sessionPath}/company">${texts.hostTryAgain}</a>`}
    ${ownWays(frame, sessionPath)} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: true, sessionPath });
}

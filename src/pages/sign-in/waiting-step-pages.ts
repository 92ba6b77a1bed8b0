/** The pages on which a proven person accepts the terms and completes their profile. */
import { seeOther, type Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import type { ProfileField } from "../../storage/column-types.ts";
import { fieldsToAsk } from "../../users/profile-fields.ts";
import { termsOf, type Terms } from "../../users/terms.ts";
import type { User } from "../../users/user.ts";
import { pageEnd, postForm, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, safeHref, type Frame } from "../parts/frame.ts";
import { fieldProblemWords, profileInputs, type EnteredFields, type FieldProblems } from "../parts/profile-fields.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

export async function showTerms(ctx: Context, visit: Visit, user: User): Promise<Answer> {
  const present = termsOf(visit.application.settings);
  // They were withdrawn since the step was found.
  if (!present) return seeOther(pathOf(visit));
  const account = await accountNames.nameOf(ctx, visit, user);
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, account, terms: present };
  return visits.page(ctx, visit, termsPage(visit.frame, data));
}

export async function showProfile(
  ctx: Context,
  visit: Visit,
  user: User,
  shown: Partial<Pick<ProfileStepData, "entered" | "problems" | "isTooLong">> = {},
): Promise<Answer> {
  const fields = fieldsToAsk(visit.application.settings.profileFields, user);
  const account = await accountNames.nameOf(ctx, visit, user);
  const place = { sessionPath: pathOf(visit), token: visit.browser.formToken, account };
  const { entered = new Map<string, string>(), problems = new Map(), isTooLong = false } = shown;
  const body = profileStepPage(visit.frame, { ...place, fields, entered, problems, isTooLong });
  return visits.page(ctx, visit, body, problems.size > 0 || isTooLong ? 422 : 200);
}

type Common = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
};

export type TermsData = Common & { terms: Terms };

/** Two buttons, each of its own form: nobody accepts by pressing Enter. */
export function termsPage(frame: Frame, { sessionPath, token, account, terms }: TermsData): Html {
  const { texts, look } = frame;
  const { version, required } = terms;
  const title = texts.termsTitle(look.name);
  const answerForm = (answer: "yes" | "no", label: string, look: "main" | "plain"): Html =>
    postForm(
      `${sessionPath}/step/terms`,
      token,
      { version, answer },
      submitButton({ label, busy: texts.continuing, look }),
    );
  const body = html`<h1>${title}</h1>
    <p>${required ? texts.termsNext(look.name) : texts.termsOptional(look.name)}</p>
    <p class="hint"><bdi>${account}</bdi></p>
    <p><a href="${safeHref(terms.url)}" target="_blank" rel="noopener">${texts.termsRead(version)}</a></p>
    ${answerForm("yes", texts.termsAccept, "main")} ${required && html`<p class="hint">${texts.termsDeclineNext}</p>`}
    ${answerForm("no", required ? texts.termsDecline : texts.notNow, "plain")}`;
  return framePage(frame, { title, body, script: true, sessionPath });
}

export type ProfileStepData = Common & {
  fields: readonly ProfileField[];
  entered: EnteredFields;
  problems: FieldProblems;
  /** All values together do not fit into a token. */
  isTooLong: boolean;
};

export function profileStepPage(frame: Frame, data: ProfileStepData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, account, fields, entered, problems, isTooLong } = data;
  const beside = fieldProblemWords(frame, fields, problems);
  const words = isTooLong ? [{ summary: texts.fieldsTooLong }, ...beside] : beside;
  const title = texts.profileTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${fields.length === 0 ? texts.profileNothing : texts.profileNext(look.name)}</p>
    <p class="hint"><bdi>${account}</bdi></p>
    <form method="post" action="${sessionPath}/step/profile" novalidate>
      ${tokenField(token)} ${profileInputs(frame, fields, entered, words)}
      ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>
    ${pageEnd(frame, sessionPath)}`;
  const stylesheet = frame.assets.fieldsStylesheet;
  return framePage(frame, { title, body, script: true, sessionPath, stylesheet, problem: words.length > 0 });
}

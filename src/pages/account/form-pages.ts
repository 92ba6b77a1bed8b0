import type { EmailProblem } from "../../lib/email.ts";
import { html, type Html } from "../../lib/html.ts";
import { factsOn, profileFacts, type FactOn } from "../../lib/profile-facts.ts";
import { accountFrame, accountPath, backLink, type AccountPlace } from "./parts.ts";
import { face, mayShow, pictureLink, type Person } from "../parts/face.ts";
import type { Frame } from "../parts/frame.ts";
import { field, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import {
  fieldProblemWords,
  inputName,
  profileInputs,
  type EnteredFields,
  type FieldProblems,
} from "../parts/profile-fields.ts";
import type { ProfileField } from "../../storage/column-types.ts";
import { createAccountProblemWords, emailChecks, type ProblemWords } from "../parts/problems.ts";

type AccountFact = FactOn<"account">;

/** Of facts that people can remove. */
type FactProblem = NonNullable<(typeof profileFacts)[AccountFact]["page"]["problem"]>;

/** Each fact as it stands in the form. */
export type ProfileFormData = AccountPlace & { [Fact in AccountFact]?: string } & {
  /** The stored values, for the preview. */
  user: Person;
  /** What the form showed first: only what differs is saved. */
  was: Record<AccountFact, string>;
  /** The application's own fields, if it has some that the person may change. */
  fields?: {
    all: readonly ProfileField[];
    entered: EnteredFields;
    was: EnteredFields;
    problems: FieldProblems;
  };
  problem?:
    | { kind: "name-missing" | "fields-too-long" | FactProblem["kind"] }
    | { kind: "name-too-long"; maxLength: number }
    | undefined;
};

/** The form for editing the profile. */
export function profileFormPage(frame: Frame, data: ProfileFormData): Html {
  const { texts } = frame;
  const first = profileProblem(frame, data.problem);
  const { all = [], entered = new Map<string, string>(), problems = new Map(), was } = data.fields ?? {};
  const words = [...(first ? [first] : []), ...fieldProblemWords(frame, all, problems)];
  return formPage(frame, data, {
    title: texts.editProfile,
    page: "/profile",
    words,
    ...(all.length > 0 && { stylesheet: frame.assets.fieldsStylesheet }),
    fields: html`${factsOn("account").map((fact) => wasField(fact, data))}
    ${all.map((each) => html`<input type="hidden" name="was.${inputName(each)}" value="${was?.get(each.name)}" />`)}
    ${factsOn("account").map((fact) => profileField(frame, data, fact, first))}
    ${profileInputs(frame, all, entered, words)}`,
  });
}

function wasField(fact: AccountFact, { was }: ProfileFormData): Html {
  return html`<input type="hidden" name="was.${fact}" value="${was[fact]}" />`;
}

function profileField(frame: Frame, data: ProfileFormData, fact: AccountFact, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { label, hint, type, autocomplete } = profileFacts[fact].page;
  const isOptional = profileFacts[fact].input.removable;
  const options = {
    name: fact,
    label: texts[label],
    type,
    autocomplete,
    value: data[fact],
    hint: hint && texts[hint],
    mark: isOptional ? texts.optional : undefined,
  };
  return html`${fact === "picture" && picturePreview(frame, data.user)} ${field(frame, options, words)}`;
}

/** The person as pages show them, and why the linked picture is not shown. */
function picturePreview(frame: Frame, person: Person): Html {
  const { picture } = person;
  const isShown = picture !== null && mayShow(frame.look, picture);
  return html`<div class="preview">
    ${face(frame.look, person)}
    ${
      picture !== null &&
      html`<div>
        ${!isShown && html`<p class="hint">${frame.texts.initialsInstead}</p>`} ${pictureLink(frame, picture)}
      </div>`
    }
  </div>`;
}

export type RenameFormData = AccountPlace & {
  methodId: string;
  name: string;
  problem?: { kind: "name-missing" } | { kind: "name-too-long"; maxLength: number } | undefined;
};

export function renameFormPage(frame: Frame, data: RenameFormData): Html {
  const { texts } = frame;
  const { name, problem } = data;
  const words =
    problem &&
    ({
      field: "name",
      beside: problem.kind === "name-missing" ? texts.labelMissing : texts.nameTooLong(problem.maxLength),
    } as const);
  return formPage(frame, data, {
    title: texts.renameTitle,
    page: `/methods/${encodeURIComponent(data.methodId)}/rename`,
    words,
    fields: field(
      frame,
      { name: "name", label: texts.name, type: "text", autocomplete: "off", value: name, hint: texts.renameHint },
      words,
    ),
  });
}

export type EmailFormData = AccountPlace & {
  /** The entered text, or "". */
  email: string;
  problem?:
    | { kind: `email-${EmailProblem | "same" | "taken"}` }
    | { kind: "email-refused"; allowed: string[] }
    | undefined;
};

/** Asks for the new address of an account. */
export function emailFormPage(frame: Frame, data: EmailFormData): Html {
  const { texts } = frame;
  const words = emailProblem(frame, data.problem);
  return formPage(frame, data, {
    title: texts.changeEmail,
    page: "/email",
    words,
    fields: html`<p>${texts.changeEmailNext}</p>
      ${field(
        frame,
        {
          name: "email",
          label: texts.newEmail,
          type: "email",
          autocomplete: "email",
          value: data.email,
          checks: emailChecks(frame),
        },
        words,
      )}`,
    submit: { label: texts.sendMail, busy: texts.sending },
  });
}

function formPage(
  frame: Frame,
  { appId, token }: AccountPlace,
  form: {
    title: string;
    page: string;
    fields: Html;
    words: ProblemWords | readonly ProblemWords[] | undefined;
    submit?: { label: string; busy: string };
    stylesheet?: string;
  },
): Html {
  const { texts } = frame;
  const { title, words, submit = { label: texts.save, busy: texts.saving } } = form;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <form method="post" action="${accountPath(appId, form.page)}" novalidate>
      ${tokenField(token)} ${form.fields} ${submitButton({ ...submit, look: "main" })}
    </form>
    ${backLink(frame, appId)}`;
  const problem = words !== undefined && [words].flat().length > 0;
  return accountFrame(frame, {
    title,
    body,
    problem,
    ...(form.stylesheet !== undefined && { stylesheet: form.stylesheet }),
  });
}

function profileProblem({ texts }: Frame, problem: ProfileFormData["problem"]): ProblemWords | undefined {
  if (!problem) return undefined;
  if (problem.kind === "fields-too-long") return { summary: texts.fieldsTooLong };
  if (problem.kind === "name-missing") return { field: "name", beside: texts.nameMissing };
  if (problem.kind === "name-too-long") return { field: "name", beside: texts.nameTooLong(problem.maxLength) };
  const field = factsOn("account").find((fact) => profileFacts[fact].page.problem?.kind === problem.kind);
  const words = field && profileFacts[field].page.problem;
  return words && { field, beside: texts[words.beside] };
}

function emailProblem(frame: Frame, problem: EmailFormData["problem"]): ProblemWords | undefined {
  const { texts, look } = frame;
  if (!problem) return undefined;
  switch (problem.kind) {
    case "email-missing":
    case "email-invalid":
    case "email-unsupported":
      return createAccountProblemWords(frame, { kind: problem.kind }, 0);
    case "email-refused":
      return createAccountProblemWords(frame, problem, 0);
    case "email-same":
      return { field: "email", beside: texts.emailSame };
    case "email-taken":
      return { field: "email", beside: texts.emailTaken(look.name) };
  }
}

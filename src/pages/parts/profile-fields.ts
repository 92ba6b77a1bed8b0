/** The profile fields that an application defines, in forms and lists. */
import { html, type Html } from "../../lib/html.ts";
import type { ProfileField } from "../../storage/column-types.ts";
import { labelIn, problemOfValue, textOfValue, valueFromText, type FieldProblem } from "../../users/profile-fields.ts";
import { field } from "./form-parts.ts";
import type { Frame } from "./frame.ts";
import type { ProblemWords } from "./problems.ts";

type Name = `profile-${string}`;

/** What stands in a form, by the names of fields. A tick is "true". */
export type EnteredFields = ReadonlyMap<string, string>;

export type FieldProblems = ReadonlyMap<string, FieldProblem>;

/** No dot: scripts look for the id. */
export function inputName({ name }: Pick<ProfileField, "name">): Name {
  return `profile-${name}`;
}

/** What a form has for these fields. */
export function enteredIn(form: ReadonlyMap<string, string>, fields: readonly ProfileField[]): Map<string, string> {
  return new Map(
    fields.map((each) => {
      const text = form.get(inputName(each)) ?? "";
      return [each.name, each.type === "checkbox" ? String(text !== "") : text];
    }),
  );
}

/** The values that a form means, and why some are refused. */
export function readFields(
  fields: readonly ProfileField[],
  entered: EnteredFields,
): { values: Map<string, unknown>; problems: Map<string, FieldProblem> } {
  const values = new Map(fields.map((each) => [each.name, valueFromText(each, entered.get(each.name) ?? "")]));
  const problems = fields.flatMap((each): [string, FieldProblem][] => {
    const problem = problemOfValue(each, values.get(each.name) ?? null);
    return problem === undefined ? [] : [[each.name, problem]];
  });
  return { values, problems: new Map(problems) };
}

export function fieldProblemWords(
  { texts }: Frame,
  fields: readonly ProfileField[],
  problems: FieldProblems,
): ProblemWords[] {
  const refused: Record<ProfileField["type"], (field: ProfileField) => string> = {
    text: ({ maxLength = 0 }) => texts.fieldText(maxLength),
    number: () => texts.fieldNumber,
    date: () => texts.fieldDate,
    choice: () => texts.fieldChoice,
    checkbox: () => texts.fieldUnticked,
    phone: () => texts.fieldPhone,
  };
  return fields.flatMap((each) => {
    const problem = problems.get(each.name);
    if (problem === undefined) return [];
    const missing = each.type === "checkbox" ? texts.fieldUnticked : texts.fieldMissing;
    return { field: inputName(each), beside: problem === "missing" ? missing : refused[each.type](each) };
  });
}

export function profileInputs(
  frame: Frame,
  fields: readonly ProfileField[],
  entered: EnteredFields,
  words: readonly ProblemWords[],
): Html[] {
  return fields.map((each) => profileInput(frame, each, entered.get(each.name) ?? "", words));
}

function profileInput(frame: Frame, each: ProfileField, value: string, words: readonly ProblemWords[]): Html {
  const { texts, lang } = frame;
  const name = inputName(each);
  const label = labelIn(each.label, lang);
  const mark = each.required ? undefined : texts.optional;
  const wrong = words.find((problem) => "field" in problem && problem.field === name);
  const beside = html`<p class="beside" id="${name}-problem" ${!wrong && html`hidden`}>
    ${wrong && "beside" in wrong && wrong.beside}
  </p>`;
  const state = html`aria-describedby="${name}-problem" ${wrong && html`aria-invalid="true"`}
  ${wrong !== undefined && wrong === words[0] && html`autofocus`}`;
  if (each.type === "checkbox")
    return html`<div class="field">
      ${beside}
      <label class="check"
        ><input
          type="checkbox"
          id="${name}"
          name="${name}"
          value="true"
          ${state}
          ${value === "true" && html`checked`}
        />
        <bdi>${label}</bdi></label
      >
    </div>`;
  if (each.type === "choice")
    return html`<div class="field">
      <label for="${name}"><bdi>${label}</bdi></label>
      ${mark !== undefined && html`<span class="mark">${mark}</span>`} ${beside}
      <div class="control">
        <select id="${name}" name="${name}" ${state}>
          <option value="">${texts.chooseOption}</option>
          ${optionsOf(frame, each, value)}
        </select>
      </div>
    </div>`;
  const types = { text: "text", number: "number", date: "date", phone: "tel" } as const;
  const type = types[each.type];
  const options = { name, label, type, autocomplete: type === "tel" ? "tel" : "off", value };
  return field(frame, { ...options, ...(mark !== undefined && { mark }) }, words);
}

/** A value whose option was removed stays, until the person chooses another. */
function optionsOf({ lang }: Frame, { options = [] }: ProfileField, present: string): Html[] {
  const isKnown = present === "" || options.some(({ value }) => value === present);
  const all = options.map(({ value, label }) => [value, labelIn(label, lang)] as const);
  return [...all, ...(isKnown ? [] : [[present, present] as const])].map(
    ([value, label]) => html`<option value="${value}" ${value === present && html`selected`}>${label}</option>`,
  );
}

/** A value in the words of a page. */
export function shownValue({ texts, lang }: Frame, field: ProfileField, value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? texts.ticked : texts.unticked;
  const option = field.options?.find((each) => each.value === value);
  return option ? labelIn(option.label, lang) : textOfValue(value);
}

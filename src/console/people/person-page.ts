import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { state } from "../parts/data.ts";
import type { ConsolePage } from "../parts/frame.ts";
import { grantsPart, groupsPart, loginsPart } from "./person-access.ts";
import type { FormOf } from "./person-forms.ts";
import { accountActs } from "./person-header.ts";
import { metadataPart, profilePart } from "./person-profile.ts";
import { factorPart, methodsPart, signInPart } from "./person-sign-in.ts";
import type { Person } from "./person.ts";

/** One person on one page. */
export function personPage(
  person: Person,
  { form, groups, timeLine }: { form: FormOf; groups: string[]; timeLine: Html },
): ConsolePage {
  const { id, name, email, disabledAt } = person.user;
  const body = html`<div class="columns">
      <div>${profilePart(person, form)} ${groupsPart(person, groups, form)} ${metadataPart(person, form)}</div>
      <div>
        ${signInPart(person)} ${methodsPart(person, form)} ${factorPart(person, form)} ${loginsPart(person, form)}
        ${grantsPart(person, form)}
      </div>
    </div>
    ${timeLine}`;
  return {
    title: escapeUnseen(name ?? email ?? id),
    section: "People",
    beside: html`<p>
      ${disabledAt === null ? state("active", "good") : state("disabled", "bad")} <a href="#time-line">Time line</a>
    </p>`,
    acts: accountActs(person, form),
    trail: [{ path: "/console/people", label: "People" }],
    body,
  };
}

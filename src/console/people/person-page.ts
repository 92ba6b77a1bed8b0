import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { instant, shown, state } from "../parts/data.ts";
import type { ConsolePage } from "../parts/frame.ts";
import type { Visit } from "../route.ts";
import { canSignInPart, lastSignsPart } from "./can-sign-in.ts";
import { grantsPart, groupsPart, loginsPart, mailsPart, organizationsPart, tokensPart } from "./person-access.ts";
import type { FormOf } from "./person-forms.ts";
import { portrait } from "../parts/picture-form.ts";
import { accountActs } from "./person-header.ts";
import { metadataPart, profilePart } from "./person-profile.ts";
import { factorPart, methodsPart } from "./person-sign-in.ts";
import { isPending } from "../../users/user.ts";
import type { Person } from "./person.ts";

/** One person on one page: first whether they can sign in. */
export function personPage(
  person: Person,
  { visit, form, groups, timeLine, now }: { visit: Visit; form: FormOf; groups: string[]; timeLine: Html; now: number },
): ConsolePage {
  const { id, name, email } = person.user;
  const { fix, ...acts } = accountActs(person, form);
  const body = html`<div class="columns wide-first">
      <div>
        ${canSignInPart(person, { form, fix, now })} ${lastSignsPart(person)} ${methodsPart(person, form)}
        ${factorPart(person, form)} ${loginsPart(visit, person, form)} ${grantsPart(person, form)}
        ${tokensPart(person, form)} ${mailsPart(person)}
      </div>
      <div>
        ${profilePart(person, form)} ${groupsPart(person, groups, form)} ${organizationsPart(person)}
        ${metadataPart(person, form)}
      </div>
    </div>
    ${timeLine}`;
  return {
    title: escapeUnseen(name ?? email ?? id),
    section: "People",
    beside: html`${portrait(person.user.picture ?? "")}
      <p>${stateOf(person)} <a href="#time-line">Time line</a></p>`,
    acts,
    trail: [{ path: "/console/people", label: "People" }],
    body,
  };
}

/** Address, state and since when, beside the name. */
function stateOf({ user, invitedUntil, isBlocked, wasRefused }: Person): Html {
  const { disabledAt, createdAt, name, email } = user;
  const words = isPending(user)
    ? html`${state("waits for approval", "bad")} ${disabledAt !== null && instant(disabledAt)}
      ${!user.emailVerified && state("address not proved")} ${wasRefused && state("refused before", "bad")}`
    : disabledAt !== null
      ? html`${state("disabled", "bad")} ${instant(disabledAt)}`
      : html`${invitedUntil === undefined ? state("active", "good") : state("invited")} created ${instant(createdAt)}`;
  return html`${name !== null && email !== null && shown(email)} ${words} ${isBlocked && state("blocked", "bad")}`;
}

/** Editing the profile. */
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { factsFrom, factsOn, profileFacts, type FactOn } from "../../lib/profile-facts.ts";
import { enteredAddress } from "../../lib/stored-picture.ts";
import { maxNameCharacters } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import * as profiles from "../../people/profile.ts";
import type { ProfileChange } from "../../people/profile.ts";
import type { ProfileField } from "../../storage/column-types.ts";
import { shownProfile, textOfValue } from "../../users/profile-fields.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { profileFormPage, type ProfileFormData } from "./form-pages.ts";
import { enteredIn, readFields } from "../parts/profile-fields.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type AccountPosted, type SignedInVisit } from "./visits.ts";

type Problem = ProfileFormData["problem"];

const facts = factsOn("account");

type Facts = Record<FactOn<"account">, string>;

type Entered = { typed: Facts; was: Facts } & Pick<ProfileFormData, "fields">;

function show(visit: SignedInVisit, { typed, was, fields }: Entered, problem?: Problem): Answer {
  const { application, browser, frame, user } = visit;
  const data = { appId: application.id, token: browser.formToken, user, ...typed, was, fields, problem };
  const isRefused = problem !== undefined || (fields?.problems.size ?? 0) > 0;
  return accountVisits.page(visit, profileFormPage(frame, data), { status: isRefused ? 422 : 200 });
}

/** The application's own fields that the person may change. */
function ownFields({ application }: SignedInVisit): ProfileField[] {
  return (application.settings.profileFields ?? []).filter(({ editableBy }) => editableBy === "user");
}

function presentTexts({ user }: SignedInVisit, fields: readonly ProfileField[]): Map<string, string> {
  const values = shownProfile(fields, user.profile) ?? {};
  return new Map(
    fields.map(({ name, type }) => [name, textOfValue(values[name] ?? (type === "checkbox" ? false : null))]),
  );
}

/** GET /account/profile */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  const { user } = visit;
  const all = ownFields(visit);
  const present = presentTexts(visit, all);
  const fields = { all, entered: present, was: present, problems: new Map() };
  return show(visit, { typed: entered(user), was: entered(user), fields });
}

/** POST /account/profile */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { user, form } = posted;
  const typed = factsFrom(facts, (fact) => form.get(fact)?.trim() ?? "");
  // What the form showed: a picture may have been uploaded since.
  const was = factsFrom(facts, (fact) => form.get(`was.${fact}`) ?? entered(user)[fact]);
  const changed = facts.filter((fact) => typed[fact] !== was[fact]);
  const change: ProfileChange = factsFrom(changed, (fact) =>
    typed[fact] === "" && profileFacts[fact].input.removable ? null : typed[fact],
  );
  const problem = problemWith(change);
  const own = readOwn(posted);
  const shown = { typed, was, fields: own };
  if (problem || own.problems.size > 0) return show(posted, shown, problem);
  const profile = own.values.size > 0 ? Object.fromEntries(own.values) : undefined;
  try {
    await profiles.update(ctx, user.id, { ...change, profile }, [], byUser(posted));
  } catch (error) {
    // All values together do not fit into a token.
    if (!(error instanceof AppError) || error.rejected?.field !== "profile") throw error;
    return show(posted, shown, { kind: "fields-too-long" });
  }
  return accountVisits.done(posted, "profile");
}

/** Only what differs from what the form showed is checked and saved. */
function readOwn(posted: AccountPosted) {
  const all = ownFields(posted);
  const present = presentTexts(posted, all);
  const entered = enteredIn(posted.form, all);
  const was = new Map(all.map(({ name }) => [name, posted.form.get(`was.profile-${name}`) ?? present.get(name) ?? ""]));
  // A field that was added since the form was shown is not in it.
  const given = all.filter(({ name }) => posted.form.has(`was.profile-${name}`));
  const changed = given.filter(({ name }) => entered.get(name)?.trim() !== was.get(name));
  return { all, entered, was, ...readFields(changed, entered) };
}

/** What fields show: an uploaded picture is not a link that somebody entered. */
function entered(user: Record<FactOn<"account">, string | null>): Facts {
  return factsFrom(facts, (fact) => enteredAddress(user[fact]) ?? "");
}

/** Explains the service's refusals. */
function problemWith(change: ProfileChange): Problem {
  const { name } = change;
  if (name === "") return { kind: "name-missing" };
  if (typeof name === "string" && name.length > maxNameCharacters)
    return { kind: "name-too-long", maxLength: maxNameCharacters };
  for (const fact of facts) {
    const { page, input } = profileFacts[fact];
    const value = change[fact];
    if (page.problem && typeof value === "string" && !input.read(value)) return { kind: page.problem.kind };
  }
  return undefined;
}

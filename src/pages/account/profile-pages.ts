/** Editing the profile. */
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { factsFrom, factsOn, profileFacts, type FactOn } from "../../lib/profile-facts.ts";
import { enteredAddress } from "../../lib/stored-picture.ts";
import { maxNameCharacters } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import * as profiles from "../../people/profile.ts";
import type { ProfileChange } from "../../people/profile.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { profileFormPage, type ProfileFormData } from "./form-pages.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type SignedInVisit } from "./visits.ts";

type Problem = ProfileFormData["problem"];

const facts = factsOn("account");

type Facts = Record<FactOn<"account">, string>;

function show(visit: SignedInVisit, { typed, was }: { typed: Facts; was: Facts }, problem?: Problem): Answer {
  const { application, browser, frame, user } = visit;
  const data = { appId: application.id, token: browser.formToken, user, ...typed, was, problem };
  return accountVisits.page(visit, profileFormPage(frame, data), { status: problem ? 422 : 200 });
}

/** GET /account/profile */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  const { user } = visit;
  return show(visit, { typed: entered(user), was: entered(user) });
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
  if (problem) return show(posted, { typed, was }, problem);
  await profiles.update(ctx, user.id, change, [], byUser(posted));
  return accountVisits.done(posted, "profile");
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

/** Editing the profile. */
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isHttpsAddress, maxNameCharacters } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import * as profiles from "../../people/profile.ts";
import type { ProfileChange } from "../../people/profile.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { profileFormPage, type ProfileFormData } from "./form-pages.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type SignedInVisit } from "./visits.ts";

type Problem = ProfileFormData["problem"];

function show(visit: SignedInVisit, shown: { name: string; picture: string }, problem?: Problem): Answer {
  const { application, browser, frame, user } = visit;
  const data = { appId: application.id, token: browser.formToken, user, ...shown, problem };
  return accountVisits.page(visit, profileFormPage(frame, data), { status: problem ? 422 : 200 });
}

/** GET /account/profile */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  return show(visit, { name: visit.user.name ?? "", picture: visit.user.picture ?? "" });
}

/** POST /account/profile */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { user, form } = posted;
  const typed = { name: form.get("name")?.trim() ?? "", picture: form.get("picture")?.trim() ?? "" };
  const picture = typed.picture === "" ? null : typed.picture;
  const change: ProfileChange = {
    // A user may remain without a name, but a name cannot be removed: it is a string
    // (docs/spec/http-api.md, 2.2).
    ...(typed.name === (user.name ?? "") ? {} : { name: typed.name }),
    ...(picture === user.picture ? {} : { picture }),
  };
  const problem = problemWith(change);
  if (problem) return show(posted, typed, problem);
  await profiles.update(ctx, user.id, change, [], byUser(posted));
  return accountVisits.done(posted, "profile");
}

/** Explains the service's refusals. */
function problemWith({ name, picture }: ProfileChange): Problem {
  if (name === "") return { kind: "name-missing" };
  if (name !== undefined && name.length > maxNameCharacters)
    return { kind: "name-too-long", maxLength: maxNameCharacters };
  return typeof picture === "string" && !isHttpsAddress(picture) ? { kind: "picture-not-https" } : undefined;
}

/** Managing sign-in methods. */
import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import * as methods from "../../credentials/methods/service.ts";
import { maxLabelCharacters } from "../../credentials/methods/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as signIn from "../../sign-in/service.ts";
import type { MethodType } from "../../storage/column-types.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { removeMethodPage, type RemoveMethodData } from "./confirm-pages.ts";
import { renameFormPage, type RenameFormData } from "./form-pages.ts";
import type { AccountMethod } from "./methods.ts";
import * as overviewPages from "./overview-pages.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type SignedInVisit } from "./visits.ts";

async function methodIn(ctx: Context, { request, user }: SignedInVisit): Promise<AccountMethod | undefined> {
  const id = request.parameter("methodId");
  return (await overviewPages.methodsOf(ctx, user)).find((method) => method.id === id);
}

async function showRename(
  ctx: Context,
  visit: SignedInVisit,
  typed?: string,
  problem?: RenameFormData["problem"],
): Promise<Answer> {
  const { application, browser, frame } = visit;
  const method = await methodIn(ctx, visit);
  if (method?.type !== "passkey") return accountVisits.notFound(visit);
  const data = { appId: application.id, token: browser.formToken, methodId: method.id, name: typed ?? method.name };
  return accountVisits.page(visit, renameFormPage(frame, { ...data, problem }), { status: problem ? 422 : 200 });
}

async function showRemove(ctx: Context, visit: SignedInVisit): Promise<Answer> {
  const { application, browser, frame } = visit;
  const method = await methodIn(ctx, visit);
  if (!method) return accountVisits.notFound(visit);
  const problem = method.isRemovable ? undefined : whyNot(method, application);
  const data = { appId: application.id, token: browser.formToken, method, problem };
  return accountVisits.page(visit, removeMethodPage(frame, data), { status: problem ? 422 : 200 });
}

/** Checked again on posting: the page may be old or the form forged. */
async function allows(
  ctx: Context,
  { id, authMethods }: Application,
  { adds, addsProvider }: Adding,
): Promise<boolean> {
  if (!authMethods[adds].enabled || addsProvider === null) return authMethods[adds].enabled;
  return authMethods.oauth.providers.includes(addsProvider) && (await providers.isConfigured(ctx, id, addsProvider));
}

/** The page to continue with after a proof. */
function nextAfterProof(request: HttpRequest): string {
  return `remove-${request.parameter("methodId")}`;
}

/**
 * POST /account/add: starts a session that adds a method, asks for a proof if necessary, and
 * returns here.
 */
export async function add(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { application, user, form } = posted;
  const adding = addingFrom(form);
  if (!adding || !(await allows(ctx, application, adding))) return accountVisits.notFound(posted);
  const { authUrl } = await signIn.initiateFromAccount(ctx, application, {
    userId: user.id,
    locale: user.locale,
    ...adding,
  });
  return seeOther(authUrl);
}

/** GET /account/methods/:methodId/rename */
export async function renameForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showRename(ctx, visit);
}

/** POST /account/methods/:methodId/rename */
export async function rename(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const name = posted.form.get("name") ?? "";
  try {
    await methods.rename(ctx, posted.user.id, request.parameter("methodId"), name, byUser(posted));
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    if (code === "METHOD_NOT_FOUND") return accountVisits.notFound(posted);
    if (code !== "INVALID_REQUEST") throw error;
    return await showRename(
      ctx,
      posted,
      name,
      name.trim() === "" ? { kind: "name-missing" } : { kind: "name-too-long", maxLength: maxLabelCharacters },
    );
  }
  return accountVisits.done(posted, "renamed");
}

/** GET /account/methods/:methodId/remove */
export async function removeForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, nextAfterProof(request));
  return isAnswer(visit) ? visit : await showRemove(ctx, visit);
}

/** POST /account/methods/:methodId/remove */
export async function remove(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, nextAfterProof(request));
  if (isAnswer(posted)) return posted;
  try {
    const keep = { browserSession: posted.session.digest };
    const acted = await accountVisits.act(ctx, posted, nextAfterProof(request), (within) =>
      methods.remove(within, posted.user.id, request.parameter("methodId"), byUser(posted), { keep }),
    );
    if (!("done" in acted)) return acted;
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    if (code === "METHOD_NOT_FOUND") return accountVisits.notFound(posted);
    // Only refused if the user could not sign in any more.
    if (code !== "INVALID_REQUEST") throw error;
    return await showRemove(ctx, posted);
  }
  return accountVisits.done(posted, "removed");
}

function whyNot({ type }: AccountMethod, { authMethods, settings }: Application): RemoveMethodData["problem"] {
  const isAsked = authMethods.passkey.required || settings.secondFactor === "required";
  return { kind: type === "passkey" && isAsked ? "last-passkey" : "last-method" };
}

type Adding = { adds: MethodType; addsProvider: string | null };

function addingFrom(form: Map<string, string>): Adding | undefined {
  const adds = form.get("adds");
  if (adds === "passkey" || adds === "password") return { adds, addsProvider: null };
  const addsProvider = form.get("provider");
  return adds === "oauth" && addsProvider !== undefined ? { adds, addsProvider } : undefined;
}

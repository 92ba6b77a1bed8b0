/** Sign-in for programs on devices without a browser (docs/decisions/0059). */
import * as applications from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import { accountNotAdmitted } from "../../sign-in/client-access.ts";
import { deviceAddress } from "../../sign-in/devices/addresses.ts";
import * as devices from "../../sign-in/devices/service.ts";
import { shownUserCode, typedUserCode } from "../../sign-in/devices/user-code.ts";
import * as signIn from "../../sign-in/service.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, orTryLater, withRetryAfter, type BareVisit, type PostedForm } from "../hosted/hosted.ts";
import * as visits from "../sign-in/visits.ts";
import { userCodePage, type UserCodeProblem } from "./code-page.ts";

const maxTypedCharacters = 64;

/** The application is known with the code, unless there is only one. */
async function visitOf(ctx: Context, request: HttpRequest): Promise<BareVisit> {
  const browser = browsers.meet(ctx, request, { kind: "device", key: "" });
  const application = await applications.findOnly(ctx);
  return { request, browser, frame: hosted.frameFor(ctx, request, application && { application }) };
}

function show(
  { browser, frame }: BareVisit,
  shown: { code: string; isFilled?: boolean; problem?: UserCodeProblem },
  status = 200,
): Answer {
  const body = userCodePage(frame, { token: browser.formToken, ...shown });
  return withRetryAfter(hosted.page(frame, body, { status, cookies: [browser.setCookie] }), shown.problem);
}

/** GET /device. A code in the query fills in the form, and nothing else happens. */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const code = typedUserCode(request.query().get("user_code") ?? "");
  const visit = await visitOf(ctx, request);
  return show(visit, code === undefined ? { code: "" } : { code: shownUserCode(code), isFilled: true });
}

/** POST /device */
export async function enter(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => visitOf(ctx, request));
  if (isAnswer(posted)) return posted;
  const code = (posted.form.get("code") ?? "").slice(0, maxTypedCharacters);
  return await orTryLater(entered(ctx, posted, code), async (problem) => show(posted, { code, problem }, 429));
}

async function entered(ctx: Context, posted: BareVisit & PostedForm, code: string): Promise<Answer> {
  const typed = typedUserCode(code);
  if (typed === undefined) return show(posted, { code, problem: { kind: "code-malformed" } }, 422);
  const begun = await devices.enter(ctx, typed, posted);
  if (!begun) return show(posted, { code, problem: { kind: "code-wrong" } }, 422);
  await signIn.store(ctx, begun);
  return visits.enter(ctx, visits.begin(ctx, posted.request, begun), begun.authUrl);
}

/** GET /device/end */
export async function end(ctx: Context, request: HttpRequest): Promise<Answer> {
  const query = request.query();
  const application = await applications.find(ctx, ctx.storage.reader, query.get("app_id") ?? "");
  const error = query.get("error");
  const frame = hosted.frameFor(ctx, request, application && { application });
  if (error === undefined) return hosted.message(frame, { kind: "device-allowed" });
  const kind = error === accountNotAdmitted ? "device-not-admitted" : "device-denied";
  return hosted.message({ ...frame, backUrl: deviceAddress(ctx.baseUrl) }, { kind });
}

/** Sign-in for programs on devices without a browser (docs/decisions/0059). */
import * as applications from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import { momentOf } from "../../look/dates.ts";
import { waitingTime } from "../../look/duration.ts";
import type { Context } from "../../runtime/context.ts";
import { accountNotAdmitted } from "../../sign-in/client-access.ts";
import { deviceAddress } from "../../sign-in/devices/addresses.ts";
import * as devices from "../../sign-in/devices/service.ts";
import { shownUserCode, typedUserCode } from "../../sign-in/devices/user-code.ts";
import * as signIn from "../../sign-in/service.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, orTryLater, withRetryAfter, type BareVisit, type PostedForm } from "../hosted/hosted.ts";
import { caution, field, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { answerForms, grantedParts, type Granted } from "../parts/grants.ts";
import type { ProblemWords } from "../parts/problems.ts";
import * as visits from "../sign-in/visits.ts";

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

export type UserCodeProblem =
  | { kind: "code-malformed" | "code-wrong" | "busy" }
  | { kind: "too-many-tries"; retryAfterSeconds: number };

export type UserCodeData = {
  token: string;
  /** The typed code, or the one from the device's link. */
  code: string;
  /** Whether the link of the device filled the code in. */
  isFilled?: boolean;
  problem?: UserCodeProblem | undefined;
};

function problemWords({ texts, lang }: Frame, problem: UserCodeProblem): ProblemWords {
  switch (problem.kind) {
    case "code-malformed":
      return { field: "code", beside: texts.deviceCodeMalformed };
    case "code-wrong":
      return { field: "code", beside: texts.deviceCodeWrong };
    case "busy":
      return { summary: texts.busy };
    case "too-many-tries":
      return { summary: texts.tooManyTries(waitingTime(problem.retryAfterSeconds, lang)) };
  }
}

/** Asks for the code that a device shows. A code that is filled in is asked for, too. */
export function userCodePage(frame: Frame, { token, code, isFilled = false, problem }: UserCodeData): Html {
  const { texts } = frame;
  const words = problem && problemWords(frame, problem);
  const title = texts.deviceTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${isFilled ? texts.deviceLeadFilled : texts.deviceLead}</p>
    <form method="post" action="/device" novalidate>
      ${tokenField(token)}
      ${field(
        frame,
        {
          name: "code",
          label: texts.code,
          type: "letter-code",
          autocomplete: "off",
          value: code,
          isShort: true,
          hint: texts.deviceCodeHint,
          checks: { missing: texts.deviceCodeMalformed },
        },
        words,
      )}
      ${caution(texts.deviceInFront)} ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>`;
  return framePage(frame, {
    title,
    body,
    script: true,
    problem: words !== undefined,
    base: frame.assets.stepsStylesheet,
  });
}

export type DeviceDecisionData = Granted & {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The name of the program on the device. */
  client: string;
  /** The request of the device. */
  request: { createdAt: number; ipAddress: string };
};

/** Asks whether a device may sign in to the account. */
export function deviceDecisionPage(frame: Frame, data: DeviceDecisionData): Html {
  const { texts, look } = frame;
  const { sessionPath, account, client, request } = data;
  const title = texts.deviceAskTitle(client);
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.deviceAccount(look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${grantedParts(frame, data)}
    <p class="hint">
      ${texts.deviceAskedAt(momentOf(request.createdAt, frame))} <strong><bdi>${request.ipAddress}</bdi></strong>
    </p>
    ${caution(texts.deviceInFront)} ${answerForms(frame, data)}`;
  return framePage(frame, { title, body, script: true, sessionPath, base: frame.assets.stepsStylesheet });
}

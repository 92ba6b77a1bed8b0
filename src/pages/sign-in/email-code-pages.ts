/** Signs in by a mailed code or link. The link's own page is in `confirm-link-pages.ts`. */
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import * as signInCodes from "../../credentials/mailed/sign-in-codes.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, emailProblem, maxEmailCharacters, type EmailProblem } from "../../lib/email.ts";
import { html, type Html } from "../../lib/html.ts";
import { typedCode } from "../../lib/typed-code.ts";
import type { Context } from "../../runtime/context.ts";
import * as emailCode from "../../sign-in/email-code/email-code-sign-in.ts";
import type { Outcome } from "../../sign-in/proofs.ts";
import * as proveAnew from "../../sign-in/providers/prove-anew.ts";
import { signUpIsOpen } from "../../sign-in/session.ts";
import type { User } from "../../users/user.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { pageEnd, problemSummary } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { codeProblemWords, createAccountProblemWords } from "../parts/problems.ts";
import { mailedCodeForm } from "./check-mail-page.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as companyPages from "./company-pages.ts";
import * as companySteps from "./company-steps.ts";
import { backToSignIn } from "./forgot-password-page.ts";
import { emailCodeForm } from "./sign-in-page.ts";
import * as steps from "./step-pages.ts";
import { showTakeOver } from "./take-over-question.ts";
import * as visits from "./visits.ts";
import type { Posted, ProofVisit, Visit } from "./visits.ts";

/** The first proof of an address, as the page asks about it. */
type Unproven = Parameters<typeof showTakeOver>[2]["unproven"];

function showForm(ctx: Context, visit: Visit, shown: Pick<EmailCodeData, "email" | "problem" | "own">): Answer {
  const own = visit.request.query().get("own") === "1" || shown.own === true;
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, ...shown, own };
  return visits.page(ctx, visit, emailCodePage(visit.frame, data), shown.problem ? 422 : 200);
}

/** The page that asks for the code: the same for every address. */
async function showCode(
  ctx: Context,
  visit: Visit,
  { again = false, problem }: { again?: boolean; problem?: CodeProblem } = {},
): Promise<Answer> {
  const waiting = await sessionTokens.waiting(ctx, "sign-in", visit.session.digest);
  if (!waiting) return seeOther(`${pathOf(visit)}/email-code`);
  const { email } = waiting;
  const place = { sessionPath: pathOf(visit), token: visit.browser.formToken };
  const isKnown = (await askedAnew(ctx, visit)) !== undefined;
  const data = { ...place, email, signUpOpen: signUpIsOpen(visit), isKnown, again, problem };
  return visits.page(ctx, visit, mailedCodePage(visit.frame, data), problem ? 422 : 200);
}

/** The user whom a code authenticates again after their provider; undefined: the code signs in. */
async function askedAnew(ctx: Context, visit: Visit): Promise<User | undefined> {
  const asked = await proveAnew.find(ctx, visit);
  return asked?.ways.emailCode === true ? asked.user : undefined;
}

/** A form in a session that may use codes; otherwise an answer. */
async function submitted(ctx: Context, request: HttpRequest): Promise<(Posted & { anew: User | undefined }) | Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const anew = await askedAnew(ctx, posted);
  const mayUse = anew !== undefined || choose.allows(ctx, posted, "emailCode");
  return mayUse ? { ...posted, anew } : choose.methodDisabled(ctx, posted, "emailCode");
}

/** Shows the outcome of the proof, or asks the person to agree to the removals. */
async function end(
  ctx: Context,
  proofVisit: ProofVisit,
  outcome: Outcome<Unproven>,
  asked: { email: string; action: string; code?: string },
  over: () => Promise<Answer>,
): Promise<Answer> {
  if (typeof outcome === "object" && "refusal" in outcome)
    return showTakeOver(ctx, proofVisit, { ...asked, unproven: outcome.refusal });
  return await steps.end(ctx, proofVisit, outcome, async (problem) =>
    problem.kind === "other-account"
      ? await choose.showSignIn(ctx, proofVisit, { email: asked.email, problem, status: 401 })
      : await over(),
  );
}

/** GET /sign-in/{sessionId}/email-code */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  if (!choose.allows(ctx, visit, "emailCode")) return seeOther(pathOf(visit));
  return showForm(ctx, visit, { email: visit.session.loginHint ?? "" });
}

/** POST /sign-in/{sessionId}/email-code */
export async function ask(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const typed = posted.anew?.email ?? posted.form.get("email") ?? "";
  const email = canonicalEmail(typed);
  if (email === undefined) {
    const kind = `email-${emailProblem(typed)}` as const;
    const own = posted.form.get("own") === "1";
    return showForm(ctx, posted, { email: typed.slice(0, maxEmailCharacters), problem: { kind }, own });
  }
  const isOwn = posted.anew !== undefined || posted.form.get("own") === "1";
  const company = isOwn ? undefined : await companySteps.byAddress(ctx, posted, email);
  if (company) return company;
  await signInCodes.ask(ctx, emailCode.placeOf(visits.forProof(ctx, posted)), email);
  return seeOther(`${pathOf(posted)}/code`);
}

/** GET /sign-in/{sessionId}/code */
export async function page(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showCode(ctx, visit, { again: request.query().get("again") === "1" });
}

/** POST /sign-in/{sessionId}/code */
export async function byCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const again = (problem: CodeProblem): Promise<Answer> => showCode(ctx, posted, { problem });
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return await again({ kind: "code-missing" });
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await emailCode.byCode(ctx, proofVisit, {
    code,
    agreed: posted.form.get("agreed"),
    anew: posted.anew,
  });
  if (outcome === "code-wrong" || outcome === "code-over") return await again({ kind: outcome });
  const email = (await sessionTokens.waiting(ctx, "sign-in", posted.session.digest))?.email ?? "";
  const asked = { email, action: `${pathOf(posted)}/code`, code };
  return await end(ctx, proofVisit, outcome, asked, () => again({ kind: "code-over" }));
}

/** POST /sign-in/{sessionId}/code/again */
export async function again(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  await signInCodes.again(ctx, emailCode.placeOf(visits.forProof(ctx, posted)));
  return seeOther(`${pathOf(posted)}/code?again=1`);
}

/** The mailed link, posted in the browser that asked for it. */
export async function byLink(ctx: Context, posted: Posted, token: EmailToken): Promise<Answer> {
  if (posted.session.companyIdentity?.email === token.email) return await companyPages.byLink(ctx, posted, token);
  const anew = await askedAnew(ctx, posted);
  if (!anew && !choose.allows(ctx, posted, "emailCode")) return choose.methodDisabled(ctx, posted, "emailCode");
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await emailCode.byToken(ctx, proofVisit, token, { agreed: posted.form.get("agreed"), anew });
  const asked = { email: token.email, action: posted.request.path };
  return await end(ctx, proofVisit, outcome, asked, async () =>
    visits.message(posted, { kind: "link-over", next: "app" }),
  );
}

/** `sessionPath`: "/sign-in/sis_…", without a trailing slash. */
type Place = { sessionPath: string; token: string };

export type EmailCodeData = Place & {
  /** The entered text, or "". */
  email: string;
  /** As on the sign-in page. */
  own?: boolean;
  problem?: { kind: `email-${EmailProblem}` } | undefined;
};

export type MailedCodeData = Place & {
  /** The address of the mail, whether or not it has an account. */
  email: string;
  /** Whether an address without an account gets a mail too. */
  signUpOpen: boolean;
  /** The address of a known account, which nobody typed. */
  isKnown?: boolean;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/** Asks for the address that a code is mailed to. */
export function emailCodePage(frame: Frame, data: EmailCodeData): Html {
  const { texts, look, program } = frame;
  const { sessionPath, problem } = data;
  const words = problem && createAccountProblemWords(frame, problem, 0);
  const title = texts.signInTo(program ?? look.name);
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${emailCodeForm(frame, { ...data, look: "main" }, words)}
    ${backToSignIn(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/** Asks for the mailed code. The same for every address. */
export function mailedCodePage(frame: Frame, data: MailedCodeData): Html {
  const { texts, look } = frame;
  const { sessionPath, signUpOpen, isKnown = false } = data;
  const action = `${sessionPath}/code`;
  const lead = signUpOpen || isKnown ? texts.mailedTo : texts.resetMailedTo(look.name);
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const form = { ...data, lead, submit: texts.signIn, busy: texts.signingIn, action, againAction: `${action}/again` };
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, form, words)}
    ${pageEnd(
      frame,
      sessionPath,
      isKnown ? undefined : { lead: texts.wrongAddress, href: `${sessionPath}/email-code`, label: texts.otherAddress },
    )}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

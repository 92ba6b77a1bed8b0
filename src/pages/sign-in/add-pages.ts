/**
 * Adds a sign-in method to an account: only with a fresh proof in this browser, and only after its
 * owner agreed on this page.
 */
import * as providers from "../../applications/providers/provider-clients.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import { json, seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { providerMark } from "../../look/marks.ts";
import type { Context } from "../../runtime/context.ts";
import * as addMethod from "../../sign-in/adding/add-method.ts";
import * as additions from "../../sign-in/adding/adding.ts";
import type { Adding } from "../../sign-in/adding/adding.ts";
import { passkeyPlaceOf } from "../../sign-in/sign-in-attempt.ts";
import * as users from "../../users/service.ts";
import type { CreateAccountProblem } from "../../sign-in/problems.ts";
import { isAnswer, orTryLater, withRetryAfter } from "../hosted/hosted.ts";
import { endTokensToo } from "../account/tokens.ts";
import { notice, pageEnd, passkeyButton, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { newPasswordField } from "../parts/new-password-field.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { createAccountProblemWords, type ProblemWords } from "../parts/problems.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { ProofVisit, Visit } from "./visits.ts";

type OauthProblem = Extract<AddMethodData, { adds: "oauth" }>["problem"];

export async function show(ctx: Context, visit: Visit, problem?: CreateAccountProblem | OauthProblem): Promise<Answer> {
  const { session, application, browser } = visit;
  const user = session.accountUserId === null ? undefined : await users.find(ctx.storage.reader, session.accountUserId);
  if (!user) return await visits.over(ctx, visit);
  const isFull = session.adds === "passkey" && !(await passkeys.hasRoom(ctx.storage.reader, user.id));
  if (isFull && problem === undefined) return await show(ctx, visit, { kind: "passkeys-full" });
  const common = {
    sessionPath: pathOf(visit),
    token: browser.formToken,
    account: await accountNames.nameOf(ctx, visit, user),
  };
  const status = problem === undefined ? 200 : problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
  if (session.adds === "oauth") {
    const name = session.addsProvider ?? "";
    const offered = (await providers.offered(ctx, application.id)).find((provider) => provider.name === name);
    const provider = { name, displayName: providerDisplayName(name) };
    const data = { ...common, adds: "oauth", provider, problem: problem as OauthProblem } as const;
    return visits.page(ctx, visit, addMethodPage(visit.frame, data), status, offered?.formTargets ?? []);
  }
  const data =
    session.adds === "passkey"
      ? ({ ...common, adds: "passkey", problem: problem as CreateAccountProblem | undefined } as const)
      : ({
          ...common,
          adds: "password",
          hasOne: await passwords.hasOne(ctx, user.id),
          hasTokens: (await personalTokens.list(ctx, user.id, { all: false })).length > 0,
          passwordMinLength: application.settings.passwordMinLength,
          problem: problem as CreateAccountProblem | undefined,
        } as const);
  return withRetryAfter(visits.page(ctx, visit, addMethodPage(visit.frame, data), status), problem);
}

export async function end<R>(
  ctx: Context,
  proofVisit: ProofVisit,
  outcome: Adding<R>,
  again: (refusal: R) => Promise<Answer>,
): Promise<Answer> {
  if (outcome === "over") return await visits.over(ctx, proofVisit);
  // Without a fresh proof, the session's own page asks for one.
  if (outcome === "not-fresh") return seeOther(pathOf(proofVisit));
  return "refusal" in outcome ? await again(outcome.refusal) : visits.respond(proofVisit, outcome.response);
}

export async function passkeyOptions(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.post(ctx, request);
  const user = isAnswer(posted)
    ? undefined
    : await additions.findAddingUser(ctx, visits.forProof(ctx, posted), "passkey");
  if (isAnswer(posted) || !user || !passkeys.available(ctx))
    throw invalidRequest("session", "cannot be used by this browser now");
  // Checked before the authenticator creates a passkey that would be useless.
  if (!(await passkeys.hasRoom(ctx.storage.reader, user.id)))
    throw invalidRequest("passkeys", "the user already has the maximum number");
  return json({
    options: await passkeys.addOptions(
      ctx,
      posted.application,
      passkeyPlaceOf(posted.session, posted.browser.digest),
      user,
      "add",
    ),
  });
}

export async function passkey(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await addMethod.passkey(ctx, proofVisit, posted.form.get("credential") ?? "");
  return await end(ctx, proofVisit, outcome, (problem) => show(ctx, proofVisit, problem));
}

export async function password(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const proofVisit = visits.forProof(ctx, posted);
  const { form, network } = posted;
  const typed = { password: form.get("password") ?? "", network, endsTokens: form.get("tokens") === "on" };
  const added = addMethod
    .password(ctx, proofVisit, typed)
    .then((outcome) => end(ctx, proofVisit, outcome, (problem) => show(ctx, proofVisit, problem)));
  return await orTryLater(added, (problem) => show(ctx, proofVisit, problem));
}

export type AddMethodData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The account's address, or else its name. */
  account: string;
} & (
  | { adds: "passkey"; problem?: CreateAccountProblem | undefined }
  | {
      adds: "password";
      hasOne: boolean;
      hasTokens: boolean;
      passwordMinLength: number;
      problem?: CreateAccountProblem | undefined;
    }
  | {
      adds: "oauth";
      provider: { name: string; displayName: string };
      problem?: { kind: "identity-taken" | "identity-there" | "provider-failed" | "provider-cancelled" } | undefined;
    }
);

/** Adds a sign-in method. Names the account and does nothing until the person agrees. */
export function addMethodPage(frame: Frame, data: AddMethodData): Html {
  const { texts, look } = frame;
  const title = titleOf(frame, data);
  const words = wordsFor(frame, data);
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>
      ${texts.addTo(look.name)} <strong><bdi>${data.account}</bdi></strong>
    </p>
    ${formOf(frame, data, words)} ${pageEnd(frame, data.sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath: data.sessionPath });
}

function titleOf({ texts }: Frame, data: AddMethodData): string {
  if (data.adds === "passkey") return texts.addPasskeyTitle;
  if (data.adds === "oauth") return texts.addProviderTitle(data.provider.displayName);
  return data.hasOne ? texts.changePasswordTitle : texts.addPasswordTitle;
}

function formOf(frame: Frame, data: AddMethodData, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { sessionPath, token } = data;
  if (data.adds === "passkey") {
    return html`<div class="passkeys" data-passkeys hidden>
        ${passkeyForm(frame, {
          ceremony: "create",
          action: `${sessionPath}/add/passkey`,
          token,
          alone: true,
          inside: html`${passkeyButton(texts.createPasskey, texts.creatingPasskey)}
            <p class="hint">${texts.passkeyInOneLine}</p>
            ${notice}`,
        })}
      </div>
      ${passkeyHelp(frame)}`;
  }
  if (data.adds === "oauth") {
    const { name, displayName } = data.provider;
    return html`<p>${texts.addProviderNext(displayName)}</p>
      <form method="post" action="${sessionPath}/add/oauth">
        ${tokenField(token)}
        ${submitButton({
          label: texts.continueWith(displayName),
          busy: texts.opening(displayName),
          look: "main",
          before: providerMark(name),
        })}
      </form>`;
  }
  return html`<form method="post" action="${sessionPath}/add/password" novalidate>
    ${tokenField(token)}
    <input type="hidden" name="username" autocomplete="username" value="${data.account}" />
    ${newPasswordField(frame, { label: texts.newPassword, minLength: data.passwordMinLength, formPath: sessionPath }, words)}
    ${data.hasOne && data.hasTokens && endTokensToo(frame)}
    ${submitButton({ label: texts.savePassword, busy: texts.saving, look: "main" })}
  </form>`;
}

function wordsFor(frame: Frame, data: AddMethodData): ProblemWords | undefined {
  const { texts } = frame;
  if (data.problem === undefined) return undefined;
  if (data.adds !== "oauth")
    return createAccountProblemWords(frame, data.problem, data.adds === "password" ? data.passwordMinLength : 0);
  const { displayName } = data.provider;
  switch (data.problem.kind) {
    case "identity-taken":
      return { summary: texts.identityTaken(displayName) };
    case "identity-there":
      return { summary: texts.identityThere(displayName) };
    case "provider-failed":
      return { summary: texts.providerFailed(displayName) };
    case "provider-cancelled":
      return { summary: texts.providerCancelled(displayName) };
  }
}

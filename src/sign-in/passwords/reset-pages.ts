import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { Browsers } from "../../hosted/browser.ts";
import { formTargets } from "../../hosted/form-targets.ts";
import { isAnswer, orTryLater, withRetryAfter, type Guest, type Hosted, type PostedForm } from "../../hosted/hosted.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Unproven } from "../../oauth/first-proof.ts";
import type { ProviderClients } from "../../oauth/provider-clients.ts";
import { canonicalEmail, maxEmailCharacters } from "../../lib/email.ts";
import { typedCode } from "../../lib/typed-code.ts";
import { forgotPasswordPage, noResetPage, type ForgotPasswordData } from "../../pages/sign-in/forgot-password-page.ts";
import {
  resetByCodePage,
  resetByLinkPage,
  type ResetByCodeData,
  type ResetProblem,
} from "../../pages/sign-in/reset-password-page.ts";
import type { Frame } from "../../pages/parts/frame.ts";
import type { UnprovenData } from "../../pages/sign-in/take-over-page.ts";
import type { User } from "../../users/user.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import type { StepPages } from "../step-pages.ts";
import { unusable, type PasswordCheck } from "./password-check.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import type { Resets, WayBack } from "./resets.ts";
import type { Posted, Visit, Visits } from "../visits.ts";

/** The holder of a link for a new password, in any browser. `way`: where it leads afterwards. */
type LinkGuest = Guest & { emailToken: EmailToken; user: User; way: WayBack };

/**
 * Resets a forgotten password: by a mailed code within the sign-in, or by the mail's link on any
 * device.
 */
export function createResetPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  passwordSignIn: PasswordSignIn;
  resets: Resets;
  passwordCheck: PasswordCheck;
  providers: ProviderClients;
  baseUrl: string;
}) {
  const { hosted, browsers, visits, choose, steps, passwordSignIn, resets, passwordCheck, providers, baseUrl } = deps;

  function showForgot(visit: Visit, shown: Pick<ForgotPasswordData, "email" | "problem">): Answer {
    const sessionPath = pathOf(visit);
    const body = resets.available
      ? forgotPasswordPage(visit.frame, { sessionPath, token: visit.browser.formToken, ...shown })
      : noResetPage(visit.frame, { sessionPath, passkey: choose.allows(visit, "passkey") });
    return visits.page(visit, body, shown.problem ? 422 : 200);
  }

  /** Shown after requesting a mail: the same page for every address. */
  function showCode(
    visit: Visit,
    shown: Pick<ResetByCodeData, "email" | "problem" | "removes" | "code"> & { again?: boolean },
  ): Answer {
    const body = resetByCodePage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      passwordMinLength: visit.application.settings.passwordMinLength,
      again: false,
      ...shown,
    });
    return withRetryAfter(visits.page(visit, body, statusOf(shown.problem)), shown.problem);
  }

  function shownAs(removes: Unproven): UnprovenData {
    return { ...removes, providers: removes.providers.map((name) => providers.displayName(name)) };
  }

  async function showLink(guest: LinkGuest, problem?: ResetProblem): Promise<Answer> {
    const { request, frame, browser, application, user, way } = guest;
    const targets = "session" in way ? formTargets(way.session.redirectUri, application.domain) : [];
    const removes = await resets.removes(guest.emailToken);
    const body = resetByLinkPage(frame, {
      path: `/reset/${request.parameter("token")}`,
      action: request.path,
      token: browser.formToken,
      email: user.email,
      passwordMinLength: application.settings.passwordMinLength,
      problem,
      removes: removes && shownAs(removes),
    });
    return withRetryAfter(
      hosted.page(frame, body, { status: statusOf(problem), cookies: [browser.setCookie], targets }),
      problem,
    );
  }

  /** A form in a session whose app has passwords; otherwise the session's own page. */
  async function submitted(request: HttpRequest): Promise<Posted | Answer> {
    const posted = await visits.post(request);
    if (isAnswer(posted)) return posted;
    if (!choose.allows(posted, "password")) return seeOther(pathOf(posted));
    return resets.available ? posted : showForgot(posted, { email: "" });
  }

  function newPassword({ form, network }: PostedForm) {
    return { password: form.get("password") ?? "", network, mark: form.get("agreed") };
  }

  async function resetByCode(posted: Posted, email: string): Promise<Answer> {
    const again = (problem: ResetProblem): Answer => showCode(posted, { email, problem });
    const code = typedCode(posted.form.get("code") ?? "");
    if (code === undefined) return again({ kind: "code-missing" });
    const outcome = await resets.byCode(visits.forProof(posted), { ...newPassword(posted), email, code });
    if (outcome === "other-browser") return visits.message(posted, { kind: outcome });
    if (outcome === "over") return again({ kind: "code-over" });
    if (outcome === "changed") return await signInWithNew(posted, { email, ...newPassword(posted) });
    if ("problem" in outcome) return again(outcome.problem);
    return showCode(posted, { email, code, removes: shownAs(outcome.toAgree) });
  }

  async function resetByLink(posted: LinkGuest & PostedForm): Promise<Answer> {
    const { request, frame, emailToken, user, way } = posted;
    const outcome = await resets.byLink({ ...posted, token: emailToken }, newPassword(posted));
    if (outcome === "over") return await hosted.linkOver(request, "new-link");
    if (outcome !== "changed") return await showLink(posted, "problem" in outcome ? outcome.problem : undefined);
    if (!("sessionId" in way)) return changed(frame, { backUrl: way.home, signIn: false });
    const visit = await visits.visit(request, way.sessionId);
    if (isAnswer(visit)) return visit;
    return await signInWithNew(visit, { email: user.email ?? "", ...newPassword(posted) });
  }

  /**
   * Continues the sign-in that asked for the reset, in its own browser: exactly as if the person
   * typed the new password there. If that is not possible now, they do.
   */
  async function signInWithNew(
    visit: Visit,
    typed: { email: string; password: string; network: string },
  ): Promise<Answer> {
    const byHand = async (): Promise<Answer> =>
      changed(visit.frame, { backUrl: baseUrl + pathOf(visit), signIn: true });
    const proofVisit = visits.forProof(visit);
    const signIn = async (): Promise<Answer> =>
      await steps.end(proofVisit, await passwordSignIn.signIn(proofVisit, { ...typed, mayOffer: false }), byHand);
    return await orTryLater(signIn(), byHand);
  }

  function changed(frame: Frame, { backUrl, signIn }: { backUrl: string | undefined; signIn: boolean }): Answer {
    const { backUrl: _, ...rest } = frame;
    return hosted.message(
      { ...rest, ...(backUrl === undefined ? {} : { backUrl }) },
      { kind: "password-changed", signIn },
    );
  }

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const secret = request.parameter("token");
    const found = await resets.find(secret);
    if (!found) return await hosted.linkOver(request, "new-link");
    const { token: emailToken, user, application } = found;
    const browser = browsers.meet(request, { kind: "sign-in", key: secret });
    const frame = hosted.frameFor(request, { application, locale: user.locale });
    const digestOf = (key: string): string => browsers.meet(request, { kind: "sign-in", key }).digest;
    return { request, application, browser, frame, emailToken, user, way: await resets.wayBack(emailToken, digestOf) };
  }

  return {
    async forgotPage(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visit(request);
      if (isAnswer(visit)) return visit;
      if (!choose.allows(visit, "password")) return seeOther(pathOf(visit));
      return showForgot(visit, { email: visit.session.loginHint ?? "" });
    },

    async ask(request: HttpRequest): Promise<Answer> {
      const posted = await submitted(request);
      if (isAnswer(posted)) return posted;
      const { form } = posted;
      const typed = form.get("email") ?? "";
      const email = canonicalEmail(typed);
      if (email === undefined) {
        const kind = typed.trim() === "" ? "email-missing" : "email-invalid";
        return showForgot(posted, { email: typed.slice(0, maxEmailCharacters), problem: { kind } });
      }
      const asked = await resets.ask(visits.forProof(posted), email);
      if (asked === "other-browser") return visits.message(posted, { kind: asked });
      return showCode(posted, { email, again: form.get("again") === "1" });
    },

    async byCode(request: HttpRequest): Promise<Answer> {
      const posted = await submitted(request);
      if (isAnswer(posted)) return posted;
      const email = canonicalEmail(posted.form.get("email") ?? "");
      if (email === undefined) return showForgot(posted, { email: "" });
      return await orTryLater(resetByCode(posted, email), async (problem) => showCode(posted, { email, problem }));
    },

    /** Opened by a link. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      return isAnswer(guest) ? guest : await showLink(guest);
    },

    async byLink(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      return await orTryLater(resetByLink(posted), (problem) => showLink(posted, problem));
    },

    /** POST /reset/{token}/password-check */
    async checkByLink(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) throw unusable();
      return await passwordCheck.check(posted, posted.user);
    },
  };
}

function statusOf(problem: ResetProblem | undefined): number {
  if (problem === undefined) return 200;
  return problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
}

import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, emailProblem, maxEmailCharacters } from "../../lib/email.ts";
import { maxNameCharacters } from "../../lib/text.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as passwordSignIn from "../../sign-in/passwords/password-sign-in.ts";
import * as formLinks from "../../sign-in/passwords/form-links.ts";
import * as puzzles from "../../sign-in/passwords/puzzles.ts";
import type { Puzzle } from "../../sign-in/passwords/puzzles.ts";
import { signUpIsOpen } from "../../sign-in/session.ts";
import * as signUp from "../../sign-in/sign-up/sign-up.ts";
import type { CreateAccountProblem } from "../../sign-in/problems.ts";
import { isAnswer, orTryLater } from "../hosted/hosted.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as choose from "./choose-pages.ts";
import * as companySteps from "./company-steps.ts";
import * as confirm from "./confirm-pages.ts";
import { linkSentPage, puzzlePage } from "./puzzle-page.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Posted } from "./visits.ts";

async function signInWith(ctx: Context, posted: Posted): Promise<Answer> {
  const { form, network } = posted;
  const kept = puzzles.reopen(ctx, posted.sessionId, form.get("kept"));
  const { email: typed, password } = kept ?? { email: form.get("email") ?? "", password: form.get("password") ?? "" };
  const pass = form.get("pass");
  const own = form.get("own") === "1";
  const again = (problem: SignInProblem, status: number): Promise<Answer> =>
    choose.showSignIn(ctx, posted, {
      email: clipped(typed),
      problem,
      status,
      own,
      ...(pass !== undefined && { pass }),
    });
  const email = canonicalEmail(typed);
  // Before anything about the person: the domain alone decides.
  const company =
    email === undefined || own || kept || pass ? undefined : await companySteps.byAddress(ctx, posted, email);
  if (company) return company;
  if (email === undefined || password === "") {
    const kind = email === undefined ? (`email-${emailProblem(typed)}` as const) : "password-missing";
    return (await visits.claim(ctx, posted)) ?? (await again({ kind }, 422));
  }
  const proofVisit = visits.forProof(ctx, posted);
  if (kept && form.get("act") === "mail" && mail.available(ctx)) {
    const elsewhere = await visits.claim(ctx, posted);
    if (elsewhere) return elsewhere;
    await formLinks.ask(ctx, proofVisit, email);
    return visits.page(ctx, posted, linkSentPage(posted.frame, { sessionPath: choose.pathOf(posted), email }));
  }
  // The page's script reports whether this browser can create passkeys.
  const passkeys = form.get("passkeys") === "1";
  const solved = { challenge: form.get("challenge") ?? "", solution: form.get("solution") ?? "" };
  const puzzle = await puzzles.ask(ctx, proofVisit, { email, password, network }, kept && solved, pass);
  if (puzzle)
    return (await visits.claim(ctx, posted)) ?? showPuzzle(ctx, posted, { email, password, passkeys, puzzle });
  const mayOffer = choose.allows(ctx, posted, "passkey") && passkeys;
  const outcome = await passwordSignIn.signIn(ctx, proofVisit, { email, password, network, mayOffer });
  if (outcome === "refused") puzzles.failed(ctx, proofVisit, { email, password, network });
  return await steps.end(ctx, proofVisit, outcome, (problem) => again(problem, 401));
}

function showPuzzle(
  ctx: Context,
  posted: Posted,
  { email, password, ...shown }: { email: string; password: string; passkeys: boolean; puzzle: Puzzle },
): Answer {
  const kept = puzzles.keep(ctx, posted.sessionId, { email, password });
  const data = {
    sessionPath: choose.pathOf(posted),
    token: posted.browser.formToken,
    kept,
    mails: mail.available(ctx),
    ...shown,
  };
  return visits.page(ctx, posted, puzzlePage(posted.frame, data));
}

async function createAccountWith(ctx: Context, posted: Posted): Promise<Answer> {
  const { form, network } = posted;
  const typed = { email: form.get("email") ?? "", name: form.get("name") ?? "" };
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await signUp.byPassword(ctx, proofVisit, { ...typed, password: form.get("password") ?? "", network });
  if (outcome === "check-mail") return confirm.begun(ctx, posted);
  const again = (problem: CreateAccountProblem | CreateAccountProblem[]): Promise<Answer> =>
    choose.showCreateAccount(ctx, posted, {
      email: clipped(typed.email),
      name: typed.name.slice(0, maxNameCharacters),
      problem,
      status: 422,
    });
  if (typeof outcome === "object" && "refusal" in outcome) return await again(outcome.refusal);
  return await steps.end(ctx, proofVisit, outcome, () => again({ kind: "cannot-create" }));
}

export async function signIn(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  if (!choose.allows(ctx, posted, "password")) return choose.methodDisabled(ctx, posted, "password");
  const email = clipped(posted.form.get("email") ?? "");
  return await orTryLater(signInWith(ctx, posted), (problem) =>
    choose.showSignIn(ctx, posted, { email, problem, status: 429 }),
  );
}

export async function createAccount(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  if (!choose.allows(ctx, posted, "password")) return choose.methodDisabled(ctx, posted, "password");
  if (!signUpIsOpen(posted)) return await choose.showCreateAccount(ctx, posted);
  const email = clipped(posted.form.get("email") ?? "");
  const name = (posted.form.get("name") ?? "").slice(0, maxNameCharacters);
  return await orTryLater(createAccountWith(ctx, posted), (problem) =>
    choose.showCreateAccount(ctx, posted, { email, name, problem, status: 429 }),
  );
}

function clipped(email: string): string {
  return email.slice(0, maxEmailCharacters);
}

/** The password as the proof after a provider that does not confirm a recent sign-in. */
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as passwordSignIn from "../../sign-in/passwords/password-sign-in.ts";
import * as proveAnew from "../../sign-in/providers/prove-anew.ts";
import { isAnswer, orTryLater } from "../hosted/hosted.ts";
import type { SignInProblem } from "../parts/problems.ts";
import { pathOf } from "./choose-pages.ts";
import { show } from "./prove-anew-step.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";

/** POST …/step/password */
export async function byPassword(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const asked = await proveAnew.find(ctx, posted);
  // An old page: the session's own page shows the current step.
  if (!asked?.ways.password) return seeOther(pathOf(posted));
  const { user } = asked;
  const again = (problem: SignInProblem): Promise<Answer> => show(ctx, posted, user, problem);
  const password = posted.form.get("password") ?? "";
  if (password === "") return await again({ kind: "password-missing" });
  const typed = { email: user.email ?? "", password, network: posted.network, mayOffer: false, proofOf: user.id };
  const proofVisit = visits.forProof(ctx, posted);
  return await orTryLater(
    (async () =>
      await steps.end(ctx, proofVisit, await passwordSignIn.signIn(ctx, proofVisit, typed), () =>
        again({ kind: "wrong-credentials" }),
      ))(),
    again,
  );
}

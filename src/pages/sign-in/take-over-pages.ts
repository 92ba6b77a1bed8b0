/**
 * Shows the first person who proves an address what this removes from the account. Nothing is
 * removed before they agree.
 */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as takeOver from "../../sign-in/providers/take-over.ts";
import { isAnswer } from "../hosted/hosted.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";

/** The person agreed. */
export async function agree(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const proofVisit = visits.forProof(ctx, posted);
  const shown = { email: posted.form.get("email"), mark: posted.form.get("agreed") };
  const outcome = await takeOver.agree(ctx, proofVisit, shown);
  if (typeof outcome === "object" && "refusal" in outcome)
    return outcome.refusal === "method-disabled"
      ? choose.methodDisabled(ctx, proofVisit, "oauth")
      : seeOther(pathOf(proofVisit));
  const provider = providerDisplayName(proofVisit.session.pendingLink?.provider ?? "");
  return await steps.end(ctx, proofVisit, outcome, ({ kind }) =>
    choose.showSignIn(ctx, proofVisit, {
      problem: kind === "other-account" ? { kind } : { kind: "provider-failed", provider },
      status: 400,
    }),
  );
}

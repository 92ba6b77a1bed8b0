import type { Answer } from "../../http/answer.ts";
import { providerDisplayName } from "../../oauth/providers.ts";
import { takeOverPage } from "../../pages/sign-in/take-over-page.ts";
import type { Context } from "../../runtime/context.ts";
import { pathOf } from "../choose-pages.ts";
import * as visits from "../visits.ts";
import type { Visit } from "../visits.ts";
import * as takeOver from "./take-over.ts";

/**
 * The page for a session whose identity waits for consent; undefined if nothing needs consent
 * any more.
 */
export async function takeOverQuestion(ctx: Context, visit: Visit): Promise<Answer | undefined> {
  const waiting = await takeOver.waiting(ctx, visit.session);
  if (!waiting) return undefined;
  const { email, unproven } = waiting;
  return visits.page(
    ctx,
    visit,
    takeOverPage(visit.frame, {
      sessionPath: pathOf(visit),
      token: visit.browser.formToken,
      email,
      unproven: { ...unproven, providers: unproven.providers.map((name) => providerDisplayName(name)) },
    }),
  );
}

import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import * as takeOver from "../../sign-in/providers/take-over.ts";
import { pathOf } from "./choose-pages.ts";
import { takeOverPage } from "./take-over-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

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

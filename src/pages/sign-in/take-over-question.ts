import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Unproven } from "../../credentials/identities/first-proof.ts";
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
  return showTakeOver(ctx, visit, { email, unproven, action: `${pathOf(visit)}/step/take-over` });
}

/** What the first proof of an address removes, before the person has agreed. */
export function showTakeOver(
  ctx: Context,
  visit: Visit,
  shown: { email: string; unproven: Unproven; action: string; code?: string | undefined },
): Answer {
  const { unproven } = shown;
  const body = takeOverPage(visit.frame, {
    ...shown,
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    unproven: { ...unproven, providers: unproven.providers.map((name) => providerDisplayName(name)) },
  });
  return visits.page(ctx, visit, body);
}

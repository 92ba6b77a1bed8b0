/** How much is wrong in each section, for the menu. */
import { countWaiting } from "../people/approval-store.ts";
import * as mail from "../records/mail/service.ts";
import * as webhooks from "../records/webhooks/service.ts";
import type { Context } from "../runtime/context.ts";
import { keptIfExpensive } from "./parts/kept.ts";
import type { Visit } from "./route.ts";
import type { Section } from "./sections.ts";

/** `path`: where they are, if not on the page of the section. */
export type Trouble = { count: number; words: string; path?: string };
export type Troubles = Partial<Record<Section, Trouble>>;

/** Nothing counts further. */
export const maxTroubles = 100;

/** What this operator may see of it. */
export async function troubles(ctx: Context, { operator: { appId } }: Visit): Promise<Troubles> {
  return await keptIfExpensive(ctx, `troubles ${appId ?? ""}`, async () => {
    const [waiting, failing, unsent] = await Promise.all([
      countWaiting(ctx.storage.reader, appId),
      webhooks.countFailing(ctx, appId, maxTroubles),
      mail.countFailing(ctx, appId),
    ]);
    return {
      ...(waiting > 0 && {
        People: {
          count: waiting,
          words: waiting === 1 ? "waits for approval" : "wait for approval",
          path: "/console/people?state=pending",
        },
      }),
      ...(failing > 0 && { Webhooks: { count: failing, words: failing === 1 ? "fails" : "fail" } }),
      ...(unsent > 0 && {
        Mail: { count: unsent, words: "could not be sent yet" },
      }),
    };
  });
}

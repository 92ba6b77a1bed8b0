/** A client's uploaded logo, which the page of consent shows. Only its row names it. */
import * as pictures from "../../pictures/service.ts";
import type { PictureChange } from "../../pictures/service.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { clientNotFound } from "./client.ts";
import { lockClientForChange } from "./store.ts";

/** Throws CLIENT_NOT_FOUND, and CONFLICT for an undo that is no longer possible. */
export async function change(
  ctx: Context,
  id: string,
  change: PictureChange,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const client = await lockClientForChange(tx, id, now);
    if (!client) throw clientNotFound();
    await pictures.changed(ctx, tx, { owner: { clientId: id }, before: null }, change, now);
    const about = { appId: client.appId, target: id, details: { clientId: id, fields: "logo" } };
    await audit.record(ctx, tx, { ...by, action: "client.update", result: "success", ...about }, now);
    if (dryRun) throw rollBack(undefined);
  });
}

/** Mails operators that accounts wait for approval: a number, no names (docs/decisions/0099). */
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { hour, minute } from "../lib/clock.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import { claimNotice, countWaiting, lastNotice } from "../people/approval-store.ts";
import { listOperators } from "./store.ts";

const noticeEvery = hour;
/** A transaction that began before the last notice may have committed after it. */
const overlap = minute;

/** The address that the application names, or the operators who may approve. */
async function recipients(ctx: Context, { settings }: Application): Promise<string[]> {
  if (settings.signUpApprovalMail) return [settings.signUpApprovalMail];
  const operators = await listOperators(ctx.storage.reader);
  return operators.flatMap(({ email, role, disabledAt, hasPasskey }) =>
    email !== null && disabledAt === null && hasPasskey && role !== "viewer" ? [email] : [],
  );
}

async function notify(ctx: Context, application: Application): Promise<void> {
  const { id: appId } = application;
  const now = ctx.clock();
  const last = await lastNotice(ctx.storage.reader, appId);
  if (last > now - noticeEvery) return;
  const { reader } = ctx.storage;
  const recent = await countWaiting(reader, appId, { since: last - overlap });
  const to = recent === 0 ? [] : await recipients(ctx, application);
  if (to.length === 0) return;
  const waiting = await countWaiting(reader, appId);
  const console = ctx.config.console?.baseUrl;
  const link =
    console === undefined ? null : `${console}/console/people?app=${encodeURIComponent(appId)}&state=pending`;
  await ctx.storage.write(async (tx) => {
    if (!(await claimNotice(tx, appId, { sentAt: now, notAfter: now - noticeEvery }))) return;
    const origin = { ipAddress: null, userAgent: null };
    const common = { appId, userId: null, locale: null, origin };
    for (const address of to)
      await mail.enqueue(ctx, tx, { ...common, to: address, kind: "accounts-waiting", waiting, link }, now);
  });
}

/** One of the sweepers: at most one mail an hour for each application. */
export async function sweep(ctx: Context): Promise<boolean> {
  for (const application of await applications.findAll(ctx))
    if (application.settings.signUpApproval === true) await notify(ctx, application);
  return false;
}

import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { listOwners } from "../membership-store.ts";
import type { Domain } from "./rules.ts";

const origin = { ipAddress: null, userAgent: null };

/** Mails every owner that the record of a domain is not there, or that the domain is lost. */
export async function tellOwners(
  ctx: Context,
  tx: Handle,
  kind: "domain-missing" | "domain-lost",
  { appId, organizationId, domain }: Domain,
  now: number,
): Promise<void> {
  for (const { userId, email: to, locale } of await listOwners(tx, organizationId))
    if (to !== null)
      await mail.enqueue(ctx, tx, { appId, userId, to, locale, origin, kind, domain, organizationId }, now);
}

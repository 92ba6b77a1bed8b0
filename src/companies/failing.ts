/** Failures of organizations' providers. Enforcement never switches itself off. */
import { day, minute } from "../lib/clock.ts";
import type { Context } from "../runtime/context.ts";
import { listOwners } from "../organizations/membership-store.ts";
import { tell } from "../organizations/notices.ts";
import { lockOrganization } from "../organizations/store.ts";
import { ProviderDown } from "./connections.ts";
import { clearFailure, recordFailureAt, recordMailedAt } from "../organizations/provider/provider-store.ts";
import { isFailing, type OrganizationProvider } from "../organizations/provider/provider.ts";

/** Many visitors meet the same failure. */
const writtenEvery = minute;
const mailedEvery = day;

/** Notes a failure that no visitor can cause, and mails the owners once the provider is failing. */
export async function recordFailure(ctx: Context, provider: OrganizationProvider, error: unknown): Promise<void> {
  const now = ctx.clock();
  const { organizationId, state, failedAt } = provider;
  if (!(error instanceof ProviderDown) || state !== "active") return;
  if (failedAt !== null && Math.abs(now - failedAt) < writtenEvery) return;
  // An address in the reason was written by the provider.
  const [failure = ""] = error.message.split(/: https?:/u);
  await ctx.storage.write(async (tx) => {
    const organization = await lockOrganization(tx, organizationId);
    const failed = await recordFailureAt(tx, provider, { failure, now });
    if (!organization || !failed || !isFailing(failed)) return;
    const { failingSince, failureMailedAt } = failed;
    if (failureMailedAt !== null && now - failureMailedAt < mailedEvery) return;
    await recordMailedAt(tx, failed, now);
    const about = { organization: organization.name, organizationId, provider: new URL(failed.issuer).host };
    const notice = {
      kind: "organization-provider-fails",
      ...about,
      since: failingSince ?? now,
      reason: failure,
    } as const;
    await tell(ctx, tx, organization, await listOwners(tx, organizationId), notice, now);
  });
}

/** Notes that it named somebody, who may be a stranger here. */
export async function recordSuccess(ctx: Context, provider: OrganizationProvider): Promise<void> {
  if (provider.failingSince === null) return;
  await ctx.storage.write(async (tx) => await clearFailure(tx, provider));
}

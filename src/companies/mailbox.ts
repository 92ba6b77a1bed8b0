/** What confinement does not hold against: who runs a person's mail. */
import type { Application } from "../applications/application.ts";
import * as factors from "../factors/service.ts";
import { listMemberships } from "../organizations/membership-store.ts";
import { hasCompanySignIn } from "../organizations/provider/companies.ts";
import type { Handle } from "../storage/storage.ts";

/** Whether who joins one organization more is told of it, and can set up what prevents it. */
export async function isWorthWarning(handle: Handle, application: Application, userId: string): Promise<boolean> {
  if (!hasCompanySignIn(application) || (await factors.hasFactor(handle, userId))) return false;
  if ((await listMemberships(handle, userId)).length === 0) return false;
  return await factors.maySetUp(handle, application, userId);
}

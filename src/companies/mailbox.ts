/** People who run a person's mail, against whom confinement does not hold. */
import type { Application } from "../applications/application.ts";
import * as factors from "../factors/service.ts";
import { listMemberships } from "../organizations/membership-store.ts";
import { hasCompanySignIn } from "../organizations/provider/companies.ts";
import type { Handle } from "../storage/storage.ts";

/** Whether to warn a person who joins another organization: they can set up a second factor. */
export async function isWorthWarning(handle: Handle, application: Application, userId: string): Promise<boolean> {
  if (!hasCompanySignIn(application) || (await factors.hasFactor(handle, userId))) return false;
  if ((await listMemberships(handle, userId)).length === 0) return false;
  return await factors.maySetUp(handle, application, userId);
}

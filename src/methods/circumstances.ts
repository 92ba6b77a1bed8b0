import type { Applications } from "../applications/service.ts";
import { userNotFound } from "../lib/errors.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { Circumstances } from "./method.ts";

/** What decides which of a user's methods can be used now. Throws USER_NOT_FOUND. */
export type CircumstancesOf = (handle: Handle, user: User) => Promise<Circumstances>;

export function createCircumstances({
  applications,
  passkeysAvailable,
  configuredProviders,
}: {
  applications: Applications;
  passkeysAvailable: boolean;
  /** The providers that an application's users can sign in with. */
  configuredProviders(appId: string, handle: Handle): Promise<string[]>;
}): CircumstancesOf {
  return async (handle, user) => {
    const application = await applications.find(user.appId, handle);
    if (!application) throw userNotFound();
    return {
      application,
      configuredProviders: await configuredProviders(user.appId, handle),
      passkeysAvailable,
      hasEmail: user.email !== null,
    };
  };
}

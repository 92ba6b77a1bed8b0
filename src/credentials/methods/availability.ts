import * as providers from "../../applications/providers/provider-clients.ts";
import * as applications from "../../applications/service.ts";
import { userNotFound } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import { demandOn } from "../../factors/service.ts";
import * as passkeys from "../passkeys/service.ts";
import type { Availability } from "./method.ts";

/** The facts by which a user's methods can be used now. Throws USER_NOT_FOUND. */
export async function readAvailability(ctx: Context, handle: Handle, user: User): Promise<Availability> {
  const application = await applications.find(ctx, handle, user.appId);
  if (!application) throw userNotFound();
  const { isRequired, hasFactor } = await demandOn(handle, application, user.id);
  return {
    application,
    configuredProviders: await providers.configured(ctx, user.appId, handle),
    passkeysAvailable: passkeys.available(ctx),
    hasEmail: user.email !== null,
    needsPasskey: application.authMethods.passkey.required || (isRequired && !hasFactor),
  };
}

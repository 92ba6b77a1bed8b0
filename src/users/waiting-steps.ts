/** What a person must answer before anything new begins for them (docs/decisions/0101). */
import type { Application } from "../applications/application.ts";
import type { Handle } from "../storage/storage.ts";
import { fieldsToAsk } from "./profile-fields.ts";
import * as terms from "./terms.ts";
import type { User } from "./user.ts";

export type WaitingStep = "accept-terms" | "complete-profile";

/**
 * The first step that waits for this person. It stops a sign-in, a silent continuation, the
 * approval of a device and a new token, and nothing that runs. `onlyRequired`: nobody acts now, so
 * what may be left out stops nothing.
 */
export async function findWaitingStep(
  handle: Handle,
  { settings }: Pick<Application, "settings">,
  user: User,
  { onlyRequired }: { onlyRequired: boolean },
): Promise<WaitingStep | undefined> {
  const present = terms.termsOf(settings);
  if (present && (present.required || !onlyRequired) && (await terms.isAsked(handle, present, user.id)))
    return "accept-terms";
  const asked = fieldsToAsk(settings.profileFields, user);
  return asked.some(({ required }) => required || !onlyRequired) ? "complete-profile" : undefined;
}

/** For machines: which step is missing, in an answer that no page can follow. */
export const stepWords: Record<WaitingStep, string> = {
  "accept-terms": "The person must accept the terms first.",
  "complete-profile": "The person must complete the profile first.",
};

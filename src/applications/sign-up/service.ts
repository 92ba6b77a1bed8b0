/** The one question of every door that creates an account or gives it an address. */
import { AppError, applicationNotFound } from "../../lib/errors.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { Application } from "../application.ts";
import { findApplication } from "../store.ts";
import { isDisposable } from "./disposable.ts";
import { needsProof, ruleAgainst, type AddressRefusal } from "./rules.ts";

export function problemWith(ctx: CoreContext, { settings }: Application, email: string): AddressRefusal | undefined {
  return ruleAgainst(settings, email, (domain) => isDisposable(ctx, domain));
}

const reasons: Record<AddressRefusal, string> = {
  "not-allowed": "its domain is not among the allowed ones",
  blocked: "its domain is blocked",
  disposable: "its domain gives out disposable addresses",
};

export function addressRefused(problem: AddressRefusal): AppError {
  return new AppError("CONFLICT", `The sign-up rules refuse this address: ${reasons[problem]}.`);
}

/**
 * Whether a new account is open or waits for approval; an error if it is refused. `asksApproval`:
 * a person created it, not the server, an operator or an import.
 */
export async function admit(
  ctx: CoreContext,
  handle: Handle,
  { appId, email, emailVerified }: { appId: string; email: string; emailVerified: boolean },
  { asksApproval = false, overridesRules = false }: { asksApproval?: boolean; overridesRules?: boolean },
): Promise<"open" | "waits" | AppError> {
  const application = await findApplication(handle, appId);
  if (!application) return applicationNotFound();
  const problem = overridesRules ? undefined : problemWith(ctx, application, email);
  if (problem) return addressRefused(problem);
  if (asksApproval && !emailVerified && needsProof(application.settings))
    return new AppError("CONFLICT", "The address must be proved first.");
  return asksApproval && application.settings.signUpApproval === true ? "waits" : "open";
}

/** The domains that a page may name to somebody whose address was refused. */
export function namedDomains({ settings }: Application, problem: AddressRefusal): string[] {
  return settings.signUpShowRules === true && problem === "not-allowed" ? (settings.signUpEmailDomains ?? []) : [];
}

/** For an address that somebody gets who has an account. Throws CONFLICT. */
export async function refuseAddress(ctx: CoreContext, handle: Handle, appId: string, email: string): Promise<void> {
  const application = await findApplication(handle, appId);
  const problem = application && problemWith(ctx, application, email);
  if (problem) throw addressRefused(problem);
}

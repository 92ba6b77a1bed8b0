import type { Context } from "../../runtime/context.ts";
import type { OrganizationProvider } from "./provider.ts";

/** Why an issuer cannot be set, as a phrase that follows "must be"; undefined if it can. */
export function issuerProblem(_ctx: Context, issuer: string): string | undefined {
  return URL.canParse(issuer) ? undefined : "an https URL";
}

/** Asks an issuer and its keys anew. Throws ProviderFailure, whose message the owners may read. */
export async function tryIssuer(
  _ctx: Context,
  _place: Pick<OrganizationProvider, "organizationId" | "issuer">,
): Promise<void> {}

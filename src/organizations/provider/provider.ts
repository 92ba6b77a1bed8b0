/** An organization's OpenID Connect provider (docs/decisions/0107). Instants: epoch ms. */
import { minute, second } from "../../lib/clock.ts";
import type { OrganizationProof, SignInMethod } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";

export type OrganizationProvider = Row<"organizationProviders">;

/** What decides whether proofs by it count, and whether one is required. */
export type ProviderRules = Pick<
  OrganizationProvider,
  "organizationId" | "state" | "issuer" | "sessionSeconds" | "requiredSince" | "proofsFrom"
>;

/** What a person proved, in a browser session, code or login. */
export type WithProofs = {
  signedInWith: SignInMethod | "operator";
  organizationProofs: OrganizationProof[] | null;
};

/** Whether nothing but organizations' providers was proven: it opens these organizations only. */
export function isConfined({ signedInWith }: Pick<WithProofs, "signedInWith">): boolean {
  return signedInWith === "organization";
}

/** The only organization of a confined sign-in: that of its last proof. */
export function confinedTo({ organizationProofs }: Pick<WithProofs, "organizationProofs">): string | undefined {
  return organizationProofs?.at(-1)?.organizationId;
}

/** When a proof ends by itself. */
function endOfProof(
  { provenAt }: Pick<OrganizationProof, "provenAt">,
  { sessionSeconds }: Pick<OrganizationProvider, "sessionSeconds">,
): number {
  return provenAt + sessionSeconds * second;
}

/** When what rests on the proof of this organization's provider ends; undefined: nothing does. */
export function endWithProof(
  proven: Pick<WithProofs, "organizationProofs">,
  provider: ProviderRules | null | undefined,
  now: number,
): number | undefined {
  const proof = liveProof(proven, provider, now);
  return proof && provider ? endOfProof(proof, provider) : undefined;
}

/** The proof of the organization's provider that counts now; undefined: none. */
export function liveProof(
  { organizationProofs }: Pick<WithProofs, "organizationProofs">,
  provider: ProviderRules | null | undefined,
  now: number,
): OrganizationProof | undefined {
  if (provider?.state !== "active") return undefined;
  const proof = organizationProofs?.find(({ organizationId }) => organizationId === provider.organizationId);
  const counts = proof?.issuer === provider.issuer && proof.provenAt >= provider.proofsFrom;
  return proof && counts && endOfProof(proof, provider) > now ? proof : undefined;
}

/** The proofs with this one in place of the organization's last. */
export function withProof(proofs: OrganizationProof[] | null, proof: OrganizationProof): OrganizationProof[] {
  return [...(proofs ?? []).filter(({ organizationId }) => organizationId !== proof.organizationId), proof];
}

const failuresApart = 10 * minute;

/** Whether it failed twice, ten minutes apart, without a success between. */
export function isFailing({
  failingSince,
  failedAt,
}: Pick<OrganizationProvider, "failingSince" | "failedAt">): boolean {
  return failingSince !== null && failedAt !== null && failedAt - failingSince >= failuresApart;
}

/** The encryption context of the client secret, also while the provider waits. */
export function providerSecretContext({ organizationId }: Pick<OrganizationProvider, "organizationId">): string {
  return `organization_providers/${organizationId}`;
}

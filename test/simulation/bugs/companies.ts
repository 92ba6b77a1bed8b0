/** Faults of sign-ins by a company's provider: what they open, for whom, and until when. */
import { alone, type Bug } from "../planted.ts";

const planted: readonly Bug[] = [
  {
    name: "confined-token-opens-the-account",
    file: "api/guards.ts",
    replaced: "const refusal = admitted.caller.isConfined ? confinedToOrganization() : undefined;",
    by: "const refusal = undefined as ReturnType<typeof confinedToOrganization> | undefined;",
    oracle: "O14",
  },
  {
    name: "confined-browser-is-the-person",
    file: "sessions/browser-sessions.ts",
    replaced: "return session && !isConfined(session) ? session : undefined;",
    by: "return session;",
    oracle: "O14",
  },
  {
    name: "program-takes-who-is-confined",
    file: "organizations/gate.ts",
    replaced: 'client === undefined || (client.companySignIn && client.consent === "none")',
    by: 'client === undefined || client.consent === "none"',
    oracle: "O14",
  },
  {
    name: "proof-of-a-company-lasts",
    file: "organizations/provider/provider.ts",
    replaced: "return proof && counts && endOfProof(proof, provider) > now ? proof : undefined;",
    by: "return proof && counts ? proof : undefined;",
    oracle: "O14",
  },
  {
    name: "proof-by-another-issuer-counts",
    file: "organizations/provider/provider.ts",
    replaced: "proof?.issuer === provider.issuer && proof.provenAt >= provider.proofsFrom",
    by: "proof !== undefined",
    oracle: "O14",
  },
  {
    name: "token-outlives-its-provider",
    file: "tokens/live-organizations.ts",
    replaced: "if (isConfined && !(membership?.provider && iat >= Math.ceil(membership.provider.proofsFrom / second)))",
    by: "if (isConfined && !membership)",
    oracle: "O14",
  },
  {
    name: "company-links-an-account-by-its-word",
    file: "sign-in/company/company-sign-in.ts",
    replaced: 'if (identity.mailboxProven !== true) return "changed";',
    by: "",
    oracle: "O14",
  },
  {
    name: "subject-of-any-organization",
    file: "organizations/provider/identity-store.ts",
    replaced:
      "const isIt = and(eq(identities.issuer, issuer), eq(identities.subject, subject));\n  const [row] = await db\n    .select()\n    .from(identities)\n    .where(and(eq(identities.organizationId, organizationId), isIt));",
    by: "void [organizationId, issuer];\n  const [row] = await db\n    .select()\n    .from(identities)\n    .where(eq(identities.subject, subject));",
    oracle: "O14",
  },
  {
    name: "second-factor-that-a-company-says",
    file: "companies/identify.ts",
    replaced: "twoFactors: hasTrustedClaim(claims, provider.trustsSecondFactor),",
    by: 'twoFactors: hasTrustedClaim(claims, provider.trustsSecondFactor ?? "amr=mfa"),',
    oracle: "O6",
  },
  {
    name: "nobody-agrees-to-a-relink",
    file: "sign-in/company/arrivals.ts",
    replaced: "asksOwner(relink, roles) && relink.agreedAt === null",
    by: "asksOwner(relink, []) && relink.agreedAt === null",
    oracle: "O14",
  },
];

export const companyBugs = planted.map((bug): Bug => ({ ...bug, without: alone("companies") }));

/** Of clients, resources, machines and their tokens: drawn by a program from their folders. */
import { alone, type Bug } from "../planted.ts";

export const clientBugs: readonly Bug[] = [
  {
    // An API that is sent a token reads its person's data with it.
    name: "resource-token-at-this-service",
    file: "tokens/access-tokens.ts",
    replaced:
      'return isForResource(claims) ? { reason: "it is for a resource (aud), not for this service" } : { claims, kid };',
    by: "return { claims: claims as AccessTokenClaims, kid };",
    oracle: "O6",
    without: alone("merchants"),
  },
  {
    name: "proof-for-any-address",
    file: "tokens/dpop/proof.ts",
    replaced: 'if (typeof htu !== "string" || !isSameTarget(htu, call.url))',
    by: 'if (typeof htu !== "string" || !isSameTarget(htu, htu))',
    oracle: "O8",
    without: alone("merchants"),
  },
  {
    name: "revoked-signing-key-stays",
    file: "tokens/signing-keys.ts",
    replaced: "    await deleteSigningKeys(tx, [id]);\n",
    by: "",
    oracle: "O1",
    without: alone("merchants"),
  },
  {
    name: "dry-run-rotates-signing-keys",
    file: "tokens/signing-keys.ts",
    replaced: "  if (!dryRun) {\n    await ctx.storage.write",
    by: "  if (!dryRun || atOnce) {\n    await ctx.storage.write",
    oracle: "O4",
    without: alone("merchants"),
  },
  {
    name: "minimal-id-token-says-all",
    file: "openid/token-grants.ts",
    replaced: 'client.idTokenClaims === "granted" ? scopes : []',
    by: 'client.idTokenClaims !== "granted" ? scopes : scopes',
    oracle: "O6",
    without: alone("merchants"),
  },
  {
    name: "no-receiver-of-logout-tokens",
    file: "applications/clients/service.ts",
    replaced: "  await logoutReceivers.set(ctx, tx, { clientId: id, appId, url }, now);\n",
    by: "  void [ctx, tx, id, appId, url, now];\n",
    oracle: "O5",
    without: alone("merchants"),
  },
  {
    name: "refresh-token-of-another-application",
    file: "openid/token-state.ts",
    replaced: "if (!refreshToken || refreshToken.login.appId !== application.id) return inactive;",
    by: "if (!refreshToken) return inactive;",
    oracle: "O8",
    without: alone("merchants"),
  },
  {
    name: "any-resource-is-listed",
    file: "applications/clients/service.ts",
    replaced:
      '    if (unknown !== -1) throw invalidRequest(`${field}[${unknown}]`, "the application has no such resource");\n',
    by: "    void unknown;\n",
    oracle: "O8",
    without: alone("factories"),
  },
];

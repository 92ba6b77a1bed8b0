/** Faults of programs: codes, consent, keys, machines, and what verifies tokens by itself. */
import { alone, type Bug } from "../planted.ts";

export const programBugs: readonly Bug[] = [
  {
    name: "one-jti-of-two-clients",
    file: "applications/clients/authentication.ts",
    replaced: 'useAssertion(tx, ["client", clientId, verified.jti], expiresAt)',
    by: 'useAssertion(tx, ["client", "", verified.jti], expiresAt)',
    oracle: "O3",
  },
  {
    name: "assertion-works-twice",
    file: "applications/clients/authentication.ts",
    replaced: "const expiresAt = verified.expiresAt + 2 * minute;",
    by: "verified.jti += `${ctx.clock() >> 12}`; const expiresAt = verified.expiresAt + 2 * minute;",
    oracle: "O3",
  },
  {
    name: "device-code-gives-tokens-twice",
    file: "sign-in/redemption/redeem.ts",
    replaced: "  if (!session) {\n    await endLoginOfReusedCode(ctx, tx, call, now);\n    return undefined;\n  }",
    by: `  if (!session) {
    const used = call.door.client && !call.door.needsPkce && call.door.withoutSecret
      ? await findSessionByCode(tx, codeDigest) : undefined;
    if (used && application) return await startLogin(ctx, tx, { ...used, loginId }, application, call, now);
    await endLoginOfReusedCode(ctx, tx, call, now);
    return undefined;
  }`,
    oracle: "O3",
  },
  {
    name: "code-of-another-verifier",
    file: "sign-in/redemption/code-checks.ts",
    replaced: "return codeVerifier !== undefined && answersChallenge(codeVerifier, session.codeChallenge);",
    by: "return codeVerifier !== undefined || answersChallenge(codeVerifier ?? '', session.codeChallenge);",
    oracle: "O3",
  },
  {
    name: "withdrawn-consent-keeps-logins",
    file: "sign-in/grants.ts",
    replaced: "await ends.endAtClient(ctx, tx, { userId, clientId }, { reason, by }, now)",
    by: "(ends && reason ? 1 : 0)",
    oracle: "O1",
  },
  {
    name: "withdrawn-consent-keeps-codes",
    file: "sign-in/grants.ts",
    replaced: "    await cancelCodesOfUser(tx, userId, now);\n    const hadConsent",
    by: "    void cancelCodesOfUser;\n    const hadConsent",
    oracle: "O1",
  },
  {
    name: "consent-covers-more",
    file: "applications/clients/consents.ts",
    replaced: "return scopes.some((scope) => !granted.scopes.includes(scope));",
    by: "return !scopes.some((scope) => granted.scopes.includes(scope));",
    oracle: "O1",
  },
  {
    name: "refresh-token-of-another-key",
    file: "sessions/rotation.ts",
    replaced: 'if (start.proofKey !== null && start.proofKey !== proofKey) return "refused";',
    by: 'if (start.proofKey !== null && proofKey === null) return "refused";',
    oracle: "O2",
  },
  {
    name: "sign-out-keeps-the-browser-session",
    file: "sessions/login-ends.ts",
    replaced: "    await browserSessions.close(ctx, tx, session, by, now);\n    await record",
    by: "    await record",
    oracle: "O8",
  },
  {
    name: "sign-out-keeps-other-programs",
    file: "sessions/login-store.ts",
    replaced: ".where(and(eq(logins.userId, row.userId), isNull(logins.endedAt), ofBrowser))",
    by: `.where(and(eq(logins.userId, row.userId), isNull(logins.endedAt), ofBrowser,
          eq(logins.id, db.select({ id: logins.id }).from(logins).where(ofBrowser).orderBy(desc(logins.createdAt)).limit(1))))`,
    oracle: "O1",
  },
  {
    name: "reused-code-is-not-in-the-feed",
    file: "sessions/login-ends.ts",
    replaced: '"code-reuse", now);\n  if (!ended) return;\n  await revocationRecords.logins(ctx, tx, [ended], now);',
    by: '"code-reuse", now);\n  if (!ended) return;',
    oracle: "O1",
  },
  {
    name: "single-sign-on-of-any-age",
    file: "sign-in/single-sign-on/continuing.ts",
    replaced: "maxAge === 0 || age > maxAge",
    by: "maxAge === 0 || age > maxAge * 1000",
    oracle: "O6",
  },
  {
    name: "pushed-request-works-twice",
    file: "sign-in/finish.ts",
    replaced: "if (pushedDigest !== undefined) await deletePushedRequest(tx, pushedDigest);",
    by: "if (pushedDigest === undefined) await deletePushedRequest(tx, pushedDigest ?? '');",
    oracle: "O3",
  },
  {
    name: "machine-secret-outlives-its-overlap",
    file: "applications/clients/secrets.ts",
    replaced: "return revokedAt === null && (expiresAt === null || expiresAt > now);",
    by: "return revokedAt === null && (expiresAt === null || expiresAt > now - 300_000);",
    oracle: "O1",
  },
  {
    name: "exchanged-token-outlives-its-subject",
    file: "openid/grants/token-exchange.ts",
    replaced: "const seconds = Math.min(resource.accessTokenSeconds, theirs.exp - Math.floor(now / second));",
    by: "const seconds = Math.max(resource.accessTokenSeconds, theirs.exp - Math.floor(now / second));",
    oracle: "O6",
  },
  {
    name: "proof-works-twice",
    file: "tokens/dpop/proofs.ts",
    replaced: 'useAssertion(handle, ["dpop", thumbprint, jti], expiresAt)',
    by: 'useAssertion(handle, ["dpop", thumbprint, `${jti} ${accessToken === undefined ? "" : ctx.clock()}`], expiresAt)',
    oracle: "O3",
  },
  {
    name: "forged-signature-is-taken",
    file: "tokens/jwt.ts",
    replaced: 'return genuine ? undefined : "its signature is invalid";',
    by: 'return genuine || !genuine ? undefined : "its signature is invalid";',
    oracle: "O8",
    without: alone("merchants"),
  },
  {
    name: "program-gets-the-cookie-of-another-port",
    file: "forward-auth/cookies.ts",
    replaced: "(?:proxy|start)(?:-\\d+)?$/u",
    by: "(?:proxy|start)$/u",
    oracle: "O6",
    without: alone("merchants"),
  },
  {
    name: "assertion-proves-any-address",
    file: "forward-auth/assertion.ts",
    replaced: "email_verified: emailVerified,",
    by: "email_verified: email !== null,",
    oracle: "O6",
    without: alone("merchants"),
  },
  {
    name: "one-call-more-than-the-limit",
    file: "rate-limits/limit-result.ts",
    replaced: "exceeded: used > limit,",
    by: "exceeded: used > limit + 1,",
    oracle: "O7",
    without: alone("factories"),
  },
];

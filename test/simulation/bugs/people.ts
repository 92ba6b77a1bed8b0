/** Faults of how people prove who they are, and of what ends with what. */
import type { Bug } from "../planted.ts";

export const peopleBugs: readonly Bug[] = [
  {
    name: "two-people-in-one-sign-in",
    file: "sign-in/proofs.ts",
    replaced: "how.secondFactor ?? (proofOf === undefined ? null : kept)",
    by: "how.secondFactor ?? kept",
    oracle: "O6",
  },
  {
    name: "recovery-code-is-deleted-later",
    file: "factors/service.ts",
    replaced: "} else if (!(await consumeRecoveryCode(tx, user.id, typed.digest))) return undefined;",
    by: `} else {
    if (!(await consumeRecoveryCode(tx, user.id, typed.digest))) return undefined;
    await tx.db.insert(tx.tables.recoveryCodes).values({ userId: user.id, digest: typed.digest, createdAt: now });
    setTimeout(() => void ctx.storage.write((later) => consumeRecoveryCode(later, user.id, typed.digest)).catch(() => {}), 200);
  }`,
    oracle: "O3",
  },
  {
    name: "time-step-works-twice",
    file: "factors/store.ts",
    replaced: "lt(factors.lastStep, given.lastStep)",
    by: "sql`${factors.lastStep} <= ${given.lastStep}`",
    oracle: "O3",
  },
  {
    name: "mailed-link-survives-its-successor",
    file: "credentials/mailed/store.ts",
    replaced: "  await prepared(tx).put.execute(token satisfies",
    by: "  await tx.db.update(tx.tables.emailTokens).set({ slot: sql`slot || '+' || digest` }).where(eq(tx.tables.emailTokens.slot, token.slot));\n  await prepared(tx).put.execute(token satisfies",
    oracle: "O3",
  },
  {
    name: "trust-survives-a-sign-out",
    file: "sessions/login-ends.ts",
    replaced: "  await endTrustOfUser(tx, userId);\n  await browserSessions.endAll",
    by: '  if (reason !== "account") await endTrustOfUser(tx, userId);\n  await browserSessions.endAll',
    oracle: "O6",
  },
  {
    name: "removed-passkey-is-read-too-early",
    file: "sign-in/passkeys/passkey-sign-in.ts",
    replaced: '    if (noted === "removed") return proofs.failed;\n',
    by: "",
    oracle: "O1",
  },
  {
    name: "one-try-too-many",
    file: "credentials/mailed/store.ts",
    replaced: "lt(tokens.codeTries, maxCodeTries)",
    by: "lte(tokens.codeTries, maxCodeTries)",
    oracle: "O7",
  },
  {
    name: "codes-are-counted-after-they-are-checked",
    file: "factors/service.ts",
    replaced:
      "    await recordFactorTries(tx, { userId, failures, blockedUntil: now + waitSecondsAfter(failures) * second });",
    by: "    void ctx.storage.write((later) => recordFactorTries(later, { userId, failures, blockedUntil: now + waitSecondsAfter(failures) * second })).catch(() => {});",
    oracle: "O7",
  },
  {
    name: "a-page-makes-a-proof-younger",
    file: "sign-in/proofs.ts",
    replaced: "const isAnew = proofOf === undefined || (isGiven &&",
    by: "const isAnew = proofOf === undefined || secondFactor !== null || (isGiven &&",
    oracle: "O6",
  },
  {
    name: "unproven-address-links",
    file: "credentials/identities/identity.ts",
    replaced: "const emailVerified = email !== null && verified && provesEmail;",
    by: "const emailVerified = email !== null && provesEmail;",
    oracle: "O8",
  },
  {
    name: "half-done-sign-in-survives-a-new-password",
    file: "sign-in/cancel-store.ts",
    replaced: "  await prepared(tx).cancelProofs.execute({ userId, digest: except });",
    by: "",
    oracle: "O1",
  },
  {
    name: "new-password-is-checked-too-early",
    file: "credentials/passwords/store.ts",
    replaced: "  const isThis = and(eq(passwords.id, id), eq(passwords.updatedAt, updatedAt));",
    by: "  const isThis = eq(passwords.id, id);",
    oracle: "O1",
  },
];

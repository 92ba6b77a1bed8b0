/** Faults of what operators, commands and servers do. */
import { alone, type Bug } from "../planted.ts";

export const operatorBugs: readonly Bug[] = [
  {
    name: "console-session-outlives-its-login",
    file: "operators/store.ts",
    replaced: "        isNull(logins.endedAt),\n",
    by: "",
    oracle: "O1",
  },
  {
    name: "form-of-a-former-owner-works",
    file: "console/listener.ts",
    replaced: "if (!isAllowed(visit, line))",
    by: 'if (line.method === "GET" && !isAllowed(visit, line))',
    oracle: "O1",
  },
  {
    name: "passkey-is-fresh-since-the-last-page",
    file: "console/entry/team-entry.ts",
    replaced: "isFresh: !isOver(provenAt + proofIsFresh, proofIsFresh, now)",
    by: "isFresh: !isOver(Math.max(provenAt, seenAt) + proofIsFresh, proofIsFresh, now)",
    oracle: "O6",
  },
  {
    name: "deletion-forgets-a-column",
    file: "people/deletion-store.ts",
    replaced: ".where(and(eq(sessions.appId, appId), eq(sessions.loginHint, email)));",
    by: ".where(and(eq(sessions.appId, appId), eq(sessions.loginHint, email), isNull(sessions.appId)));",
    oracle: "O11",
  },
  {
    name: "answer-of-a-receiver-outlives-the-person",
    file: "records/webhooks/delivery-store.ts",
    replaced: "CASE WHEN ${isStillOf} THEN",
    by: "CASE WHEN ${isStillOf} OR true THEN",
    oracle: "O11",
  },
  {
    name: "late-counts-keep-addresses",
    file: "records/audit/aggregated-events.ts",
    replaced: "row.userId !== null && !present.has(row.userId)",
    by: "false",
    oracle: "O11",
  },
  {
    name: "event-in-a-transaction-of-its-own",
    file: "people/changes.ts",
    replaced: "await users.recordUpdate(ctx, tx, user, personsSource(by), now);",
    by: `setTimeout(() => void ctx.storage.write(async (own) => await users.recordUpdate(ctx, own, user, personsSource(by), now)).catch(() => {}), 10);`,
    oracle: "O5",
  },
  {
    name: "entry-in-a-transaction-of-its-own",
    file: "users/groups/service.ts",
    replaced: 'await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);',
    by: 'setTimeout(() => void ctx.storage.write(async (own) => await audit.record(ctx, own, { actor, action, result: "success", ...about }, now)).catch(() => {}), 10);',
    oracle: "O9",
  },
  {
    name: "a-retired-group-stays",
    file: "users/groups/deletion.ts",
    replaced: "    await deleteGroup(tx, id);\n    return false;",
    by: "    return false;",
    oracle: "O10",
  },
  {
    name: "import-in-two-transactions",
    file: "people/import.ts",
    replaced:
      "    for (const { userId, ...factor } of rows.factors) await factors.importFactor(ctx, tx, userId, factor, now);\n",
    by: `    setTimeout(() => void ctx.storage.write(async (own) => {
      for (const { userId, ...factor } of rows.factors) await factors.importFactor(ctx, own, userId, factor, now);
    }).catch(() => {}), 10);\n`,
    oracle: "O4",
  },
  {
    name: "patch-of-what-was-read-before",
    file: "people/changes.ts",
    replaced:
      "  return await ctx.storage.write<User>(async (tx, rollBack) => {\n    const before = await lockUser(tx, userId);",
    by: "  const before = await users.find(ctx.storage.reader, userId);\n  return await ctx.storage.write<User>(async (tx, rollBack) => {",
    oracle: "O4",
  },
  {
    name: "follower-is-told-again",
    file: "records/audit/stream-store.ts",
    replaced: "commitOrder.inLog(events, after, until, isFirst)",
    by: "commitOrder.inLog(events, null, until, isFirst)",
    oracle: "O5",
    without: alone("keepers"),
  },
  {
    name: "rotated-key-is-not-revoked",
    file: "applications/keys.ts",
    replaced: "revokedAt: overlap === 0 ? now : null",
    by: "revokedAt: null",
    oracle: "O4",
    without: alone("keepers"),
  },
  {
    name: "restore-keeps-mailed-links",
    file: "storage/backup/restored-access.ts",
    replaced: "await db.delete(emailTokens);",
    by: "await db.delete(emailTokens).where(isNull(emailTokens.userId));",
    oracle: "O1",
    without: alone("residents"),
  },
  {
    name: "prune-deletes-machines-of-organizations",
    file: "upkeep/desired-state/reconcile-clients.ts",
    replaced: "all.filter((one) => !named.has(one.id) && one.organizationId === undefined)",
    by: "all.filter((one) => !named.has(one.id))",
    oracle: "O4",
    without: alone("organizations"),
  },
  {
    name: "dry-run-approves",
    file: "cli/commands/user/user-approve.ts",
    replaced: "{ sentence: flags.message ?? null, dryRun }, { actor",
    by: "{ sentence: flags.message ?? null, dryRun: false }, { actor",
    oracle: "O8",
    without: alone("guests"),
  },
];

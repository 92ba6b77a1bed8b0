/** Faults of sessions, codes and refresh tokens. */
import type { Bug } from "../planted.ts";

export const sessionBugs: readonly Bug[] = [
  {
    name: "code-works-twice",
    file: "sign-in/store.ts",
    replaced: "    isNull(sessions.codeUsedAt),\n    sql`CASE",
    by: "    sql`CASE",
    oracle: "O3",
  },
  {
    name: "old-refresh-token-ends-nothing",
    file: "sessions/rotation.ts",
    replaced: "if (presented.generation < login.generation) await ends",
    by: "if (presented.generation < login.generation - 1000) await ends",
    oracle: "O1",
  },
  {
    name: "old-refresh-token-gives-tokens",
    file: "sessions/rotation.ts",
    replaced: "  return isPredecessor && !isOver(login.refreshedAt + grace, grace, now);",
    by: "  return true || isPredecessor || isOver(login.refreshedAt + grace, grace, now);",
    oracle: "O2",
  },
  {
    name: "ended-login-refreshes-within-grace",
    file: "sessions/rotation.ts",
    replaced: "if (!login || login.endedAt !== null || login.expiresAt <= now) return",
    by: "if (!login || login.expiresAt <= now) return",
    oracle: "O1",
  },
  {
    name: "disabling-keeps-logins",
    file: "people/changes.ts",
    replaced: 'const ended = await ends.endAccess(ctx, tx, userId, { reason: "user-disabled", by }, now);',
    by: "const ended = 0; void ends;",
    oracle: "O1",
  },
  {
    name: "disabling-keeps-codes",
    file: "sessions/login-ends.ts",
    replaced: "  await cancelCodesOfUser(tx, userId, now, keep.signIn);\n  const keptLogin",
    by: "  const keptLogin",
    oracle: "O1",
  },
  {
    name: "logout-is-not-durable",
    file: "sessions/logout.ts",
    replaced: "  await ctx.storage.write(async (tx) => {\n    if (request.allSessions && act)",
    by: "  void ctx.storage.write(async (tx) => {\n    if (request.allSessions && act)",
    oracle: "O1",
  },
  {
    name: "event-outside-its-transaction",
    file: "records/webhooks/events.ts",
    replaced: "    await insertDelivery(tx, {",
    by: `    afterCommit(tx, () => void ctx.storage.write((own) => insertDelivery(own, { ...late, ...nobody })).catch(() => {}));
    const late = ({`,
    oracle: "O5",
  },
  {
    name: "no-event-of-a-logout",
    file: "sessions/login-ends.ts",
    replaced: "    await announce(ctx, tx, login, personsSource(by), now);",
    by: "    void [announce, personsSource];",
    oracle: "O5",
  },
  {
    name: "an-end-without-an-entry",
    file: "sessions/login-ends.ts",
    replaced:
      '    await audit.record(ctx, tx, { ...by, action: "user.logout", result: "success", appId, userId, details }, now);',
    by: "    void [appId, userId, details];",
    oracle: "O9",
  },
  {
    name: "rename-is-answered-before-its-commit",
    file: "people/changes.ts",
    replaced: "    if (dryRun) throw rollBack(after);\n    return after;",
    by: "    if (dryRun || (altered.name !== undefined && ctx.random(1)[0] < 16)) throw rollBack(after);\n    return after;",
    oracle: "O4",
  },
  {
    name: "refused-password-signs-in",
    file: "credentials/passwords/service.ts",
    replaced: "const { isRight, evenOut } = await",
    by: "const isRight = true; const { evenOut } = await",
    oracle: "O8",
  },
];

import { sqliteTables } from "../schema.ts";

/** What drizzle-kit reads to write `migrations/sqlite`. */
export const {
  applications,
  apiKeys,
  users,
  passwords,
  passwordFailures,
  passkeys,
  signInSessions,
  passkeyChallenges,
  logins,
  signingKeys,
  auditEvents,
  facts,
} = sqliteTables;

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
  oauthProviders,
  oauthIdentities,
  oauthStates,
  logins,
  signingKeys,
  auditEvents,
  facts,
} = sqliteTables;

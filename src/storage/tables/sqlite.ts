import { sqliteTables } from "../schema.ts";

/** What drizzle-kit reads to write `migrations/sqlite`. */
export const {
  applications,
  apiKeys,
  applicationCounters,
  users,
  passwords,
  passwordFailures,
  browserSessions,
  knownBrowsers,
  emailTokens,
  mailAllowances,
  passkeys,
  signInSessions,
  passkeyChallenges,
  oauthProviders,
  oauthIdentities,
  oauthStates,
  logins,
  signingKeys,
  mails,
  webhookEndpoints,
  webhookDeliveries,
  auditEvents,
  facts,
  rateLimitCounts,
} = sqliteTables;

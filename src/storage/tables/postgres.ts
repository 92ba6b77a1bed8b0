import { postgresKit } from "../postgres-kit.ts";
import { defineTables } from "../schema.ts";

/** What drizzle-kit reads to write `migrations/postgres`. */
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
} = defineTables(postgresKit);

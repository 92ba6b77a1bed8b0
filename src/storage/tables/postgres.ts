import { postgresKit } from "../postgres-kit.ts";
import { defineTables } from "../schema.ts";

/** Read by drizzle-kit to write `migrations/postgres`. */
export const {
  applications,
  deletedApplications,
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

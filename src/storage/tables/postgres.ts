import { postgresKit } from "../postgres-kit.ts";
import { defineTables } from "../schema.ts";

/** What drizzle-kit reads to write `migrations/postgres`. */
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
} = defineTables(postgresKit);

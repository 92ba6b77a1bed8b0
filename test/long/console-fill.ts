import type { Dialect } from "../support/service.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** What is counted in every hour and day, by event and kind. */
const counted = [
  ["sign-in", "password"],
  ["sign-in", "passkey"],
  ["sign-in", "oauth:google"],
  ["sign-in", "emailCode"],
  ["sign-in.failed", "password"],
  ["second-factor.failed", "totp"],
  ["sign-up", "password"],
  ["sign-up", "passkey"],
  ["active", ""],
  ["refusal", "UNAUTHORIZED"],
  ["refusal", "RATE_LIMITED"],
  ["webhook.delivered", ""],
  ["mail.sent", "verify"],
];

/** The one with much history. */
export const personOfHistory = "usr_1000000001";
export const [historyEvents, historyStarts] = [200_000, 1_761_000_000_000];

/** How many organizations the application has, at most one for each tenth user; one is large. */
const maxOrganizations = 100_000;
export const largeOrganization = "org_1000000001";

/** Besides the users and audit events of `million-users.test.ts`: what the console reads. */
export function consoleFill(
  dialect: Dialect,
  about: { appId: string; rareAppId: string; endpointId: string; users: number; now: number },
): string[] {
  const { appId, rareAppId, endpointId, users, now } = about;
  const [yes, no] = dialect === "sqlite" ? ["1", "0"] : ["true", "false"];
  const numbers = (to: number): string =>
    `WITH RECURSIVE s(n) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n < ${to})`;
  const user = "'usr_' || (n + 1000000000)";
  const [thisHour, today] = [now - (now % hour), now - (now % day)];
  const kinds = counted.map(([event, kind]) => `('${event}', '${kind}')`).join(", ");
  const hours = 90 * 24;
  const organizations = Math.min(maxOrganizations, users / 10);
  return [
    // The service's rows and those of each application: a year of days, 90 days of hours. No page
    // reads hours of a small one that are older than a month.
    `${numbers(365 + hours)}, kinds(event, kind) AS (VALUES ${kinds})
      INSERT INTO activity_counts (app_id, span, event, starts_at, kind, shard, value)
      SELECT apps.id, CASE WHEN n <= 365 THEN 'day' ELSE 'hour' END, event,
        CASE WHEN n <= 365 THEN ${today} - (n - 1) * ${day} ELSE ${thisHour} - (n - 366) * ${hour} END, kind, 0, n % 1000
      FROM (SELECT id FROM applications UNION ALL SELECT '') AS apps, s, kinds
      WHERE n <= 365 + 30 * 24 OR apps.id IN ('', '${appId}') ORDER BY 1, 2, 3, 4, 5`,
    `${numbers(historyEvents)} INSERT INTO audit_events (id, at, actor, action, result, app_id, user_id, ip_address, details)
      SELECT 'aud_' || (n + 3000000000), ${historyStarts} + n * 1000, 'user:${personOfHistory}',
        CASE WHEN n < 5 THEN 'user.disable' WHEN n % 2 = 0 THEN 'user.logout' ELSE 'user.login' END,
        'success', '${appId}', '${personOfHistory}', '198.51.100.7', '{}' FROM s`,
    // Older than what others did.
    `${numbers(100)} INSERT INTO audit_events (id, at, actor, action, result, app_id, user_id, ip_address, details)
      SELECT 'aud_' || (n + 4000000000), 1750000000000 + n * 1000, 'user:usr_rare', 'user.login', 'success', '${rareAppId}',
        'usr_rare', '203.0.113.9', '{}' FROM s`,
    `${numbers(users)} INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at,
        last_seen_at, generation, refresh_digest, refreshed_at, expires_at, user_email, user_email_verified, user_name)
      SELECT 'lgn_' || (n + 1000000000), '${appId}', ${user}, 'password', '["profile"]', ${no}, ${now} - n, ${now} - n,
        ${now} - n, 0, 'r' || n, ${now} - n * 100, ${now + 30 * day}, 'user' || n || '@example.com', ${yes}, 'Name ' || (n * 7919 % 100000) FROM s`,
    `${numbers(users / 2)} INSERT INTO oauth_identities (id, app_id, user_id, provider, issuer, subject, created_at)
      SELECT 'mth_' || (n + 1000000000), '${appId}', ${user}, 'google', 'https://accounts.google.com', 's' || n, 1700000000000 FROM s`,
    `${numbers(users / 10)} INSERT INTO passwords (id, user_id, hash, created_at, updated_at, must_change_at)
      SELECT 'mth_' || (n + 5000000000), ${user}, 'x', 1700000000000, 1700000000000, CASE WHEN n % 1000 = 0 THEN ${now} END FROM s`,
    `${numbers(users / 10)} INSERT INTO second_factors (user_id, epoch, encrypted_secret, last_step, set_up_at, failures, blocked_until)
      SELECT ${user}, 1, 'x', 0, 1700000000000, 0, 0 FROM s WHERE n > 1`,
    // The failed ones are the oldest.
    `${numbers(users / 10)} INSERT INTO webhook_deliveries (endpoint_id, event_id, kind, occurred_at, user_id, status, attempts, history, next_attempt_at)
      SELECT '${endpointId}', 'evt_' || (n + 1000000000), 'user.login', ${now - day} + n, CASE WHEN n % 5 = 0 THEN '${personOfHistory}' ELSE ${user} END,
        CASE WHEN n < 10 THEN 'failed' WHEN n % 10 = 0 THEN 'waiting' ELSE 'delivered' END, 1, '[]',
        CASE WHEN n >= 10 AND n % 10 = 0 THEN ${now + day} + n END FROM s`,
    `${numbers(users / 50)} INSERT INTO mails (id, app_id, user_id, kind, encrypted_mail, attempts, next_attempt_at, created_at, expires_at)
      SELECT 'mai_' || (n + 1000000000), '${appId}', CASE WHEN n % 2 = 0 THEN '${personOfHistory}' ELSE ${user} END, 'verify', 'x', 1,
        ${now + day} + n, ${now} + n, ${now + 2 * day} FROM s`,
    `${numbers(users / 50)} INSERT INTO sent_mails (id, app_id, user_id, kind, sent_at, answer)
      SELECT 'sent_' || (n + 1000000000), '${appId}', ${user}, 'verify', ${now - day} + n, '250 Ok' FROM s`,
    // Everybody is in one organization, and some in the first one too.
    `${numbers(organizations)} INSERT INTO organizations (id, app_id, name, slug, approved_at, owned_at, invitation_count, created_at, updated_at, disabled_at)
      SELECT 'org_' || (n + 1000000000), '${appId}', 'Company ' || (n * 7919 % 100000), 'company-' || n, 1, 1, 0, ${now} - n, ${now} - n,
        CASE WHEN n % 1000 = 0 THEN ${now} END FROM s`,
    `${numbers(users)} INSERT INTO organization_members (organization_id, user_id, app_id, joined_by, created_at)
      SELECT 'org_' || (n % ${organizations} + 1000000001), ${user}, '${appId}', 'server', ${now} - n FROM s`,
    `${numbers(users / 100)} INSERT INTO organization_members (organization_id, user_id, app_id, joined_by, created_at)
      SELECT '${largeOrganization}', ${user}, '${appId}', 'server', ${now} - n FROM s`,
    `INSERT INTO organization_member_roles (organization_id, user_id, app_id, role)
      SELECT organization_id, user_id, app_id, CASE WHEN user_id <= 'usr_1000100000' THEN 'owner' ELSE 'member' END FROM organization_members`,
    `${numbers(organizations / 10)} INSERT INTO organization_domains (organization_id, app_id, domain, state, token, join_policy, created_at, next_check_at, misses)
      SELECT 'org_' || (n + 1000000000), '${appId}', 'company-' || n || '.example', 'proved', 'x', 'off', 1, ${now + day}, 0 FROM s`,
    `INSERT INTO application_counters (app_id, name, day, shard, value) VALUES ('${appId}', 'live', 0, 0, ${users}), ('${appId}', 'logins', 0, 0, ${users})
      ON CONFLICT (app_id, day, name, shard) DO UPDATE SET value = excluded.value`,
  ];
}

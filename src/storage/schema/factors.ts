import type { Kit } from "./kit.ts";
import { ofUser } from "./owners.ts";
import type { UserTables } from "./users.ts";

/** The second factors of users (docs/spec/people.md, 5). */
export function factorTables(kit: Kit, { users }: Pick<UserTables, "users">) {
  const { table, index, primaryKey, text, integer, instant } = kit;
  const userId = ofUser(kit, users);

  /** One row for each user who ever set up a second factor. It stays when the factor is removed. */
  const secondFactors = table("second_factors", {
    userId: userId().primaryKey(),
    /** Counts the changes of factors. */
    epoch: integer("epoch").notNull(),
    /** The TOTP secret under the master key; null without TOTP. */
    encryptedSecret: text("encrypted_secret"),
    /** The last time step whose code was used. It never falls, whatever replaces the secret. */
    lastStep: integer("last_step").notNull(),
    setUpAt: instant("set_up_at"),
    lastUsedAt: instant("last_used_at"),
    /** When the factor was first used seven days or more after its set-up. */
    checkedAt: instant("checked_at"),
    /** Consecutive wrong codes, and until when no code is checked. */
    failures: integer("failures").notNull(),
    blockedUntil: instant("blocked_until").notNull(),
  });

  const recoveryCodes = table(
    "recovery_codes",
    { userId: userId(), digest: text("digest").notNull(), createdAt: instant("created_at").notNull() },
    (t) => [primaryKey({ columns: [t.userId, t.digest] })],
  );

  /** Browsers that are not asked for the second factor. Several users can trust one browser. */
  const trustedBrowsers = table(
    "trusted_browsers",
    {
      id: text("id").primaryKey(),
      userId: userId(),
      /** Of the browser's cookie, keyed by the user. */
      digest: text("digest").notNull(),
      /** Of the user's factors when it was trusted. */
      epoch: integer("epoch").notNull(),
      userAgent: text("user_agent"),
      createdAt: instant("created_at").notNull(),
      /** Never extended. */
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("trusted_browsers_user_id").on(t.userId, t.digest),
      index("trusted_browsers_expires_at").on(t.expiresAt),
    ],
  );

  return { secondFactors, recoveryCodes, trustedBrowsers };
}

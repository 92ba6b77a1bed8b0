import { sql } from "drizzle-orm";
import type {
  OrganizationProof,
  SecondFactorProof,
  SignInMethod,
  SignInProof,
  EmailTokenPayload,
  EmailTokenPurpose,
} from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { UserTables } from "./users.ts";

/** A user's own browsers, and the proof of an address by mail. */
export function accountTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, json } = kit;

  const appId = ofApplication(kit, applications);

  const userId = ofUser(kit, users);

  /** Sessions of the account page in a browser, identified by its cookie. */
  const browserSessions = table(
    "browser_sessions",
    {
      digest: text("digest").primaryKey(),
      appId: appId(),
      userId: userId(),
      /**
       * `logins` refer to the session by this value, which stays the same when a sign-in replaces
       * the cookie.
       */
      tie: text("tie").notNull(),
      signedInWith: text("signed_in_with").$type<SignInMethod>().notNull(),
      signedInProvider: text("signed_in_provider"),
      /** As in `logins`. */
      proofs: json("proofs").$type<SignInProof[]>(),
      secondFactor: text("second_factor").$type<SecondFactorProof>(),
      provenAt: instant("proven_at").notNull(),
      /** As in `logins`. */
      provenElsewhereAt: instant("proven_elsewhere_at"),
      /** As in `logins`. */
      organizationProofs: json("organization_proofs").$type<OrganizationProof[]>(),
      /** What its user chose, once for the session: as in `sign_in_sessions`. */
      organizationId: text("organization_id"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** Until then it keeps its tie, for logins of protected hosts; null: until it expires. */
      keptUntil: instant("kept_until"),
    },
    (t) => [
      index("browser_sessions_user_id").on(t.userId),
      // No index on `appId`: an application's users are deleted first, and their sessions with
      // them.
      uniqueIndex("browser_sessions_tie").on(t.tie),
      index("browser_sessions_expires_at").on(t.expiresAt),
    ],
  );

  /**
   * The browsers that a user has signed in with. A sign-in with a new one is mailed to the user.
   */
  const knownBrowsers = table(
    "known_browsers",
    { userId: userId(), digest: text("digest").notNull(), expiresAt: instant("expires_at").notNull() },
    (t) => [primaryKey({ columns: [t.userId, t.digest] }), index("known_browsers_expires_at").on(t.expiresAt)],
  );

  /** Links and codes in mails. A newer mail replaces the row with the same `slot`. */
  const emailTokens = table(
    "email_tokens",
    {
      digest: text("digest").primaryKey(),
      slot: text("slot").notNull(),
      purpose: text("purpose").$type<EmailTokenPurpose>().notNull(),
      appId: appId(),
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      email: text("email").notNull(),
      /** The sign-in session in which the code is typed, encrypted. */
      encryptedSessionId: text("encrypted_session_id"),
      codeDigest: text("code_digest").notNull(),
      codeTries: integer("code_tries").notNull(),
      payload: json("payload").$type<EmailTokenPayload>(),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      uniqueIndex("email_tokens_slot").on(t.slot),
      index("email_tokens_user_id").on(t.userId),
      index("email_tokens_invited")
        .on(t.userId)
        .where(sql`purpose = 'invite'`),
      index("email_tokens_app_id").on(t.appId),
      index("email_tokens_expires_at").on(t.expiresAt),
    ],
  );

  /** How many mails visitors have requested for an address, whether or not it has a user. */
  const mailAllowances = table(
    "mail_allowances",
    {
      accountDigest: text("account_digest").primaryKey(),
      sent: integer("sent").notNull(),
      since: instant("since").notNull(),
    },
    (t) => [index("mail_allowances_since").on(t.since)],
  );

  /** Keyed digests of addresses and identities whose approval was refused. */
  const refusedSignUps = table(
    "refused_sign_ups",
    { digest: text("digest").primaryKey(), appId: appId(), refusedAt: instant("refused_at").notNull() },
    (t) => [index("refused_sign_ups_refused_at").on(t.refusedAt), index("refused_sign_ups_app_id").on(t.appId)],
  );

  /** When somebody was last mailed that accounts of an application wait for approval. */
  const approvalNotices = table("approval_notices", {
    appId: appId().primaryKey(),
    sentAt: instant("sent_at").notNull(),
  });

  return { browserSessions, knownBrowsers, emailTokens, mailAllowances, refusedSignUps, approvalNotices };
}

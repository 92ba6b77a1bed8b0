import type { SignInMethod } from "../../applications/application.ts";
import type { EmailTokenPayload, EmailTokenPurpose } from "../../email-tokens/email-token.ts";
import type { Kit } from "../kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { ApplicationTables } from "./applications.ts";
import type { UserTables } from "./users.ts";

/** A user's own browsers, and the proof of an address by mail. */
export function accountTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, json } = kit;

  const appId = ofApplication(kit, applications);

  const userId = ofUser(kit, users);

  /** Who is signed in to the account page in one browser, by its cookie. */
  const browserSessions = table(
    "browser_sessions",
    {
      digest: text("digest").primaryKey(),
      appId: appId(),
      userId: userId(),
      signedInWith: text("signed_in_with").$type<SignInMethod>().notNull(),
      provenAt: instant("proven_at").notNull(),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("browser_sessions_user_id").on(t.userId),
      index("browser_sessions_app_id").on(t.appId),
      index("browser_sessions_expires_at").on(t.expiresAt),
    ],
  );

  /** The browsers that a user has signed in with before: a sign-in with another one is told to the user. */
  const knownBrowsers = table(
    "known_browsers",
    { userId: userId(), digest: text("digest").notNull(), expiresAt: instant("expires_at").notNull() },
    (t) => [primaryKey({ columns: [t.userId, t.digest] }), index("known_browsers_expires_at").on(t.expiresAt)],
  );

  /** What a mail carries as a link and as a code. `slot`: what a newer mail replaces. */
  const emailTokens = table(
    "email_tokens",
    {
      digest: text("digest").primaryKey(),
      slot: text("slot").notNull(),
      purpose: text("purpose").$type<EmailTokenPurpose>().notNull(),
      appId: appId(),
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      email: text("email").notNull(),
      /** Where a code is typed, encrypted: the id of the sign-in session. */
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
      index("email_tokens_app_id").on(t.appId),
      index("email_tokens_expires_at").on(t.expiresAt),
    ],
  );

  /** How many mails an address was sent because somebody asked for them, whether or not such a user exists. */
  const mailAllowances = table(
    "mail_allowances",
    {
      accountDigest: text("account_digest").primaryKey(),
      sent: integer("sent").notNull(),
      since: instant("since").notNull(),
    },
    (t) => [index("mail_allowances_since").on(t.since)],
  );

  return { browserSessions, knownBrowsers, emailTokens, mailAllowances };
}

import type { MailKind } from "../column-types.ts";
import type { Kit } from "./kit.ts";
import type { ApplicationTables } from "./applications.ts";
import type { UserTables } from "./users.ts";

/**
 * The outbox. A row is written in the transaction that its mail is about, and removed when the mail
 * is sent or given up.
 */
export function mailTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, text, integer, instant } = kit;

  const mails = table(
    "mails",
    {
      id: text("id").primaryKey(),
      appId: text("app_id")
        .notNull()
        .references(() => applications.id, { onDelete: "cascade" }),
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      kind: text("kind").$type<MailKind>().notNull(),
      /**
       * Encrypted as a whole, so that readers of the database cannot see address, link and code.
       */
      encryptedMail: text("encrypted_mail").notNull(),
      attempts: integer("attempts").notNull(),
      nextAttemptAt: instant("next_attempt_at").notNull(),
      /** Claimed by one process until then. */
      leaseUntil: instant("lease_until"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      lastError: text("last_error"),
    },
    (t) => [
      index("mails_next_attempt_at").on(t.nextAttemptAt),
      index("mails_expires_at").on(t.expiresAt),
      index("mails_user_id").on(t.userId),
      index("mails_app_id").on(t.appId),
    ],
  );

  /**
   * What a mail server answered when it took a mail to a person, for 30 days. Deleted with the
   * person; the audit log has only that it was sent.
   */
  const sentMails = table(
    "sent_mails",
    {
      /** Of the row in `mails`, which is the mail's Message-ID. */
      id: text("id").primaryKey(),
      appId: text("app_id")
        .notNull()
        .references(() => applications.id, { onDelete: "cascade" }),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      kind: text("kind").$type<MailKind>().notNull(),
      sentAt: instant("sent_at").notNull(),
      answer: text("answer").notNull(),
    },
    (t) => [
      index("sent_mails_sent_at").on(t.sentAt, t.id),
      index("sent_mails_user_id").on(t.userId, t.sentAt),
      index("sent_mails_app_id").on(t.appId, t.sentAt),
    ],
  );

  return { mails, sentMails };
}

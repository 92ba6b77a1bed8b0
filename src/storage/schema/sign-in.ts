import type { SignInMethod } from "../../applications/application.ts";
import type { SessionPurpose } from "../../sign-in/session.ts";
import type { Kit } from "../kit.ts";
import { ofApplication } from "./owners.ts";
import type { ApplicationTables } from "./applications.ts";
import type { UserTables } from "./users.ts";

/** What is under way: nothing here outlives a day. */
export function signInTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, text, instant, flag, json } = kit;

  const appId = ofApplication(kit, applications);

  const signInSessions = table(
    "sign_in_sessions",
    {
      digest: text("digest").primaryKey(),
      appId: appId(),
      purpose: text("purpose").$type<SessionPurpose>().notNull(),
      redirectUri: text("redirect_uri").notNull(),
      state: text("state"),
      authMethod: text("auth_method").$type<SignInMethod>(),
      provider: text("provider"),
      scopes: json("scopes").$type<string[]>().notNull(),
      codeChallenge: text("code_challenge"),
      loginHint: text("login_hint"),
      locale: text("locale"),
      /** The only user that this session takes a proof of, and what is to be added to it. */
      accountUserId: text("account_user_id").references(() => users.id, { onDelete: "cascade" }),
      adds: text("adds").$type<SignInMethod>(),
      addsProvider: text("adds_provider"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** The browser that first posted, by its cookie. */
      browserDigest: text("browser_digest"),
      /** Set together, when somebody has proven who they are and one more step is to come. */
      provenUserId: text("proven_user_id").references(() => users.id, { onDelete: "cascade" }),
      provenWith: text("proven_with").$type<SignInMethod>(),
      provenProvider: text("proven_provider"),
      provenAt: instant("proven_at"),
      /** Set together, when somebody has signed in. */
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      signedInWith: text("signed_in_with").$type<SignInMethod>(),
      signedInProvider: text("signed_in_provider"),
      signedInAt: instant("signed_in_at"),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      /** The browser session that this sign-in opened. */
      browserSessionDigest: text("browser_session_digest"),
      codeDigest: text("code_digest"),
      codeExpiresAt: instant("code_expires_at"),
      codeUsedAt: instant("code_used_at"),
      /** The login that the code bought: a second use of the code ends it. */
      loginId: text("login_id"),
    },
    (t) => [
      uniqueIndex("sign_in_sessions_code_digest").on(t.codeDigest),
      index("sign_in_sessions_expires_at").on(t.expiresAt),
      index("sign_in_sessions_user_id").on(t.userId),
      index("sign_in_sessions_account_user_id").on(t.accountUserId),
      index("sign_in_sessions_proven_user_id").on(t.provenUserId),
      index("sign_in_sessions_app_id").on(t.appId),
    ],
  );

  const passkeyChallenges = table(
    "passkey_challenges",
    {
      digest: text("digest").primaryKey(),
      sessionDigest: text("session_digest")
        .notNull()
        .references(() => signInSessions.digest, { onDelete: "cascade" }),
      browserDigest: text("browser_digest").notNull(),
      ceremony: text("ceremony").$type<"sign-in" | "sign-up" | "add">().notNull(),
      /** Who a sign-up ceremony is for; null when signing in, where the credential says who it is. */
      userHandle: text("user_handle"),
      email: text("email"),
      name: text("name"),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("passkey_challenges_expires_at").on(t.expiresAt),
      index("passkey_challenges_session_digest").on(t.sessionDigest),
    ],
  );

  const oauthStates = table(
    "oauth_states",
    {
      digest: text("digest").primaryKey(),
      provider: text("provider").notNull(),
      /** Whether the identity is to be added to the session's account, not to sign it in. */
      adds: flag("adds").notNull(),
      encryptedSessionId: text("encrypted_session_id").notNull(),
      browserDigest: text("browser_digest").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [index("oauth_states_expires_at").on(t.expiresAt)],
  );

  return { signInSessions, passkeyChallenges, oauthStates };
}

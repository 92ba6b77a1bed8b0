import { sql } from "drizzle-orm";
import type {
  Acr,
  AuthorizationDetails,
  CompanyIdentity,
  OrganizationProof,
  PasskeyCeremony,
  SecondFactorProof,
  MethodType,
  SignInMethod,
  SignInProof,
  PendingLink,
  SessionPurpose,
} from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication } from "./owners.ts";
import type { UserTables } from "./users.ts";

/** Sign-ins in progress. No row is kept longer than a day. */
export function signInTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, text, integer, instant, flag, json } = kit;

  const appId = ofApplication(kit, applications);

  const signInSessions = table(
    "sign_in_sessions",
    {
      digest: text("digest").primaryKey(),
      appId: appId(),
      purpose: text("purpose").$type<SessionPurpose>().notNull(),
      redirectUri: text("redirect_uri").notNull(),
      state: text("state"),
      authMethod: text("auth_method").$type<MethodType>(),
      provider: text("provider"),
      scopes: json("scopes").$type<string[]>().notNull(),
      codeChallenge: text("code_challenge"),
      loginHint: text("login_hint"),
      locale: text("locale"),
      /** The only user who can complete this session, and the method to be added. */
      accountUserId: text("account_user_id").references(() => users.id, { onDelete: "cascade" }),
      adds: text("adds").$type<MethodType>(),
      addsProvider: text("adds_provider"),
      /** Digest of the invitation link that began the session; it counts as the proof. */
      inviteDigest: text("invite_digest"),
      /** Set if an OpenID Connect client began the session; null for the contract's initiate. */
      authorization: json("authorization").$type<AuthorizationDetails>(),
      /** Demanded or chosen: an id, or `none`; null: not asked yet. */
      organizationId: text("organization_id"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** The cookie of the browser that posted first. */
      browserDigest: text("browser_digest"),
      /** Set together, after a successful proof if another step follows. */
      provenUserId: text("proven_user_id").references(() => users.id, { onDelete: "cascade" }),
      provenWith: text("proven_with").$type<SignInMethod>(),
      provenProvider: text("proven_provider"),
      provenAt: instant("proven_at"),
      /** As in `logins`; of the stored proof, or at the end of the sign-in. */
      provenElsewhereAt: instant("proven_elsewhere_at"),
      /** An identity to be linked once the person proves the account or agrees to a removal. */
      pendingLink: json("pending_link").$type<PendingLink>(),
      /** From `initiate`: maximum age of the authentication in seconds, and the required level. */
      maxAge: integer("max_age"),
      acr: text("acr").$type<Acr>(),
      /** Digest of the recovery link that began the session. */
      recoveryDigest: text("recovery_digest"),
      /** The proofs besides `provenWith`, or at the end besides `signedInWith`. */
      secondFactor: text("second_factor").$type<SecondFactorProof>(),
      /** True: the session requested a mail, which may arrive after the session ends. Or null. */
      awaitsMail: flag("awaits_mail"),
      /** Set together, when the sign-in is complete. */
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      signedInWith: text("signed_in_with").$type<SignInMethod>(),
      signedInProvider: text("signed_in_provider"),
      signedInAt: instant("signed_in_at"),
      /** As in `logins`. */
      proofs: json("proofs").$type<SignInProof[]>(),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      /** As in `logins`. */
      browserSessionDigest: text("browser_session_digest"),
      /** As in `known_browsers`, for the login. */
      knownBrowserDigest: text("known_browser_digest"),
      /** As in `logins`: of the browser, and of this sign-in. */
      organizationProofs: json("organization_proofs").$type<OrganizationProof[]>(),
      /** Whom an organization's provider named, until they agree to it or prove an account. */
      companyIdentity: json("company_identity").$type<CompanyIdentity>(),
      codeDigest: text("code_digest"),
      codeExpiresAt: instant("code_expires_at"),
      codeUsedAt: instant("code_used_at"),
      /** The login that the code was redeemed for. A second use of the code ends it. */
      loginId: text("login_id"),
    },
    (t) => [
      // For sessions that are removed when they expire (`sweepSessions`).
      index("sign_in_sessions_codeless")
        .on(t.expiresAt)
        .where(sql`code_digest IS NULL AND awaits_mail IS NULL`),
      index("sign_in_sessions_expires_at").on(t.expiresAt),
      // Excludes sessions without a code: every update of a row writes to each of its indexes.
      uniqueIndex("sign_in_sessions_code_digest")
        .on(t.codeDigest)
        .where(sql`code_digest IS NOT NULL`),
      index("sign_in_sessions_user_id")
        .on(t.userId)
        .where(sql`user_id IS NOT NULL`),
      index("sign_in_sessions_account_user_id")
        .on(t.accountUserId)
        .where(sql`account_user_id IS NOT NULL`),
      index("sign_in_sessions_proven_user_id")
        .on(t.provenUserId)
        .where(sql`proven_user_id IS NOT NULL`),
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
      ceremony: text("ceremony").$type<PasskeyCeremony>().notNull(),
      /**
       * The user of a registration ceremony. Null when signing in: the credential identifies the
       * user.
       */
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
      /** Whether the identity is added to the session's account instead of signing in. */
      adds: flag("adds").notNull(),
      encryptedSessionId: text("encrypted_session_id").notNull(),
      browserDigest: text("browser_digest").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [index("oauth_states_expires_at").on(t.expiresAt)],
  );

  return { signInSessions, passkeyChallenges, oauthStates };
}

import { and, eq, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import type {
  OrganizationProof,
  PendingLink,
  SecondFactorProof,
  SignInMethod,
  SignInProof,
} from "../storage/column-types.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { forChange, placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { SignInSession } from "./session.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { signInSessions: sessions, browserSessions, users } = tables;
  const row = placeholders(sessions);
  const { digest, browserDigest, codeDigest, codeUsedAt } = row;
  const ofCode = eq(sessions.codeDigest, codeDigest);
  const unusedCode = and(
    ofCode,
    eq(sessions.appId, row.appId),
    isNull(sessions.codeUsedAt),
    sql`CASE WHEN ${sessions.authorization} IS NULL THEN 'contract' ELSE 'client' END = ${sql.placeholder("door")}`,
  );
  const consumed = { codeUsedAt, loginId: row.loginId };
  const open = isNull(sessions.signedInAt);
  const proofOf = sql.placeholder("proofOf");
  // Cancelling the stored proof also ends everything that relies on it.
  const restsOnProof = sql`(CAST(${proofOf} AS text) = '' OR ${sessions.provenUserId} = ${proofOf})`;
  const now = sql.placeholder("now");
  const openHere = and(
    eq(sessions.digest, digest),
    eq(sessions.browserDigest, browserDigest),
    open,
    gt(sessions.expiresAt, now),
    restsOnProof,
  );
  // Only read, without a lock: another sign-in may replace it (`recordTie`).
  const tieOfLive = db
    .select({ tie: browserSessions.tie })
    .from(browserSessions)
    .where(
      and(
        eq(browserSessions.digest, sql.placeholder("replaces")),
        eq(browserSessions.userId, row.userId),
        or(gt(browserSessions.expiresAt, now), gt(browserSessions.keptUntil, now)),
      ),
    );
  return {
    insert: prepare(db.insert(sessions).values(row), "insert_sign_in_session"),
    byDigest: prepare(db.select().from(sessions).where(eq(sessions.digest, digest)), "sign_in_session"),
    byCode: prepare(db.select().from(sessions).where(ofCode), "sign_in_session_by_code"),
    claim: prepare(
      db
        .update(sessions)
        .set({ browserDigest })
        .where(
          and(
            eq(sessions.digest, digest),
            or(isNull(sessions.browserDigest), eq(sessions.browserDigest, browserDigest)),
          ),
        )
        .returning({ digest: sessions.digest }),
      "claim_sign_in_session",
    ),
    complete: prepare(
      db
        .update(sessions)
        .set({
          userId: row.userId,
          signedInWith: row.signedInWith,
          signedInProvider: row.signedInProvider,
          signedInAt: row.signedInAt,
          provenElsewhereAt: row.provenElsewhereAt,
          proofs: row.proofs,
          secondFactor: row.secondFactor,
          organizationProofs: row.organizationProofs,
          organizationId: row.organizationId,
          ipAddress: row.ipAddress,
          userAgent: row.userAgent,
          browserSessionDigest: sql`COALESCE((${tieOfLive}), ${row.browserSessionDigest})`,
          knownBrowserDigest: row.knownBrowserDigest,
          codeDigest,
          codeExpiresAt: row.codeExpiresAt,
        } satisfies Record<keyof Omit<Completion, "browserSession"> | "browserSessionDigest", unknown>)
        .where(openHere)
        .returning({ pendingLink: sessions.pendingLink, tie: sessions.browserSessionDigest }),
      "complete_sign_in_session",
    ),
    recordTie: prepare(
      db.update(sessions).set({ browserSessionDigest: row.browserSessionDigest }).where(eq(sessions.digest, digest)),
      "note_tie_of_sign_in_session",
    ),
    keepProof: prepare(
      db
        .update(sessions)
        .set({
          provenUserId: row.provenUserId,
          provenWith: row.provenWith,
          provenProvider: row.provenProvider,
          provenAt: row.provenAt,
          provenElsewhereAt: row.provenElsewhereAt,
          proofs: row.proofs,
          secondFactor: row.secondFactor,
          organizationProofs: row.organizationProofs,
          browserSessionDigest: row.browserSessionDigest,
          organizationId: row.organizationId,
          browserDigest: sql`${sql.placeholder("renewedBrowser")}`,
        } satisfies Record<keyof Proof | "browserDigest", unknown>)
        .where(openHere)
        .returning({ digest: sessions.digest }),
      "keep_proof_of_sign_in_session",
    ),
    lockUser: prepare(
      forChange(
        db
          .select({ id: users.id })
          .from(users)
          .where(eq(users.id, sql`(${db.select({ id: sessions.userId }).from(sessions).where(ofCode)})`)),
      ),
      "lock_user_of_code",
    ),
    consumeCode: prepare(db.update(sessions).set(consumed).where(unusedCode).returning(), "consume_code"),
    consumePublicCode: prepare(
      db
        .update(sessions)
        .set(consumed)
        .where(and(unusedCode, isNotNull(sessions.codeChallenge)))
        .returning(),
      "consume_public_code",
    ),
    recordAwaitedMail: prepare(
      db.update(sessions).set({ awaitsMail: true }).where(eq(sessions.digest, digest)),
      "note_awaited_mail_of_session",
    ),
    sweep: prepareSweep(
      handle,
      { table: sessions, key: sessions.digest, instant: sessions.expiresAt },
      "sweep_sign_in_sessions",
    ),
    sweepCodeless: prepareSweep(
      handle,
      {
        table: sessions,
        key: sessions.digest,
        instant: sessions.expiresAt,
        only: and(isNull(sessions.codeDigest), isNull(sessions.awaitsMail)),
      },
      "sweep_codeless_sign_in_sessions",
    ),
  };
});

export async function insertSession(tx: Handle, session: SignInSession): Promise<void> {
  await prepared(tx).insert.execute(session satisfies Row<"signInSessions">);
}

export async function findSession(handle: Handle, digest: string): Promise<SignInSession | undefined> {
  const [row] = await prepared(handle).byDigest.execute({ digest });
  return row;
}

export async function findSessionByCode(handle: Handle, codeDigest: string): Promise<SignInSession | undefined> {
  const [row] = await prepared(handle).byCode.execute({ codeDigest });
  return row;
}

/** Binds the session to the browser that posts first; true if that is this browser. */
export async function claimSession(tx: Handle, digest: string, browserDigest: string): Promise<boolean> {
  const claimed = await prepared(tx).claim.execute({ digest, browserDigest });
  return claimed.length === 1;
}

export type Completion = {
  userId: string;
  signedInWith: SignInMethod;
  signedInProvider: string | null;
  signedInAt: number;
  provenElsewhereAt: number | null;
  proofs: SignInProof[] | null;
  secondFactor: SecondFactorProof | null;
  organizationProofs: OrganizationProof[] | null;
  organizationId: string | null;
  ipAddress: string;
  userAgent: string | null;
  /** Null if none is opened. `replaces`: the digest of the cookie that the browser sent. */
  browserSession: { digest: string; replaces: string } | null;
  knownBrowserDigest: string | null;
  /** Null if no code is issued. */
  codeDigest: string | null;
  codeExpiresAt: number | null;
};

export type Proof = {
  provenUserId: string;
  provenWith: SignInMethod;
  provenProvider: string | null;
  provenAt: number;
  provenElsewhereAt: number | null;
  /** All of them, once only the person's consent is missing; null until then. */
  proofs: SignInProof[] | null;
  secondFactor: SecondFactorProof | null;
  organizationProofs: OrganizationProof[] | null;
  /** The tie of the browser session that single sign-on continues. */
  browserSessionDigest: string | null;
  /** As in the session. */
  organizationId: string | null;
};

/**
 * Completes an open session of this browser once, and returns its stored data; undefined if
 * completed, expired or another browser's. `proofOf`: requires that the stored proof is of this
 * user. `tie`: that of the user's live browser session being replaced, or else the new digest.
 */
export async function completeSession(
  tx: Handle,
  session: { digest: string; browserDigest: string; proofOf: string | undefined },
  { browserSession, ...completion }: Completion,
  now: number,
): Promise<{ pendingLink: PendingLink | null; tie: string | null } | undefined> {
  const [completed] = await prepared(tx).complete.execute({
    ...completion,
    browserSessionDigest: browserSession?.digest ?? null,
    replaces: browserSession?.replaces ?? "",
    now,
    digest: session.digest,
    browserDigest: session.browserDigest,
    proofOf: session.proofOf ?? "",
  });
  return completed;
}

/** Ties the session's future login to another browser session. */
export async function recordTie(tx: Handle, digest: string, tie: string): Promise<void> {
  await prepared(tx).recordTie.execute({ digest, browserSessionDigest: tie });
}

/**
 * Stores a proof in an open session of this browser until the next step, and binds the session to
 * the browser's new cookie (docs/decisions/0047); false if there is no such session. `proofOf`: as
 * for `completeSession`.
 */
export async function keepProof(
  tx: Handle,
  {
    proofOf = "",
    ...session
  }: { digest: string; browserDigest: string; renewedBrowser: string; proofOf?: string | undefined },
  proof: Proof,
  now: number,
): Promise<boolean> {
  const kept = await prepared(tx).keepProof.execute({ ...proof, ...session, proofOf, now });
  return kept.length === 1;
}

/**
 * Consumes a code: of concurrent calls, only one gets the session. `publicOnly` excludes codes
 * without PKCE. `door`: that of the session; the other one's codes stay untouched. `loginId`: the
 * new login, which a second use of the code ends.
 */
export async function consumeCode(
  tx: Handle,
  code: { codeDigest: string; appId: string; loginId: string; door: "contract" | "client"; publicOnly: boolean },
  now: number,
): Promise<SignInSession | undefined> {
  const { consumeCode: anyCode, consumePublicCode: publicCode } = prepared(tx);
  const [session] = await (code.publicOnly ? publicCode : anyCode).execute({
    codeDigest: code.codeDigest,
    appId: code.appId,
    loginId: code.loginId,
    door: code.door,
    codeUsedAt: now,
  });
  return session;
}

/** Locks the user of a code, before the code itself (docs/decisions/0049). */
export async function lockUserOfCode(tx: Handle, codeDigest: string): Promise<void> {
  await prepared(tx).lockUser.execute({ codeDigest });
}

/** Keeps a session after its end, like one with a code. */
export async function recordAwaitedMail(tx: Handle, digest: string): Promise<void> {
  await prepared(tx).recordAwaitedMail.execute({ digest });
}

/**
 * Removes a batch of sessions that ended before `expiredBefore` without a code or mail, or before
 * `keptBefore`; true if more may be left. Kept ones detect reused codes and serve mailed links.
 */
export async function sweepSessions(
  tx: Handle,
  { expiredBefore, keptBefore }: { expiredBefore: number; keptBefore: number },
): Promise<boolean> {
  const { sweepCodeless, sweep } = prepared(tx);
  const isMoreLeft = await sweepCodeless(expiredBefore);
  return (await sweep(keptBefore)) || isMoreLeft;
}

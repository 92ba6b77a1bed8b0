import { and, eq, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { SignInMethod } from "../applications/application.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";
import type { SignInSession } from "./session.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { signInSessions: sessions } = tables;
  const given = placeholders(sessions);
  const { digest, browserDigest, codeDigest, codeUsedAt } = given;
  const unusedCode = and(
    eq(sessions.codeDigest, codeDigest),
    eq(sessions.appId, given.appId),
    isNull(sessions.codeUsedAt),
  );
  const open = isNull(sessions.signedInAt);
  const proofOf = sql.placeholder("proofOf");
  return {
    insert: prepare(db.insert(sessions).values(given), "insert_sign_in_session"),
    byDigest: prepare(db.select().from(sessions).where(eq(sessions.digest, digest)), "sign_in_session"),
    byCode: prepare(db.select().from(sessions).where(eq(sessions.codeDigest, codeDigest)), "sign_in_session_by_code"),
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
          userId: given.userId,
          signedInWith: given.signedInWith,
          signedInProvider: given.signedInProvider,
          signedInAt: given.signedInAt,
          ipAddress: given.ipAddress,
          userAgent: given.userAgent,
          browserSessionDigest: given.browserSessionDigest,
          codeDigest,
          codeExpiresAt: given.codeExpiresAt,
        } satisfies Record<keyof Completion, unknown>)
        .where(
          and(
            eq(sessions.digest, digest),
            eq(sessions.browserDigest, browserDigest),
            open,
            gt(sessions.expiresAt, given.signedInAt),
            sql`(CAST(${proofOf} AS text) = '' OR ${sessions.provenUserId} = ${proofOf})`,
          ),
        )
        .returning({ digest: sessions.digest }),
      "complete_sign_in_session",
    ),
    keepProof: prepare(
      db
        .update(sessions)
        .set({
          provenUserId: given.provenUserId,
          provenWith: given.provenWith,
          provenProvider: given.provenProvider,
          provenAt: given.provenAt,
        } satisfies Record<keyof Proof, unknown>)
        .where(
          and(
            eq(sessions.digest, digest),
            eq(sessions.browserDigest, browserDigest),
            open,
            gt(sessions.expiresAt, given.provenAt),
          ),
        )
        .returning({ digest: sessions.digest }),
      "keep_proof_of_sign_in_session",
    ),
    cancelProofs: prepare(
      db
        .update(sessions)
        .set({ provenUserId: null, provenWith: null, provenProvider: null, provenAt: null })
        .where(and(eq(sessions.provenUserId, given.userId), open)),
      "cancel_proofs_of_user",
    ),
    consumeCode: prepare(db.update(sessions).set({ codeUsedAt }).where(unusedCode).returning(), "consume_code"),
    consumePublicCode: prepare(
      db
        .update(sessions)
        .set({ codeUsedAt })
        .where(and(unusedCode, isNotNull(sessions.codeChallenge)))
        .returning(),
      "consume_public_code",
    ),
    cancelCodes: prepare(
      db
        .update(sessions)
        .set({ codeUsedAt })
        .where(and(eq(sessions.userId, given.userId), isNull(sessions.codeUsedAt))),
      "cancel_codes_of_user",
    ),
    noteLogin: prepare(
      db.update(sessions).set({ loginId: given.loginId }).where(eq(sessions.digest, digest)),
      "note_login_of_session",
    ),
    sweep: prepareSweep(
      handle,
      { table: sessions, key: sessions.digest, instant: sessions.expiresAt },
      "sweep_sign_in_sessions",
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

/** Gives the session to the browser that posts first; true when it is this browser's. */
export async function claimSession(tx: Handle, digest: string, browserDigest: string): Promise<boolean> {
  const claimed = await prepared(tx).claim.execute({ digest, browserDigest });
  return claimed.length === 1;
}

export type Completion = {
  userId: string;
  signedInWith: SignInMethod;
  signedInProvider: string | null;
  signedInAt: number;
  ipAddress: string;
  userAgent: string | null;
  browserSessionDigest: string | null;
  /** Null where there is nothing to redeem. */
  codeDigest: string | null;
  codeExpiresAt: number | null;
};

export type Proof = {
  provenUserId: string;
  provenWith: SignInMethod;
  provenProvider: string | null;
  provenAt: number;
};

/**
 * Finishes an open session of this browser, once; false when it was finished before, has expired or is another browser's. `proofOf`: only
 * while the proof that the session keeps is still this user's.
 */
export async function completeSession(
  tx: Handle,
  session: { digest: string; browserDigest: string; proofOf: string | undefined },
  completion: Completion,
): Promise<boolean> {
  const completed = await prepared(tx).complete.execute({
    ...completion,
    digest: session.digest,
    browserDigest: session.browserDigest,
    proofOf: session.proofOf ?? "",
  });
  return completed.length === 1;
}

/** Keeps a proof in an open session of this browser until the step after it; false when there is no such session any more. */
export async function keepProof(
  tx: Handle,
  session: { digest: string; browserDigest: string },
  proof: Proof,
): Promise<boolean> {
  const kept = await prepared(tx).keepProof.execute({ ...proof, ...session });
  return kept.length === 1;
}

/** Uses up a code: of any number of calls, one gets the session. `publicOnly` leaves codes alone whose app did not ask for PKCE. */
export async function consumeCode(
  tx: Handle,
  code: { codeDigest: string; appId: string; publicOnly: boolean },
  now: number,
): Promise<SignInSession | undefined> {
  const { consumeCode: anyCode, consumePublicCode: publicCode } = prepared(tx);
  const [session] = await (code.publicOnly ? publicCode : anyCode).execute({
    codeDigest: code.codeDigest,
    appId: code.appId,
    codeUsedAt: now,
  });
  return session;
}

/** Uses up every code of a user without giving anything for it, and forgets the proofs that wait for a further step. */
export async function cancelCodesOfUser(tx: Handle, userId: string, now: number): Promise<void> {
  await prepared(tx).cancelCodes.execute({ userId, codeUsedAt: now });
  await prepared(tx).cancelProofs.execute({ userId });
}

/** Remembers what the code bought, so that a second use of it can be answered by ending that. */
export async function noteLogin(tx: Handle, digest: string, loginId: string): Promise<void> {
  await prepared(tx).noteLogin.execute({ digest, loginId });
}

/**
 * Removes a batch of sessions that ended before `expiredBefore`; true when more may be left. Until then a second use of their code can still
 * be answered by ending its login.
 */
export async function sweepSessions(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweep(expiredBefore);
}

import { and, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { SignInMethod } from "../applications/application.ts";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { SignInSession } from "./session.ts";

const prepared = statements(({ db, tables: { signInSessions } }) => ({
  byDigest: prepare(
    db
      .select()
      .from(signInSessions)
      .where(eq(signInSessions.digest, sql.placeholder("digest"))),
    "sign_in_session",
  ),
  byCode: prepare(
    db
      .select()
      .from(signInSessions)
      .where(eq(signInSessions.codeDigest, sql.placeholder("codeDigest"))),
    "sign_in_session_by_code",
  ),
}));

export async function insertSession({ db, tables: { signInSessions } }: Handle, session: SignInSession): Promise<void> {
  await db.insert(signInSessions).values(session);
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
export async function claimSession(
  { db, tables: { signInSessions } }: Handle,
  digest: string,
  browserDigest: string,
): Promise<boolean> {
  const { browserDigest: owner } = signInSessions;
  const claimed = await db
    .update(signInSessions)
    .set({ browserDigest })
    .where(and(eq(signInSessions.digest, digest), or(isNull(owner), eq(owner, browserDigest))))
    .returning({ digest: signInSessions.digest });
  return claimed.length === 1;
}

export type Completion = {
  userId: string;
  signedInWith: SignInMethod;
  signedInProvider: string | null;
  signedInAt: number;
  ipAddress: string;
  userAgent: string | null;
  codeDigest: string;
  codeExpiresAt: number;
};

/** Finishes an open session of this browser, once; false when it was finished before, has expired or is another browser's. */
export async function completeSession(
  { db, tables: { signInSessions } }: Handle,
  session: { digest: string; browserDigest: string },
  completion: Completion,
): Promise<boolean> {
  const completed = await db
    .update(signInSessions)
    .set(completion)
    .where(
      and(
        eq(signInSessions.digest, session.digest),
        eq(signInSessions.browserDigest, session.browserDigest),
        isNull(signInSessions.signedInAt),
        gt(signInSessions.expiresAt, completion.signedInAt),
      ),
    )
    .returning({ digest: signInSessions.digest });
  return completed.length === 1;
}

/** Uses up a code: of any number of calls, one gets the session. `publicOnly` leaves codes alone whose app did not ask for PKCE. */
export async function consumeCode(
  { db, tables: { signInSessions } }: Handle,
  code: { codeDigest: string; appId: string; publicOnly: boolean },
  now: number,
): Promise<SignInSession | undefined> {
  const [session] = await db
    .update(signInSessions)
    .set({ codeUsedAt: now })
    .where(
      and(
        eq(signInSessions.codeDigest, code.codeDigest),
        eq(signInSessions.appId, code.appId),
        isNull(signInSessions.codeUsedAt),
        code.publicOnly ? isNotNull(signInSessions.codeChallenge) : undefined,
      ),
    )
    .returning();
  return session;
}

/** Uses up every code of a user without giving anything for it. */
export async function cancelCodesOfUser(
  { db, tables: { signInSessions } }: Handle,
  userId: string,
  now: number,
): Promise<void> {
  await db
    .update(signInSessions)
    .set({ codeUsedAt: now })
    .where(and(eq(signInSessions.userId, userId), isNull(signInSessions.codeUsedAt)));
}

/** Remembers what the code bought, so that a second use of it can be answered by ending that. */
export async function noteLogin(
  { db, tables: { signInSessions } }: Handle,
  digest: string,
  loginId: string,
): Promise<void> {
  await db.update(signInSessions).set({ loginId }).where(eq(signInSessions.digest, digest));
}

/** Removes sessions that ended before `expiredBefore`; until then a second use of their code can still be answered by ending its login. */
export async function sweepSessions({ db, tables: { signInSessions } }: Handle, expiredBefore: number): Promise<void> {
  await db.delete(signInSessions).where(lt(signInSessions.expiresAt, expiredBefore));
}

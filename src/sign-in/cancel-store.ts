import { and, eq, isNull, ne } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";

const prepared = statements(({ db, tables: { signInSessions: sessions } }) => {
  const row = placeholders(sessions);
  const { codeUsedAt } = row;
  const ofUser = eq(sessions.userId, row.userId);
  const unused = isNull(sessions.codeUsedAt);
  const ofBrowser = eq(sessions.browserSessionDigest, row.browserSessionDigest);
  const noProof = { provenUserId: null, provenWith: null, provenProvider: null, provenAt: null, secondFactor: null };
  const proofsOfUser = and(eq(sessions.provenUserId, row.userId), isNull(sessions.signedInAt));
  return {
    cancelProofs: prepare(
      db
        .update(sessions)
        .set(noProof)
        .where(and(proofsOfUser, ne(sessions.digest, row.digest))),
      "cancel_proofs_of_user",
    ),
    cancelProofsOfBrowser: prepare(
      db.update(sessions).set(noProof).where(and(proofsOfUser, ofBrowser)),
      "cancel_proofs_of_browser",
    ),
    cancelProofOfSession: prepare(
      db
        .update(sessions)
        .set({ ...noProof, proofs: null, organizationId: row.organizationId })
        .where(
          and(
            eq(sessions.digest, row.digest),
            eq(sessions.browserDigest, row.browserDigest),
            isNull(sessions.signedInAt),
          ),
        ),
      "cancel_proof_of_session",
    ),
    cancelCodes: prepare(db.update(sessions).set({ codeUsedAt }).where(and(ofUser, unused)), "cancel_codes_of_user"),
    cancelCodesOfBrowser: prepare(
      db
        .update(sessions)
        .set({ codeUsedAt })
        .where(and(ofUser, ofBrowser, unused)),
      "cancel_codes_of_browser",
    ),
  };
});

/** Invalidates a user's codes and stored proofs. `except`: the digest of a session that stays. */
export async function cancelCodesOfUser(tx: Handle, userId: string, now: number, except = ""): Promise<void> {
  // Proofs first: this waits for a proof that is becoming a code, so that the code is cancelled
  // too.
  await prepared(tx).cancelProofs.execute({ userId, digest: except });
  await prepared(tx).cancelCodes.execute({ userId, codeUsedAt: now });
}

/**
 * Forgets who was proven in a session of this browser, and what they were asked. `organizationId`:
 * what the request demanded.
 */
export async function cancelProofOfSession(
  tx: Handle,
  session: { digest: string; browserDigest: string; organizationId: string | null },
): Promise<void> {
  await prepared(tx).cancelProofOfSession.execute(session);
}

/** Invalidates the codes of sign-ins that belong to a user's browser session. */
export async function cancelCodesOfBrowser(
  tx: Handle,
  { userId, tie }: { userId: string; tie: string },
  now: number,
): Promise<void> {
  // Single sign-on may have stored a proof of that browser session, for a step that is not done.
  await prepared(tx).cancelProofsOfBrowser.execute({ userId, browserSessionDigest: tie });
  await prepared(tx).cancelCodesOfBrowser.execute({ userId, browserSessionDigest: tie, codeUsedAt: now });
}

import { and, desc, eq, gt, inArray, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { OrganizationProof, SecondFactorProof, SignInMethod, SignInProof } from "../storage/column-types.ts";
import { withProof } from "../organizations/provider/provider.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

/**
 * A user signed in to an application's account page in one browser. Instants are epoch
 * milliseconds.
 */
export type BrowserSession = {
  digest: string;
  appId: string;
  userId: string;
  /** The value by which logins refer to it. */
  tie: string;
  signedInWith: SignInMethod;
  signedInProvider: string | null;
  /** All proofs of the sign-in; null: only `signedInWith`. */
  proofs: SignInProof[] | null;
  secondFactor: SecondFactorProof | null;
  /** When the user was last proven, or came from a provider; 0: a new proof is needed. */
  provenAt: number;
  /** As in a `Login`. */
  provenElsewhereAt: number | null;
  /** As in a `Login`. */
  organizationProofs: OrganizationProof[] | null;
  /** What its user chose, once for the session: an id, or `none`; null: not asked yet. */
  organizationId: string | null;
  createdAt: number;
  expiresAt: number;
  /** Until then its cookie keeps the tie, though nobody is signed in any more; null: no longer. */
  keptUntil: number | null;
};

/** Per user. Beyond that, the oldest is treated as new again, which costs its owner one mail. */
const maxKnownBrowsers = 100;
/** A digest is a MAC in base64url; before it, the organization to which the browser is known. */
const macCharacters = 43;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { browserSessions: sessions, knownBrowsers: known } = tables;
  const isKnownTo = sql`SUBSTR(${known.digest}, 1, LENGTH(${known.digest}) - ${sql.raw(String(macCharacters))}) = ${sql.placeholder("knownTo")}`;
  const row = placeholders(sessions);
  const tie = sql.placeholder("tie");
  const isTied = eq(sessions.tie, tie);
  const browser = placeholders(known);
  return {
    insert: prepare(db.insert(sessions).values(row), "insert_browser_session"),
    // An update in place, so foreign keys are not checked again. Of two with the same digest, the
    // second finds it gone.
    moveOn: prepare(
      db
        .update(sessions)
        .set({
          digest: row.digest,
          signedInWith: row.signedInWith,
          signedInProvider: row.signedInProvider,
          proofs: row.proofs,
          secondFactor: row.secondFactor,
          provenAt: row.provenAt,
          provenElsewhereAt: row.provenElsewhereAt,
          organizationProofs: sql`COALESCE(${row.organizationProofs}, ${sessions.organizationProofs})`,
          organizationId: sql`COALESCE(${row.organizationId}, ${sessions.organizationId})`,
          createdAt: row.createdAt,
          expiresAt: row.expiresAt,
        })
        .where(
          and(
            eq(sessions.digest, sql.placeholder("replaces")),
            eq(sessions.userId, row.userId),
            or(gt(sessions.expiresAt, row.createdAt), gt(sessions.keptUntil, row.createdAt)),
          ),
        )
        .returning({ tie: sessions.tie, keptUntil: sessions.keptUntil }),
      "move_browser_session_on",
    ),
    live: prepare(
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.digest, row.digest), gt(sessions.expiresAt, row.expiresAt))),
      "browser_session",
    ),
    deleteTied: prepare(
      db.delete(sessions).where(isTied).returning({ digest: sessions.digest }),
      "delete_browser_session",
    ),
    remove: prepare(
      db
        .delete(sessions)
        .where(eq(sessions.digest, row.digest))
        .returning({ userId: sessions.userId, tie: sessions.tie, keptUntil: sessions.keptUntil }),
      "remove_browser_session",
    ),
    keep: prepare(
      db
        .update(sessions)
        .set({
          keptUntil: sql`CASE WHEN ${sessions.keptUntil} > ${row.keptUntil} THEN ${sessions.keptUntil} ELSE ${row.keptUntil} END`,
        })
        .where(isTied)
        .returning({ keptUntil: sessions.keptUntil }),
      "keep_browser_session",
    ),
    removeTied: prepare(db.delete(sessions).where(isTied), "remove_tied_browser_session"),
    lock: prepare(
      db
        .update(sessions)
        .set({ createdAt: sql`${sessions.createdAt}` })
        .where(and(eq(sessions.userId, row.userId), isTied))
        .returning({
          expiresAt: sessions.expiresAt,
          signedInWith: sessions.signedInWith,
          proofs: sessions.proofs,
          secondFactor: sessions.secondFactor,
        }),
      "lock_browser_session",
    ),
    deleteOfUser: prepare(
      db.delete(sessions).where(and(eq(sessions.userId, row.userId), ne(sessions.tie, tie))),
      "delete_browser_sessions_of_user",
    ),
    outdateProofs: prepare(
      db.update(sessions).set({ provenAt: 0 }).where(eq(sessions.userId, row.userId)),
      "outdate_proofs_of_browser_sessions",
    ),
    voidFactors: prepare(
      db
        .update(sessions)
        .set({ secondFactor: null })
        .where(and(eq(sessions.userId, row.userId), ne(sessions.digest, row.digest))),
      "void_factors_of_browser_sessions",
    ),
    recordFactor: prepare(
      db.update(sessions).set({ secondFactor: row.secondFactor }).where(eq(sessions.digest, row.digest)),
      "note_factor_of_browser_session",
    ),
    recordProofs: prepare(
      db.update(sessions).set({ organizationProofs: row.organizationProofs }).where(isTied),
      "record_organization_proofs_of_browser_session",
    ),
    tied: prepare(db.select().from(sessions).where(isTied), "tied_browser_session"),
    recordOrganization: prepare(
      db.update(sessions).set({ organizationId: row.organizationId }).where(isTied),
      "record_organization_of_browser_session",
    ),
    sweep: prepareSweep(
      handle,
      {
        table: sessions,
        key: sessions.digest,
        instant: sessions.expiresAt,
        only: or(isNull(sessions.keptUntil), lt(sessions.keptUntil, sql.placeholder("before"))),
      },
      "sweep_browser_sessions",
    ),
    isKnown: prepare(
      db
        .select({ expiresAt: known.expiresAt })
        .from(known)
        .where(
          and(
            eq(known.userId, browser.userId),
            eq(known.digest, browser.digest),
            gt(known.expiresAt, browser.expiresAt),
          ),
        ),
      "known_browser",
    ),
    knownOf: prepare(
      db
        .select({ digest: known.digest })
        .from(known)
        .where(and(eq(known.userId, browser.userId), isKnownTo)),
      "known_browsers_of_user",
    ),
    remember: prepare(
      db
        .insert(known)
        .values(browser)
        .onConflictDoUpdate({ target: [known.userId, known.digest], set: { expiresAt: browser.expiresAt } }),
      "remember_browser",
    ),
    forgetKnown: prepare(db.delete(known).where(eq(known.userId, browser.userId)), "forget_known_browsers"),
    forgetOldestKnown: prepare(
      db.delete(known).where(
        and(
          eq(known.userId, browser.userId),
          inArray(
            known.digest,
            db
              .select({ digest: known.digest })
              .from(known)
              .where(and(eq(known.userId, browser.userId), isKnownTo))
              .orderBy(desc(known.expiresAt), desc(known.digest))
              .limit(maxKnownBrowsers)
              .offset(maxKnownBrowsers),
          ),
        ),
      ),
      "forget_oldest_known_browsers",
    ),
    sweepKnown: prepareSweep(
      handle,
      { table: known, key: known.digest, instant: known.expiresAt },
      "sweep_known_browsers",
    ),
  };
});

/** On PostgreSQL, does not wait for the answer. */
export async function insertBrowserSession(tx: Handle, session: BrowserSession): Promise<void> {
  await prepared(tx).insert.execute(session satisfies Row<"browserSessions">);
}

/**
 * Replaces the user's live or kept session with the digest `replaces`, and returns its tie, which
 * stays the same.
 */
export async function moveBrowserSessionOn(
  tx: Handle,
  replaces: string,
  session: Omit<BrowserSession, "tie" | "keptUntil">,
): Promise<Pick<BrowserSession, "tie" | "keptUntil"> | undefined> {
  const [moved] = await prepared(tx).moveOn.execute({ ...session, replaces });
  return moved;
}

/** Keeps the session with this tie until then, or longer, and returns the instant. */
export async function keepBrowserSession(tx: Handle, tie: string, keptUntil: number): Promise<number | null> {
  const [kept] = await prepared(tx).keep.execute({ tie, keptUntil });
  return kept?.keptUntil ?? null;
}

/** Undefined if it does not exist or has expired. */
export async function findBrowserSession(
  handle: Handle,
  digest: string,
  now: number,
): Promise<BrowserSession | undefined> {
  const [row] = await prepared(handle).live.execute({ digest, expiresAt: now });
  return row;
}

export async function moveBrowserSessionEnd(
  { db, tables: { browserSessions: sessions } }: Handle,
  digest: string,
  expiresAt: number,
): Promise<void> {
  await db.update(sessions).set({ expiresAt }).where(eq(sessions.digest, digest));
}

/** Ends the session with this tie; false if there was none. */
export async function deleteTiedBrowserSession(tx: Handle, tie: string): Promise<boolean> {
  return (await prepared(tx).deleteTied.execute({ tie })).length === 1;
}

/** Returns the session that it removed, live or not. */
export async function removeBrowserSession(
  tx: Handle,
  digest: string,
): Promise<Pick<BrowserSession, "userId" | "tie" | "keptUntil"> | undefined> {
  const [removed] = await prepared(tx).remove.execute({ digest });
  return removed;
}

/** Ends the session that a login is tied to. On PostgreSQL, does not wait for the answer. */
export async function removeTiedBrowserSession(tx: Handle, tie: string): Promise<void> {
  await prepared(tx).removeTied.execute({ tie });
}

/** Deletes all sessions except the one with this tie. */
export async function deleteBrowserSessionsOfUser(tx: Handle, userId: string, keep: string | undefined): Promise<void> {
  // An empty value matches no tie.
  await prepared(tx).deleteOfUser.execute({ userId, tie: keep ?? "" });
}

/** Every browser of this user needs a new proof before it changes the account. */
export async function outdateProofsOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).outdateProofs.execute({ userId });
}

/** The user's other browser sessions have no second factor any more. */
export async function voidFactorsOfBrowserSessions(tx: Handle, userId: string, exceptDigest = ""): Promise<void> {
  await prepared(tx).voidFactors.execute({ userId, digest: exceptDigest });
}

export async function recordFactorOfBrowserSession(
  tx: Handle,
  digest: string,
  secondFactor: SecondFactorProof,
): Promise<void> {
  await prepared(tx).recordFactor.execute({ digest, secondFactor });
}

export async function recordOrganizationOfBrowser(tx: Handle, tie: string, organizationId: string): Promise<void> {
  await prepared(tx).recordOrganization.execute({ tie, organizationId });
}

/** Adds a proof of an organization's provider to the live session with this tie. */
export async function recordOrganizationProof(tx: Handle, tie: string, proof: OrganizationProof): Promise<void> {
  const { tied, recordProofs } = prepared(tx);
  const [session] = await tied.execute({ tie });
  const known = session?.organizationProofs?.find(({ organizationId }) => organizationId === proof.organizationId);
  if (!session || (known && known.provenAt >= proof.provenAt)) return;
  await recordProofs.execute({ tie, organizationProofs: withProof(session.organizationProofs, proof) });
}

/** Until when a browser is remembered for the user; undefined if it never was or no longer is. */
export async function browserIsKnownUntil(
  handle: Handle,
  browser: { userId: string; digest: string },
  now: number,
): Promise<number | undefined> {
  const [row] = await prepared(handle).isKnown.execute({ ...browser, expiresAt: now });
  return row?.expiresAt;
}

/** The digests of the browsers in which the user has signed in. */
export async function listKnownBrowsers(handle: Handle, userId: string): Promise<string[]> {
  return (await prepared(handle).knownOf.execute({ userId, knownTo: "" })).map(({ digest }) => digest);
}

export async function rememberBrowser(
  tx: Handle,
  browser: { userId: string; digest: string; expiresAt: number },
): Promise<void> {
  await prepared(tx).remember.execute(browser satisfies Row<"knownBrowsers">);
}

/** Removes the oldest of a user's known browsers that begin as this one, if there are too many. */
export async function forgetOldestKnownBrowsers(
  tx: Handle,
  { userId, digest }: { userId: string; digest: string },
): Promise<void> {
  await prepared(tx).forgetOldestKnown.execute({ userId, knownTo: digest.slice(0, -macCharacters) });
}

/** Every browser of the user counts as new afterwards. */
export async function forgetKnownBrowsers(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetKnown.execute({ userId });
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweepBrowserSessions(tx: Handle, expiredBefore: number): Promise<boolean> {
  const { sweep, sweepKnown } = prepared(tx);
  const sessions = await sweep(expiredBefore);
  return (await sweepKnown(expiredBefore)) || sessions;
}

/**
 * Locks a user's session with this tie until the transaction ends; undefined if there is none. It
 * may have expired.
 */
export async function lockBrowserSession(
  tx: Handle,
  tie: string,
  userId: string,
): Promise<Pick<BrowserSession, "expiresAt" | "signedInWith" | "proofs" | "secondFactor"> | undefined> {
  const [locked] = await prepared(tx).lock.execute({ tie, userId });
  return locked;
}

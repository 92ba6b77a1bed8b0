import { and, asc, count, desc, eq, gt, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { RecordUse } from "../../storage/queries/last-uses.ts";
import { prepareSweep, sweepSize } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
import type { PersonalTokenEnd } from "../../storage/column-types.ts";
import type { PersonalToken } from "./rules.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { personalTokens: tokens, users, applications } = tables;
  const row = placeholders(tokens);
  return {
    /** With what decides about it, in one statement. */
    byDigest: prepare(
      db
        .select({
          token: tokens,
          user: {
            id: users.id,
            email: users.email,
            emailVerified: users.emailVerified,
            name: users.name,
            disabledAt: users.disabledAt,
          },
          settings: applications.settings,
        })
        .from(tokens)
        .innerJoin(users, eq(users.id, tokens.userId))
        .innerJoin(applications, eq(applications.id, tokens.appId))
        .where(eq(tokens.digest, row.digest)),
      "personal_token_by_digest",
    ),
    sweep: prepareSweep(handle, { table: tokens, key: tokens.id, instant: tokens.expiresAt }, "sweep_personal_tokens"),
  };
});

/** A token with its owner and the settings of its application. */
export type FoundPersonalToken = NonNullable<Awaited<ReturnType<typeof findToken>>>;

export async function findToken(handle: Handle, digest: string) {
  const [found] = await prepared(handle).byDigest.execute({ digest });
  return found;
}

/** The hosts that enabled clients of an application protect, with what says who may use them. */
export async function listProtectedHosts({ db, tables }: Handle, appId: string) {
  const { proxyHosts, clients } = tables;
  return await db
    .select({ host: proxyHosts.host, proxy: clients.proxy, allowedGroups: clients.allowedGroups })
    .from(proxyHosts)
    .innerJoin(clients, eq(clients.id, proxyHosts.clientId))
    .where(and(eq(clients.appId, appId), isNull(clients.disabledAt)))
    .orderBy(asc(proxyHosts.host));
}

export async function insertToken({ db, tables: { personalTokens } }: Handle, token: PersonalToken): Promise<void> {
  await db.insert(personalTokens).values(token);
}

function isLive({ tables: { personalTokens } }: Pick<Handle, "tables">, now: number) {
  return and(isNull(personalTokens.endedAt), gt(personalTokens.expiresAt, now));
}

/** Newest first; without `all` only live ones. */
export async function listTokens(
  handle: Handle,
  userId: string,
  { all, now }: { all: boolean; now: number },
): Promise<PersonalToken[]> {
  const { personalTokens } = handle.tables;
  return await handle.db
    .select()
    .from(personalTokens)
    .where(and(eq(personalTokens.userId, userId), all ? undefined : isLive(handle, now)))
    .orderBy(desc(personalTokens.createdAt), desc(personalTokens.id));
}

export async function countLiveTokens(handle: Handle, userId: string, now: number): Promise<number> {
  const { personalTokens } = handle.tables;
  const [row] = await handle.db
    .select({ count: count() })
    .from(personalTokens)
    .where(and(eq(personalTokens.userId, userId), isLive(handle, now)));
  return row?.count ?? 0;
}

/** A person's live tokens, or one; those of an application that last longer than `longest`. */
export type WhichTokens = { userId: string; id?: string | undefined } | { appId: string; longest: number };

/** Made to last longer than that, in milliseconds. */
function lasting({ createdAt, expiresAt }: Handle["tables"]["personalTokens"], longest: number) {
  return gt(sql`${expiresAt} - ${createdAt}`, longest);
}

function chosen(handle: Handle, which: WhichTokens, now: number) {
  const { personalTokens: tokens } = handle.tables;
  if ("longest" in which) {
    return and(eq(tokens.appId, which.appId), isLive(handle, now), lasting(tokens, which.longest));
  }
  const isThis = which.id === undefined ? undefined : eq(tokens.id, which.id);
  return and(eq(tokens.userId, which.userId), isLive(handle, now), isThis);
}

/** Ends live tokens, for good; returns the ended ones. */
export async function endTokens(
  tx: Handle,
  which: WhichTokens,
  endReason: PersonalTokenEnd,
  now: number,
): Promise<PersonalToken[]> {
  const { personalTokens } = tx.tables;
  return await tx.db
    .update(personalTokens)
    .set({ endedAt: now, expiresAt: now, endReason })
    .where(chosen(tx, which, now))
    .returning();
}

/** A page of an application's live tokens, in the order of their ids. */
export async function listLiveTokensOf(
  handle: Handle,
  appId: string,
  { after, now, limit }: { after: string; now: number; limit: number },
): Promise<PersonalToken[]> {
  const { personalTokens: tokens } = handle.tables;
  return await handle.db
    .select()
    .from(tokens)
    .where(and(eq(tokens.appId, appId), gt(tokens.id, after), isLive(handle, now)))
    .orderBy(asc(tokens.id))
    .limit(limit);
}

export async function countTokensBeyond(handle: Handle, appId: string, longest: number, now: number): Promise<number> {
  const { personalTokens } = handle.tables;
  const [row] = await handle.db
    .select({ count: count() })
    .from(personalTokens)
    .where(chosen(handle, { appId, longest }, now));
  return row?.count ?? 0;
}

/** Unless a use at `notAfter` or later is already recorded. */
export async function recordTokenUse(
  { db, tables: { personalTokens } }: Handle,
  { key: id, usedAt, notAfter }: Parameters<RecordUse>[1],
): Promise<void> {
  const isLater = or(isNull(personalTokens.lastUsedAt), lte(personalTokens.lastUsedAt, notAfter));
  await db
    .update(personalTokens)
    .set({ lastUsedAt: usedAt })
    .where(and(eq(personalTokens.id, id), isLater));
}

/**
 * Live tokens that end by `endsBy`, were made to last longer than `lasts`, were used since
 * `usedSince`, and whose owners were not told.
 */
export async function listTokensToWarn(
  handle: Handle,
  { endsBy, lasts, usedSince, now }: { endsBy: number; lasts: number; usedSince: number; now: number },
): Promise<PersonalToken[]> {
  const { personalTokens: tokens } = handle.tables;
  const isUsed = and(gt(tokens.lastUsedAt, usedSince), lasting(tokens, lasts));
  return await handle.db
    .select()
    .from(tokens)
    .where(and(isLive(handle, now), lt(tokens.expiresAt, endsBy), isNull(tokens.warnedAt), isUsed))
    .orderBy(asc(tokens.expiresAt))
    .limit(sweepSize);
}

/** True if this call marked it: of several nodes one. */
export async function markWarned(tx: Handle, id: string, now: number): Promise<boolean> {
  const { personalTokens } = tx.tables;
  const marked = await tx.db
    .update(personalTokens)
    .set({ warnedAt: now })
    .where(and(eq(personalTokens.id, id), isNull(personalTokens.warnedAt), isLive(tx, now)))
    .returning({ id: personalTokens.id });
  return marked.length === 1;
}

/** Removes ended ones but for the newest: making and ending must not fill the table. */
export async function removeOlderTokens(tx: Handle, userId: string, kept: number, now: number): Promise<void> {
  const { personalTokens } = tx.tables;
  const older = tx.db
    .select({ id: personalTokens.id })
    .from(personalTokens)
    .where(and(eq(personalTokens.userId, userId), lte(personalTokens.expiresAt, now)))
    .orderBy(desc(personalTokens.expiresAt), desc(personalTokens.id))
    .limit(sweepSize)
    .offset(kept);
  await tx.db.delete(personalTokens).where(inArray(personalTokens.id, older));
}

/** Removes a batch of tokens that ended before that; true if more may be left. */
export async function sweepTokens(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

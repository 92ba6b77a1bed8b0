import { and, eq, gt, gte, inArray, lt, lte, ne, or, sql } from "drizzle-orm";
import { clockSkew } from "../../lib/clock.ts";
import { sweepAllowances } from "../../records/mail/allowance-store.ts";
import { afterNow } from "../../storage/queries/instants.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";
import type { EmailToken } from "./email-token.ts";
import { maxCodeTries } from "./rules.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { emailTokens: tokens } = tables;
  const row = placeholders(tokens);
  const { digest, slot, purpose } = row;
  // A token from the future was created before the clock was set back.
  const live = and(gt(tokens.expiresAt, sql.placeholder("now")), lte(tokens.createdAt, afterNow(clockSkew)));
  return {
    put: prepare(
      db
        .insert(tokens)
        .values(row)
        .onConflictDoUpdate({ target: tokens.slot, set: row satisfies Record<keyof EmailToken, unknown> }),
      "put_email_token",
    ),
    byDigest: prepare(
      db
        .select()
        .from(tokens)
        .where(and(eq(tokens.digest, digest), live)),
      "email_token",
    ),
    bySlot: prepare(
      db
        .select()
        .from(tokens)
        .where(and(eq(tokens.slot, slot), live)),
      "email_token_in_slot",
    ),
    countTry: prepare(
      db
        .update(tokens)
        .set({ codeTries: sql`${tokens.codeTries} + 1` })
        .where(and(eq(tokens.slot, slot), lt(tokens.codeTries, maxCodeTries), live))
        .returning(),
      "count_try_of_email_code",
    ),
    consume: prepare(
      db
        .delete(tokens)
        .where(and(eq(tokens.digest, digest), eq(tokens.purpose, purpose), live))
        .returning(),
      "consume_email_token",
    ),
    sweep: prepareSweep(handle, { table: tokens, key: tokens.digest, instant: tokens.expiresAt }, "sweep_email_tokens"),
  };
});

/** Stores a token in its slot, replacing the existing one. */
export async function putEmailToken(tx: Handle, token: EmailToken): Promise<void> {
  await prepared(tx).put.execute(token satisfies Row<"emailTokens">);
}

/** Reads without consuming; undefined if it does not exist or has expired. */
export async function findEmailToken(handle: Handle, digest: string, now: number): Promise<EmailToken | undefined> {
  const [row] = await prepared(handle).byDigest.execute({ digest, now });
  return row;
}

export async function findEmailTokenInSlot(handle: Handle, slot: string, now: number): Promise<EmailToken | undefined> {
  const [row] = await prepared(handle).bySlot.execute({ slot, now });
  return row;
}

/** Counts an attempt at the code before it is compared; undefined if no attempts are left. */
export async function countCodeTry(tx: Handle, slot: string, now: number): Promise<EmailToken | undefined> {
  const [row] = await prepared(tx).countTry.execute({ slot, now });
  return row;
}

/** Consumes a token, once. */
export async function consumeEmailToken(
  tx: Handle,
  token: Pick<EmailToken, "digest" | "purpose">,
  now: number,
): Promise<EmailToken | undefined> {
  const [row] = await prepared(tx).consume.execute({ digest: token.digest, purpose: token.purpose, now });
  return row;
}

/** Deletes a user's tokens, except those to undo a change of address that are older. */
export async function deleteTokensOf(
  { db, tables: { emailTokens: tokens } }: Handle,
  userId: string,
  keepUndosBefore: number,
): Promise<void> {
  const ends = or(gte(tokens.createdAt, keepUndosBefore), ne(tokens.purpose, "undo"));
  await db.delete(tokens).where(and(eq(tokens.userId, userId), ends));
}

/**
 * Voids the user's recovery link, which was for earlier factors, and a change of the address that
 * began without the new ones.
 */
export async function deleteTokensOfOldFactors(
  { db, tables: { emailTokens: tokens } }: Handle,
  userId: string,
): Promise<void> {
  await db.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.purpose, ["recovery", "change"])));
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweepEmailTokens(tx: Handle, now: number): Promise<boolean> {
  const tokens = await prepared(tx).sweep(now);
  return (await sweepAllowances(tx, now)) || tokens;
}

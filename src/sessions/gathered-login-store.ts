import { sql } from "drizzle-orm";
import { requiresFactor } from "../factors/store.ts";
import { found, questions } from "../storage/queries/gathered.ts";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import { rotatedLoginOf, rotatedOrganization } from "./rotated-login-store.ts";

// PostgreSQL's most frequent queries, one statement per event-loop turn. LATERAL with LIMIT 1 looks
// up each question separately: without statistics, a join might scan whole tables.

export type LiveLogin = { loginId: string; kid: string; now: number };

const liveLogins = questions({ loginId: "text", kid: "text", now: "bigint" });
const asked = questions({ id: "text" });
const rotations = questions({
  id: "text",
  appId: "text",
  presentedDigest: "text",
  successorDigest: "text",
  generation: "bigint",
  organizationId: "text",
  now: "bigint",
  idleSince: "bigint",
});

/** A `LiveUser`, from a live login. */
export function liveUserOf({ logins }: Pick<Handle["tables"], "logins">) {
  const { userId: id, userEmail: email, userEmailVerified, userName: name, claimsVersion, secondFactor } = logins;
  const emailVerified = sql<boolean>`${userEmailVerified}`.mapWith(userEmailVerified);
  return { ...found({ id, email }), emailVerified, ...found({ name, claimsVersion, secondFactor }) };
}

/** The columns of a `LoginStart`. */
export function loginStartOf({ logins }: Pick<Handle["tables"], "logins">) {
  const { appId, userId, signedInWith, provider, proofs, secondFactor, organizationProofs } = logins;
  const { publicClient, clientId, resource, organizationId, proofKey } = logins;
  const isRequired = requiresFactor(sql`logins.user_id`, sql`logins.client_id`).mapWith(Boolean);
  return {
    ...found({ appId, userId, signedInWith, provider, proofs, secondFactor }),
    ...found({ organizationProofs, publicClient, clientId, resource, organizationId, proofKey }),
    isRequired,
  };
}

/** For PostgreSQL's reader: each query is one statement for all callers of a turn. */
export const gatheredLogins = statements(({ db, tables }) => {
  const { logins } = tables;
  const starts = prepare(
    db
      .select({ place: asked.place, ...loginStartOf(tables) })
      .from(sql`${asked.rows}, LATERAL (SELECT * FROM logins WHERE id = asked.id LIMIT 1) AS logins`),
    "starts_of_logins",
  );
  const liveUsers = prepare(
    db.select({ place: liveLogins.place, ...liveUserOf(tables) }).from(
      sql`${liveLogins.rows}, LATERAL (
          SELECT * FROM logins
          WHERE id = asked."loginId" AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now
            AND EXISTS (SELECT 1 FROM signing_keys WHERE signing_keys.id = asked.kid)
          LIMIT 1
        ) AS logins`,
    ),
    "live_users_of_logins",
  );
  const rotate = prepare(
    db
      .update(logins)
      .set({
        generation: sql`asked.generation`,
        organizationId: rotatedOrganization(tables, sql`asked."organizationId"`),
        previousDigest: sql`${logins.refreshDigest}`,
        refreshDigest: sql`asked."successorDigest"`,
        refreshedAt: sql`asked.now`,
        lastSeenAt: sql`asked.now`,
      })
      // SKIP LOCKED leaves contended rows to a transaction of their own, so nothing deadlocks.
      // Comparing arrays forces the primary key, without statistics too.
      .from(
        sql`${rotations.rows}, LATERAL (
          SELECT id FROM logins
          WHERE id = asked.id AND ARRAY[app_id, refresh_digest] = ARRAY[asked."appId", asked."presentedDigest"]
            AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now AND refreshed_at > asked."idleSince"
          LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS due`,
      )
      .where(sql`${logins.id} = due.id`)
      .returning({ ...rotatedLoginOf(tables), place: rotations.place }),
    "rotate_logins",
  );
  return {
    start: asked.answeredBy(starts),
    liveUser: liveLogins.answeredBy(liveUsers),
    rotate: rotations.answeredBy(rotate),
  };
});

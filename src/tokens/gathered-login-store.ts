import { sql } from "drizzle-orm";
import { found, questions } from "../storage/gathered.ts";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { LiveUser, LoginRotation } from "./login-store.ts";
import { rotatedLoginOf, type RotatedLogin } from "./rotated-login-store.ts";

// What PostgreSQL's reader is asked with nearly every call, for all callers of a turn at once. Each question looks by itself (LATERAL, LIMIT 1):
// a join might read whole tables where PostgreSQL has no statistics yet.

type LiveLogin = { loginId: string; now: number };

/** `publicOnly`: only a public client's. `ways`: how people may have signed in, a method or a method and its provider. */
export type LoginRotationAmongOthers = LoginRotation & { publicOnly: boolean; ways: string[] };

const liveLogins = questions({ loginId: "text", now: "bigint" });
const rotations = questions({
  id: "text",
  appId: "text",
  presentedDigest: "text",
  successorDigest: "text",
  now: "bigint",
  idleSince: "bigint",
  publicOnly: "boolean",
  ways: "text",
});

/** A `LiveUser`, of a login that lives. */
export function liveUserOf({ logins }: Pick<Handle["tables"], "logins">) {
  const { userId: id, userEmail: email, userEmailVerified, userName: name } = logins;
  const emailVerified = sql<boolean>`${userEmailVerified}`.mapWith(userEmailVerified);
  return { ...found({ id, email }), emailVerified, ...found({ name }) };
}

const prepared = statements(({ db, tables }) => {
  const { logins } = tables;
  const liveUsers = prepare(
    db.select({ place: liveLogins.place, ...liveUserOf(tables) }).from(
      sql`${liveLogins.rows}, LATERAL (
          SELECT * FROM logins
          WHERE id = asked."loginId" AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now
          LIMIT 1
        ) AS logins`,
    ),
    "live_users_of_logins",
  );
  const rotate = prepare(
    db
      .update(logins)
      .set({
        generation: sql`${logins.generation} + 1`,
        previousDigest: sql`${logins.refreshDigest}`,
        refreshDigest: sql`asked."successorDigest"`,
        refreshedAt: sql`asked.now`,
        lastSeenAt: sql`asked.now`,
      })
      // The conditions hold for the row as it is once it is locked. A row that somebody else holds, for long perhaps, is left to a transaction of
      // its own: it holds up nobody else here, and no two of these statements ever wait for each other crosswise. What is compared as arrays uses
      // no index but the primary key's: without statistics PostgreSQL may think an application's as good.
      .from(
        sql`${rotations.rows}, LATERAL (
          SELECT id FROM logins
          WHERE id = asked.id AND ARRAY[app_id, refresh_digest] = ARRAY[asked."appId", asked."presentedDigest"]
            AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now AND refreshed_at > asked."idleSince"
            AND (public_client OR NOT asked."publicOnly")
            AND signed_in_with || coalesce(' ' || provider, '') = ANY (string_to_array(asked.ways, ','))
          LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS due`,
      )
      .where(sql`${logins.id} = due.id`)
      .returning({ ...rotatedLoginOf(tables), place: rotations.place }),
    "rotate_logins",
  );
  return {
    liveUser: liveLogins.answeredBy(liveUsers),
    rotate: rotations.answeredBy(rotate),
  };
});

/** As `findLiveUser`. */
export async function findLiveUserAmongOthers(handle: Handle, login: LiveLogin): Promise<LiveUser | undefined> {
  return await prepared(handle).liveUser(login);
}

/**
 * As `rotateLogin`, where nothing at all speaks against it: neither how and by what client the login began, nor its user. Undefined says no more
 * than that a transaction has to look closer.
 */
export async function rotateLoginAmongOthers(
  handle: Handle,
  rotation: LoginRotationAmongOthers,
): Promise<RotatedLogin | undefined> {
  return await prepared(handle).rotate({ ...rotation, ways: rotation.ways.join(",") });
}

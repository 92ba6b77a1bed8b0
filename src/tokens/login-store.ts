import { and, desc, eq, getTableColumns, gt, isNull, ne, sql } from "drizzle-orm";
import type { SignInMethod } from "../applications/application.ts";
import { findLiveUserAmongOthers, liveUserOf } from "./gathered-login-store.ts";
import { rotatedLoginOf, type RotatedLogin } from "./rotated-login-store.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";
import type { User } from "../users/user.ts";

/** The live session that a user gets from a sign-in, and the one line of its refresh tokens. Instants are epoch milliseconds. */
export type Login = {
  id: string;
  appId: string;
  userId: string;
  /** `operator`: nobody signed in, a command minted a token for it. */
  signedInWith: SignInMethod | "operator";
  provider: string | null;
  scopes: string[];
  publicClient: boolean;
  signedInAt: number;
  createdAt: number;
  lastSeenAt: number;
  ipAddress: string | null;
  userAgent: string | null;
  /** The account page's session that the same sign-in opened. */
  browserSessionDigest: string | null;
  generation: number;
  refreshDigest: string;
  previousDigest: string | null;
  refreshedAt: number;
  expiresAt: number;
  endedAt: number | null;
  endReason: EndReason | null;
};

export type LoginRotation = {
  id: string;
  appId: string;
  presentedDigest: string;
  successorDigest: string;
  now: number;
  idleSince: number;
};

export type EndReason =
  | "logout"
  | "logout-all"
  | "account"
  | "address-proven"
  | "password-reset"
  | "refresh-reuse"
  | "code-reuse"
  | "operator"
  | "user-disabled"
  | "too-many";

/**
 * What a live access token needs to be answered: read from storage on every call, from the row of its login, which says it of its user
 * (docs/decisions/0027).
 */
export type LiveUser = { id: string; email: string | null; emailVerified: boolean; name: string | null };

/** Of those that are too many; what is left goes with the next one that starts. */
const mostEndedAtOnce = 20;

/** The columns of a `Login`: all but what the database itself keeps there of the login's user. */
export function loginColumns({ logins }: Pick<Handle["tables"], "logins">) {
  const {
    userEmail: _email,
    userEmailVerified: _verified,
    userName: _name,
    userDisabledAt: _disabled,
    ...own
  } = getTableColumns(logins);
  return own;
}

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { logins } = tables;
  const columns = loginColumns(tables);
  const given = placeholders(logins);
  const { id } = given;
  // What was said of its user is of no use any more, and a name that the user has given up is not kept.
  const silent = { userEmail: null, userEmailVerified: null, userName: null, userDisabledAt: null };
  const end = { endedAt: given.endedAt, endReason: given.endReason, ...silent };
  const unexpired = and(isNull(logins.endedAt), gt(logins.expiresAt, sql.placeholder("now")));
  const live = and(unexpired, isNull(logins.userDisabledAt));
  return {
    insert: prepare(db.insert(logins).values(given), "insert_login"),
    byId: prepare(db.select(columns).from(logins).where(eq(logins.id, id)), "login_by_id"),
    liveUser: prepare(
      db
        .select(liveUserOf(tables))
        // On SQLite, with every call. The index holds all that is asked, which among a million users spares most of the pages (docs/decisions/0026);
        // SQLite takes the primary key unless it is told.
        .from(sql`logins INDEXED BY logins_live`)
        .where(and(eq(logins.id, id), live)),
      "live_user_of_login",
    ),
    rotate: prepare(
      db
        .update(logins)
        .set({
          generation: sql`${logins.generation} + 1`,
          previousDigest: sql`${logins.refreshDigest}`,
          refreshDigest: sql`${sql.placeholder("successorDigest")}`,
          refreshedAt: sql`${sql.placeholder("now")}`,
          lastSeenAt: sql`${sql.placeholder("now")}`,
        })
        .where(
          and(
            eq(logins.id, id),
            eq(logins.appId, given.appId),
            eq(logins.refreshDigest, sql.placeholder("presentedDigest")),
            live,
            gt(logins.refreshedAt, sql.placeholder("idleSince")),
          ),
        )
        .returning(rotatedLoginOf(tables)),
      "rotate_login",
    ),
    end: prepare(
      db
        .update(logins)
        .set(end)
        .where(and(eq(logins.id, id), isNull(logins.endedAt)))
        .returning({ id: logins.id, appId: logins.appId, userId: logins.userId }),
      "end_login",
    ),
    endOfUser: prepare(
      db
        .update(logins)
        .set(end)
        .where(and(eq(logins.userId, given.userId), isNull(logins.endedAt)))
        .returning({ id: logins.id, appId: logins.appId, userId: logins.userId }),
      "end_logins_of_user",
    ),
    beyond: prepare(
      db
        .select({ id: logins.id })
        .from(logins)
        .where(and(eq(logins.userId, given.userId), ne(logins.id, id), unexpired))
        .orderBy(desc(logins.createdAt), desc(logins.id))
        .limit(mostEndedAtOnce)
        .offset(sql.placeholder("most")),
      "logins_beyond_the_newest",
    ),
    sweep: prepareSweep(handle, { table: logins, key: logins.id, instant: logins.expiresAt }, "sweep_logins"),
  };
});

/**
 * `held`: the login's user as this transaction has it, locked, where the caller knows it. The database looks otherwise (docs/decisions/0027), which costs
 * a sign-in a twentieth of what is not its hash.
 */
export async function insertLogin(tx: Handle, login: Login, held?: User): Promise<void> {
  const said = {
    userEmail: held?.email ?? null,
    userEmailVerified: held?.emailVerified ?? null,
    userName: held?.name ?? null,
    userDisabledAt: held?.disabledAt ?? null,
  };
  await prepared(tx).insert.execute({ ...login, ...said } satisfies Row<"logins">);
}

export async function findLogin(handle: Handle, id: string): Promise<Login | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/** The user of a login that is live at `now`; undefined when it ended or expired, or its user is disabled or gone. */
export async function findLiveUser(handle: Handle, loginId: string, now: number): Promise<LiveUser | undefined> {
  if (handle.gathers) return await findLiveUserAmongOthers(handle, { loginId, now });
  const [row] = await prepared(handle).liveUser.execute({ id: loginId, now });
  return row;
}

/**
 * Replaces the presented refresh token by its successor: one conditional write, so that of parallel calls exactly one gets the login back, and
 * only while its user may sign in.
 */
export async function rotateLogin(tx: Handle, rotation: LoginRotation): Promise<RotatedLogin | undefined> {
  const [row] = await prepared(tx).rotate.execute(rotation);
  return row;
}

export type EndedLogin = Pick<Login, "id" | "appId" | "userId">;

/** The login, when this call ended it; undefined when it had ended before, or there is none. */
export async function endLogin(
  tx: Handle,
  id: string,
  reason: EndReason,
  now: number,
): Promise<EndedLogin | undefined> {
  const [ended] = await prepared(tx).end.execute({ id, endedAt: now, endReason: reason });
  return ended;
}

/** Ends every login of a user; answers those that this call ended. */
export async function endLoginsOfUser(
  tx: Handle,
  userId: string,
  reason: EndReason,
  now: number,
): Promise<EndedLogin[]> {
  return await prepared(tx).endOfUser.execute({ userId, endedAt: now, endReason: reason });
}

/** Live logins of a user but for `id` and the newest of the others: those two make `most`. */
export async function findLoginsBeyond(
  handle: Handle,
  { userId, id, most, now }: { userId: string; id: string; most: number; now: number },
): Promise<string[]> {
  return (await prepared(handle).beyond.execute({ userId, id, most: most - 1, now })).map((login) => login.id);
}

/** Removes a batch of logins that expired before `expiredBefore`, ended or not; true when more may be left. */
export async function sweepLogins(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweep(expiredBefore);
}

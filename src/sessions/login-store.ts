import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  or,
  sql,
} from "drizzle-orm";
import type { EndReason } from "../storage/column-types.ts";
import { gatheredOrAlone } from "../storage/queries/gathered.ts";
import { sweepSize } from "../storage/queries/sweep.ts";
import { placeholders, prepare, prepareCells, statements, type Handle, type Row } from "../storage/storage.ts";
import { countLiveLogins } from "../users/counter-store.ts";
import type { User } from "../users/user.ts";
import { gatheredLogins, type LiveLogin, liveUserOf, loginStartOf } from "./gathered-login-store.ts";
import type { Login, LoginRotation, LiveUser } from "./login.ts";
import { rotatedLoginOf, rotatedOrganization, type LoginStart, type RotatedLogin } from "./rotated-login-store.ts";

/** Logins that one sign-in or one batch ends; the next one continues. */
const maxEndedAtOnce = 20;

/** What a later sign-in changes of a login that it continues. */
const signInFacts = [
  "signedInWith",
  "provider",
  "proofs",
  "secondFactor",
  "organizationProofs",
  "signedInAt",
  "provenElsewhereAt",
  "ipAddress",
  "userAgent",
  "lastSeenAt",
  "expiresAt",
] as const satisfies (keyof Login)[];

type SignInFact = (typeof signInFacts)[number];

/**
 * An ended login needs no copy of the user's data, and must not keep a name that the user gave up.
 */
const withoutUser = { userEmail: null, userEmailVerified: null, userName: null, userDisabledAt: null };

/** The columns of an `EndedLogin`. */
function endedOf({ logins }: Pick<Handle["tables"], "logins">) {
  return { id: logins.id, appId: logins.appId, userId: logins.userId, clientId: logins.clientId };
}

/** The columns of a `Login`, without those about its user. */
export function loginColumns({ logins }: Pick<Handle["tables"], "logins">) {
  const {
    userEmail: _email,
    userEmailVerified: _verified,
    userName: _name,
    userDisabledAt: _disabled,
    claimsVersion: _claims,
    ...own
  } = getTableColumns(logins);
  return own;
}

/** SQLite's result for the columns of `liveUserOf`. */
type LiveUserCells = [
  id: string,
  email: string | null,
  emailVerified: number,
  name: string | null,
  claimsVersion: number,
  secondFactor: LiveUser["secondFactor"],
];

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { logins } = tables;
  const columns = loginColumns(tables);
  const row = placeholders(logins);
  const { id } = row;
  const end = { endedAt: row.endedAt, endReason: row.endReason, ...withoutUser };
  const ended = endedOf(tables);
  const ofBrowser = eq(logins.browserSessionDigest, row.browserSessionDigest);
  const unexpired = and(isNull(logins.endedAt), gt(logins.expiresAt, sql.placeholder("now")));
  const live = and(unexpired, isNull(logins.userDisabledAt));
  // A page without a server loses its tokens in a reload, and signs in again.
  const lost = and(
    eq(logins.publicClient, true),
    eq(logins.generation, 0),
    lt(logins.createdAt, sql.placeholder("lostBefore")),
    or(isNull(logins.resource), lt(logins.createdAt, sql.placeholder("lostWithResourceBefore"))),
  );
  const countedFor = sql`CASE WHEN ${logins.signedInWith} = 'organization' THEN COALESCE(${logins.organizationId}, '') ELSE '' END`;
  const isCountedWith = eq(countedFor, sql.placeholder("countedWith"));
  const expired = db
    .select({ id: logins.id })
    .from(logins)
    .where(lt(logins.expiresAt, sql.placeholder("before")))
    .limit(sweepSize);
  const start = prepare(db.select(loginStartOf(tables)).from(logins).where(eq(logins.id, id)), "login_start");
  const liveUser = prepareCells<LiveUserCells>(
    db
      .select(liveUserOf(tables))
      // The index has all selected columns, which saves most page reads (docs/decisions/0026).
      // IN, because EXISTS becomes a join and takes ten times as long.
      .from(sql`logins INDEXED BY logins_live`)
      .where(and(eq(logins.id, id), live, sql`${sql.placeholder("kid")} IN (SELECT id FROM signing_keys)`)),
  );
  const rotate = prepare(
    db
      .update(logins)
      .set({
        generation: sql`${sql.placeholder("generation")}`,
        organizationId: rotatedOrganization(tables, sql`${sql.placeholder("organizationId")}`),
        previousDigest: sql`${logins.refreshDigest}`,
        refreshDigest: sql`${sql.placeholder("successorDigest")}`,
        refreshedAt: sql`${sql.placeholder("now")}`,
        lastSeenAt: sql`${sql.placeholder("now")}`,
      })
      .where(
        and(
          eq(logins.id, id),
          eq(logins.appId, row.appId),
          eq(logins.refreshDigest, sql.placeholder("presentedDigest")),
          live,
          gt(logins.refreshedAt, sql.placeholder("idleSince")),
        ),
      )
      .returning(rotatedLoginOf(tables)),
    "rotate_login",
  );
  const alone = {
    start: async (of: { id: string }) => (await start.execute(of))[0],
    liveUser: async ({ loginId, kid, now }: LiveLogin): Promise<LiveUser | undefined> => {
      const [cells] = await liveUser.execute({ id: loginId, kid, now });
      if (!cells) return undefined;
      const [id, email, emailVerified, name, claimsVersion, secondFactor] = cells;
      return { id, email, emailVerified: emailVerified === 1, name, claimsVersion, secondFactor };
    },
    rotate: async (rotation: LoginRotation) => (await rotate.execute(rotation))[0],
  };
  return {
    asked: gatheredOrAlone<typeof alone>(handle, { gathered: () => gatheredLogins(handle), alone: () => alone }),
    insert: prepare(db.insert(logins).values(row), "insert_login"),
    byId: prepare(db.select(columns).from(logins).where(eq(logins.id, id)), "login_by_id"),
    end: prepare(
      db
        .update(logins)
        .set(end)
        .where(and(eq(logins.id, id), isNull(logins.endedAt)))
        .returning(ended),
      "end_login",
    ),
    endWithBrowser: prepare(
      db
        .update(logins)
        .set(end)
        .where(
          and(
            eq(logins.userId, row.userId),
            isNull(logins.endedAt),
            or(eq(logins.id, id), and(ofBrowser, isNotNull(logins.clientId))),
          ),
        )
        .returning(ended),
      "end_login_with_browser",
    ),
    endOfBrowser: prepare(
      db
        .update(logins)
        .set(end)
        .where(and(eq(logins.userId, row.userId), isNull(logins.endedAt), ofBrowser))
        .returning(ended),
      "end_logins_of_browser",
    ),
    endOfUser: prepare(
      db
        .update(logins)
        .set(end)
        .where(
          and(
            eq(logins.userId, row.userId),
            isNull(logins.endedAt),
            ne(logins.id, id),
            or(isNull(logins.browserSessionDigest), ne(logins.browserSessionDigest, row.browserSessionDigest)),
          ),
        )
        .returning(ended),
      "end_logins_of_user",
    ),
    voidFactors: prepare(
      db
        .update(logins)
        .set({ secondFactor: null })
        .where(
          and(
            eq(logins.userId, row.userId),
            isNull(logins.endedAt),
            isNotNull(logins.secondFactor),
            // That is not the user's own.
            ne(logins.secondFactor, "organization"),
          ),
        ),
      "void_factors_of_logins",
    ),
    beyond: prepare(
      db
        .select({ id: logins.id })
        .from(logins)
        .where(and(eq(logins.userId, row.userId), ne(logins.id, id), unexpired, isCountedWith))
        .orderBy(sql`CASE WHEN ${lost} THEN 1 ELSE 0 END`, desc(logins.createdAt), desc(logins.id))
        .limit(maxEndedAtOnce)
        .offset(sql.placeholder("most")),
      "logins_beyond_the_newest",
    ),
    sweep: prepare(
      db.delete(logins).where(inArray(logins.id, expired)).returning({ appId: logins.appId, endedAt: logins.endedAt }),
      "sweep_logins",
    ),
  };
});

/**
 * `lockedUser`: the login's user, if this transaction has locked it. Otherwise a trigger reads the
 * user (5 % of a sign-in's non-hash time; docs/decisions/0027).
 */
export async function insertLogin(tx: Handle, login: Login, lockedUser?: User): Promise<void> {
  const userColumns = {
    userEmail: lockedUser?.email ?? null,
    userEmailVerified: lockedUser?.emailVerified ?? null,
    userName: lockedUser?.name ?? null,
    userDisabledAt: lockedUser?.disabledAt ?? null,
    claimsVersion: 0,
  };
  await prepared(tx).insert.execute({ ...login, ...userColumns } satisfies Row<"logins">);
  countLiveLogins(tx, [login], 1);
}

export async function findLogin(handle: Handle, id: string): Promise<Login | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/**
 * The user of a login that is live at `now`, for a token signed by `kid`. Undefined if the login
 * ended or expired, the user is disabled or gone, or the key was withdrawn.
 */
export function findLiveUser(handle: Handle, question: LiveLogin): Promise<LiveUser | undefined> {
  return prepared(handle).asked.liveUser(question);
}

/** How a login began; undefined if there is no such login. */
export function findLoginStart(handle: Handle, id: string): Promise<LoginStart | undefined> {
  return prepared(handle).asked.start({ id });
}

/**
 * Replaces a refresh token by its successor. One conditional write: of concurrent calls, exactly
 * one gets the login, and only while its user may sign in. With `writeOne` it is undefined also for
 * a login that another transaction holds: ask again within `write`, which waits.
 */
export function rotateLogin(handle: Handle, rotation: LoginRotation): Promise<RotatedLogin | undefined> {
  return prepared(handle).asked.rotate(rotation);
}

/** The live login of a client in a browser, with these facts of a later sign-in. */
export async function renewLoginOfBrowser(
  { db, tables }: Handle,
  login: Pick<Login, "userId" | "clientId" | "browserSessionDigest" | SignInFact>,
  now: number,
): Promise<Login | undefined> {
  const { logins } = tables;
  const { userId, clientId, browserSessionDigest: tie } = login;
  if (clientId === null || tie === null) return undefined;
  const facts = Object.fromEntries(signInFacts.map((fact) => [fact, login[fact]]));
  const [renewed] = await db
    .update(logins)
    .set(facts)
    .where(
      and(
        eq(logins.userId, userId),
        eq(logins.clientId, clientId),
        eq(logins.browserSessionDigest, tie),
        isNull(logins.endedAt),
        gt(logins.expiresAt, now),
      ),
    )
    .returning(loginColumns(tables));
  return renewed;
}

/** Ends a user's logins of protected hosts in one browser; returns the ended ones. */
export async function endLoginsAtHosts(
  tx: Handle,
  { userId, tie, reason }: BrowserEnd,
  now: number,
): Promise<EndedLogin[]> {
  const { db, tables } = tx;
  const { logins, proxyLogins } = tables;
  const ended = await db
    .update(logins)
    .set({ endedAt: now, endReason: reason, ...withoutUser })
    .where(
      and(
        eq(logins.userId, userId),
        eq(logins.browserSessionDigest, tie),
        isNull(logins.endedAt),
        exists(db.select({ id: proxyLogins.digest }).from(proxyLogins).where(eq(proxyLogins.loginId, logins.id))),
      ),
    )
    .returning(endedOf(tables));
  return counted(tx, ended);
}

/** The organization that the login names from now on. */
export async function recordOrganization(
  { db, tables: { logins } }: Handle,
  id: string,
  organizationId: string | null,
): Promise<void> {
  await db.update(logins).set({ organizationId }).where(eq(logins.id, id));
}

/** When the login ends from now on, unless it has ended. */
export async function moveLoginEnd({ db, tables: { logins } }: Handle, id: string, expiresAt: number): Promise<void> {
  await db
    .update(logins)
    .set({ expiresAt })
    .where(and(eq(logins.id, id), isNull(logins.endedAt)));
}

/** From now on, the user's live logins count only their first proof. */
export async function voidFactorsOfLogins(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).voidFactors.execute({ userId });
}

export type EndedLogin = Pick<Login, "id" | "appId" | "userId" | "clientId">;

function counted(tx: Handle, ended: EndedLogin[]): EndedLogin[] {
  countLiveLogins(tx, ended, -1);
  return ended;
}

/** The login, if this call ended it; undefined if it had ended before or does not exist. */
export async function endLogin(
  tx: Handle,
  id: string,
  reason: EndReason,
  now: number,
): Promise<EndedLogin | undefined> {
  const [ended] = counted(tx, await prepared(tx).end.execute({ id, endedAt: now, endReason: reason }));
  return ended;
}

/** A browser session of a user, by the tie that its logins have, and why its logins end. */
export type BrowserEnd = { userId: string; tie: string; reason: EndReason };

/**
 * Ends one login and those of OpenID Connect clients that the same browser session opened; returns
 * the ended ones.
 */
export async function endLoginWithBrowser(
  tx: Handle,
  id: string,
  { userId, tie, reason }: BrowserEnd,
  now: number,
): Promise<EndedLogin[]> {
  const end = { id, userId, browserSessionDigest: tie, endedAt: now, endReason: reason };
  return counted(tx, await prepared(tx).endWithBrowser.execute(end));
}

/** Ends every login that a browser session opened; returns the ended ones. */
export async function endLoginsOfBrowser(
  tx: Handle,
  { userId, tie, reason }: BrowserEnd,
  now: number,
): Promise<EndedLogin[]> {
  const end = { userId, browserSessionDigest: tie, endedAt: now, endReason: reason };
  return counted(tx, await prepared(tx).endOfBrowser.execute(end));
}

/** Ends a user's logins except one and those with a kept tie; returns the ended ones. */
export async function endLoginsOfUser(
  tx: Handle,
  userId: string,
  { reason, keep }: { reason: EndReason; keep: { login?: string | undefined; tie?: string | undefined } },
  now: number,
): Promise<EndedLogin[]> {
  // An empty value matches no id and no tie.
  const kept = { id: keep.login ?? "", browserSessionDigest: keep.tie ?? "" };
  const end = { userId, endedAt: now, endReason: reason, ...kept };
  return counted(tx, await prepared(tx).endOfUser.execute(end));
}

/** Ends a user's logins of one client; returns the ended ones. */
export async function endLoginsAtClient(
  tx: Handle,
  { userId, clientId }: { userId: string; clientId: string },
  reason: EndReason,
  now: number,
): Promise<EndedLogin[]> {
  const { logins } = tx.tables;
  const ended = await tx.db
    .update(logins)
    .set({ endedAt: now, endReason: reason, ...withoutUser })
    .where(and(eq(logins.userId, userId), eq(logins.clientId, clientId), isNull(logins.endedAt)))
    .returning(endedOf(tx.tables));
  return counted(tx, ended);
}

/** Some confined logins whose organization has no longer the provider, or the proofs, of then. */
export async function listLostConfinedLogins({ db, tables }: Handle): Promise<EndedLogin[]> {
  const { logins, organizationProviders: providers } = tables;
  const isOfProvider = and(eq(providers.organizationId, logins.organizationId), eq(providers.state, "active"));
  const isLost = or(
    isNull(providers.issuer),
    ne(providers.issuer, logins.provider),
    lt(logins.signedInAt, providers.proofsFrom),
  );
  return await db
    .select(endedOf(tables))
    .from(logins)
    .leftJoin(providers, isOfProvider)
    // As the index says it.
    .where(and(sql`signed_in_with = 'organization'`, isNull(logins.endedAt), isLost))
    .limit(maxEndedAtOnce);
}

/** Some users with logins of a client that have not ended, in the order of their ids. */
export async function listUsersAtClient({ db, tables: { logins } }: Handle, clientId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ userId: logins.userId })
    .from(logins)
    .where(and(eq(logins.clientId, clientId), isNull(logins.endedAt)))
    .orderBy(asc(logins.userId))
    .limit(maxEndedAtOnce);
  return rows.map(({ userId }) => userId);
}

/**
 * A user's live logins beyond `most`, which includes `id` and the newest of the others.
 * `countedWith`: an organization, for its confined ones; empty: for all others. Those of public
 * clients that began before `lostBefore` and were never refreshed count as the oldest; tokens for
 * a resource may live longer.
 */
export async function findLoginsBeyond(
  handle: Handle,
  {
    most,
    ...of
  }: {
    userId: string;
    id: string;
    countedWith: string;
    most: number;
    lostBefore: number;
    lostWithResourceBefore: number;
    now: number;
  },
): Promise<string[]> {
  return (await prepared(handle).beyond.execute({ ...of, most: most - 1 })).map((login) => login.id);
}

/**
 * Removes a batch of logins that expired before `expiredBefore`, ended or not; true if more may be
 * left.
 */
export async function sweepLogins(tx: Handle, expiredBefore: number): Promise<boolean> {
  const removed = await prepared(tx).sweep.execute({ before: expiredBefore });
  const unended = removed.filter(({ endedAt }) => endedAt === null);
  countLiveLogins(tx, unended, -1);
  return removed.length === sweepSize;
}

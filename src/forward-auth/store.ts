import { and, eq, gt, isNull, lt, lte, ne, sql } from "drizzle-orm";
import { gatheredOrAlone, qualified, questions } from "../storage/queries/gathered.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, prepareCells, statements, type Handle, type Row } from "../storage/storage.ts";

/** The client of a host. */
export type FoundHost = NonNullable<Awaited<ReturnType<typeof findHost>>>;

/** `digest`: of the cookie. */
type Question = { digest: string; host: string; clientId: string; now: number };

/** Names contain no spaces; those of deleted groups are null. A star: it requires a factor. */
const nameOfGroup = sql`CASE WHEN groups.second_factor = 'required' THEN '* ' || groups.name ELSE groups.name END`;

function columnsOf({ logins, proxyLogins }: Handle["tables"]) {
  const { id, userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor, claimsVersion } =
    logins;
  const { createdAt, lastUsedAt } = proxyLogins;
  return {
    ...qualified({ loginId: id, userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor }),
    ...qualified({ claimsVersion, createdAt, lastUsedAt }),
    groups: sql<string | null>`(
      SELECT string_agg(${nameOfGroup}, ' ') FROM group_members JOIN groups ON groups.id = group_members.group_id
      WHERE group_members.user_id = logins.user_id
    )`,
  };
}

export type FoundLogin = Pick<Row<"proxyLogins">, "loginId" | "createdAt" | "lastUsedAt"> &
  Pick<Row<"logins">, "userId" | "userEmail" | "userEmailVerified" | "userName"> &
  Pick<Row<"logins">, "signedInWith" | "proofs" | "secondFactor" | "claimsVersion"> & { groups: string | null };

/** SQLite's result for these columns, as the driver returns it. */
type LoginCells = [
  ...[userId: string, email: string | null, verified: number | null, name: string | null],
  ...[signedInWith: FoundLogin["signedInWith"], proofs: string | null, secondFactor: FoundLogin["secondFactor"]],
  claimsVersion: number,
];

function loginOf(cells: LoginCells): Omit<FoundLogin, "loginId" | "createdAt" | "lastUsedAt" | "groups"> {
  const [userId, userEmail, verified, userName, signedInWith, proofs, secondFactor, claimsVersion] = cells;
  const facts = { userId, userEmail, userEmailVerified: verified === 1, userName, signedInWith, secondFactor };
  return { ...facts, proofs: proofs === null ? null : (JSON.parse(proofs) as FoundLogin["proofs"]), claimsVersion };
}

const gatheredLogins = statements(({ db, tables }) => {
  const asked = questions({ digest: "text", host: "text", clientId: "text", now: "bigint" });
  // As in gathered-login-store.ts: without statistics, a join might scan whole tables.
  const logins = sql`${asked.rows},
    LATERAL (
      SELECT * FROM proxy_logins
      WHERE digest = asked.digest AND host = asked.host AND client_id = asked."clientId" AND expires_at > asked.now
      LIMIT 1
    ) AS proxy_logins,
    LATERAL (
      SELECT * FROM logins
      WHERE logins.id = proxy_logins.login_id AND logins.client_id = proxy_logins.client_id
        AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now
      LIMIT 1
    ) AS logins`;
  return {
    login: asked.answeredBy(
      prepare(db.select({ place: asked.place, ...columnsOf(tables) }).from(logins), "proxy_logins_with_logins"),
    ),
  };
});

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { clients, groupMembers, groups, logins, proxyHosts, proxyLogins } = tables;
  const row = placeholders(proxyLogins);
  const now = sql.placeholder("now");
  // SQLite finds three rows by their keys in a fifth of the time of their join.
  const cookie = prepareCells<
    [...[loginId: string, host: string, clientId: string], ...[created: number, used: number]]
  >(
    db
      .select({
        loginId: proxyLogins.loginId,
        host: proxyLogins.host,
        clientId: proxyLogins.clientId,
        createdAt: proxyLogins.createdAt,
        lastUsedAt: proxyLogins.lastUsedAt,
      })
      .from(proxyLogins)
      .where(and(eq(proxyLogins.digest, row.digest), gt(proxyLogins.expiresAt, now))),
  );
  const { userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor, claimsVersion } = logins;
  const login = prepareCells<LoginCells>(
    db
      .select({ userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor, claimsVersion })
      .from(logins)
      .where(
        and(
          eq(logins.id, row.loginId),
          eq(logins.clientId, row.clientId),
          isNull(logins.endedAt),
          isNull(logins.userDisabledAt),
          gt(logins.expiresAt, now),
        ),
      ),
  );
  const groupNames = prepareCells<[names: string | null]>(
    db
      .select({ names: sql`string_agg(${nameOfGroup}, ' ')` })
      .from(groupMembers)
      .innerJoin(groups, eq(groups.id, groupMembers.groupId))
      .where(eq(groupMembers.userId, sql.placeholder("userId"))),
  );
  const alone = {
    async login({ digest, host, clientId, now: at }: Question): Promise<FoundLogin | undefined> {
      const [found] = await cookie.execute({ digest, now: at });
      if (found?.[1] !== host || found[2] !== clientId) return undefined;
      const [loginId, , , createdAt, lastUsedAt] = found;
      const [cells] = await login.execute({ loginId, clientId, now: at });
      if (!cells) return undefined;
      const [[names] = [null]] = await groupNames.execute({ userId: cells[0] });
      return { ...loginOf(cells), loginId, createdAt, lastUsedAt, groups: names };
    },
  };
  return {
    host: prepare(
      db
        .select({
          clientId: clients.id,
          appId: clients.appId,
          disabledAt: clients.disabledAt,
          allowedGroups: clients.allowedGroups,
          proxy: clients.proxy,
          policy: clients.secondFactor,
        })
        .from(proxyHosts)
        .innerJoin(clients, eq(clients.id, proxyHosts.clientId))
        .where(eq(proxyHosts.host, row.host)),
      "proxy_host",
    ),
    asked: gatheredOrAlone<typeof alone>(handle, { gathered: () => gatheredLogins(handle), alone: () => alone }),
    insert: prepare(
      db
        .insert(proxyLogins)
        .values(row)
        .onConflictDoUpdate({
          target: proxyLogins.digest,
          set: { createdAt: row.createdAt, lastUsedAt: row.lastUsedAt, expiresAt: row.expiresAt },
        }),
      "insert_proxy_login",
    ),
    use: prepare(
      db
        .update(proxyLogins)
        .set({ lastUsedAt: sql`${now}` })
        .where(and(eq(proxyLogins.digest, row.digest), lte(proxyLogins.lastUsedAt, sql.placeholder("notAfter"))))
        .returning({ loginId: proxyLogins.loginId, expiresAt: proxyLogins.expiresAt }),
      "use_proxy_login",
    ),
    seen: prepare(
      db
        .update(logins)
        .set({
          lastSeenAt: sql`${now}`,
          expiresAt: sql`CASE WHEN ${logins.expiresAt} > ${row.expiresAt} THEN ${logins.expiresAt} ELSE ${row.expiresAt} END`,
        })
        .where(and(eq(logins.id, row.loginId), lt(logins.lastSeenAt, now))),
      "proxy_login_seen",
    ),
    sweep: prepareSweep(
      handle,
      { table: proxyLogins, key: proxyLogins.digest, instant: proxyLogins.expiresAt },
      "sweep_proxy_logins",
    ),
  };
});

/** Undefined if no client has this host. */
export async function findHost(handle: Handle, host: string) {
  const [row] = await prepared(handle).host.execute({ host });
  return row;
}

/** The live login of a cookie of this host and client. */
export async function findProxyLogin(handle: Handle, question: Question): Promise<FoundLogin | undefined> {
  return await prepared(handle).asked.login(question);
}

/** Or renews a cookie that the browser has. */
export async function insertProxyLogin(tx: Handle, login: Row<"proxyLogins">): Promise<void> {
  await prepared(tx).insert.execute(login);
}

/** Removes cookies of a login and host that its browser has replaced: created before `before`. */
export async function removeReplaced(
  { db, tables: { proxyLogins } }: Handle,
  { digest, loginId, host, before }: Pick<Row<"proxyLogins">, "digest" | "loginId" | "host"> & { before: number },
): Promise<void> {
  const others = and(eq(proxyLogins.loginId, loginId), eq(proxyLogins.host, host), ne(proxyLogins.digest, digest));
  await db.delete(proxyLogins).where(and(others, lt(proxyLogins.createdAt, before)));
}

/** Unless another node has recorded a use after `notAfter`. The login lives until `idleAt`. */
export async function recordUse(
  tx: Handle,
  { idleAt, ...use }: { digest: string; now: number; notAfter: number; idleAt: number },
): Promise<void> {
  const [row] = await prepared(tx).use.execute(use);
  if (!row) return;
  const { loginId, expiresAt } = row;
  await prepared(tx).seen.execute({ loginId, now: use.now, expiresAt: Math.min(expiresAt, idleAt) });
}

/** Deletes a batch of expired rows; true if more may be left. */
export async function sweepProxyLogins(tx: Handle, now: number): Promise<boolean> {
  return await prepared(tx).sweep(now);
}

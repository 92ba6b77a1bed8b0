import { and, eq, gt, isNull, lt, lte, ne, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { gatheredOrAlone, qualified, questions } from "../storage/queries/gathered.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, prepareCells, statements, type Handle, type Row } from "../storage/storage.ts";

/** A host, its client, and the live login of a cookie of this host, if there is one. */
export type FoundHost = Awaited<ReturnType<typeof findHost>>;

/** `digest`: of the cookie; empty for none. */
type Question = { host: string; digest: string; now: number };

function columnsOf(tables: Handle["tables"]) {
  const { clients, logins, proxyLogins } = tables;
  const { appId, disabledAt, allowedGroups, proxy } = clients;
  const { userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor, claimsVersion } = logins;
  const { createdAt, lastUsedAt, expiresAt } = proxyLogins;
  return {
    ...qualified({ clientId: clients.id, appId, disabledAt, allowedGroups, proxy }),
    // Null without a live login, like all that follows.
    loginId: sql<string | null>`logins.id`,
    ...qualified({ userId, userEmail, userEmailVerified, userName, signedInWith, proofs, secondFactor, claimsVersion }),
    ...qualified({ createdAt, lastUsedAt, expiresAt }),
    ...qualified({ policy: clients.secondFactor }),
    // Names contain no spaces; those of deleted groups are null. A star: it requires a factor.
    groups: sql<string | null>`(
      SELECT string_agg(CASE WHEN groups.second_factor = 'required' THEN '* ' || groups.name ELSE groups.name END, ' ') FROM group_members JOIN groups ON groups.id = group_members.group_id
      WHERE group_members.user_id = logins.user_id
    )`,
  };
}

type HostRow = Pick<Row<"clients">, "appId" | "disabledAt" | "allowedGroups" | "proxy"> &
  Pick<Row<"proxyLogins">, "createdAt" | "lastUsedAt" | "expiresAt"> &
  Pick<Row<"logins">, "userId" | "userEmail" | "userEmailVerified" | "userName"> &
  Pick<Row<"logins">, "signedInWith" | "proofs" | "secondFactor" | "claimsVersion"> & {
    clientId: string;
    loginId: string | null;
    policy: Row<"clients">["secondFactor"];
    groups: string | null;
  };

/** SQLite's result for these columns, as the driver returns it. */
type HostCells = [
  ...[clientId: string, appId: string, disabledAt: number | null, allowedGroups: string | null, proxy: string],
  ...[loginId: string | null, userId: string, email: string | null, verified: number | null, name: string | null],
  ...[signedInWith: HostRow["signedInWith"], proofs: string | null, secondFactor: HostRow["secondFactor"]],
  ...[claimsVersion: number, createdAt: number, lastUsedAt: number, expiresAt: number, policy: HostRow["policy"]],
  groups: string | null,
];

/** Parses a JSON text once: all checks of a client have the same settings. Do not change them. */
function parsedOnce(): (text: string | null) => unknown {
  const known = new LRUCache<string, object>({ max: 1000 });
  return (text) => {
    if (text === null) return null;
    const value = known.get(text) ?? (JSON.parse(text) as object);
    known.set(text, value);
    return value;
  };
}

function rowOf(cells: HostCells, parsed: (text: string | null) => unknown): HostRow {
  const [clientId, appId, disabledAt, allowedGroups, proxy, loginId, userId, userEmail, verified, userName] = cells;
  const [, , , , , , , , , , signedInWith, proofs, secondFactor, claimsVersion, ...others] = cells;
  const [createdAt, lastUsedAt, expiresAt, policy, groups] = others;
  return {
    clientId,
    appId,
    disabledAt,
    allowedGroups: parsed(allowedGroups) as HostRow["allowedGroups"],
    proxy: parsed(proxy) as HostRow["proxy"],
    loginId,
    userId,
    userEmail,
    userEmailVerified: verified === 1,
    userName,
    signedInWith,
    proofs: parsed(proofs) as HostRow["proofs"],
    secondFactor,
    claimsVersion,
    createdAt,
    lastUsedAt,
    expiresAt,
    policy,
    groups,
  };
}

const gatheredHosts = statements(({ db, tables }) => {
  const asked = questions({ host: "text", digest: "text", now: "bigint" });
  // As in gathered-login-store.ts: without statistics, a join might scan whole tables.
  const hosts = sql`${asked.rows},
    LATERAL (SELECT * FROM proxy_hosts WHERE host = asked.host LIMIT 1) AS proxy_hosts,
    LATERAL (SELECT * FROM clients WHERE clients.id = proxy_hosts.client_id LIMIT 1) AS clients
    LEFT JOIN LATERAL (
      SELECT * FROM proxy_logins
      WHERE digest = asked.digest AND host = proxy_hosts.host AND client_id = proxy_hosts.client_id AND expires_at > asked.now
      LIMIT 1
    ) AS proxy_logins ON true
    LEFT JOIN LATERAL (
      SELECT * FROM logins
      WHERE logins.id = proxy_logins.login_id AND logins.client_id = proxy_logins.client_id
        AND ended_at IS NULL AND user_disabled_at IS NULL AND expires_at > asked.now
      LIMIT 1
    ) AS logins ON true`;
  return {
    host: asked.answeredBy(
      prepare(db.select({ place: asked.place, ...columnsOf(tables) }).from(hosts), "hosts_with_logins"),
    ),
  };
});

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { clients, logins, proxyHosts, proxyLogins } = tables;
  const row = placeholders(proxyLogins);
  const now = sql.placeholder("now");
  const host = prepareCells<HostCells>(
    db
      .select(columnsOf(tables))
      .from(proxyHosts)
      .innerJoin(clients, eq(clients.id, proxyHosts.clientId))
      .leftJoin(
        proxyLogins,
        and(
          eq(proxyLogins.digest, row.digest),
          eq(proxyLogins.host, proxyHosts.host),
          eq(proxyLogins.clientId, proxyHosts.clientId),
          gt(proxyLogins.expiresAt, now),
        ),
      )
      .leftJoin(
        logins,
        and(
          eq(logins.id, proxyLogins.loginId),
          eq(logins.clientId, proxyLogins.clientId),
          isNull(logins.endedAt),
          isNull(logins.userDisabledAt),
          gt(logins.expiresAt, now),
        ),
      )
      .where(eq(proxyHosts.host, row.host)),
  );
  const settings = parsedOnce();
  const alone = {
    async host(question: Question): Promise<HostRow | undefined> {
      const [cells] = await host.execute(question);
      return cells && rowOf(cells, settings);
    },
  };
  return {
    asked: gatheredOrAlone<typeof alone>(handle, { gathered: () => gatheredHosts(handle), alone: () => alone }),
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
export async function findHost(handle: Handle, question: Question) {
  return await prepared(handle).asked.host(question);
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

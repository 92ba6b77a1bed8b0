import { and, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { second } from "../lib/clock.ts";
import type { Handle } from "../storage/storage.ts";
import { loginColumns } from "./login-store.ts";
import type { Login } from "./login.ts";

/** A user's logins, newest first. Only those live at `now`, unless `all`. */
export async function listLoginsOfUser(
  { db, tables }: Handle,
  userId: string,
  { all, now }: { all: boolean; now: number },
): Promise<Login[]> {
  const { logins } = tables;
  const isLive = and(isNull(logins.endedAt), gt(logins.expiresAt, now));
  return await db
    .select(loginColumns(tables))
    .from(logins)
    .where(and(eq(logins.userId, userId), all ? undefined : isLive))
    .orderBy(desc(logins.createdAt), desc(logins.id));
}

/** A login that counts for a maximum. `isOfProxy`: of a client that protects hosts. */
export type CountedLogin = Pick<
  Login,
  "id" | "clientId" | "browserDigest" | "browserSessionDigest" | "signedInWith" | "organizationId"
> & {
  isOfProxy: boolean;
};

/**
 * A user's own live logins, newest first: not tokens that operators minted, nor logins without a
 * refresh since `since`, which those of protected hosts do not have.
 */
export async function listCountedLogins(
  { db, tables: { logins, clients } }: Handle,
  { userId, since, now }: { userId: string; since: number; now: number },
): Promise<CountedLogin[]> {
  const { id, clientId, browserDigest, browserSessionDigest, signedInWith, organizationId } = logins;
  return await db
    .select({
      id,
      clientId,
      browserDigest,
      browserSessionDigest,
      signedInWith,
      organizationId,
      isOfProxy: sql`COALESCE(${clients.kind} = 'proxy', FALSE)`.mapWith(Boolean),
    })
    .from(logins)
    .leftJoin(clients, eq(clients.id, logins.clientId))
    .where(
      and(
        eq(logins.userId, userId),
        isNull(logins.endedAt),
        gt(logins.expiresAt, now),
        or(eq(clients.kind, "proxy"), gt(logins.refreshedAt, since)),
        ne(logins.signedInWith, "operator"),
      ),
    )
    .orderBy(desc(logins.createdAt), desc(logins.id));
}

/** The protected hosts that each of these logins has opened, by its id. */
export async function listHostsOfLogins(
  { db, tables: { proxyLogins } }: Handle,
  logins: readonly Pick<Login, "id" | "clientId">[],
): Promise<Map<string, string[]>> {
  const ids = logins.filter(({ clientId }) => clientId !== null).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectDistinct({ loginId: proxyLogins.loginId, host: proxyLogins.host })
    .from(proxyLogins)
    .where(inArray(proxyLogins.loginId, ids));
  const byLogin = Map.groupBy(rows, ({ loginId }) => loginId);
  return new Map([...byLogin].map(([id, of]) => [id, of.map(({ host }) => host).toSorted()]));
}

/**
 * How many live logins hold outdated user data. Always none, unless somebody writes past the
 * triggers.
 */
export async function countLoginsAtOdds({ db, tables: { logins, users } }: Handle): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(logins)
    .leftJoin(users, eq(users.id, logins.userId))
    .where(
      and(
        isNull(logins.endedAt),
        sql`(${users.id} IS NULL OR ${logins.userEmail} IS DISTINCT FROM ${users.email} OR ${logins.userEmailVerified} IS DISTINCT FROM ${users.emailVerified}
          OR ${logins.userName} IS DISTINCT FROM ${users.name} OR ${logins.userDisabledAt} IS DISTINCT FROM ${users.disabledAt})`,
      ),
    );
  return row?.value ?? 0;
}

/**
 * Live logins with an unexpired access token signed between `from` and `until`, by application and
 * sign-in method. A token lasts `seconds`; a minted one lasts as long as its login.
 */
export async function countLoginsWithTokens(
  { db, tables: { logins } }: Handle,
  { from, until, now, ...seconds }: { from: number; until: number; now: number; own: number; ofResources: number },
): Promise<{ appId: string; signedInWith: Login["signedInWith"]; count: number }[]> {
  const lasting = or(
    eq(logins.signedInWith, "operator"),
    gt(logins.refreshedAt, now - seconds.own * second),
    and(isNotNull(logins.resource), gt(logins.refreshedAt, now - seconds.ofResources * second)),
  );
  return await db
    .select({ appId: logins.appId, signedInWith: logins.signedInWith, count: count() })
    .from(logins)
    .where(
      and(
        isNull(logins.endedAt),
        gt(logins.expiresAt, now),
        lasting,
        gte(logins.refreshedAt, from),
        lt(logins.refreshedAt, Math.min(until, Number.MAX_SAFE_INTEGER)),
      ),
    )
    .groupBy(logins.appId, logins.signedInWith);
}

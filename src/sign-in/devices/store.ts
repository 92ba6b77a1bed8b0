import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { forChange, placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

/** A sign-in that a device asked for. Instants are epoch milliseconds. */
export type DeviceRequest = Row<"deviceRequests">;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { deviceRequests: requests } = tables;
  const row = placeholders(requests);
  const now = sql.placeholder("now");
  const isWaiting = and(gt(requests.expiresAt, now), isNull(requests.allowedAt), isNull(requests.deniedAt));
  const waiting = and(eq(requests.digest, row.digest), isWaiting);
  const own = and(eq(requests.digest, row.digest), eq(requests.clientId, row.clientId));
  const tries = sql`${requests.wrongTries} + 1`;
  return {
    insert: prepare(
      db.insert(requests).values(row).onConflictDoNothing().returning({ digest: requests.digest }),
      "insert_device_request",
    ),
    byUserCode: prepare(
      db
        .select()
        .from(requests)
        .where(and(eq(requests.userCodeDigest, row.userCodeDigest), isWaiting)),
      "device_request_by_user_code",
    ),
    byDigest: prepare(db.select().from(requests).where(eq(requests.digest, row.digest)), "device_request"),
    lock: prepare(forChange(db.select().from(requests).where(own)), "lock_device_request"),
    poll: prepare(
      db.update(requests).set({ polledAt: row.polledAt, intervalSeconds: row.intervalSeconds }).where(own),
      "poll_device_request",
    ),
    countWrongTry: prepare(
      db
        .update(requests)
        .set({
          wrongTries: tries,
          expiresAt: sql`CASE WHEN ${tries} >= ${sql.placeholder("most")} THEN CAST(${now} AS bigint) ELSE ${requests.expiresAt} END`,
        })
        .where(and(eq(requests.nearDigest, row.nearDigest), isWaiting)),
      "count_wrong_user_code",
    ),
    allow: prepare(
      db.update(requests).set({ allowedAt: row.allowedAt }).where(waiting).returning({ digest: requests.digest }),
      "allow_device_request",
    ),
    deny: prepare(
      db.update(requests).set({ deniedAt: row.deniedAt }).where(waiting).returning({ digest: requests.digest }),
      "deny_device_request",
    ),
    sweepAllowed: prepareSweep(
      handle,
      { table: requests, key: requests.digest, instant: requests.expiresAt },
      "sweep_device_requests",
    ),
    sweepOthers: prepareSweep(
      handle,
      {
        table: requests,
        key: requests.digest,
        instant: requests.expiresAt,
        only: isNull(requests.allowedAt),
      },
      "sweep_device_requests_not_allowed",
    ),
  };
});

/** False if a request that is still there has the same user code. */
export async function insertDeviceRequest(tx: Handle, request: DeviceRequest): Promise<boolean> {
  return (await prepared(tx).insert.execute(request)).length === 1;
}

/** The request that waits for its person. */
export async function findWaiting(
  handle: Handle,
  userCodeDigest: string,
  now: number,
): Promise<DeviceRequest | undefined> {
  const [row] = await prepared(handle).byUserCode.execute({ userCodeDigest, now });
  return row;
}

export async function findDeviceRequest(handle: Handle, digest: string): Promise<DeviceRequest | undefined> {
  const [row] = await prepared(handle).byDigest.execute({ digest });
  return row;
}

/** This client's request in any state; locked until the transaction ends. */
export async function lockDeviceRequest(
  tx: Handle,
  of: { digest: string; clientId: string },
): Promise<DeviceRequest | undefined> {
  const [row] = await prepared(tx).lock.execute(of);
  return row;
}

export async function recordPoll(
  tx: Handle,
  poll: Pick<DeviceRequest, "digest" | "clientId" | "intervalSeconds" | "polledAt">,
): Promise<void> {
  await prepared(tx).poll.execute(poll);
}

/** Counts a wrong code for the waiting requests near it. They expire with the `most`-th. */
export async function countWrongTry(
  tx: Handle,
  { nearDigest, most }: { nearDigest: string; most: number },
  now: number,
): Promise<void> {
  await prepared(tx).countWrongTry.execute({ nearDigest, most, now });
}

/** False if it was decided before, or is over. */
export async function allowDeviceRequest(tx: Handle, digest: string, now: number): Promise<boolean> {
  return (await prepared(tx).allow.execute({ digest, allowedAt: now, now })).length === 1;
}

/** False if it was decided before, or is over. */
export async function denyDeviceRequest(tx: Handle, digest: string, now: number): Promise<boolean> {
  return (await prepared(tx).deny.execute({ digest, deniedAt: now, now })).length === 1;
}

/**
 * Removes a batch of requests that expired before `othersBefore` and that nobody allowed, or before
 * `allowedBefore`; true if more may be left.
 */
export async function sweepDeviceRequests(
  tx: Handle,
  { allowedBefore, othersBefore }: { allowedBefore: number; othersBefore: number },
): Promise<boolean> {
  const { sweepAllowed, sweepOthers } = prepared(tx);
  const isMoreLeft = await sweepOthers(othersBefore);
  return (await sweepAllowed(allowedBefore)) || isMoreLeft;
}

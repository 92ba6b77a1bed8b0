import { and, eq, gt } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

type PushedRequest = Row<"authorizationRequests">;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { authorizationRequests: requests } = tables;
  const row = placeholders(requests);
  const isLive = and(
    eq(requests.digest, row.digest),
    eq(requests.clientId, row.clientId),
    gt(requests.expiresAt, row.expiresAt),
  );
  return {
    insert: prepare(db.insert(requests).values(row), "insert_authorization_request"),
    delete: prepare(db.delete(requests).where(eq(requests.digest, row.digest)), "delete_authorization_request"),
    find: prepare(
      db.select({ appId: requests.appId, parameters: requests.parameters }).from(requests).where(isLive),
      "authorization_request",
    ),
    sweep: prepareSweep(
      handle,
      { table: requests, key: requests.digest, instant: requests.expiresAt },
      "sweep_authorization_requests",
    ),
  };
});

export async function insertPushedRequest(tx: Handle, request: PushedRequest): Promise<void> {
  await prepared(tx).insert.execute(request);
}

/** Ends a request, in the transaction that gives its sign-in a code. */
export async function deletePushedRequest(tx: Handle, digest: string): Promise<void> {
  await prepared(tx).delete.execute({ digest });
}

/** A client's request. */
export async function findPushedRequest(
  handle: Handle,
  of: { digest: string; clientId: string },
  now: number,
): Promise<Pick<PushedRequest, "appId" | "parameters"> | undefined> {
  const [row] = await prepared(handle).find.execute({ ...of, expiresAt: now });
  return row;
}

/** Removes a batch of expired requests; true if more may be left. */
export async function sweepPushedRequests(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

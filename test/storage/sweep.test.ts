import { count } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, expect, it } from "vitest";
import { sweepLogins } from "../../src/sessions/login-store.ts";
import { sweepAll } from "../../src/storage/queries/sweep.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { insertUser } from "../../src/users/store.ts";
import { describeEachDatabase } from "../support/service.ts";
import { loginOf, sessionOf, userOf } from "./rows.ts";

const year = 365 * 24 * 60 * 60 * 1000;

describeEachDatabase("a sweep of a backlog", (current, { restart }) => {
  const expired = 2000;
  /**
   * Not expired yet: the service also sweeps by itself, ten seconds after its start, and must find
   * none of these.
   */
  const later = Date.now() + year;
  let appId: string;
  beforeAll(async () => {
    appId = (await current().createApp()).id;
    await current().server.app.ctx.storage.write((tx) => insertUser(tx, userOf(appId, "usr_1")));
  });

  it("removes a sign-in session when it expires, unless it has a code or waits for a mail: those a day later", async () => {
    const { app } = current().server;
    const { signInSessions } = app.ctx.storage.reader.tables;
    const { now } = current().clock;
    const day = 24 * 60 * 60 * 1000;
    const rows = {
      open: [now, {}],
      "just expired": [now - 1, {}],
      "just expired, proven, without a code": [now - 1, { signedInAt: now, signedInWith: "password" }],
      "just expired, with a code": [now - 1, { codeDigest: "unused" }],
      "just expired, with a used code": [now - 1, { codeDigest: "used", codeUsedAt: now }],
      "just expired, waiting for a mail": [now - 1, { awaitsMail: true }],
      "a day later, with a code": [now - day - 1, { codeDigest: "old" }],
      "a day later, waiting for a mail": [now - day - 1, { awaitsMail: true }],
    } as const;
    await app.ctx.storage.write(async ({ db }) => {
      await db.delete(signInSessions);
      for (const [digest, [expiresAt, more]] of Object.entries(rows))
        await db.insert(signInSessions).values({ ...sessionOf(appId, digest, expiresAt), ...more });
    });
    await app.sweep();
    const left = await app.ctx.storage.reader.db.select({ digest: signInSessions.digest }).from(signInSessions);
    expect(left.map(({ digest }) => digest).toSorted()).toEqual([
      "just expired, waiting for a mail",
      "just expired, with a code",
      "just expired, with a used code",
      "open",
    ]);
  });

  it("lets other work through between its batches", async () => {
    const { storage } = current().server.app.ctx;
    const { logins, facts } = storage.reader.tables;
    await fill(storage, logins, expired, (key) => loginOf(appId, `between ${key}`, later));
    const before = await countRows(storage, logins);
    const seen: number[] = [];
    let batches = 0;
    const sweepBatch = async () => {
      const other = storage.write(
        async ({ db }) => void (await db.insert(facts).values({ name: `work ${(batches += 1)}`, value: "" })),
      );
      const more = await storage.write((tx) => sweepLogins(tx, later + 1));
      // Work of others is committed, and sees what has been swept so far, in the middle of the
      // sweep.
      await other;
      seen.push(await countRows(storage, logins));
      return more;
    };
    await sweepAll(sweepBatch, () => false);
    expect(seen.length).toBeGreaterThanOrEqual(expired / 500);
    expect(seen.slice(0, expired / 500)).toEqual(
      Array.from({ length: expired / 500 }, (_, batch) => before - 500 * (batch + 1)),
    );
  });

  it("stops before the next batch when it is told to", async () => {
    const { storage } = current().server.app.ctx;
    const { logins } = storage.reader.tables;
    await fill(storage, logins, expired, (key) => loginOf(appId, `stopped ${key}`, later));
    const before = await countRows(storage, logins);
    let batches = 0;
    const removeBatch = async () => {
      batches += 1;
      return await storage.write((tx) => sweepLogins(tx, later + 1));
    };
    await sweepAll(removeBatch, () => batches === 2);
    expect(before - (await countRows(storage, logins))).toBe(1000);
  });

  it("ends with the service, and begins anew with it", async () => {
    const { ctx, sweep } = current().server.app;
    const { storage } = ctx;
    await fill(storage, storage.reader.tables.logins, expired, (key) => loginOf(appId, `ended ${key}`, 1));
    // A sweep that went on after closing would reject, for want of a database.
    const [outcome] = await Promise.allSettled([sweep(), restart()]);
    expect(outcome).toEqual({ status: "fulfilled", value: undefined });
    const reopened = current().server.app;
    await reopened.sweep();
    const { db, tables } = reopened.ctx.storage.reader;
    const left = await db.select().from(tables.logins);
    expect(left.filter(({ expiresAt }) => expiresAt === 1)).toEqual([]);
  });
});

async function fill(storage: Storage, table: SQLiteTable, rows: number, row: (key: number) => object): Promise<void> {
  const all = Array.from({ length: rows }, (_, key) => row(key));
  // A transaction each: on a busy machine one of all would take longer than one may.
  for (let start = 0; start < rows; start += 200)
    await storage.write(async ({ db }) => void (await db.insert(table).values(all.slice(start, start + 200))));
}

async function countRows(storage: Storage, table: SQLiteTable): Promise<number> {
  const [row] = await storage.reader.db.select({ rows: count() }).from(table);
  return row?.rows ?? Number.NaN;
}

import { eq, sql, type SQL } from "drizzle-orm";
import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { createPostgresPool } from "../../src/storage/postgres/pool.ts";
import { createPostgresStorage } from "../../src/storage/postgres/postgres.ts";
import type { Handle, Storage } from "../../src/storage/storage.ts";
import { afterCommit } from "../../src/storage/transaction.ts";
import { createTestDatabase } from "../support/postgres.ts";

// One connection, so that each test finds what the one before has left there.
let storage: Storage;
let url: string;
const idleErrors: Error[] = [];

beforeAll(async () => {
  url = await createTestDatabase();
  storage = await openStorage({ url, poolSize: 1, file: "" }, Date.now(), (error) => idleErrors.push(error));
});
afterAll(async () => {
  await storage.close();
});

/** Answers nothing, and is therefore not waited for. */
async function insertFact({ db, tables }: Handle, name: string): Promise<void> {
  await db.insert(tables.facts).values({ name, value: name });
}

async function isThere({ db, tables }: Handle, name: string): Promise<boolean> {
  return (await db.select().from(tables.facts).where(eq(tables.facts.name, name))).length === 1;
}

it("sees within a transaction what it wrote without waiting", async () => {
  const seen = await storage.write(async (tx) => {
    await insertFact(tx, "a");
    await insertFact(tx, "b");
    return [await isThere(tx, "a"), await isThere(tx, "b")];
  });
  expect(seen).toEqual([true, true]);
});

it("fails a transaction by the error of the statement that nobody waited for, whatever came after it", async () => {
  const duplicate = expect.objectContaining({ code: "23505" }) as unknown;
  const works = [
    async (tx: Handle) => await insertFact(tx, "a"),
    async (tx: Handle) => {
      await insertFact(tx, "c");
      await insertFact(tx, "a");
      await insertFact(tx, "d");
    },
    async (tx: Handle) => {
      await insertFact(tx, "c");
      await insertFact(tx, "a");
      return await isThere(tx, "c");
    },
    async (tx: Handle) => {
      await insertFact(tx, "c");
      await insertFact(tx, "a");
      return await isThere(tx, "c").catch(() => true);
    },
  ];
  for (const work of works) {
    await expect(storage.write<unknown>(work)).rejects.toEqual(duplicate);
    expect(await isThere(storage.reader, "c")).toBe(false);
  }
  await storage.write((tx) => insertFact(tx, "after the failures"));
  expect(await isThere(storage.reader, "after the failures")).toBe(true);
});

it("is no success when the error of a statement was overlooked", async () => {
  const work = async (tx: Handle) => {
    await insertFact(tx, "overlooked");
    await tx.db
      .select({ no: sql`1 / 0` })
      .from(tx.tables.facts)
      .catch(() => {});
  };
  await expect(storage.write(work)).rejects.toThrow("after one of its statements failed");
  expect(await isThere(storage.reader, "overlooked")).toBe(false);
});

it("takes back what was not waited for when the work throws", async () => {
  const work = async (tx: Handle) => {
    await insertFact(tx, "thrown");
    throw new Error("no");
  };
  await expect(storage.write(work)).rejects.toThrow("no");
  expect(await isThere(storage.reader, "thrown")).toBe(false);
});

it("acts after the commit once, and rolls back with an outcome, where a transaction had to run again", async () => {
  const acts: number[] = [];
  let tries = 0;
  const again = (tx: Handle): void => {
    tries += 1;
    const thisTry = tries;
    afterCommit(tx, () => acts.push(thisTry));
    if (thisTry % 2 === 1) throw Object.assign(new Error("serialization failure"), { code: "40001" });
  };
  expect(await storage.write(async (tx) => again(tx))).toBeUndefined();
  expect(acts).toEqual([2]);
  const outcome = await storage.write<string>(async (tx, rollBack) => {
    again(tx);
    throw rollBack(`try ${tries}`);
  });
  expect([outcome, acts]).toEqual(["try 4", [2]]);
});

it("runs as many statements at once as it likes, and none at all", async () => {
  expect(await storage.write(async () => 1)).toBe(1);
  await expect(storage.write(async () => await Promise.reject(new Error("none")))).rejects.toThrow("none");
  const seen = await storage.write(async (tx) => {
    const answers = await Promise.all([isThere(tx, "a"), isThere(tx, "nobody"), insertFact(tx, "e"), isThere(tx, "e")]);
    return answers;
  });
  expect(seen).toEqual([true, false, undefined, true]);
});

it.each([
  ["with parameters", (tx: Handle) => insertFact(tx, "without a transaction")],
  ["without", async ({ db, tables }: Handle) => void (await db.select({ name: tables.facts.name }).from(tables.facts))],
])("does not run a first statement %s where the transaction could not begin", async (what, first) => {
  const pool = createPostgresPool(url, 1, () => {});
  const sole = createPostgresStorage(pool);
  await sole.write((tx) => insertFact(tx, `begun ${what}`));
  // The server then knows nothing of the BEGIN that goes out with the first statement.
  await pool.query('DEALLOCATE "begin"');
  let tries = 0;
  const work = async (tx: Handle) => {
    tries += 1;
    await first(tx);
    // It goes on when the first statement is answered.
    await isThere(tx, "nobody");
    if (tries > 1) throw new Error(`try ${tries}`);
  };
  // Then on another connection, which begins as it should.
  await expect(sole.write(work)).rejects.toThrow("try 2");
  expect(await isThere(storage.reader, "without a transaction")).toBe(false);
  await sole.close();
});

it("adds to another row of a counter on each connection, beginning where the node's draw says", async () => {
  const three = createPostgresStorage(
    createPostgresPool(url, 3, () => {}),
    () => Uint8Array.of(14),
  );
  const shardOf = async (tx: Handle): Promise<unknown> =>
    (await tx.db.select({ shard: sql`${tx.shard}` }).from(sql`(SELECT 1) AS one`))[0]?.shard;
  const shards = await Promise.all([1, 2, 3].map(async () => await three.write(shardOf)));
  expect(new Set(shards)).toEqual(new Set([0, 14, 15]));
  await three.close();
});

it("fails with its connection, wholly, and leaves the process and the next one alone", async () => {
  const killer = new Client({ connectionString: url });
  await killer.connect();
  const work = async (tx: Handle) => {
    await insertFact(tx, "died");
    await tx.db.select({ slept: sql`pg_sleep(30)` }).from(sql`(SELECT 1) AS one`);
  };
  const failed = Promise.allSettled([storage.write(work)]);
  const sleeping =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()";
  while ((await killer.query(sleeping)).rows.length === 0) await sleep(10);
  expect(await failed).toMatchObject([{ status: "rejected" }]);
  await killer.end();
  await storage.write((tx) => insertFact(tx, "after the connection"));
  expect([await isThere(storage.reader, "died"), await isThere(storage.reader, "after the connection")]).toEqual([
    false,
    true,
  ]);
});

it("fails with a connection that dies while it is handed over, and leaves the process alone", async () => {
  const pool = createPostgresPool(url, 1, () => {});
  const own = createPostgresStorage(pool);
  await own.ping();
  let thrown: unknown;
  pool.once("acquire", (client) => {
    const { connection } = client as unknown as { connection: EventEmitter };
    // Before whoever waits for the connection hears that it is theirs, as an EPIPE is told, or a
    // FATAL that came with the answer before it.
    process.nextTick(() => {
      try {
        connection.emit("error", new Error("gone"));
      } catch (error) {
        thrown = error;
      }
    });
  });
  await expect(own.write(async (tx) => await isThere(tx, "a"))).rejects.toThrow();
  expect(thrown).toBeUndefined();
  await own.ping();
  await own.close();
});

describe("a transaction that lost against another one", () => {
  let pair: Storage;
  beforeAll(async () => {
    pair = await openStorage({ url, poolSize: 3, file: "" }, Date.now(), () => {});
  });
  afterAll(async () => pair.close());

  async function setFact({ db, tables }: Handle, name: string, value: string): Promise<void> {
    await db.update(tables.facts).set({ value }).where(eq(tables.facts.name, name)).returning();
  }

  async function valueOf({ db, tables }: Handle, name: string): Promise<string | undefined> {
    return (await db.select().from(tables.facts).where(eq(tables.facts.name, name)))[0]?.value;
  }

  it("runs again after a deadlock (40P01), and both are committed", async () => {
    for (const name of ["left", "right"]) await pair.write((tx) => insertFact(tx, name));
    const [leftIsHeld, rightIsHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let attempts = 0;
    const crossing = async (first: string, second: string, mine: PromiseWithResolvers<void>, other: Promise<void>) =>
      await pair.write(async (tx) => {
        attempts += 1;
        await setFact(tx, first, `${first} first`);
        mine.resolve();
        await other;
        await setFact(tx, second, `${first} first`);
      });
    await Promise.all([
      crossing("left", "right", leftIsHeld, rightIsHeld.promise),
      crossing("right", "left", rightIsHeld, leftIsHeld.promise),
    ]);
    // One of the two ran again; on a busy machine more than once.
    expect(attempts).toBeGreaterThan(2);
    expect(await valueOf(pair.reader, "left")).toBe(await valueOf(pair.reader, "right"));
  });

  it("runs again after a serialization failure (40001), and sees what the other has written", async () => {
    await pair.write((tx) => insertFact(tx, "contended"));
    const seen: (string | undefined)[] = [];
    await pair.write(async (tx) => {
      await execute(tx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      seen.push(await valueOf(tx, "contended"));
      if (seen.length === 1) await pair.write((other) => setFact(other, "contended", "by the other"));
      await setFact(tx, "contended", "by this one");
    });
    expect(seen).toEqual(["contended", "by the other"]);
    expect(await valueOf(pair.reader, "contended")).toBe("by this one");
  });
});

async function execute({ db }: Handle, statement: string): Promise<void> {
  await (db as unknown as { execute(query: SQL): Promise<unknown> }).execute(sql.raw(statement));
}

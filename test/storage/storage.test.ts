import Database from "better-sqlite3";
import { eq, inArray, sql } from "drizzle-orm";
import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import type { Handle, Storage } from "../../src/storage/storage.ts";
import { addBeforeCommit, afterCommit } from "../../src/storage/transaction.ts";
import { createTestDatabase } from "../support/postgres.ts";

async function insertFact({ db, tables }: Handle, name: string): Promise<void> {
  await db.insert(tables.facts).values({ name, value: name });
}

async function factNames({ db, tables }: Handle): Promise<string[]> {
  return (await db.select().from(tables.facts)).map((fact) => fact.name).toSorted();
}

describe.each(["sqlite", "postgres"] as const)("storage (%s)", (dialect) => {
  const file = join(mkdtempSync(join(tmpdir(), "authsvc-storage-")), "authsvc.db");
  let storage: Storage;

  beforeAll(async () => {
    const url = dialect === "postgres" ? await createTestDatabase() : undefined;
    storage = await openStorage({ url, poolSize: 5, file }, Date.now(), () => {});
  });
  afterAll(async () => {
    await storage.close();
  });

  it("shows a write to the reader as soon as it has resolved", async () => {
    await storage.write((tx) => insertFact(tx, "visible"));
    expect(await factNames(storage.reader)).toContain("visible");
  });

  it("undoes what a failed transaction wrote, and nothing that its neighbours wrote", async () => {
    const results = await Promise.allSettled(
      Array.from(
        { length: 30 },
        async (_, position) =>
          await storage.write(async (tx) => {
            await insertFact(tx, `neighbour ${position}`);
            if (position % 3 === 0) throw new Error(`no ${position}`);
            return position;
          }),
      ),
    );
    const names = (await factNames(storage.reader)).filter((name) => name.startsWith("neighbour"));
    for (const [position, result] of results.entries()) {
      expect(result.status).toBe(position % 3 === 0 ? "rejected" : "fulfilled");
      expect(names.includes(`neighbour ${position}`)).toBe(position % 3 !== 0);
    }
  });

  it("resolves to the outcome of a transaction that was rolled back, and keeps nothing of it", async () => {
    const outcomes = await Promise.all(
      [0, 1, 2, 3].map(
        async (position) =>
          await storage.write<string>(async (tx, rollBack) => {
            await insertFact(tx, `outcome ${position}`);
            if (position % 2 === 0) throw rollBack(`undone ${position}`);
            return `done ${position}`;
          }),
      ),
    );
    expect(outcomes).toEqual(["undone 0", "done 1", "undone 2", "done 3"]);
    const names = (await factNames(storage.reader)).filter((name) => name.startsWith("outcome"));
    expect(names).toEqual(["outcome 1", "outcome 3"]);
  });

  it("does not take what another transaction was rolled back with for its own outcome", async () => {
    let others: Error | undefined;
    await storage.write<void>(async (_tx, rollBack) => {
      throw (others = rollBack(undefined));
    });
    await expect(storage.write(() => Promise.reject(others as Error))).rejects.toBe(others);
  });

  it("acts after a commit, when all can read what was written, before the writer continues", async () => {
    const seen: Promise<string[]>[] = [];
    await storage.write(async (tx) => {
      afterCommit(tx, () => seen.push(factNames(storage.reader)));
      await insertFact(tx, "acted upon");
      expect(seen).toHaveLength(0);
    });
    expect(seen).toHaveLength(1);
    expect(await seen[0]).toContain("acted upon");
  });

  it("does not act after a transaction that was rolled back, and not after its neighbour's", async () => {
    const acts: string[] = [];
    await Promise.allSettled([
      storage.write(async (tx) => {
        afterCommit(tx, () => acts.push("failed"));
        await insertFact(tx, "failed act");
        throw new Error("no");
      }),
      storage.write<void>(async (tx, rollBack) => {
        afterCommit(tx, () => acts.push("undone"));
        await insertFact(tx, "undone act");
        throw rollBack();
      }),
      storage.write(async (tx) => {
        afterCommit(tx, () => acts.push("first"));
        afterCommit(tx, () => acts.push("second"));
        await insertFact(tx, "acts");
      }),
    ]);
    expect(acts).toEqual(["first", "second"]);
  });

  it("refuses to act after a commit that nobody waits for", async () => {
    let over: Handle | undefined;
    await storage.write(async (tx) => {
      over = tx;
    });
    for (const handle of [storage.reader, over as Handle])
      expect(() => afterCommit(handle, () => {})).toThrow("outside of a transaction");
  });

  it("writes additions before the commit, the sum of each key, in the order of the keys", async () => {
    const written: string[] = [];
    const add = (tx: Handle, key: string, by: number): void =>
      addBeforeCommit(tx, key, by, async (sum) => {
        written.push(`${key} ${sum}`);
        await insertFact(tx, `added ${key}`);
      });
    const undone = storage.write<void>(async (tx, rollBack) => {
      add(tx, "undone", 1);
      throw rollBack();
    });
    const kept = storage.write(async (tx) => {
      for (const [key, by] of [
        ["b", 1],
        ["a", 2],
        ["c", 1],
        ["b", 1],
        ["c", -1],
      ] as const)
        add(tx, key, by);
      expect(written).toEqual([]);
    });
    await Promise.all([undone, kept]);
    expect(written).toEqual(["a 2", "b 2"]);
    expect((await factNames(storage.reader)).filter((name) => name.startsWith("added"))).toEqual([
      "added a",
      "added b",
    ]);
  });

  it("knows its size", async () => {
    expect(await storage.bytes()).toBeGreaterThan(100_000);
  });

  it("passes on a broken constraint to the one who broke it", async () => {
    await storage.write((tx) => insertFact(tx, "unique"));
    const [bad, good] = await Promise.allSettled([
      storage.write((tx) => insertFact(tx, "unique")),
      storage.write((tx) => insertFact(tx, "beside the broken one")),
    ]);
    expect(bad.status).toBe("rejected");
    expect(good.status).toBe("fulfilled");
    expect(await factNames(storage.reader)).toContain("beside the broken one");
  });

  it("lets one of many conditional writes win", async () => {
    await storage.write((tx) => insertFact(tx, "once"));
    const winners = await Promise.all(
      Array.from(
        { length: 50 },
        async () =>
          await storage.write(
            async ({ db, tables }) =>
              (await db.delete(tables.facts).where(eq(tables.facts.name, "once")).returning()).length,
          ),
      ),
    );
    expect(winners.filter((rows) => rows === 1)).toHaveLength(1);
  });

  it("keeps the order of what one caller writes", async () => {
    for (let step = 0; step < 10; step += 1) {
      await storage.write(
        async ({ db, tables }) =>
          void (await db
            .update(tables.facts)
            .set({ value: String(step) })
            .where(eq(tables.facts.name, "visible"))),
      );
    }
    const [fact] = await storage.reader.db
      .select()
      .from(storage.reader.tables.facts)
      .where(eq(storage.reader.tables.facts.name, "visible"));
    expect(fact?.value).toBe("9");
  });
});

describe("the SQLite file", () => {
  const file = join(mkdtempSync(join(tmpdir(), "authsvc-storage-")), "data", "authsvc.db");
  const open = async (): Promise<Storage> =>
    await openStorage({ url: undefined, poolSize: 1, file }, Date.now(), () => {});
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(async () => await storage.close());

  it("is readable by its owner only, with its log", async () => {
    await storage.write((tx) => insertFact(tx, "private"));
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o077, name).toBe(0);
  });

  it("is written with synchronous=FULL, foreign keys and WAL", async () => {
    const pragma = async (name: string): Promise<unknown> =>
      await storage.write(async ({ db }) => Object.values((await db.all<object>(`PRAGMA ${name}`))[0] ?? {})[0]);
    expect(await pragma("synchronous")).toBe(2);
    expect(await pragma("foreign_keys")).toBe(1);
    expect(await pragma("journal_mode")).toBe("wal");
    expect(await pragma("secure_delete")).toBe(1);
  });

  it("takes back the first of a transaction, then the next, and keeps what comes after them", async () => {
    const failing = (name: string) => async (tx: Handle) => {
      await insertFact(tx, name);
      throw new Error(name);
    };
    const outcomes = await Promise.allSettled([
      storage.write(failing("first")),
      storage.write(failing("second")),
      storage.write((tx) => insertFact(tx, "third")),
      storage.write(failing("fourth")),
      storage.write((tx) => insertFact(tx, "fifth")),
    ]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([false, false, true, false, true]);
    await expect(storage.write(failing("alone"))).rejects.toThrow("alone");
    const names = await factNames(storage.reader);
    expect(names.filter((name) => /^(first|second|third|fourth|fifth|alone)$/u.test(name))).toEqual(["fifth", "third"]);
  });

  it("rolls back what could not be committed before the next writes begin", async () => {
    const uncommittable = storage.write(async (tx) => {
      await insertFact(tx, "uncommitted");
      // The commit finds that its application is missing, and leaves the transaction open.
      await tx.db.run(sql`PRAGMA defer_foreign_keys = ON`);
      await tx.db.run(
        sql`INSERT INTO application_counters (app_id, name, day, shard, value) VALUES ('none', 'users', 0, 0, 0)`,
      );
    });
    await expect(uncommittable).rejects.toMatchObject({ code: "USER_NOT_FOUND" });
    await storage.write((tx) => insertFact(tx, "after the failed commit"));
    const names = await factNames(storage.reader);
    expect(names).toContain("after the failed commit");
    expect(names).not.toContain("uncommitted");
  });

  it.each([
    ["who fails by it", async (ended: Promise<unknown>) => ended],
    ["who overlooks it", async (ended: Promise<unknown>) => ended.catch(() => {})],
  ])("acknowledges nothing of a transaction that SQLite has ended early (%s)", async (who, handle) => {
    const names = [1, 2, 3].map((position) => `${who} ${position}`);
    await storage.write((tx) => insertFact(tx, `there ${who}`));
    // As SQLite does by itself when the disk is full.
    const endEarly = async ({ db }: Handle) =>
      db.run(sql`INSERT OR ROLLBACK INTO facts (name, value) VALUES (${`there ${who}`}, '')`);
    const outcomes = await Promise.allSettled([
      storage.write((tx) => insertFact(tx, String(names[0]))),
      storage.write(async (tx) => void (await handle(endEarly(tx)))),
      storage.write((tx) => insertFact(tx, String(names[2]))),
    ]);
    const reason = who === "who fails by it" ? /UNIQUE constraint failed/u : /the transaction ended early/u;
    for (const outcome of outcomes) {
      expect(outcome.status).toBe("rejected");
      expect(outcome.status === "rejected" && String(outcome.reason.cause ?? outcome.reason)).toMatch(reason);
    }
    expect(await factNames(storage.reader)).not.toEqual(expect.arrayContaining([names[0]]));
    await storage.write((tx) => insertFact(tx, `afterwards ${who}`));
    expect(await factNames(storage.reader)).toContain(`afterwards ${who}`);
  });

  it("keeps what a failing neighbour may have to take back out of every other file", async () => {
    // More pages than SQLite holds in memory by itself (64 KiB).
    const names = Array.from({ length: 40 }, (_, position) => `page ${position}`);
    await storage.write(async ({ db, tables }) => {
      await db.insert(tables.facts).values(names.map((name) => ({ name, value: "a".repeat(3500) })));
    });
    const openFiles = (): number => readdirSync("/dev/fd").length;
    const [, opened, failed] = await Promise.allSettled([
      storage.write((tx) => insertFact(tx, "before them")),
      storage.write(async ({ db, tables }) => {
        const before = openFiles();
        await db
          .update(tables.facts)
          .set({ value: "b".repeat(3500) })
          .where(inArray(tables.facts.name, names));
        return openFiles() - before;
      }),
      storage.write(async ({ db, tables }) => {
        await db.delete(tables.facts).where(inArray(tables.facts.name, names));
        throw new Error("taken back");
      }),
    ]);
    expect(opened).toStrictEqual({ status: "fulfilled", value: 0 });
    expect(failed.status).toBe("rejected");
    const { db, tables } = storage.reader;
    const found = await db.select().from(tables.facts).where(inArray(tables.facts.name, names));
    expect(found.map(({ value }) => value)).toEqual(names.map(() => "b".repeat(3500)));
  });

  it("lets a write that comes soon after another share its commit", async () => {
    let shared = false;
    const large = "a".repeat(2_000_000);
    // A pause of two milliseconds can pass unseen on a busy machine; without one, none of these
    // would ever share.
    for (let attempt = 0; attempt < 50 && !shared; attempt += 1) {
      await storage.write(({ db, tables }) =>
        db.insert(tables.facts).values({ name: `large ${attempt}`, value: large }),
      );
      let isLateDone = false;
      const early = storage.write((tx) => insertFact(tx, `early ${attempt}`));
      await immediate();
      await immediate();
      const late = storage.write((tx) => insertFact(tx, `late ${attempt}`)).then(() => (isLateDone = true));
      await early;
      await Promise.resolve().then(() => {});
      shared = isLateDone;
      await late;
    }
    expect(shared).toBe(true);
  });

  it("lets writes of one turn after the other share a commit", async () => {
    let shared = false;
    // On a busy machine a turn can take longer than a commit waits; where it did not wait for more,
    // none of these would ever share.
    for (let attempt = 0; attempt < 50 && !shared; attempt += 1) {
      // No pause after the last commit is left, which would make them share as well.
      await new Promise((resolve) => setTimeout(resolve, 5));
      let isLastDone = false;
      const first = storage.write((tx) => insertFact(tx, `first ${attempt}`));
      await immediate();
      const second = storage.write((tx) => insertFact(tx, `second ${attempt}`));
      await immediate();
      const last = storage.write((tx) => insertFact(tx, `last ${attempt}`)).then(() => (isLastDone = true));
      await first;
      await Promise.resolve().then(() => {});
      shared = isLastDone;
      await Promise.all([second, last]);
    }
    expect(shared).toBe(true);
  });

  it("lets writes at a distance from each other share a commit while every processor is busy, and at no other time", async () => {
    let isBusy = true;
    storage.shareCommitsWhile?.(() => isBusy);
    let written = 0;
    const write = async (): Promise<void> => await storage.write((tx) => insertFact(tx, `distant ${(written += 1)}`));
    /**
     * Whether a write is still to be committed some milliseconds after it came, soon after another.
     */
    const isHeldBack = async (): Promise<boolean> => {
      await write();
      let isDone = false;
      const delayed = write().then(() => (isDone = true));
      await sleep(8);
      const isHeld = !isDone;
      await delayed;
      return isHeld;
    };
    /** A busy machine may do either now and then, but not always. */
    const everIs = async (wanted: boolean): Promise<boolean> => {
      for (let attempt = 0; attempt < 50; attempt += 1) if ((await isHeldBack()) === wanted) return true;
      return false;
    };
    expect(await everIs(true)).toBe(true);
    isBusy = false;
    expect(await everIs(false)).toBe(true);
  });

  it("is closed when everybody has written, also who came while a write waited for another process", async () => {
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    const early = storage.write((tx) => insertFact(tx, "waits for the lock"));
    // Until it has found the lock taken.
    await sleep(20);
    const closed = storage.close();
    const late = storage.write((tx) => insertFact(tx, "came meanwhile"));
    other.exec("COMMIT");
    other.close();
    await Promise.all([early, late, closed]);
    const again = await open();
    expect(await factNames(again.reader)).toEqual(expect.arrayContaining(["waits for the lock", "came meanwhile"]));
    await again.close();
  });

  it("is waited for without stopping the event loop while another process writes", async () => {
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    const waiting = storage.write((tx) => insertFact(tx, "waited"));
    let longestPause = 0;
    for (let turn = 0, last = performance.now(); turn < 20; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      longestPause = Math.max(longestPause, performance.now() - last);
      last = performance.now();
    }
    other.exec("COMMIT");
    other.close();
    await waiting;
    // SQLite itself would wait for five seconds.
    expect(longestPause).toBeLessThan(2000);
    expect(await factNames(storage.reader)).toContain("waited");
  });
});

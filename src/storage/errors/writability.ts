import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { second } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Storage } from "../storage.ts";
import { writeProblemOf, writeProblemTexts, type WriteProblem, type WriteProblemText } from "./write-problem.ts";

export type Writability = {
  /** Why writes fail, as far as this process knows. */
  problem(): WriteProblemText | undefined;
  /** Whether `error` is caused by a problem that was already logged. */
  explains(error: unknown): boolean;
  /**
   * Checks again, at most once a second, and answers within 0.4 s. Writes only while there is a
   * problem.
   */
  look(): Promise<WriteProblemText | undefined>;
};

const looksEvery = second;
/** Together with a ping's 1.5 s it stays below the two seconds that a load balancer waits. */
const maxWait = 0.4 * second;
/** A sign-in writes several pages, so room for one page is not enough. */
const probeText = "0".repeat(64 * 1024);
const probeName = "write-probe";

/**
 * Wraps a storage to detect that it can be read but not written (docs/decisions/0038). Logs once
 * when that begins and once when it ends.
 */
export function watchWrites(storage: Storage, log: Log): { storage: Storage; writability: Writability } {
  let problem: WriteProblem | undefined;
  let looking: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function failed(error: unknown): void {
    const cause = writeProblemOf(error);
    if (cause === undefined) return;
    if (problem === undefined) {
      const { reason, fix } = writeProblemTexts[cause];
      const effect = "Sign-ins fail; tokens are still validated, and each process counts calls alone";
      log.error(`${reason}: ${fix}. ${effect}`, error, { problem: cause });
    }
    problem = cause;
  }

  function succeeded(): void {
    // Not conclusive: a transaction without changes succeeds on a full disk.
    if (problem !== undefined) void look();
  }

  function watched<T>(write: Promise<T>): Promise<T> {
    void write.then(succeeded, failed);
    return write;
  }

  /** PostgreSQL tells without a write. A standby is read-only too. */
  async function isReadOnly(): Promise<boolean> {
    if (storage.dialect === "sqlite") return false;
    const { db, tables } = storage.reader;
    const setting = sql<string>`current_setting('transaction_read_only')`;
    const [row] = await db.select({ setting }).from(tables.facts).limit(1);
    return row?.setting === "on";
  }

  async function probe(): Promise<void> {
    await storage.write(async ({ db, tables: { facts } }) => {
      const written = { name: probeName, value: probeText };
      await db.insert(facts).values(written).onConflictDoUpdate({ target: facts.name, set: written });
      await db.delete(facts).where(sql`${facts.name} = ${probeName}`);
    });
  }

  async function lookNow(): Promise<void> {
    try {
      if (problem === undefined && !(await isReadOnly())) return;
      await probe();
      if (problem !== undefined) log.info("the database is writable again");
      problem = undefined;
    } catch (error) {
      failed(error);
    } finally {
      lookedAt = performance.now();
      looking = undefined;
    }
  }

  const currentText = (): WriteProblemText | undefined => problem && writeProblemTexts[problem];

  async function look(): Promise<WriteProblemText | undefined> {
    if (looking === undefined && performance.now() - lookedAt >= looksEvery) looking = lookNow();
    if (looking) await Promise.race([looking, sleep(maxWait, undefined, { ref: false })]);
    return currentText();
  }

  return {
    storage: {
      ...storage,
      write: (work) => watched(storage.write(work)),
      writeOne: (statement) => watched(storage.writeOne(statement)),
    },
    writability: {
      problem: currentText,
      explains: (error) => problem !== undefined && writeProblemOf(error) !== undefined,
      look,
    },
  };
}

import { hour } from "../../lib/clock.ts";
import type { Handle, Storage } from "../storage.ts";

/** Unless a use at `notAfter` or later is already recorded. */
export type RecordUse = (tx: Handle, use: { key: string; usedAt: number; notAfter: number }) => Promise<void>;

/** Records the last use of rows: in memory per process, written at most once in `every` per row. */
export class LastUses {
  #waiting = new Map<string, number>();
  readonly #storage: Storage;
  readonly #record: RecordUse;
  readonly #every: number;

  constructor(storage: Storage, record: RecordUse, every = hour) {
    this.#storage = storage;
    this.#record = record;
    this.#every = every;
  }

  /** Only for existing rows: strangers must not be able to fill the memory. */
  note(key: string, now: number): void {
    this.#waiting.set(key, now);
  }

  /** Writes the recorded uses. Those that fail are retried the next time. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    // In the same order on every node, so that two of them never deadlock.
    const noted = [...this.#waiting].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#waiting = new Map();
    try {
      await this.#storage.write(async (tx) => {
        for (const [key, usedAt] of noted) await this.#record(tx, { key, usedAt, notAfter: usedAt - this.#every });
      });
    } catch (error) {
      this.#waiting = new Map([...noted, ...this.#waiting]);
      throw error;
    }
  }
}

/** Stands between a node and its database: holds reads and writes, and makes commits fail. */
import type { RollBack, Handle, Storage } from "../../src/storage/storage.ts";
import type { Generator } from "./generator.ts";
import { time, type Owner } from "./time.ts";

/** What happens to a database. `slow`: milliseconds that a statement usually takes. */
export type PortFaults = { slow: number; failingCommits: number };

/** What a dead process waits for. */
const never = new Promise<never>(() => {});

export class CommitFailed extends Error {
  readonly code = "SQLITE_IOERR";
}

export function portTo(storage: Storage, owner: Owner, generator: Generator, faults: PortFaults): Storage {
  async function hold(): Promise<void> {
    if (faults.slow > 0 && generator.chance(0.7)) await time.pause(generator.wait(faults.slow) + 1);
    if (owner.isDead) await never;
  }

  async function held<T>(work: () => Promise<T>): Promise<T> {
    await hold();
    const result = await work();
    await hold();
    return result;
  }

  return {
    ...storage,
    reader: holdingReads(storage.reader, held),
    async write<T>(work: (tx: Handle, rollBack: RollBack<T>) => Promise<T>): Promise<T> {
      return await held(async () => {
        const fails = generator.chance(faults.failingCommits);
        return await storage.write<T>(async (tx, rollBack) => {
          const result = await work(tx, rollBack);
          if (fails) throw new CommitFailed("disk I/O error");
          return result;
        });
      });
    },
    writeOne: async (statement) => await held(async () => await storage.writeOne(statement)),
  };
}

const runs = new Set(["execute", "values"]);

/** A reader whose queries wait before and after they are answered. */
function holdingReads(reader: Handle, held: <T>(work: () => Promise<T>) => Promise<T>): Handle {
  function wrapped<Builder extends object>(builder: Builder): Builder {
    return new Proxy(builder, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name === "then")
          return (...acts: [undefined, undefined]) =>
            held(async () => await (target as unknown as Promise<unknown>)).then(...acts);
        if (typeof name === "string" && runs.has(name))
          return async (...given: unknown[]) => await held(async () => (await value.apply(target, given)) as unknown);
        return (...given: unknown[]) => {
          const result: unknown = value.apply(target, given);
          return isBuilder(result) ? wrapped(result) : result;
        };
      },
    });
  }
  return { ...reader, db: wrapped(reader.db) };
}

function isBuilder(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return ["execute", "from", "prepare"].some((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

/** Stands between a node and its database: holds reads and writes, and makes commits fail. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RollBack, Handle, Storage } from "../../src/storage/storage.ts";
import type { Faults } from "./faults.ts";
import type { Generator } from "./generator.ts";
import { time, type Owner } from "./time.ts";

/** A request, or an act of an operator, that a piece of work belongs to. */
export type Call = { path: string; authorization: string | undefined; commits: number; isAnswered: boolean };

export const calls = new AsyncLocalStorage<Call>();

/** What a port tells the world. */
export type Watched = {
  reached: (situation: string) => void;
  /** The process of this owner dies at this moment. */
  crash: (owner: Owner) => void;
  /** Calls whose look-up of a login was answered, and not yet handed over. */
  readonly lookUps: Set<Call>;
};

type Around = Watched & { owner: Owner; generator: Generator; faults: Faults };

/** What a dead process waits for. */
const never = new Promise<never>(() => {});

class CommitFailed extends Error {
  readonly code: "SQLITE_IOERR" | "SQLITE_FULL";

  constructor(code: CommitFailed["code"]) {
    super(code === "SQLITE_FULL" ? "database or disk is full" : "disk I/O error");
    this.code = code;
  }
}

export function portTo(storage: Storage, { owner, generator, faults, reached, crash, lookUps }: Around): Storage {
  async function hold(): Promise<void> {
    if (faults.slow > 0 && generator.chance(0.7)) await time.pause(generator.wait(faults.slow) + 1);
    while (faults.hangsUntil > time.now()) await time.pause(faults.hangsUntil - time.now());
    if (owner.isDead) await never;
  }

  async function held<T>(work: () => Promise<T>): Promise<T> {
    await hold();
    const result = await work();
    await hold();
    return result;
  }

  async function read<T>(query: () => Promise<T>, isLookUp: boolean): Promise<T> {
    const call = calls.getStore();
    if (!isLookUp || call?.path !== "/auth/validate") return await held(query);
    return await held(async () => {
      const result = await query();
      lookUps.add(call);
      return result;
    }).finally(() => lookUps.delete(call));
  }

  async function dieSometimes(situation: string, likelier = 1): Promise<void> {
    if (!generator.chance(faults.crashesAtCommits * likelier)) return;
    reached(situation);
    crash(owner);
    await never;
  }

  async function committing<T>(commit: () => Promise<T>): Promise<T> {
    const call = calls.getStore();
    const isWithin = call !== undefined && !call.isAnswered;
    return await held(async () => {
      if (isWithin && call.commits > 0) await dieSometimes("crash between two commits of one call", 10);
      else if (isWithin) await dieSometimes("crash before a commit");
      const result = await commit();
      if (!isWithin) return result;
      call.commits += 1;
      if (call.path === "/auth/logout" && [...lookUps].some((each) => each.authorization === call.authorization))
        reached("validate's own read held across an end");
      await dieSometimes("crash after a commit, before its answer");
      return result;
    });
  }

  function failure(): CommitFailed | undefined {
    const fails = generator.chance(faults.failingCommits);
    if (faults.fullUntil > time.now()) return new CommitFailed("SQLITE_FULL");
    return fails ? new CommitFailed("SQLITE_IOERR") : undefined;
  }

  async function write<T>(work: (tx: Handle, rollBack: RollBack<T>) => Promise<T>): Promise<T> {
    return await committing(async () => {
      const failed = failure();
      return await storage.write<T>(async (tx, rollBack) => {
        const result = await work(tx, rollBack);
        if (failed) throw failed;
        return result;
      });
    });
  }

  return { ...storage, reader: holdingReads(storage.reader, read), write, writeOne: write };
}

const runs = new Set(["execute", "values"]);

/** A reader whose queries wait before and after they are answered. */
function holdingReads(reader: Handle, read: <T>(query: () => Promise<T>, isLookUp: boolean) => Promise<T>): Handle {
  function wrapped<Builder extends object>(builder: Builder): Builder {
    return new Proxy(builder, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name === "then")
          return (...acts: [undefined, undefined]) =>
            read(async () => await (target as unknown as Promise<unknown>), false).then(...acts);
        // `prepareCells` alone calls `values`: it is the look-up of a login.
        if (typeof name === "string" && runs.has(name))
          return async (...given: unknown[]) =>
            await read(async () => (await value.apply(target, given)) as unknown, name === "values");
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

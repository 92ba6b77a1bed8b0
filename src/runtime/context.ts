import type { Config } from "../config/config.ts";
import type { StrengthOf } from "../credentials/passwords/strength.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Meter } from "../lib/meter.ts";
import type { LimitMemory } from "../lib/rate-limits.ts";
import type { Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Writability } from "../storage/errors/writability.ts";
import type { Handle, Storage } from "../storage/storage.ts";

/** The parts of a process that need no master key: enough for applications and the audit log. */
export type CoreContext = {
  config: Config;
  storage: Storage;
  /** Whether the database can be written. */
  writability: Writability;
  /** Whether leftovers of development mode in the database may be used. */
  usesLeftovers: boolean;
  clock: Clock;
  random: Random;
  log: Log;
  meter: Meter;
  /** What the HTTP threads of the process count together; undefined if there are none. */
  limitMemory?: LimitMemory | undefined;
  /** Of the process: a context within a transaction has the same. */
  parts: Parts;
};

/** The parts of a process, which tests replace. Every operation gets it as its first argument. */
export type Context = CoreContext & {
  keyring: Keyring;
  /** The issuer and the origin of every URL; no trailing slash. */
  baseUrl: string;
  /** Whether the service is in development mode; for commands, whether the last one run was. */
  isDevelopment: boolean;
  fetch: typeof globalThis.fetch;
  strengthOf: StrengthOf;
};

type Parts = {
  made: Map<unknown, unknown>;
  /** Called by `closeParts`, in the order in which the parts were created. */
  closers: (() => Promise<void> | void)[];
  /** Of the process, and never one within a transaction. */
  context: CoreContext | undefined;
};

export type Part<Made> = (ctx: CoreContext) => Made;

/** Starts a process's context. */
export function newContext<Base extends CoreContext>(base: Omit<Base, "parts">): Base {
  const parts: Parts = { made: new Map(), closers: [], context: undefined };
  const context = { ...base, parts } as unknown as Base;
  parts.context = context;
  return context;
}

/** The service's own address, also for commands that open no more than the core. */
export function ownAddress(ctx: CoreContext & { baseUrl?: string }): string {
  return ctx.baseUrl ?? ctx.config.baseUrl ?? `http://localhost:${ctx.config.listen.port}`;
}

/**
 * A context whose reads and writes are all part of the open transaction `tx`. `rollBack` would undo
 * all of `tx`, so it is an error here.
 */
export function withinTransaction<Base extends CoreContext>(ctx: Base, tx: Handle): Base {
  const storage: Storage = {
    ...ctx.storage,
    reader: tx,
    write: (work) => work(tx, () => new Error("a transaction within another one cannot be rolled back alone")),
    writeOne: (statement) => statement(tx),
  };
  return { ...ctx, storage };
}

/**
 * State that lives as long as the process, made on its first use. To find all of it, search for
 * `= part(`. `close` is called when the process ends, if the part was made.
 */
export function part<Made, Base extends CoreContext = Context>(
  make: (ctx: Base) => Made,
  close?: (made: Made) => Promise<void> | void,
): Part<Made> {
  const of: Part<Made> = ({ parts }) => {
    if (!parts.made.has(of)) {
      const made = make(parts.context as Base);
      parts.made.set(of, made);
      if (close) parts.closers.push(() => close(made));
    }
    return parts.made.get(of) as Made;
  };
  return of;
}

/** Closes the parts that were made. An error is logged and keeps no other part from closing. */
export async function closeParts({ parts, log }: CoreContext): Promise<void> {
  for (const close of parts.closers)
    try {
      await close();
    } catch (error) {
      log.error("closing a part of the process failed; what it had in memory may be lost", error);
    }
}

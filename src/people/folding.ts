import { setTimeout as pause } from "node:timers/promises";
import { second } from "../lib/clock.ts";
import { part, type CoreContext } from "../runtime/context.ts";
import { findStale, foldUsers, type Position } from "./search-store.ts";

/** How soon a search no longer folds a new name by itself. */
const looksEvery = 5 * second;
const usersAtOnce = 100;
/** Sign-ins have the time in between: a million take about six minutes. */
const pauseMilliseconds = 20;

/** Folds users for the search that a node, a command or an older version wrote. */
export const folding = part(createFolding);

function createFolding(ctx: CoreContext) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = Promise.resolve();

  /** False once the service stops. */
  async function rest(milliseconds: number): Promise<boolean> {
    return await pause(milliseconds, true, { signal, ref: false }).catch(() => false);
  }

  async function run(): Promise<void> {
    do {
      try {
        // Already logged.
        if (!ctx.writability.problem()) await foldStale(ctx, async () => await rest(pauseMilliseconds));
      } catch (error) {
        ctx.log.error("folding names for the search failed", error);
      }
    } while (await rest(looksEvery));
  }

  return {
    start(): void {
      running = run();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** Folds all users who wait for it, the newest first, while `goesOn` says so after each batch. */
export async function foldStale({ storage }: CoreContext, goesOn: () => Promise<boolean>): Promise<void> {
  let after: Position | undefined;
  do {
    const users = await findStale(storage.reader, { appId: undefined }, after, usersAtOnce);
    if (users.length === 0) return;
    const ids = users.map(({ id }) => id);
    await storage.write(async (tx) => await foldUsers(tx, ids));
    after = users.at(-1);
  } while (await goesOn());
}

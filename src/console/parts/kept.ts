import { part, type Context } from "../../runtime/context.ts";

const expensiveFrom = 30;
/** So that live pages spend at most a twentieth of the process's time on them. */
const keptTimes = 20;

type Kept = { value: Promise<unknown>; until: number };

/** Exported for the test of what each page costs. */
export const keptResults = part(() => new Map<string, Kept>());

/**
 * The result of `read`. A read that takes more than 30 ms is repeated only after twenty times as
 * long. Concurrent callers share one.
 */
export async function keptIfExpensive<T>(ctx: Context, key: string, read: () => Promise<T>): Promise<T> {
  const all = keptResults(ctx);
  const startedAt = performance.now();
  for (const [name, { until }] of all) if (until < startedAt) all.delete(name);
  const found = all.get(key);
  if (found) return (await found.value) as T;
  const kept: Kept = { value: read(), until: Infinity };
  all.set(key, kept);
  try {
    const value = (await kept.value) as T;
    const took = performance.now() - startedAt;
    kept.until = took < expensiveFrom ? 0 : performance.now() + keptTimes * took;
    return value;
  } catch (error) {
    kept.until = 0;
    throw error;
  }
}

import { part, type Context } from "../../runtime/context.ts";

const expensiveFrom = 30;
/** So that live pages spend at most a hundredth of the process's time. */
const keptTimes = 100;

type Kept = { value: Promise<unknown>; until: number };

const results = part(() => new Map<string, Kept>());

/**
 * What `read` returns. A read that takes more than 30 ms is repeated only after a hundred times as
 * long. Those at the same time share one.
 */
export async function keptIfExpensive<T>(ctx: Context, key: string, read: () => Promise<T>): Promise<T> {
  const all = results(ctx);
  const startedAt = performance.now();
  for (const [name, { until }] of all) if (until < startedAt) all.delete(name);
  const found = all.get(key);
  if (found) return (await found.value) as T;
  const kept: Kept = { value: read(), until: Infinity };
  all.set(key, kept);
  try {
    return (await kept.value) as T;
  } finally {
    const took = performance.now() - startedAt;
    if (took < expensiveFrom) all.delete(key);
    else kept.until = performance.now() + keptTimes * took;
  }
}

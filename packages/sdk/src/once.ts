import { forever, setNewest } from "./recent.ts";
import type { Settings } from "./settings.ts";

/**
 * Joins calls with the same key: while one runs, and for `rememberFor` milliseconds after it
 * succeeded, others get its result. A failure is forgotten at once.
 */
export function createOnce<Result>(settings: Pick<Settings, "feed" | "now">, rememberFor = 0) {
  const { feed, now } = settings;
  const known = new Map<string, { result: Promise<Result>; until: number }>();
  // In Workers and Edge functions, a request cannot wait for a promise of another request.
  const mayJoin = feed === "background";

  function forgetOld(): void {
    for (const [key, { until }] of known) {
      // Sorted by `until`: all results live equally long, and running calls have no end.
      if (until > now()) break;
      known.delete(key);
    }
  }

  return async (key: string, run: () => Promise<Result>): Promise<Result> => {
    forgetOld();
    const earlier = known.get(key);
    if (earlier) return await earlier.result;
    const running = run();
    if (mayJoin) setNewest(known, key, { result: running, until: forever });
    try {
      const result = await running;
      if (rememberFor > 0) setNewest(known, key, { result: Promise.resolve(result), until: now() + rememberFor });
      else known.delete(key);
      return result;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
}

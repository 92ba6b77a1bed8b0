/** Which situations the simulation knows, and which of them were never reached. */
import { globSync, readFileSync } from "node:fs";

/** All that the sources of the simulation count. */
function known(): Set<string> {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname });
  const texts = files.map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
  const named = texts.flatMap((text) => [...text.matchAll(/(?:reached|dieSometimes)\(([^;]+?)\)/gsu)]);
  return new Set(named.flatMap(([, given = ""]) => [...given.matchAll(/"([^"]+)"/gu)].map(([, name = ""]) => name)));
}

/** Sums up the counters of several runs. */
export function addReach(sum: Map<string, number>, reach: Readonly<Record<string, number>>): void {
  for (const [situation, count] of Object.entries(reach)) sum.set(situation, (sum.get(situation) ?? 0) + count);
}

export function neverReached(sum: ReadonlyMap<string, number>): string[] {
  return [...known()].filter((situation) => !sum.has(situation)).toSorted();
}

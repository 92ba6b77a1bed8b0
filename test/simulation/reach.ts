/** Which situations the simulation knows, and which of them were never reached. */
import { globSync, readFileSync } from "node:fs";

/** All that the sources of the simulation count; locks and lost commits are PostgreSQL's. */
function known(isPostgres: boolean): Set<string> {
  const all = globSync("**/*.ts", { cwd: import.meta.dirname });
  const files = all.filter((file) => isPostgres || !file.startsWith("postgres-"));
  const texts = files.map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
  const named = texts.flatMap((text) => [...text.matchAll(/(?:reached|dieSometimes)\(([^;]+?)\)/gsu)]);
  return new Set(named.flatMap(([, given = ""]) => [...given.matchAll(/"([^"]+)"/gu)].map(([, name = ""]) => name)));
}

/** Sums up the counters of several runs. */
export function addReach(sum: Map<string, number>, reach: Readonly<Record<string, number>>): void {
  for (const [situation, count] of Object.entries(reach)) sum.set(situation, (sum.get(situation) ?? 0) + count);
}

export function neverReached(sum: ReadonlyMap<string, number>, isPostgres: boolean): string[] {
  return [...known(isPostgres)].filter((situation) => !sum.has(situation)).toSorted();
}

const turns = 7;
const maxTurns = 70;

/**
 * Processor time of this process in ms for each kind of work, the least of seven turns, or of more
 * until it is as expected. The kinds take turns, so that whatever else slows the machine slows all
 * of them.
 */
export async function costsOf<Kind extends string>(
  kinds: Record<Kind, () => Promise<unknown>>,
  isAsExpected: (least: Record<Kind, number>) => boolean,
): Promise<Record<Kind, number>> {
  const names = Object.keys(kinds) as Kind[];
  const least = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<Kind, number>;
  for (let turn = 0; turn < turns || (turn < maxTurns && !isAsExpected(least)); turn += 1) {
    for (const name of names) {
      const before = process.cpuUsage();
      await kinds[name]();
      const { user, system } = process.cpuUsage(before);
      least[name] = Math.min(least[name], (user + system) / 1000);
    }
  }
  return least;
}

export const isBetween = (ratio: number, low: number, high: number): boolean => ratio > low && ratio < high;

/** A shorter run with the same violation: fewer hours, fewer actors, fewer kinds of faults. */
import { faultKinds } from "./faults.ts";
import { actors, simulate, type Options, type Result } from "./simulation.ts";

export async function shorten(
  seed: string,
  failed: Result,
  given: Options,
  isLate: () => boolean,
): Promise<{ options: Options; result: Result }> {
  let result = failed;
  let options = given;
  const { without = [] } = given;

  async function isEnough(fewer: Options): Promise<boolean> {
    const tried = await simulate(seed, { ...fewer, givesUp: isLate });
    if (tried.violation?.oracle !== failed.violation?.oracle) return false;
    result = tried;
    options = fewer;
    return true;
  }

  /** Leaves out as many of `names` as possible, many at once. */
  async function leaveOut(names: readonly string[]): Promise<void> {
    if (names.length === 0 || isLate()) return;
    if (await isEnough({ ...options, without: [...(options.without ?? []), ...names] })) return;
    const half = Math.ceil(names.length / 2);
    if (names.length === 1) return;
    await leaveOut(names.slice(0, half));
    await leaveOut(names.slice(half));
  }

  const rounded = (hours: number): number => Math.ceil(hours * 100) / 100;
  const end = rounded(failed.hours);
  if (end < given.hours) await isEnough({ ...options, hours: end });
  else while (!isLate() && (await isEnough({ ...options, hours: rounded(options.hours / 2) })));
  await leaveOut(faultKinds.filter((kind) => !without.includes(kind)));
  await leaveOut(actors.filter((name) => !without.includes(name)));
  return { options, result };
}

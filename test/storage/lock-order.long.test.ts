import { describe, expect, it } from "vitest";
import { accessChanges, loginChanges, newSomeone } from "../support/access-changes.ts";
import { countDeadlocks, usePlaceWithLocks, countWaiting } from "../support/locks.ts";

const minute = 60_000;

describe("changes of one person's access, two at a time (docs/decisions/0049) (postgres)", () => {
  const at = usePlaceWithLocks();

  const changes = [...accessChanges(() => at.place), ...loginChanges(() => at.place)];
  const pairs = changes.flatMap((first) => changes.map((second) => [first, second] as const));

  /**
   * Both meet while another transaction holds the person. So the first has all that it locks before
   * the person when the second comes, and both go on at the same moment.
   */
  async function meet([[first, prepareFirst], [second, prepareSecond]]: (typeof pairs)[number]): Promise<string> {
    const person = await newSomeone(at.place);
    const acts = [];
    // A preparation may have ended what the other one needs: then only one is left.
    for (const prepare of [prepareFirst, prepareSecond]) acts.push(await prepare(person).catch(() => async () => {}));
    await at.other.query("BEGIN");
    await at.other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [person.id]);
    const acting: Promise<unknown>[] = [];
    for (const act of acts) {
      const state = { isDone: false };
      const before = await countWaiting(at.other);
      acting.push(
        act()
          .catch(() => {})
          .finally(() => (state.isDone = true)),
      );
      while (!state.isDone && (await countWaiting(at.other)) <= before);
    }
    const started = performance.now();
    await at.other.query("ROLLBACK");
    await Promise.all(acting);
    // PostgreSQL looks for a deadlock once somebody has waited for a second.
    return performance.now() - started > 900 ? `${first} | ${second}` : "";
  }

  it("are never ended for a deadlock, whichever comes first", { timeout: 20 * minute }, async () => {
    const slow: string[] = [];
    for (const pair of pairs) slow.push(await meet(pair));
    const found = await countDeadlocks(at.other, at.restart);
    expect({ found, slow: found === 0 ? [] : slow.filter(Boolean) }).toEqual({ found: 0, slow: [] });
  });
});

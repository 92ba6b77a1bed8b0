import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessChanges, loginChanges, newSomeone, type Place } from "../support/access-changes.ts";
import { countDeadlocks, countWaiting } from "../support/locks.ts";
import { startProvider } from "../support/providers/provider.ts";
import { appWith } from "../support/providers/round.ts";
import { startTestService } from "../support/service.ts";

const minute = 60_000;

describe("changes of one person's access, two at a time (docs/decisions/0049) (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let place: Place;
  let other: Client;

  beforeAll(async () => {
    running = await startTestService("postgres");
    const { service } = running;
    const provider = await startProvider("github");
    const app = await appWith(service, [provider], { methods: ["password", "passkey", "oauth"] });
    place = { service, app, provider };
    other = new Client(service.config.database.url);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await place.provider.close();
    await running.stop();
  });

  const changes = [...accessChanges(() => place), ...loginChanges(() => place)];
  const pairs = changes.flatMap((first) => changes.map((second) => [first, second] as const));

  /**
   * Both meet while another transaction holds the person. So the first has all that it locks before
   * the person when the second comes, and both go on at the same moment.
   */
  async function meet([[first, prepareFirst], [second, prepareSecond]]: (typeof pairs)[number]): Promise<string> {
    const person = await newSomeone(place);
    const acts = [];
    // A preparation may have ended what the other one needs: then only one is left.
    for (const prepare of [prepareFirst, prepareSecond]) acts.push(await prepare(person).catch(() => async () => {}));
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [person.id]);
    const acting: Promise<unknown>[] = [];
    for (const act of acts) {
      const state = { isDone: false };
      const before = await countWaiting(other);
      acting.push(
        act()
          .catch(() => {})
          .finally(() => (state.isDone = true)),
      );
      while (!state.isDone && (await countWaiting(other)) <= before);
    }
    const started = performance.now();
    await other.query("ROLLBACK");
    await Promise.all(acting);
    // PostgreSQL looks for a deadlock once somebody has waited for a second.
    return performance.now() - started > 900 ? `${first} | ${second}` : "";
  }

  it("are never ended for a deadlock, whichever comes first", { timeout: 20 * minute }, async () => {
    const slow: string[] = [];
    for (const pair of pairs) slow.push(await meet(pair));
    const found = await countDeadlocks(other, running.restart);
    expect({ found, slow: found === 0 ? [] : slow.filter(Boolean) }).toEqual({ found: 0, slow: [] });
  });
});

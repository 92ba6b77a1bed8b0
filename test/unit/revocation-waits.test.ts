import { describe, expect, it } from "vitest";
import { createWaits } from "../../src/records/revocations/waits.ts";

const quiet = async () => ({ position: "1", changed: [] });

describe("calls that wait for the feed", () => {
  it("are at most 200 of an application and 1,000 in all", () => {
    const waits = createWaits(quiet);
    for (let app = 0; app < 5; app += 1) {
      for (let call = 0; call < 200; call += 1) expect(waits.enter(`app_${app}`)).toBeDefined();
      expect(waits.enter(`app_${app}`)).toBeUndefined();
    }
    expect(waits.enter("app_5")).toBeUndefined();
    expect(waits.count()).toBe(1000);
    waits.end();
  });

  it("are woken by entries of their application and of all applications, not of another one", async () => {
    const waits = createWaits(quiet);
    const [one, other] = [waits.enter("app_1"), waits.enter("app_2")];
    await Promise.all([one?.ready(), other?.ready()]);
    let woken = "";
    const noted = (name: string) => (): void => void (woken += name);
    const first = one?.next(60_000).then(noted("a"));
    const second = other?.next(60_000).then(noted("b"));
    waits.wake("app_1");
    await first;
    expect(woken).toBe("a");
    waits.wake("");
    await second;
    expect(woken).toBe("ab");
    waits.end();
  });

  it("are woken by an entry that was committed while they read", async () => {
    const waits = createWaits(quiet);
    const call = waits.enter("app");
    await call?.ready();
    waits.wake("app");
    await call?.next(60_000);
    waits.end();
  });

  it("are all woken when the database does not answer, so that each reports the failure", async () => {
    let queries = 0;
    const waits = createWaits(async () => {
      queries += 1;
      if (queries > 1) throw new Error("gone");
      return await quiet();
    });
    const call = waits.enter("app");
    await call?.ready();
    await call?.next(60_000);
    expect(queries).toBe(2);
    waits.end();
  });

  it("begin after the running query, which may not know of them", async () => {
    const order: string[] = [];
    const running = Promise.withResolvers<{ position: string; changed: string[] }>();
    let queries = 0;
    const waits = createWaits(async () => {
      queries += 1;
      return queries === 2 ? await running.promise : await quiet();
    });
    const first = waits.enter("app_1");
    await first?.ready();
    await expect.poll(() => queries).toBe(2);
    const second = waits.enter("app_2");
    const ready = second?.ready().then(() => void order.push("ready"));
    order.push("looked");
    running.resolve({ position: "2", changed: [] });
    await ready;
    expect(order).toEqual(["looked", "ready"]);
    waits.end();
  });
});

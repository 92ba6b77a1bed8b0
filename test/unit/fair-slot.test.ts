import { describe, expect, it } from "vitest";
import { FairSlot, type TurnOf } from "../../src/credentials/passwords/fair-slot.ts";

/** A slot that is taken until `free` is called, and the order in which others had their turns. */
function takenSlot() {
  const slot = new FairSlot();
  const turns: string[] = [];
  const taken = Promise.withResolvers<void>();
  const done = [slot.run({ appId: "app", account: "first", isKnown: false }, () => taken.promise)];
  const wait = (turn: TurnOf): void => {
    expect(slot.hasRoom(turn)).toBe(true);
    done.push(slot.run(turn, async () => void turns.push(turn.account)));
  };
  const free = async (): Promise<string[]> => {
    taken.resolve();
    await Promise.all(done);
    return turns;
  };
  return { slot, wait, free };
}

const stranger = (n: number): TurnOf => ({ appId: "app", account: `stranger${n}`, isKnown: false });
const known = (n: number): TurnOf => ({ appId: "app", account: `known${n}`, isKnown: true });

describe("the turns of imported users", () => {
  it("strangers shut out no known browser: it has room however many of them wait, and every second turn", async () => {
    const { slot, wait, free } = takenSlot();
    for (let n = 0; n < 40; n += 1) wait(stranger(n));
    expect(slot.hasRoom(stranger(40))).toBe(false);
    for (let n = 0; n < 3; n += 1) wait(known(n));
    const turns = await free();
    expect(turns).toHaveLength(43);
    expect(turns.slice(0, 6)).toEqual(["known0", "stranger0", "known1", "stranger1", "known2", "stranger2"]);
  });

  it("an account has four at most, in a known browser too", async () => {
    const { slot, wait, free } = takenSlot();
    for (const turn of [stranger(0), known(0)]) {
      for (let n = 0; n < 4; n += 1) wait(turn);
      expect(slot.hasRoom(turn)).toBe(false);
    }
    expect(await free()).toHaveLength(8);
  });

  it("applications take turns, and so do the accounts of one", async () => {
    const { wait, free } = takenSlot();
    for (const n of [0, 0, 1]) wait(stranger(n));
    for (const account of ["x", "y"]) wait({ appId: "other", account, isKnown: false });
    expect(await free()).toEqual(["x", "stranger0", "y", "stranger1", "stranger0"]);
  });
});

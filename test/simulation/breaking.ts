/** Draws what breaks, and breaks it. */
import type { Generator } from "./generator.ts";
import { time } from "./time.ts";
import type { Part, World } from "./world.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** What happens so often an hour as the fault of this name says. */
const events = {
  crashes: async (world: World) => await world.crash(),
  stops: async (world: World) => await world.stop(),
  hangs(world: World, chances: Generator): void {
    world.note("the database hangs");
    world.reached("a database that hangs");
    world.faults.hangsUntil = time.now() + Math.min(chances.wait(5 * second), 20 * second);
  },
  fullDisks(world: World, chances: Generator): void {
    world.note("the disk is full");
    world.reached("a full disk");
    world.faults.fullUntil = time.now() + Math.min(chances.wait(2 * minute), 5 * minute);
  },
  async clockJumps(world: World, chances: Generator): Promise<void> {
    const by = chances.pick([20 * second, 5 * minute, 8 * hour]) * chances.pick([1, -1]);
    world.reached(by > 0 ? "a clock that is ahead" : "a clock that is behind");
    world.setClock(by);
    await time.pause(chances.wait(5 * minute) + 1);
    world.setClock(0);
  },
} as const;

export async function breakThings(world: World, { chances, isOver }: Part): Promise<void> {
  const draw = async (): Promise<void> => {
    const drawn = chances.fork("kinds");
    while (!isOver()) {
      world.drawFaults(drawn);
      await time.pause(hour / 4);
    }
  };
  const happen = async (kind: keyof typeof events): Promise<void> => {
    const own = chances.fork(kind);
    while (!isOver()) {
      const anHour = world.faults[kind];
      await time.pause(anHour === 0 ? hour / 16 : own.wait(hour / anHour) + second);
      if (world.faults[kind] > 0 && !isOver()) await events[kind](world, own);
    }
  };
  await Promise.all([draw(), ...(Object.keys(events) as (keyof typeof events)[]).map(happen)]);
}

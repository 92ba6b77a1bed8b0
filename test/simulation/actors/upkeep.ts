/**
 * Who runs the installation: rotates the master key, and checks the database.
 * On PostgreSQL, connections of other processes are not simulated.
 */
import type { Config } from "../../../src/config/config.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { checkDatabase } from "../../../src/upkeep/database/maintenance.ts";
import { planRotation, rotateMasterKey } from "../../../src/upkeep/database/master-key-rotation.ts";
import { textOf } from "../firm-answers.ts";
import type { Generator } from "../generator.ts";
import { Violation } from "../model.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const actor = { kind: "cli", name: "upkeep" } as const;
const minute = 60_000;
export async function upkeep(world: World, { chances, isOver }: Part): Promise<void> {
  if (world.nodes.length > 1) return;
  const { config } = world.node.ctx;
  const surroundings = { clock: () => time.now(), random: (size: number) => Buffer.from(chances.bytes(size)) };
  while (!isOver()) {
    await time.pause(chances.wait(12 * minute) + minute);
    if (isOver()) return;
    await rotate(world, config, chances);
    // Now it reads what it needs with the new key alone.
    if (chances.chance(0.8)) await world.stop();
    await time.pause(chances.wait(2 * minute) + 1);
    await isSound(world, config, surroundings);
  }
}

/** O4: nobody is signed out, and nothing is lost, also if it is killed and run again. */
async function rotate(world: World, config: Config, chances: Generator): Promise<void> {
  const dieSometimes = (): void => {
    if (!chances.chance(0.08)) return;
    world.reached("a rotation of the master key that was killed");
    throw new Lost("a command was killed");
  };
  const storageAround = (storage: Storage): Storage => {
    const write: Storage["write"] = async (work) => {
      dieSometimes();
      return await storage.write(work).finally(dieSometimes);
    };
    return { ...storage, write, writeOne: write };
  };
  const surroundings = {
    clock: () => time.now(),
    random: (size: number) => Buffer.from(chances.bytes(size)),
    storageAround,
  };
  const wish = { newKey: undefined, confirm: async () => {} };
  const plan = await planRotation(config, undefined, surroundings);
  const { values, ...others } = plan;
  const should = { makesKey: true, switches: true, unreadable: 0 };
  if (textOf(others) !== textOf(should) || values === 0) throw new Violation("O4", `a rotation plans ${textOf(plan)}`);
  for (;;) {
    world.note("the master key is rotated");
    try {
      const { unreadable } = await rotateMasterKey(config, wish, actor, surroundings);
      if (unreadable > 0) throw new Violation("O4", `a rotation cannot read ${unreadable} values`);
      world.reached("a rotation of the master key");
      return;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
    await time.pause(chances.wait(minute) + 1);
  }
}

/** O4: `authsvc db check` finds nothing. */
async function isSound(world: World, config: Config, surroundings: Parameters<typeof checkDatabase>[1]): Promise<void> {
  const problems = await checkDatabase(config, surroundings);
  // A clock may have been ahead, and the deletion of an application stopped after its people.
  const isLeft = ({ check, problem }: { check: string; problem: string }): boolean =>
    (check === "times" && !world.clockHasBeenRight) || (check === "counters" && problem.startsWith("app_of_"));
  const found = problems.filter((each) => !isLeft(each));
  world.reached("a check of the database");
  if (found.length > 0) throw new Violation("O4", `the database has problems: ${textOf(found)}`);
}

/** One run: everybody lives for some virtual hours, while things break. */
import "./time.ts";
import "./key-pairs.ts";
import "./browser.ts";
import { attack } from "./actors/attacker.ts";
import { operate } from "./actors/operator.ts";
import { Person } from "./actors/person.ts";
import { noFaults } from "./faults.ts";
import { Generator } from "./generator.ts";
import { checkRecords } from "./oracles.ts";
import { time } from "./time.ts";
import { World } from "./world.ts";

export type Result = {
  seed: string;
  violation: { oracle: string; message: string } | undefined;
  trace: string;
  lines: readonly string[];
  calls: number;
  crashes: number;
  steps: number;
  reach: Record<string, number>;
};

const hour = 3_600_000;

export async function simulate(seed: string, hours: number): Promise<Result> {
  time.begin();
  const generator = new Generator(seed);
  const world = new World(generator);
  const stepsBefore = time.steps();
  let violation: Error | undefined;
  let isOver = false;
  const work = live(world, hours, () => violation !== undefined).catch((error: unknown) => {
    violation ??= error instanceof Error ? error : new Error(String(error));
  });
  void work.finally(() => (isOver = true));
  try {
    await time.pass(() => isOver || violation !== undefined);
  } finally {
    world.node.owner.isDead = true;
    world.close();
  }
  const { hash, lines } = world.trace;
  return {
    seed,
    violation: violation && {
      oracle: (violation as { oracle?: string }).oracle ?? "fault of the simulation",
      message: (violation as { oracle?: string }).oracle === undefined ? (violation.stack ?? "") : violation.message,
    },
    trace: hash,
    lines,
    calls: world.calls,
    crashes: world.crashes,
    steps: time.steps() - stepsBefore,
    reach: Object.fromEntries([...world.reach].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

async function live(world: World, hours: number, isStopped: () => boolean): Promise<void> {
  await world.open();
  const endsAt = time.now() + hours * hour;
  const isOver = (): boolean => time.now() >= endsAt || isStopped();
  const people = [1, 2, 3, 4, 5, 6].map((number) => new Person(world, `person${number}`, `192.0.2.${number}`));
  await Promise.all([
    ...people.map(async (person) => await person.live(isOver)),
    attack(world, isOver),
    operate(world, people, isOver),
    breakThings(world, isOver),
  ]);
  await quiet(world, people);
  const [logged] = world.logged;
  if (logged !== undefined) throw new Error(`logged without a fault: ${logged}`);
}

/** Without faults, until all that waits for another try has had it. */
async function quiet(world: World, people: readonly Person[]): Promise<void> {
  Object.assign(world.faults, noFaults);
  await time.pause(6 * hour);
  await checkRecords(world, people);
}

async function breakThings(world: World, isOver: () => boolean): Promise<void> {
  const chances = world.generator.fork("faults");
  while (!isOver()) {
    world.drawFaults(chances);
    const until = Math.min(time.now() + hour / 4);
    while (time.now() < until && !isOver()) {
      const { crashes } = world.faults;
      await time.pause(crashes === 0 ? hour / 16 : chances.wait(hour / crashes) + 1000);
      if (crashes > 0 && !isOver()) await world.crash();
    }
  }
}

/** One run: everybody lives for some virtual hours, while things break. */
// These two first: they take the place of what `src` gets from Node as it is loaded.
import { time } from "./time.ts";
import { drawKeyPairsFrom } from "./key-pairs.ts";
import { club, everybodySignsIn } from "./actors/club.ts";
import { attack } from "./actors/attacker.ts";
import { runCommands } from "./actors/commands.ts";
import { checkFeed, followFeed } from "./actors/feed.ts";
import { useConsole } from "./actors/console.ts";
import { machines } from "./actors/machines.ts";
import { people } from "./actors/person.ts";
import { readers } from "./actors/readers.ts";
import { resourceServers } from "./actors/resource-servers.ts";
import { keepAccounts } from "./actors/server.ts";
import { noFaults } from "./faults.ts";
import { Generator } from "./generator.ts";
import { checkAccounts } from "./oracles/accounts.ts";
import { checkNothingCameLater } from "./oracles/deleted.ts";
import { checkWhatIsLeft } from "./oracles/left.ts";
import { checkPrograms } from "./oracles/programs.ts";
import { checkRecords, waitingEvents } from "./oracles/records.ts";
import { verifyWithoutThreads } from "./subtle.ts";
import { World, type Actor, type Cluster, type Part } from "./world.ts";

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

/** Everybody who acts. Each draws from its own generator, so that one can be left out. */
const cast: Record<string, Actor> = {
  people,
  club,
  readers,
  machines,
  resourceServers,
  attacker: attack,
  commands: runCommands,
  server: keepAccounts,
  feed: followFeed,
  console: useConsole,
  faults: breakThings,
};

verifyWithoutThreads();
// `src` loads them with the first passkey, which would take real time.
await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);

export async function simulate(seed: string, hours: number, cluster?: Cluster): Promise<Result> {
  time.begin();
  const generator = new Generator(seed);
  drawKeyPairsFrom(generator.fork("key pairs"));
  const world = new World(generator, cluster);
  const stepsBefore = time.steps();
  let violation: Error | undefined;
  let isOver = false;
  const work = live(world, hours, () => violation !== undefined).catch((error: unknown) => {
    violation ??= error instanceof Error ? error : new Error(String(error));
  });
  void work.finally(() => (isOver = true));
  try {
    await time.pass(() => isOver || (violation ??= world.violation) !== undefined);
  } finally {
    await world.close();
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
  await Promise.all(
    Object.entries(cast).map(async ([name, act]) => await act(world, { chances: world.generator.fork(name), isOver })),
  );
  await time.belongingTo(world.node.owner, async () => await quiet(world));
  const [logged] = world.logged;
  if (logged !== undefined) throw new Error(`logged without a fault: ${logged}`);
}

/** Without faults, until all that waits for another try has had it. */
async function quiet(world: World): Promise<void> {
  Object.assign(world.faults, noFaults);
  await time.pause(hour);
  await everybodySignsIn(world);
  // On PostgreSQL each second of two nodes costs statements: there it lasts as long as it must.
  const isDone = async (): Promise<boolean> => world.nodes.length > 1 && (await waitingEvents(world)) === 0;
  for (let minutes = 0; minutes < 6 * 60 && !(minutes > 0 && (await isDone())); minutes += 5)
    await time.pause(hour / 12);
  await checkFeed(world, world.generator.fork("feed at the end"));
  await checkRecords(world);
  await checkPrograms(world);
  await checkAccounts(world);
  await checkWhatIsLeft(world);
  await checkNothingCameLater(world);
}

async function breakThings(world: World, { chances, isOver }: Part): Promise<void> {
  while (!isOver()) {
    world.drawFaults(chances);
    const until = time.now() + hour / 4;
    while (time.now() < until && !isOver()) {
      const { crashes } = world.faults;
      await time.pause(crashes === 0 ? hour / 16 : chances.wait(hour / crashes) + 1000);
      if (crashes > 0 && !isOver()) await world.crash();
    }
  }
}

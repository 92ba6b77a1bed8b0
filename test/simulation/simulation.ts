/** One run: everybody lives for some virtual hours, while things break. */
// These two first: they take the place of what `src` gets from Node as it is loaded.
import { time } from "./time.ts";
import { drawKeyPairsFrom } from "./key-pairs.ts";
import { club, everybodySignsIn } from "./actors/club.ts";
import { attack } from "./actors/attacker.ts";
import { companies } from "./actors/companies.ts";
import { runCommands } from "./actors/commands.ts";
import { checkFeed, followFeed } from "./actors/feed.ts";
import { useConsole } from "./actors/console.ts";
import { factories } from "./actors/factories.ts";
import { founders } from "./actors/founders.ts";
import { guests } from "./actors/guests.ts";
import { keepers } from "./actors/keepers.ts";
import { machines } from "./actors/machines.ts";
import { merchants } from "./actors/merchants.ts";
import { offices } from "./actors/offices.ts";
import { organizations } from "./actors/organizations.ts";
import { people } from "./actors/person.ts";
import { readers } from "./actors/readers.ts";
import { registrar } from "./actors/registrar.ts";
import { residents } from "./actors/residents.ts";
import { resourceServers } from "./actors/resource-servers.ts";
import { students } from "./actors/students.ts";
import { keepAccounts } from "./actors/server.ts";
import { useWebhooks } from "./actors/webhooks.ts";
import { breakThings } from "./breaking.ts";
import { noFaults } from "./faults.ts";
import { Generator } from "./generator.ts";
import { checkAccounts } from "./oracles/accounts.ts";
import { checkNothingCameLater } from "./oracles/deleted.ts";
import { checkFirms } from "./oracles/firms.ts";
import { checkWhatIsLeft } from "./oracles/left.ts";
import { checkOrganizations } from "./oracles/organizations.ts";
import { checkPrograms } from "./oracles/programs.ts";
import { checkRecords, waitingEvents } from "./oracles/records.ts";
import { checkResidents } from "./oracles/residents.ts";
import { checkEntries } from "./oracles/entries.ts";
import { checkUpkeep } from "./oracles/upkeep.ts";
import { checkEndpoints } from "./oracles/webhooks.ts";
import { answerWithoutThreads, watchForRealWork } from "./threads.ts";
import { Violation } from "./model.ts";
import { probe } from "./prober.ts";
import { pacing, World, type Actor, type Cluster } from "./world.ts";

export type Result = {
  seed: string;
  violation: { oracle: string; message: string } | undefined;
  trace: string;
  lines: readonly string[];
  /** Virtual hours until it ended or failed. */
  hours: number;
  calls: number;
  crashes: number;
  stops: number;
  steps: number;
  reach: Record<string, number>;
};

const hour = 3_600_000;

/** `without`: actors and kinds of faults that are left out, by name. `givesUp` ends a run early. */
export type Options = { hours: number; without?: readonly string[]; cluster?: Cluster; givesUp?: () => boolean };

/** Everybody who acts. Each draws from its own generator, so that one can be left out. */
const cast: Record<string, Actor> = {
  people,
  club,
  readers,
  machines,
  organizations,
  residents,
  guests,
  offices,
  companies,
  merchants,
  factories,
  founders,
  keepers,
  registrar,
  students,
  resourceServers,
  webhooks: useWebhooks,
  attacker: attack,
  commands: runCommands,
  server: keepAccounts,
  feed: followFeed,
  console: useConsole,
  faults: breakThings,
  prober: probe,
};

export const actors = Object.keys(cast);

answerWithoutThreads();
// `src` loads them with the first passkey, which would take real time.
await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);

export async function simulate(seed: string, options: Options): Promise<Result> {
  time.begin();
  const generator = new Generator(seed);
  drawKeyPairsFrom(generator.fork("key pairs"));
  const { givesUp = () => false } = options;
  const world = new World(generator, options);
  const stepsBefore = time.steps();
  const startedAt = time.now();
  let isOver = false;
  // PostgreSQL is a part of the real world.
  const watch = options.cluster
    ? undefined
    : watchForRealWork((what) => {
        world.violation ??= new Error(what);
      });
  void live(world, options)
    .catch((error: unknown) => (world.violation ??= error))
    .finally(() => (isOver = true));
  try {
    await time
      .pass(() => isOver || world.violation !== undefined || givesUp())
      .catch((error: unknown) => (world.violation ??= new Violation("O10", String(error))));
    if (!isOver && !givesUp()) world.violation ??= new Error("everybody waits, and nothing is left to happen");
  } finally {
    watch?.disable();
    await world.close();
  }
  const { hash, lines } = world.trace;
  const { violation } = world;
  return {
    seed,
    violation: violation === undefined ? undefined : described(violation),
    trace: hash,
    lines,
    hours: (time.now() - startedAt) / hour,
    calls: world.calls,
    crashes: world.crashes,
    stops: world.stops,
    steps: time.steps() - stepsBefore,
    reach: Object.fromEntries([...world.reach].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function described(error: unknown): Result["violation"] {
  if (error instanceof Violation) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // An answer that an actor did not expect, from a helper of the other tests or from a command.
  const code = (error as { code?: unknown }).code ?? /(?:with status|answered) (\d{3})/u.exec(message)?.[1];
  if (typeof code !== "string" || code.startsWith("ERR_")) return { oracle: "none", message };
  return { oracle: /^404$|_NOT_FOUND$/u.test(code) ? "O4" : "O10", message };
}

async function live(world: World, { hours, without = [] }: Options): Promise<void> {
  await world.open();
  const endsAt = time.now() + hours * hour;
  const isOver = (): boolean => time.now() >= endsAt || world.violation !== undefined;
  await Promise.all(
    Object.entries(cast).map(async ([name, act]) => {
      if (without.includes(name)) return;
      const chances = world.generator.fork(name);
      await act(world, { chances, isOver, pause: pacing(chances.fork("pace")) });
    }),
  );
  await time.belongingTo(world.node.owner, async () => await quiet(world));
  const [logged] = world.logged;
  if (logged !== undefined) throw new Error(`logged without a fault: ${logged}`);
}

/** Without faults, until all that waits for another try has had it. */
async function quiet(world: World): Promise<void> {
  Object.assign(world.faults, noFaults);
  if (!world.clockWasRight(time.now())) world.setClock(0);
  // Longer than any wait after wrong passwords. Idle nodes on PostgreSQL cost most.
  await time.pause(world.nodes.length > 1 ? hour / 3 : hour);
  await everybodySignsIn(world);
  const until = time.now() + 6 * hour;
  // Workers look for work each second, so it lasts only as long as it must.
  do await time.pause(hour / 12);
  while (time.now() < until && (await waitingEvents(world)) > 0);
  if (world.nodes.some(({ owner }) => owner.isDead)) throw new Error("no node was started after a crash");
  const problem = world.node.ctx.writability.problem();
  if (problem) throw new Violation("O10", `the service still says: ${problem.reason}`);
  await checkFeed(world, world.generator.fork("feed at the end"));
  await checkRecords(world);
  await checkPrograms(world);
  await checkAccounts(world);
  await checkOrganizations(world);
  await checkWhatIsLeft(world);
  await checkResidents(world);
  await checkEntries(world);
  await checkEndpoints(world);
  checkFirms(world);
  await checkNothingCameLater(world);
  await checkUpkeep(world, world.generator.fork("upkeep"));
}

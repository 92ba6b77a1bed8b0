import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { authsvc as command, emptyFolder, finish, start } from "../cli/command.ts";
import { asNextVersion } from "../support/next-version.ts";
import { countOldRows, makeOldDatabase } from "../support/old-database.ts";
import { randomMoments, reportExperiment } from "./experiment.ts";

const rounds = 10;
const rows = 60_000;
const moment = randomMoments();
const fewerRows = 40_000;
const old = join(emptyFolder(), "authsvc.db");
const backup = join(emptyFolder(), "a.backup");

/** Only a migration needs the next version, and with it the sources. */
type Program = { env: Record<string, string> } | { built: true };
const next = { env: asNextVersion };
const built = { built: true } as const;
const halfMade = /partial|restoring-|\.claim$/u;

beforeAll(async () => {
  makeOldDatabase(old, rows);
  const cwd = emptyFolder();
  makeOldDatabase(join(cwd, "data/authsvc.db"), fewerRows);
  await succeed(["app", "list"], cwd, built);
  // Without it, a database does not say which master key it belongs to, and is not restored.
  await succeed(["signing-key", "list"], cwd, built);
  await succeed(["db", "backup", backup], cwd, built);
  copyFileSync(join(cwd, "data/master.key"), `${backup}.key`);
});

async function succeed(args: string[], cwd: string, by: Program): Promise<void> {
  const { code, stderr } = await command(args, { cwd, ...by });
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
}

/**
 * Kills every other process as soon as it has begun to make a file, and a moment later; the others
 * at any moment of their life.
 */
async function killSomewhere(
  child: ChildProcessWithoutNullStreams,
  { round, life }: Round,
  folder: string,
): Promise<void> {
  const ended = finish(child);
  const begun = (): boolean => existsSync(folder) && readdirSync(folder).some((name) => halfMade.test(name));
  if (round % 2 === 0) while (child.exitCode === null && !begun()) await sleep(1);
  await sleep(moment(round % 2 === 0 ? 60 : life));
  child.kill("SIGKILL");
  await ended;
}

/** `life`: about how many milliseconds a process that nobody kills takes. */
type Round = { round: number; life: number; cwd: string; data: string };

/**
 * Runs `work`, which kills something and answers with the folder it wrote to, for each round on a
 * new old database. Counts how often something half-made was left there, and how often the database
 * holds the backup afterwards.
 */
async function eachRound(name: string, by: Program, work: (round: Round) => Promise<string>) {
  const lost: string[] = [];
  let [checks, left, restored] = [0, 0, 0];
  const check = (isRight: boolean, sentence: string): void => {
    checks += 1;
    if (!isRight) lost.push(sentence);
  };
  for (let round = 0; round < rounds; round += 1) {
    const cwd = emptyFolder();
    const data = join(cwd, "data");
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(old, join(data, "authsvc.db"));
    copyFileSync(`${backup}.key`, join(data, "master.key"));
    const folder = await work({ round, life: by === next ? 2500 : 600, cwd, data });
    if (readdirSync(folder).some((file) => halfMade.test(file))) left += 1;
    await succeed(["app", "list"], cwd, by);
    if (folder !== data) await succeed(["db", "backup", join(folder, "next.backup")], cwd, by);
    for (const file of readdirSync(folder)) {
      check(!halfMade.test(file), `round ${round}: ${file} was left`);
      // What has a final name is whole.
      if (/before-(?:migration|restore)-\d+$|\.backup$/u.test(file))
        check(countOldRows(join(folder, file)) === rows, `round ${round}: ${file} is not whole`);
    }
    const found = countOldRows(join(data, "authsvc.db"));
    check(found === rows || (found === fewerRows && name.includes("restore")), `round ${round}: ${found} rows`);
    if (found === fewerRows) restored += 1;
    rmSync(cwd, { recursive: true, force: true });
    if (folder !== data) rmSync(folder, { recursive: true, force: true });
  }
  // The control: kills met files that were half-made, and the next start or backup removed them.
  expect(left).toBeGreaterThan(0);
  reportExperiment(name, { rounds, checks, lost });
  return { restored };
}

it("a migration that is killed leaves a whole database and no half-made snapshot", async () => {
  await eachRound("kill -9 during a migration", next, async (round) => {
    const { cwd, data } = round;
    await killSomewhere(start(["app", "list"], { cwd, ...next }), round, data);
    return data;
  });
});

it("a backup that is killed is not there, and leaves nothing once the next one is made", async () => {
  await eachRound("kill -9 during a backup", built, async (round) => {
    const folder = emptyFolder();
    await killSomewhere(start(["db", "backup", join(folder, "a.backup")], { cwd: round.cwd, ...built }), round, folder);
    return folder;
  });
});

it("a restore that is killed leaves what was there before or what the backup holds, and no other copy of it", async () => {
  await eachRound("kill -9 during a restore", built, async (round) => {
    const { cwd, data } = round;
    await killSomewhere(start(["db", "restore", backup, "--yes"], { cwd, ...built }), round, data);
    return data;
  });
});

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import { commandMilliseconds } from "./commands.ts";
import type { Context } from "./context.ts";
import { start } from "./process.ts";
import { inFolder, type Program } from "./program.ts";
import { measured, type Report } from "./report.ts";
import { people, signInUntil } from "./sign-ins.ts";
import { validatesOf, withSubject } from "./subject.ts";

const runs = 10;
const validates = 100_000;
const signIns = 1000;

/** The resources of one process: disk, start time, memory. */
export async function measureExecutable({ program, report, load }: Context): Promise<void> {
  if (program.isExecutable) reportSize(program.command, report);
  report.value("authsvc version", commandMilliseconds(program, ["version"], {}), "ms", { atMost: 100 });

  const starts = { first: [] as number[], later: [] as number[], idle: [] as number[] };
  for (let run = 0; run < runs; run += 1) {
    await inFolder(async (folder) => {
      starts.first.push((await startOnce(program, folder)).ready);
      const { ready, idle } = await startOnce(program, folder);
      starts.later.push(ready);
      starts.idle.push(idle);
    });
  }
  report.value("start to ready, first: makes the database and the keys", percentile(starts.first, 0.5), "ms");
  report.value("start to ready", percentile(starts.later, 0.5), "ms", { atMost: 250 });
  report.value("idle memory (resident, the most)", percentile(starts.idle, 1), "MB", { atMost: 110 });

  await withSubject({ program, logins: 64, people }, async (subject) => {
    for (let made = 0; made < validates;)
      made += (await load(validatesOf(subject, subject.logins), { seconds: 1 })).calls;
    const afterwards = subject.server.residentMegabytes();
    await signInUntil(subject, (done) => done >= signIns);
    report.value(`memory after ${measured(validates)} validates`, afterwards, "MB");
    const { residentMegabytes } = subject.server;
    report.value(`memory after ${measured(signIns)} sign-ins as well`, residentMegabytes(), "MB", { atMost: 180 });
  });
}

function reportSize(file: string, report: Report): void {
  const megabytes = (bytes: number): string => `${measured(bytes / 1e6)} MB`;
  report.value("dist/authsvc", statSync(file).size / 1e6, "MB", { atMost: 125 });
  report.note("dist/authsvc, gzip -9", megabytes(gzipSync(readFileSync(file), { level: 9 }).length));
}

async function startOnce({ command, before }: Program, folder: string): Promise<{ ready: number; idle: number }> {
  const program = [...before, "serve", "--port", "0", "--data", join(folder, "data")];
  const server = await start(program, { HOME: folder }, { command });
  await pause(1000);
  const idle = server.residentMegabytes();
  await server.stop();
  return { ready: server.readyMilliseconds, idle };
}

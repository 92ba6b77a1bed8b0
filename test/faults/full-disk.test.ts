import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, it } from "vitest";
import { call, validate } from "../support/person.ts";
import { kill, killAll, startProcess } from "../support/process.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { mountSmallDisk, noSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { createAcknowledged, eventually, type Acknowledged } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";
import { whyNoStrace } from "./strace.ts";

const rounds = 5;
const workers = 4;
const disks: SmallDisk[] = [];

afterEach(async () => {
  await killAll();
  for (const disk of disks.splice(0)) disk.remove();
});

/** Breaks writes under load, looks at what goes on meanwhile, and mends them. */
async function round(
  { service, app, model }: { service: TestService; app: TestApp; model: Acknowledged },
  fault: { begin(): Promise<void> | void; end(): Promise<void> | void },
): Promise<number> {
  const stop = new AbortController();
  const load = Array.from({ length: workers }, () => model.work(service, app, stop.signal));
  const [before, failed] = [model.successes(), model.failures()];
  await eventually(() => model.successes() >= before + 10);
  await fault.begin();
  await eventually(() => model.failures() >= failed + 20);
  stop.abort();
  await Promise.all(load);

  const ready = await call(service, "GET", "/readyz", {});
  expect(ready).toMatchObject({ status: 503, body: { status: "degraded", reason: /disk/u } });
  const live = model.liveTokens().slice(-20);
  for (const token of live) expect((await validate(service, app, token)).status).toBe(200);
  expect((await call(service, "GET", "/.well-known/jwks.json", {})).status).toBe(200);

  await fault.end();
  await eventually(async () => (await call(service, "GET", "/readyz", {})).status === 200);
  return live.length + 2;
}

it("a full disk under load: nothing acknowledged is lost, nothing refused happened, and it is well when there is room", async ({
  skip,
}) => {
  // SQLite's log may take 16 MB, and the filler must find room beside it.
  const disk = mountSmallDisk(64);
  if (!disk) return skip(noSmallDisk);
  disks.push(disk);
  const model = createAcknowledged();
  const { service, app, process } = await startProcess(disk.folder);
  let checks = 0;
  const lost: string[] = [];
  for (let count = 0; count < rounds; count += 1) {
    checks += await round({ service, app, model }, { begin: () => disk.fill(), end: () => disk.makeRoom() });
    const seen = await model.check(service, app);
    checks += seen.checks;
    lost.push(...seen.lost);
  }
  await kill(process);
  const again = await startProcess(disk.folder);
  const seen = await model.check(again.service, again.app);
  reportExperiment("full disk (SQLite)", { rounds, checks: checks + seen.checks, lost: [...lost, ...seen.lost] });

  // Control: the model finds one login that is gone.
  await kill(again.process);
  const database = new Database(join(disk.folder, "authsvc.db"));
  database.exec(
    "DELETE FROM logins WHERE id = (SELECT id FROM logins WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1)",
  );
  database.close();
  const last = await startProcess(disk.folder);
  expect((await model.check(last.service, last.app)).lost).toHaveLength(1);
});

const failing: [name: string, error: string][] = [
  ["a disk that reports errors (EIO)", "EIO"],
  ["a disk that turned read-only (EROFS)", "EROFS"],
];
it.for(failing)(
  "%s: tokens are validated, nothing acknowledged is lost, and it recovers",
  async ([name, error], { skip }) => {
    const data = mkdtempSync(join(tmpdir(), "authsvc-eio-"));
    const reason = whyNoStrace();
    if (reason !== undefined) return skip(reason);
    const model = createAcknowledged();
    const { service, app, process } = await startProcess(data);
    let tracer: ChildProcess | undefined;
    const fault = {
      begin: async () => void (tracer = await failWrites(process, error)),
      end: async () => await detach(tracer),
    };
    let checks = await round({ service, app, model }, fault);
    checks += await round({ service, app, model }, fault);
    await kill(process);
    const again = await startProcess(data);
    const seen = await model.check(again.service, again.app);
    reportExperiment(name, { rounds: 2, checks: checks + seen.checks, lost: seen.lost });
  },
);

/**
 * Has every write and flush of SQLite fail: it writes by pwrite64, as nothing else of the service
 * does.
 */
async function failWrites({ pid }: ChildProcess, error: string): Promise<ChildProcess> {
  const calls = "pwrite64,fdatasync,fsync,ftruncate,fallocate";
  const inject = `inject=${calls}:error=${error}`;
  const tracer = spawn("strace", ["-f", "-p", String(pid), "-e", `trace=${calls}`, "-e", inject, "-o", "/dev/null"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  tracer.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await eventually(() => /attached/u.test(said) || tracer.exitCode !== null);
  expect(tracer.exitCode, said).toBeNull();
  return tracer;
}

async function detach(tracer: ChildProcess | undefined): Promise<void> {
  if (!tracer || tracer.exitCode !== null) return;
  const ended = new Promise((resolve) => tracer.once("exit", resolve));
  tracer.kill("SIGINT");
  await ended;
}

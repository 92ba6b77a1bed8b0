import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { call, newEmail, redeem, refresh, signUp, validate } from "../support/person.ts";
import { killAll, startProcess, threads } from "../support/process.ts";
import { until } from "../support/receiver.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { reportExperiment } from "./experiment.ts";
import { whyNoStrace } from "./strace.ts";

const isLinux = process.platform === "linux";
const noStrace = whyNoStrace();
const openFiles = isLinux ? Number(/Max open files\s+(\d+)/u.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]) : 0;

const open: Socket[] = [];
// A process that a failed test left behind would keep the run from ending.
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await killAll();
});

/**
 * Connections that say nothing; those that the system or the service refuses are closed already. A
 * few at a time: a queue of the system is short.
 */
async function connectIdly(service: TestService, count: number): Promise<Socket[]> {
  const port = Number(new URL(service.url).port);
  const idle: Socket[] = [];
  while (idle.length < count) {
    const batch = Array.from({ length: Math.min(100, count - idle.length) }, async () => {
      const socket = connect(port, "127.0.0.1")
        .on("error", () => undefined)
        .resume();
      open.push(socket);
      await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", resolve));
      return socket;
    });
    idle.push(...(await Promise.all(batch)));
  }
  return idle;
}

/** Of one processor, from 0 to 1, over a second. */
async function shareOfProcessor(pid: number): Promise<number> {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const [before, startedAt] = [ticks(), performance.now()];
  await pause(1000);
  return ((ticks() - before) * 10) / (performance.now() - startedAt);
}

async function isHealthy(service: TestService): Promise<boolean> {
  const answer = await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  return answer?.status === 200;
}

/** The whole way in and out; how many calls of it were right, and what was not. */
async function walk(service: TestService, app: TestApp, lost: string[]): Promise<number> {
  const tokens = await redeem(service, app, await signUp(service, app, { email: newEmail() }));
  const next = await refresh(service, app, tokens.refreshToken);
  const answers = [next, await validate(service, app, String(next.body["accessToken"]))];
  for (const { status } of answers) if (status !== 200) lost.push(`status ${status}`);
  return answers.length + 1;
}

it.skipIf(!isLinux).each([
  ["as many connections as the limit of descriptors allows", undefined],
  ["more connections than there are descriptors, where more are configured", "1000"],
])(
  "descriptors exhausted by %s: the process lives, does not spin, says so once, and answers when they are back",
  async (title, maxConnections) => {
    const data = mkdtempSync(join(tmpdir(), "authsvc-files-"));
    const limited = ["sh", "-c", 'ulimit -n 160; exec "$@"', "sh"];
    const settings: Record<string, string> =
      maxConnections === undefined ? {} : { AUTHSVC_LISTEN__MAX_CONNECTIONS: maxConnections };
    const { service, app, process, log } = await startProcess(data, settings, limited);
    const lost: string[] = [];
    let checks = await walk(service, app, lost);
    // The system connects before the service accepts: the test waits until it has accepted.
    const accepted = until(() => readdirSync(`/proc/${process.pid}/fd`).length > 100);
    await Promise.all([connectIdly(service, 400), accepted]);
    const busy = await shareOfProcessor(process.pid ?? 0);
    expect(busy).toBeLessThan(0.5);
    for (const socket of open.splice(0)) socket.destroy();
    await until(async () => await isHealthy(service));
    checks += await walk(service, app, lost);
    expect(process.exitCode).toBe(null);
    const lines = log()
      .split("\n")
      .filter((line) => line.includes("connections refused"));
    // Each HTTP thread for itself.
    expect(lines).toHaveLength(threads);
    reportExperiment(`descriptors exhausted: ${title}`, { rounds: 1, checks: checks + 3, lost });
  },
);

// The service takes connections for three quarters of the limit.
const enough = openFiles >= 8000 ? "" : " (skipped: the limit of open files is below 8,000)";

it.skipIf(enough !== "")(`5,000 idle connections keep nobody waiting, and are gone within 15 s${enough}`, async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-idle-"));
  const { service, app, process } = await startProcess(data);
  const before = readdirSync(`/proc/${process.pid}/fd`).length;
  const startedAt = performance.now();
  const idle = await connectIdly(service, 5000);
  const openedIn = performance.now() - startedAt;
  const lost: string[] = [];
  let [checks, slowest] = [0, 0];
  for (let round = 0; round < 10; round += 1) {
    const begunAt = performance.now();
    checks += await walk(service, app, lost);
    slowest = Math.max(slowest, performance.now() - begunAt);
  }
  expect(slowest).toBeLessThan(12_000);
  await until(() => idle.every(({ closed }) => closed));
  // The first of them has waited for the others to be opened.
  expect(performance.now() - startedAt - openedIn).toBeLessThan(40_000);
  await until(() => readdirSync(`/proc/${process.pid}/fd`).length < before + 20);
  reportExperiment("5,000 idle connections", { rounds: 1, checks: checks + idle.length, lost });
});

it.skipIf(noStrace !== undefined)(
  `an fsync that takes 500 ms: calls are slow, and each is answered right${noStrace ? ` (skipped: ${noStrace})` : ""}`,
  async () => {
    const data = mkdtempSync(join(tmpdir(), "authsvc-fsync-"));
    const calls = "fsync,fdatasync";
    // -D: the tracer is the child, so that the process that is killed is the service.
    const slowly = ["strace", "-D", "-f", "-o", "/dev/null", "-e", `trace=${calls}`];
    const delayed = [...slowly, "-e", `inject=${calls}:delay_exit=500000`];
    const { service, app } = await startProcess(data, {}, delayed);
    const lost: string[] = [];
    const startedAt = performance.now();
    const checks = await Promise.all(Array.from({ length: 8 }, async () => await walk(service, app, lost)));
    const took = performance.now() - startedAt;
    // The control: a sign-up, a login and a refresh are on the disk before they are answered.
    expect(took).toBeGreaterThan(1500);
    expect(took).toBeLessThan(60_000);
    expect((await call(service, "GET", "/readyz", {})).status).toBe(200);
    reportExperiment("an fsync of 500 ms", { rounds: 8, checks: checks.reduce((sum, each) => sum + each, 0), lost });
  },
);

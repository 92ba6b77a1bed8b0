import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { executable } from "../support/program.ts";
import { eventually } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A pipe that nobody reads. It is full after 64 KiB. */
function unread(folder: string): number {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  return openSync(path, "r+");
}

it.skipIf(process.platform !== "linux").each([
  ["on a full disk", () => openSync("/dev/full", "w")],
  ["whose reader has stopped", unread],
])(
  "a log and a standard output that cannot be written, %s: the service answers and stops when told to",
  async (title, open) => {
    const data = mkdtempSync(join(tmpdir(), "authsvc-output-"));
    const port = await freePort();
    const full = open(data);
    const child = spawn(executable, ["serve", "--port", String(port), "--data", data], {
      cwd: data,
      env: { AUTHSVC_LOG__LEVEL: "debug", AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000" },
      stdio: ["ignore", full, full],
    });
    started.push(child);
    const url = `http://127.0.0.1:${port}`;
    // A frozen service takes the connection and says nothing.
    const answers = async (path: string): Promise<number> =>
      await fetch(`${url}${path}`, { signal: AbortSignal.timeout(60_000) }).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(async () => (await answers("/readyz")) === 200);
    const lost: string[] = [];
    // Each has two lines in the log, together as much as may wait in memory.
    const calls = 3000;
    for (let made = 0; made < calls; made += 100) {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => answers("/auth/validate")));
      expect(statuses.filter((status) => status === 0)).toEqual([]);
      lost.push(...statuses.filter((status) => status !== 401).map((status) => `answered ${status}`));
    }
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    reportExperiment(`output that cannot be written, ${title}`, { rounds: 1, checks: calls + 1, lost });
  },
);

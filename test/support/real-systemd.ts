import { execFile, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { until } from "./receiver.ts";

const hierarchy = existsSync("/sys/fs/cgroup/systemd") ? "/sys/fs/cgroup/systemd" : "/sys/fs/cgroup";

/** Why no systemd can be started here; undefined if one can be tried. */
export function whyNoSystemd(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root of Linux starts one";
  if (!existsSync("/lib/systemd/systemd")) return "systemd is not installed";
  const words = ["--mount", "--pid", "--fork", "--cgroup", "--uts", "--ipc", "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
  return spawnSync("unshare", words).status === 0 ? undefined : "no namespaces can be made";
}

/**
 * A systemd of the test, with the files of `folder` over this machine's (real-systemd.sh).
 * Undefined if it does not come up. `run` runs a program beside it.
 */
export async function startSystemd(folder: string) {
  mkdirSync(join(folder, "etc/systemd/system"), { recursive: true });
  writeFileSync(join(folder, "etc/systemd/system/test.target"), "[Unit]\nDefaultDependencies=no\n");
  const cgroup = join(hierarchy, `authsvc-test-${process.pid}-${Date.now()}`);
  try {
    mkdirSync(cgroup);
  } catch {
    return undefined;
  }
  // systemd keeps no key for credentials in memory.
  const state = mkdtempSync("/var/tmp/authsvc-test-");
  const script = join(import.meta.dirname, "real-systemd.sh");
  const unshared = ["unshare", "--mount", "--pid", "--fork", "--cgroup", "--uts", "--ipc", "sh", script, folder, state];
  const child = spawn("sh", ["-c", `echo $$ > "${cgroup}/cgroup.procs" && exec "$@"`, "sh", ...unshared], {
    env: { PATH: process.env["PATH"], AUTHSVC_CGROUP_V1: hierarchy.endsWith("systemd") ? "1" : "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const first = (): string => {
    const { pid } = child;
    return child.exitCode === null ? readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim() : "";
  };
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    // With process 1, all of its namespace end.
    const pid = first();
    if (pid !== "") process.kill(Number(pid), "SIGKILL");
    await ended;
    rmSync(state, { recursive: true, force: true });
    await until(() => removed(cgroup));
  });
  const run = async (...words: string[]): Promise<string> => {
    const inside = ["-t", first(), "-m", "-p", "-C", "-u", "-i", ...words];
    return (await promisify(execFile)("nsenter", inside)).stdout.trim();
  };
  const isUp = await until(async () => {
    if (child.exitCode !== null) return "ended";
    return await run("systemctl", "is-active", "test.target").catch(() => undefined);
  });
  return isUp === "active" ? { run, log: () => log } : undefined;
}

/** Whether the folder of a control group, whose processes have ended, is gone. */
function removed(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removed(join(folder, entry.name));
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

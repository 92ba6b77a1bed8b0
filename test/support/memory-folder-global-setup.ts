import { spawn } from "node:child_process";
import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const enough = 2 * 1024 ** 3;

/**
 * Makes the folder of temporary files one in memory, where the system has one with enough room:
 * half of the time tests on SQLite waited for a disk. It is removed however this process ends.
 */
export default function setup(): void {
  // Each project of vitest.config.ts runs this; the first one makes it.
  if (tmpdir().startsWith(memory) || !hasRoom()) return;
  const folder = mkdtempSync(join(memory, "authsvc-tests-"));
  // As /tmp: some tests run processes of other accounts.
  chmodSync(folder, 0o1777);
  // The shell waits on a pipe from this process.
  const remover = spawn("/bin/sh", ["-c", 'read -r _; rm -rf "$1"', "sh", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  remover.unref();
  process.env["TMPDIR"] = folder;
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough;
  } catch {
    return false;
  }
}

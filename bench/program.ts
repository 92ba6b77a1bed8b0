import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** authsvc as it is measured: the executable if `npm run build` has made it, else the sources. */
export type Program = { name: string; command: string; before: string[]; isExecutable: boolean };

export const sources: Program = {
  name: "the sources",
  command: process.execPath,
  before: [join(root, "bin/authsvc.ts")],
  isExecutable: false,
};

export function chosenProgram(): Program {
  const built = join(root, "dist/authsvc");
  if (!existsSync(built)) return sources;
  const isOld = globSync("{src,bin,migrations}/**/*", { cwd: root }).some((file) => isNewer(join(root, file), built));
  const name = `dist/authsvc${isOld ? " (OLDER THAN THE SOURCES: npm run build)" : ""}`;
  return { name, command: built, before: [], isExecutable: true };
}

function isNewer(file: string, than: string): boolean {
  return statSync(file).mtimeMs > statSync(than).mtimeMs;
}

/** `authsvc 1.0.0 (node 26.10.0, linux-x64)` */
export function versionOf({ command, before }: Program): string {
  const { stdout, status } = spawnSync(command, [...before, "version"], { env: {}, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} version ended with ${status}`);
  return stdout.trim();
}

/** A new folder that exists during `work`. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

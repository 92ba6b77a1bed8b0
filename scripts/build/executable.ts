import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { runtimeFlags } from "./runtime-flags.ts";
import { stripElf } from "./strip-elf.ts";
import type { Target } from "./target.ts";

/** Without its symbols, which are a quarter of it. First of all: an executable that holds its program already does not survive it. */
export function strippedNode(node: string, target: Target, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (target.sqlite.startsWith("linux-")) writeFileSync(file, stripElf(readFileSync(node)));
  else copyFileSync(node, file);
  chmodSync(file, 0o755);
}

/** Makes one file of Node, the first file of the program and all files of the staging folder. It replaces the one before when it is whole. */
export function packExecutable(options: { stage: string; start: string; node: string; out: string }): void {
  const { stage, start, node, out } = options;
  const folder = path.dirname(start);
  const packed = path.join(folder, `${path.basename(out)}.packed`);
  const config = path.join(folder, "sea.json");
  writeFileSync(
    config,
    JSON.stringify({
      // Node writes this name down: from the folder, so that the executable says nothing of the machine that built it.
      main: path.basename(start),
      executable: node,
      output: packed,
      disableExperimentalSEAWarning: true,
      execArgv: runtimeFlags,
      assets: Object.fromEntries(filesIn(stage).map((file) => [file, path.join(stage, file)])),
    }),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--build-sea", config], {
    cwd: folder,
    encoding: "utf8",
    env: {},
  });
  if (status !== 0) throw new Error(`node --build-sea failed:\n${stdout}${stderr}`);
  mkdirSync(path.dirname(out), { recursive: true });
  // Copied by the kernel, page by page. A file that was written in large pieces lies in memory in large pieces, and all of a piece counts as
  // resident as soon as one page of it is used: 20 MB more.
  copyFileSync(packed, `${out}.new`);
  chmodSync(`${out}.new`, 0o755);
  renameSync(`${out}.new`, out);
  rmSync(packed);
}

function filesIn(folder: string): string[] {
  return globSync("**/*", { cwd: folder })
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .map((file) => file.split(path.sep).join("/"))
    .toSorted();
}

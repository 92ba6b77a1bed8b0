import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { stripElf } from "./strip-elf.ts";
import { runtimeFlags } from "./runtime-flags.ts";
import { root, type Target } from "./target.ts";

/** pkg's folder for what it downloads. It finds Node there, and so downloads nothing. */
function fillPkgCache(home: string, target: Target, version: string, node: string): void {
  const [system = "", architecture = ""] = target.pkg.split("-");
  const name = `node-v${version}-${system === "macos" ? "darwin" : system}-${architecture}`;
  const cache = path.join(home, ".pkg-cache", "sea");
  const isWindows = system === "win";
  const program = isWindows ? path.join(cache, `${name}.exe`) : path.join(cache, name, "bin", "node");
  mkdirSync(path.dirname(program), { recursive: true });
  copyFileSync(node, program);
  chmodSync(program, 0o755);
  const archive = path.join(cache, `${name}.${isWindows ? "zip" : "tar.gz"}`);
  // The files that say "was downloaded and is complete".
  for (const file of [archive, `${archive}.ok`, `${program}.ok`]) writeFileSync(file, "");
}

/** Without its symbols, which are a quarter of it. Before pkg: an executable that holds its program already does not survive it. */
export function strippedNode(node: string, target: Target, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (target.pkg.startsWith("linux-")) writeFileSync(file, stripElf(readFileSync(node)));
  else copyFileSync(node, file);
  chmodSync(file, 0o755);
}

/** Makes one file of the staging folder and Node. The file replaces the one before when it is whole. */
export function packExecutable(options: {
  stage: string;
  node: string;
  version: string;
  target: Target;
  out: string;
}): void {
  const { stage, node, version, target, out } = options;
  const home = path.join(root, "build", "pkg-home");
  fillPkgCache(home, target, version, node);
  const packed = path.join(root, "build", path.basename(out));
  const pkg = path.join(root, "node_modules", "@yao-pkg", "pkg", "lib-es5", "bin.js");
  const flags = pathToFileURL(path.join(root, "scripts", "build", "pkg-flags.ts")).href;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", flags, pkg, stage, "--sea", "--targets", `node${version}-${target.pkg}`, "--output", packed],
    { cwd: stage, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: home, USERPROFILE: home, NO_COLOR: "1" } },
  );
  if (status !== 0) throw new Error(`pkg failed:\n${stdout}${stderr}`);
  const executable = readFileSync(packed);
  checkFlags(executable);
  writeFileSync(packed, withoutBuildFolder(executable));
  mkdirSync(path.dirname(out), { recursive: true });
  // Copied by the kernel, page by page. A file that was written in large pieces lies in memory in large pieces, and all of a piece counts as
  // resident as soon as one page of it is used: 20 MB more.
  copyFileSync(packed, `${out}.new`);
  chmodSync(`${out}.new`, 0o755);
  renameSync(`${out}.new`, out);
  rmSync(packed);
}

/** Whether Node will start with our flags is written in clear beside the program. */
function checkFlags(executable: Buffer): void {
  for (const flag of runtimeFlags) {
    if (!executable.includes(flag)) throw new Error(`${flag} is not in the executable: has pkg changed?`);
  }
}

/** pkg works in a folder with a random name, and Node writes the name down: the only bytes in which two builds would differ. */
function withoutBuildFolder(executable: Buffer): Buffer {
  const before = Buffer.from("/pkg-sea-");
  const after = Buffer.from("/sea-main.js");
  const random = 6;
  let found = 0;
  for (let at = executable.indexOf(before); at !== -1; at = executable.indexOf(before, at + 1)) {
    const start = at + before.length;
    if (executable.compare(after, 0, after.length, start + random, start + random + after.length) !== 0) continue;
    executable.fill("0", start, start + random);
    found += 1;
  }
  if (found === 0) throw new Error("the name of pkg's folder is not in the executable: has pkg changed?");
  return executable;
}
